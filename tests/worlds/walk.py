"""One conversation through the real gate, against all that was said before it began.

An agent reads and proposes calls, and what the gate allows changes the environment as the effects
say, and where nothing says it, in any way that the schema allows. Tools answer with what is there,
with something else, or not at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, field
from random import Random
from typing import Any

from ledger_verify.comparison.asked import asked
from ledger_verify.evaluate.kleene import Scope, Truth, truth
from ledger_verify.gate.gate import Gate
from ledger_verify.gate.session import Session
from ledger_verify.gate.verdict import Verdict
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.rules import Rule
from ledger_verify.policy.session_facts import typed_facts
from ledger_verify.schema.coerce import coercer
from tests.worlds.claims import Claims, Wrong, claims_of
from tests.worlds.environment import Environment
from tests.worlds.lots import DESKS, SAID, WRITES, random_facts
from tests.worlds.policies import Policy, random_policy
from tests.worlds.reality import Reality, desk_of, untrue_evidence

WALKS = 8
STEPS = 16
UNTRUE = (Truth.FALSE, Truth.ERROR)
_EXCLUDED = {"TRUE": UNTRUE, "FALSE": (Truth.TRUE,), "ERROR": (Truth.TRUE,)}
"""What a rule is not, of which the gate says this."""


@dataclass
class Gates:
    """The gates of a policy and of the one with a slip."""

    policy: Policy
    gate: Gate = field(init=False)
    edited: Gate = field(init=False)

    def __post_init__(self) -> None:
        self.gate = Gate(self.policy.domain, explain_ms=None)
        self.edited = Gate(self.policy.edited, explain_ms=None)


@dataclass
class Walk:
    """One conversation of a policy with an environment; `told` says what happened."""

    gates: Gates
    claims: Claims
    random: Random
    tally: Counter[str]
    told: list[str] = field(default_factory=list)
    ran: dict[int, bool] = field(default_factory=dict)

    def run(self) -> str | None:
        """What was said and is not so, or None."""
        self.domain = self.gates.policy.domain
        self.environment = Environment(self.domain, self.random)
        facts = random_facts(self.random) if "facts" in self._traits else None
        statements = tuple(claim.always for claim in self.claims.always)
        typed = typed_facts(facts, self.domain.session, self.domain.name, self.domain.zone)
        if not self.environment.begin(statements, typed):
            self.tally["no start found"] += 1
            return None
        self.session = self.gates.gate.session(facts=facts)
        self.tally["walks"] += 1
        try:
            for _ in range(STEPS):
                self._step()
                problem = untrue_evidence(self.environment, self.session.ledger)
                if problem:
                    raise Wrong(problem)
        except Wrong as wrong:
            return "\n".join([str(wrong), *self.told, self.session.render()])
        return None

    def _step(self) -> None:
        chance = self.random.random()
        if chance < 0.45:
            self._read(*self._some_read())
        elif chance < 0.53 and "asks" in self._traits:
            text = self.random.choice(SAID)
            self.session.heard(text)
            self.told.append(f"the user says `{text}`")
        elif chance < 0.55:
            self.session.observe("nobody_knows", {}, {})
            self.told.append("a call of an unknown tool")
        else:
            pick = self.random.choice
            call = {"id": pick(self.environment.ids), "v": pick((0, 1, 2))}
            if "asks" in self._traits and self.random.random() < 0.5:
                call["word"] = pick(("gold", "Gold", "x"))
            if self.random.random() < 0.4:
                self._read("get_till", {})
                self._read("get_lot", {"id": call["id"]})
            self._propose(pick(WRITES), call)

    def _some_read(self) -> tuple[str, dict[str, Any]]:
        pick = self.random.choice
        mine = ("get_mine",) if "facts" in self._traits else ()
        name = pick(("get_lot", "get_lot", "get_lot", "after", "get_desk", "get_till", *mine))
        if name in ("get_till", "get_mine"):
            return name, {}
        return name, {"id": pick(DESKS if name == "get_desk" else self.environment.ids)}

    def _read(self, name: str, call: dict[str, Any]) -> None:
        answer = self.environment.shown(name, call)
        if name in ("get_lot", "get_desk") and "keyed" in self._traits and self._rarely():
            answer = self.environment.another(name) or answer
        drifts = self.session.observe(name, call, answer, error=answer is None)
        self.tally["rejected observations"] += len(drifts)
        self.told.append(f"{name} {call} shows {answer}{', rejected' if drifts else ''}")

    @property
    def _traits(self) -> frozenset[str]:
        return self.gates.policy.traits

    def _rarely(self) -> bool:
        return self.random.random() < 0.2

    # --- a call is proposed

    def _propose(self, name: str, call: dict[str, Any]) -> None:
        tool = self.domain.tools[name]
        names = {
            "args": coercer(tool.arguments, self.domain.zone)(call),
            "now": self.domain.clock_us, "call": {"tool": name},
        }  # fmt: skip
        seen = self.session.ledger.copy()
        scope = Scope(Reality(self.environment, seen, self.ran), names)
        verdict = self.session.check(name, call)
        if self.environment.holds(self.domain.assumptions):
            self._compare(name, call, verdict, scope, seen)
        self.tally[f"calls {verdict.decision.value}"] += 1
        if not verdict.allowed:
            return
        self.told.append(f"{name} {call} is allowed")
        self._happen(name, call, scope)
        for always in self.claims.always:
            if not self.environment.holds((always.always,)):
                world = self.environment.world
                raise Wrong(f"`{always.always.text}` is PROVED, not true of {world.entries}")

    def _compare(
        self, name: str, call: dict[str, Any], verdict: Verdict, scope: Scope, seen: Ledger
    ) -> None:
        """All that was said of a call like this, and what the gate says now, with what is so."""
        rules = {rule.id: rule for rule in self.domain.rules_by_tool[name]}
        standing = {id: truth(rule.holds, scope) for id, rule in rules.items()}
        shown = f"{name} {call}, {verdict.decision.value}"
        for id, real in standing.items():
            said = "TRUE" if verdict.allowed else _report(verdict, id)
            if real in _EXCLUDED.get(said, ()):
                raise Wrong(f"`{id}` is said to be {said} and is {real.name}: {shown}")
        for rule in asked(self.domain, name) if verdict.allowed else ():
            if truth(rule.holds, scope) in UNTRUE:
                raise Wrong(f"{rule.id}, and the user never said it: {shown}")
        self._prophecies(name, standing, rules, shown)
        for claim in self.claims.never if verdict.allowed else self.claims.anyway:
            if claim.tool == name and truth(claim.never, scope) is Truth.TRUE:
                raise Wrong(f"`{claim.id}` is PROVED never to be: {shown}")
        if verdict.allowed and name in self.claims.dead:
            raise Wrong(f"no call is said ever to be allowed: {shown}")
        self._differ(name, call, verdict, seen, shown)

    def _prophecies(
        self, name: str, standing: dict[str, Truth], rules: dict[str, Rule], shown: str
    ) -> None:
        """What `check` says of rules."""
        for tool, id in self.claims.vacuous:
            if tool == name and standing[id] in UNTRUE:
                raise Wrong(f"`{id}` is said to forbid nothing: {shown}")
        for tool, id, core in self.claims.redundant:
            here = [standing[other] for other in core if other in rules]
            implied = len(here) == len(core) and {*here} == {Truth.TRUE}
            if tool == name and implied and standing[id] in UNTRUE:
                raise Wrong(f"`{id}` is said to be redundant: {shown}")

    def _differ(
        self, name: str, call: dict[str, Any], verdict: Verdict, seen: Ledger, shown: str
    ) -> None:
        """What `diff` says of the tool."""
        if name not in self.claims.no_more | self.claims.no_less:
            return
        session: Session = self.gates.edited.session(facts=dict(self.session.facts) or None)
        session.ledger = seen
        other = session.dry_run(name, call)
        if "error" in (verdict.decided_by, other.decided_by):
            return
        if name in self.claims.no_more and other.allowed and not verdict.allowed:
            raise Wrong(f"the edited policy is said to allow no more, and does: {shown}")
        if name in self.claims.no_less and verdict.allowed and not other.allowed:
            raise Wrong(f"the edited policy is said to refuse no more, and does: {shown}")

    def _happen(self, name: str, call: dict[str, Any], scope: Scope) -> None:
        """The call runs, or fails, or nobody learns which."""
        tool, fate = self.domain.tools[name], self.random.random()
        ran = fate > 0.1 and self.environment.change(
            tool, Scope(self.environment.world.copy(), scope.names), desk_of(self.session.ledger)
        )
        if fate < 0.2:
            self.session.interrupted(name, call)
            self.told.append(f"  interrupted, it {'ran' if ran else 'did not run'}")
            return
        result = self._returned(call) if ran else None
        drifts = self.session.observe(name, call, result, error=not ran)
        self.tally["rejected observations"] += len(drifts)
        self.told.append(f"  it {f'ran and returned {result}' if ran else 'failed'}")

    def _returned(self, call: dict[str, Any]) -> dict[str, Any]:
        """What a write returns, or something that does not fit."""
        result = self.environment.result(call)
        if self._rarely():
            another = self.environment.another("get_lot") if "keyed" in self._traits else None
            return {**result, "lot": another or {"id": call["id"], "n": "many"}}
        return result


def _report(verdict: Verdict, id: str) -> str:
    return next((rule.truth for rule in verdict.rules if rule.id == id), "")


def first_wrong(
    seed: int, tally: Counter[str], walks: int = WALKS, always: Set[str] = frozenset()
) -> str | None:
    """What is said wrongly of the policy of that seed, or in walks of it; None if nothing is.

    The policy has the traits in `always`. Beside `prove`, which is asked of each, one of the other
    commands is asked in turn.
    """
    policy = random_policy(seed, frozenset(always))
    tally["policies"] += 1
    for trait in policy.traits:
        tally[f"with {trait}"] += 1
    try:
        claims = claims_of(policy, tally, ("check", "diff", "generate", "")[seed % 4])
    except Wrong as wrong:
        return f"seed {seed}: {wrong}"
    if claims is None:
        return None
    gates = Gates(policy)
    for number in range(walks):
        found = Walk(gates, claims, Random(f"{seed} {number}"), tally).run()
        if found:
            return f"seed {seed}, walk {number}: {found}"
    return None
