"""Walks of the real gate against what `prove` says is PROVED.

A walk is one conversation with a simulated environment: an agent reads, proposes calls, and what
the gate allows changes the environment as the effects say, and where nothing says it, in any way
that the schema allows; calls fail, or nobody learns whether they ran. No PROVED claim may be
broken on the way: `never` by no call that is allowed, of the records as they are and of what counts
as observed; `always` by no state of the environment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any

from ledger_verify.evaluate.kleene import Failure, Scope, Truth, evaluate, truth
from ledger_verify.gate.cases import broken_at
from ledger_verify.gate.gate import Gate
from ledger_verify.gate.session import Session
from ledger_verify.lang.errors import InputError
from ledger_verify.lang.typed import Expr
from ledger_verify.ledger.parts import Keys
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.evidence import NoEvidence, Unknown
from ledger_verify.policy.rules import Always, Invariant
from ledger_verify.policy.tools import Tool
from ledger_verify.proofs.invariants import Proof, prove
from ledger_verify.proofs.sequences import prove_sequences
from ledger_verify.schema.coerce import coercer
from ledger_verify.schema.render import to_json
from ledger_verify.solver.query import Limits
from ledger_verify.solver.sequences import SequenceSolver
from ledger_verify.solver.static import StaticSolver
from tests.differential.boxes import (
    ARGUMENTS,
    KEYS,
    PATHS,
    WRITES,
    Text,
    define,
    random_arguments,
    random_record,
    touching,
)
from tests.differential.reached import read_of

WALKS = 12
STEPS = 14
LONGEST = 2
LIMITS = Limits(timeout_ms=5_000, resources=6_000_000)
_PLACES: Mapping[str, tuple[str, Keys]] = {
    "till": ("till", ()), **{f"boxes.{key}": ("boxes.*", (key,)) for key in KEYS}
}  # fmt: skip


def random_policy(seed: int) -> Domain:
    """A policy with partial touches, assumptions, effects and claims of both kinds."""
    random = Random(seed)
    about_till = random.random() < 0.5
    tools = touching(random)
    rules = _rules(random, tools)
    assumptions = _assumptions(random)
    if about_till:
        rules, assumptions, kept = _till_policy(random, tools, rules, assumptions)
    else:
        place, number = random.choice(("n", "inner.a")), random.choice("24679")
        kept = [f"ledger.boxes.all(b, b.{place} <= {number})"]
    claims = [{"id": f"never{i}", **claim} for i, claim in enumerate(_never(random, rules))]
    claims += [{"id": f"kept{i}", "always": always} for i, always in enumerate(kept)]
    return define(tools, rules, assumptions=assumptions, invariants=claims)


def _rules(random: Random, tools: Mapping[str, Any]) -> list[tuple[str, str]]:
    text = Text(random)
    return [(tool, text.condition(1)) for tool in WRITES for _ in range(random.randint(1, 2))]


def _assumptions(random: Random) -> list[str]:
    number = random.choice("345")
    options = [
        f"ledger.boxes.all(b, b.n <= {number})",
        "ledger.boxes.all(b, b.n >= 0)",
        "ledger.boxes.all(b, b.inner.a <= b.n + 3)",
        "ledger.till.n <= ledger.till.c",
        f"ledger.till.c <= {random.choice('567')}",
    ]
    return random.sample(options, k=random.choice((0, 0, 1, 2)))


def _till_policy(
    random: Random, tools: dict[str, Any], rules: list[tuple[str, str]], assumptions: list[str]
) -> tuple[list[tuple[str, str]], list[str], list[str]]:
    """Writes with effects on numbers, rules that bound them by what may be only assumed, and what
    is claimed of the numbers.
    """
    pick = random.choice
    limit, more = int(pick("345")), int(pick("1234"))
    if random.random() < 0.7:
        assumptions = ["ledger.till.n <= ledger.till.c", f"ledger.till.c <= {limit}"]
    grown = ("ledger.till.n + args.v", *2 * (f"ledger.till.n + {more}",), "args.v")
    other = ("ledger.till.c + 1", "ledger.till.n", "args.v", "ledger.till.c - 1")
    effects = {"put": {"till.n": pick(grown)}, "take": {"till.c": pick(other)}}
    if random.random() < 0.3:
        effects["take"] = {"till.n": "args.v"}
    for name, made in effects.items():
        (path,) = made
        extra = ["till.open"] if random.random() < 0.3 else []
        extra += ["boxes.{args.id}.n"] if random.random() < 0.3 else []
        tools[name] = {
            "kind": "write", "arguments": ARGUMENTS, "touches": [path, *extra], "effects": made,
        }  # fmt: skip
    bound = pick(
        (
            *2 * (f"ledger.till.n <= {limit}",), f"ledger.till.n < {limit}",
            "ledger.till.n < ledger.till.c", f"ledger.till.n + args.v <= {limit}",
            "ledger.till.n + args.v <= ledger.till.c",
            f"observed(ledger.till.n) && ledger.till.n <= {limit}",
        )
    )  # fmt: skip
    rules = [("put", bound), *rules[: random.randint(0, 1)]]
    rules.append(("take", pick(("true", f"ledger.till.c < {limit}", "ledger.till.n <= 2"))))
    kept = [f"ledger.till.n <= {limit + pick((0, more, more, 2))}"]
    return rules, assumptions, [*kept, "ledger.till.n <= ledger.till.c"]


def _never(random: Random, rules: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Claims about one call, many of which follow from the rules."""
    text, claims = Text(random), []
    for tool, rule in rules:
        claims.append({"tools": [tool], "never": f"!({rule}) && {text.condition(1)}"})
        claims.append({"tools": [tool], "never": f"{text.atom()} && {text.atom()} && !({rule})"})
    seen = ("n", "s", "k", "inner", "m", "d", "z")
    box = "ledger.boxes[args.id]"
    for tool in WRITES:
        one, other = random.sample(seen, k=2)
        claims.append(
            {"tools": [tool], "never": f"observed({box}.{one}) && !observed({box}.{other})"}
        )
        claims.append({"tools": [tool], "never": f"observed({box}.{one}) && !observed({box})"})
        listed = "size(records(ledger.boxes)) == 0"
        claims.append({"tools": [tool], "never": f"observed({box}.{one}) && {listed}"})
    return claims


@dataclass
class Proofs:
    """What is PROVED of a policy."""

    never: list[Invariant] = field(default_factory=list)
    always: list[Always] = field(default_factory=list)


def proofs_of(domain: Domain, tally: Counter[str]) -> Proofs:
    """The claims that hold of all calls, or of all sequences of calls."""
    found = Proofs()
    try:
        results = list(prove(domain, StaticSolver(domain, limits=LIMITS)))
    except InputError:  # the assumptions contradict each other
        return found
    for one in results:
        tally[f"never {one.proof.name}"] += 1
        if one.proof is Proof.PROVED:
            found.never.append(one.invariant)
    for many in prove_sequences(domain, SequenceSolver(domain, limits=LIMITS), LONGEST):
        tally[f"always {many.proof.name}"] += 1
        if many.proof is Proof.PROVED:
            found.always.append(many.invariant)
    return found


class _Truth(NoEvidence):
    """The records as they are, of which only what the session has counts as observed."""

    def __init__(self, environment: Ledger, seen: Ledger) -> None:
        self._environment, self._seen = environment, seen

    def lookup(self, pattern: str, keys: Keys) -> Any:
        return self._environment.lookup(pattern, keys)

    def observed(self, pattern: str, keys: Keys, field: str | None) -> Any:
        return self._seen.observed(pattern, keys, field)

    def observed_records(self, pattern: str) -> tuple[Any, ...]:
        return tuple(self._environment.lookup(pattern, k) for k in self._seen.entries[pattern])


@dataclass
class Walk:
    """One conversation of a policy with an environment; `told` says what happened."""

    domain: Domain
    proofs: Proofs
    random: Random
    tally: Counter[str]
    told: list[str] = field(default_factory=list)

    def run(self) -> str | None:
        """What a PROVED claim forbids and came about, or None."""
        world = self._start()
        if world is None:
            self.tally["no start found"] += 1
            return None
        self.world = world
        self.session = Gate(self.domain).session()
        self.tally["walks"] += 1
        for _ in range(STEPS):
            broken = self._step(self.session)
            if broken:
                return "\n".join([broken, *self.told, self.session.render()])
        return None

    def _start(self) -> Ledger | None:
        """An environment in which all that is claimed or assumed holds."""
        for _ in range(60):
            world = Ledger(self.domain.ledger)
            for path, (pattern, keys) in _PLACES.items():
                self._put(world, pattern, keys, random_record(self.random, path))
            statements = [claim.always for claim in self.proofs.always]
            if self._holds(world) and not any(broken_at(s, world) for s in statements):
                return world
        return None

    def _holds(self, world: Ledger) -> bool:
        return not any(broken_at(assumption, world) for assumption in self.domain.assumptions)

    def _put(self, world: Ledger, pattern: str, keys: Keys, raw: Any) -> None:
        record = self.domain.ledger[pattern].record
        world.put(pattern, keys, coercer(record, self.domain.zone)(raw))

    def _step(self, session: Session) -> str | None:
        chance = self.random.random()
        if chance < 0.4:
            path = self.random.choice(PATHS)
            pattern, keys = _PLACES[path]
            value, record = self.world.lookup(pattern, keys), self.domain.ledger[pattern].record
            session.observe(*read_of(path), to_json(value, record, self.domain.zone))
            self.told.append(f"read {path}")
            return None
        if chance < 0.43:
            session.observe("nobody_knows", {}, {})
            self.told.append("a call of an unknown tool")
            return None
        return self._propose(session, self.random.choice(WRITES), random_arguments(self.random))

    def _propose(self, session: Session, name: str, call: dict[str, Any]) -> str | None:
        tool = self.domain.tools[name]
        names = {
            "args": coercer(tool.arguments, self.domain.zone)(call),
            "now": self.domain.clock_us, "call": {"tool": name},
        }  # fmt: skip
        seen = session.ledger.copy()
        if not session.check(name, call).allowed:
            return None
        self.tally["allowed calls"] += 1
        self.told.append(f"{name} {call} is allowed")
        if self._holds(self.world):
            scope = Scope(_Truth(self.world, seen), names)
            for claim in self.proofs.never:
                if claim.tool == name and truth(claim.never, scope) is Truth.TRUE:
                    return f"`{claim.id}` is PROVED never to be, of {name} {call}"
        fate = self.random.random()
        if fate < 0.1:
            session.observe(name, call, {}, error=True)
            self.told.append("  it fails")
            return None
        ran = fate > 0.2 or self.random.random() < 0.5
        if ran and not self._change(tool, names):
            session.interrupted(name, call)
            return None
        if fate > 0.2:
            session.observe(name, call, {})
        else:
            session.interrupted(name, call)
            self.told.append(f"  interrupted, it {'ran' if ran else 'did not run'}")
        for always in self.proofs.always:
            if broken_at(always.always, self.world):
                return f"`{always.always.text}` is PROVED, but not true of {self._world_text()}"
        return None

    def _world_text(self) -> str:
        return str({pattern: {k: e.value for k, e in t.items()}
                    for pattern, t in self.world.entries.items()})  # fmt: skip

    def _change(self, tool: Tool, names: Mapping[str, Any]) -> bool:
        """Make of the environment what the call may make of it; False if it can do nothing."""
        scope, kept = Scope(self.world.copy(), names), self._holds(self.world)
        for _ in range(20):
            after = self.world.copy()
            self._touch(tool, scope, after)
            free = self._holds(after)
            if not self._apply(tool, scope, after):
                return False
            # what nothing is said of keeps the assumptions as long as they hold; effects may not
            if free or not kept or self._holds(after):
                self.world = after
                return True
        return False

    def _touch(self, tool: Tool, scope: Scope, after: Ledger) -> None:
        """Anything at all where no effect is declared."""
        declared = {(e.pattern, e.keys, e.within) for e in tool.effects}
        for touch in tool.touches:
            if (touch.pattern, touch.keys, touch.within) in declared and touch.each is None:
                continue
            for inner in self._items(touch.each, scope):
                keys = [None if k is None else evaluate(k, inner) for k in touch.keys]
                steps = [s if isinstance(s, str) else evaluate(s, inner) for s in touch.within]
                for path, (pattern, known) in _PLACES.items():
                    same = all(k in (None, have) for k, have in zip(keys, known, strict=False))
                    if pattern == touch.pattern and same:
                        drawn = coercer(self.domain.ledger[pattern].record, self.domain.zone)(
                            random_record(self.random, path)
                        )
                        old = after.lookup(pattern, known)
                        after.put(pattern, known, _mixed(deepcopy(old), drawn, steps))

    def _items(self, each: Expr | None, scope: Scope) -> list[Scope]:
        if each is None:
            return [scope]
        items = evaluate(each, scope)
        return [scope.bind("item", item) for item in items]

    def _apply(self, tool: Tool, scope: Scope, after: Ledger) -> bool:
        for effect in tool.effects:
            keys = tuple(evaluate(key, scope) for key in effect.keys)
            value = evaluate(effect.value, scope)
            if isinstance(value, Unknown | Failure):
                return False
            record = deepcopy(after.lookup(effect.pattern, keys))
            (step,) = effect.within
            assert isinstance(step, str)
            record[step] = value
            after.put(effect.pattern, keys, record)
        return True


def _mixed(old: Any, drawn: Any, steps: list[Any]) -> Any:
    """The old value with what the other has at the steps, which may be made by that."""
    if not steps or not isinstance(old, dict):
        return drawn
    step, rest = steps[0], steps[1:]
    if step == "*":
        if not rest:
            return drawn
        # which entries there are stays as it was
        return {
            key: _mixed(inner, drawn.get(key, inner), rest) if isinstance(drawn, dict) else inner
            for key, inner in old.items()
        }
    there = isinstance(drawn, dict) and step in drawn
    if rest and step in old and isinstance(old[step], dict):
        return {**old, step: _mixed(old[step], drawn[step], rest)} if there else old
    if there:
        return {**old, step: drawn[step]}
    return {key: inner for key, inner in old.items() if key != step}


def broken_proof(seed: int, tally: Counter[str], walks: int = WALKS) -> str | None:
    """What walks of the policy of that seed show against a PROVED claim, or None."""
    domain = random_policy(seed)
    proofs = proofs_of(domain, tally)
    if not proofs.never and not proofs.always:
        return None
    tally["policies with a proof"] += 1
    for number in range(walks):
        found = Walk(domain, proofs, Random(f"{seed} {number}"), tally).run()
        if found:
            return f"seed {seed}, walk {number}: {found}"
    return None
