"""Why a call is not plainly allowed: rules, missing reads and repair; section by section.

The interpreter says which rules are TRUE, FALSE, UNKNOWN or ERROR. The solver settles UNKNOWN
over all completions, says whether ALLOW can be reached, and finds repairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ledger_verify.evaluate.kleene import Scope, Truth, evaluate, truth_of
from ledger_verify.gate.messages import describe, rule_message
from ledger_verify.gate.reads import ReadPlanner, readable_patterns
from ledger_verify.gate.verdict import Decision, MissingRead, Repair, RuleReport, Verdict
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.evidence import MissingPath, Unknown
from ledger_verify.policy.rules import Otherwise, Rule
from ledger_verify.policy.tools import Tool
from ledger_verify.schema.render import to_json

if TYPE_CHECKING:
    from ledger_verify.solver.completions import Completions, Situation


@dataclass(frozen=True)
class _Standing:
    """One rule, its truth over all completions, and the missing evidence that it met."""

    rule: Rule
    truth: Truth
    missing: frozenset[MissingPath]

    @property
    def violated(self) -> bool:
        return self.truth in (Truth.FALSE, Truth.ERROR)


def explain(
    domain: Domain,
    tools: frozenset[str] | None,
    tool: Tool,
    ledger: Ledger,
    raw: Mapping[str, Any],
    bound: Mapping[str, Any],
    now_us: int,
) -> Verdict:
    """The verdict on a call that the compiled predicates did not allow.

    `raw` are the arguments as proposed, `bound` the typed ones.
    """
    return _Explanation(domain, tools, tool, ledger, raw, bound, now_us).verdict()


class _Explanation:
    def __init__(
        self, domain: Domain, tools: frozenset[str] | None, tool: Tool, ledger: Ledger,
        raw: Mapping[str, Any], bound: Mapping[str, Any], now_us: int,
    ) -> None:  # fmt: skip
        self._domain, self._tools, self._tool = domain, tools, tool
        self._ledger, self._raw, self._bound, self._now_us = ledger, raw, bound, now_us
        self._rules = domain.rules_by_tool[tool.name]
        self._scope = self._scope_for(bound)
        self._readable = readable_patterns(domain, tools)
        self._asked_solver = False
        self._completions: Completions
        self._index: dict[str, int] = {}

    def _scope_for(self, bound: Mapping[str, Any]) -> Scope:
        call = {"tool": self._tool.name}
        return Scope(self._ledger, {"args": bound, "now": self._now_us, "call": call})

    def verdict(self) -> Verdict:
        standings = [self._stand(rule) for rule in self._rules]
        if any(s.truth is Truth.UNKNOWN for s in standings):
            from ledger_verify.solver.completions import Contradiction
            from ledger_verify.solver.query import Undecided

            try:
                standings = self._settle(standings)
                return self._conclude(standings)
            except Undecided:
                return self._give_up(standings, "the solver reached its limit of time")
            except Contradiction:
                reason = "what was observed contradicts the assumptions of the domain"
                return self._give_up(standings, reason)
        return self._conclude(standings)

    def _stand(self, rule: Rule) -> _Standing:
        result = evaluate(rule.holds, self._scope)
        missing = result.missing if isinstance(result, Unknown) else frozenset()
        return _Standing(rule, truth_of(result), missing)

    def _situation(self) -> Situation:
        from ledger_verify.solver.completions import Situation

        self._asked_solver = True
        return Situation(self._domain, self._tool, self._ledger, self._bound, self._now_us)

    def _settle(self, standings: list[_Standing]) -> list[_Standing]:
        """UNKNOWN rules that hold, or fail, in every completion are known after all."""
        from ledger_verify.solver.completions import Completions, Settled

        unknown = [s for s in standings if s.truth is Truth.UNKNOWN]
        self._completions = Completions(self._situation(), [s.rule.holds for s in unknown])
        self._index = {s.rule.id: i for i, s in enumerate(unknown)}
        answers = dict(zip(self._index, self._completions.settle(), strict=True))
        settled = []
        for standing in standings:
            answer = answers.get(standing.rule.id, Settled.OPEN)
            if answer is not Settled.OPEN:
                standing = _Standing(standing.rule, Truth[answer.value], standing.missing)
            settled.append(standing)
        return settled

    def _conclude(self, standings: list[_Standing]) -> Verdict:
        if all(s.truth is Truth.TRUE for s in standings):
            by = "solver" if self._asked_solver else "compiled"
            return Verdict(Decision.ALLOW, self._tool.name, self._raw, "", decided_by=by)
        violated = [s for s in standings if s.violated]
        if any(s.rule.otherwise is Otherwise.BLOCK for s in violated):
            return self._refuse(Decision.BLOCK, standings)
        # a rule that says `revise` leads to REVISE whatever else could be done about it
        binding = [
            s for s in standings if not (s.violated and s.rule.otherwise is Otherwise.REVISE)
        ]
        undetermined = [s for s in binding if s.truth is Truth.UNKNOWN]
        if not any(s.violated for s in binding) and self._reads_suffice(undetermined):
            return self._refuse(Decision.REVISE, standings, self._matter(undetermined))
        repair = self._repair([s.rule for s in binding])
        if repair is not None:
            missing = self._matter(undetermined) if repair.needs_reads else []
            return self._refuse(Decision.REVISE, standings, missing, repair)
        return self._refuse(Decision.BLOCK, standings)

    def _reads_suffice(self, undetermined: list[_Standing]) -> bool:
        if not undetermined:
            return True
        missing = {path.pattern for standing in undetermined for path in standing.missing}
        readable = None if missing <= self._readable else self._readable
        chosen = [self._index[s.rule.id] for s in undetermined]
        return self._completions.reachable(chosen, readable)

    def _matter(self, undetermined: list[_Standing]) -> list[MissingRead]:
        """The reads whose value can still change the verdict, in the order to make them."""
        paths = {
            (path.pattern, path.keys): path
            for standing in undetermined
            for path in sorted(standing.missing, key=lambda p: (p.within, str(p.keys)))
            if path.pattern in self._readable
        }
        kept = [path for path in paths.values() if self._matters(undetermined, path)]
        planner = ReadPlanner(
            self._domain, self._tools, self._tool, self._rules, self._ledger, self._bound, self._scope
        )
        return planner.plan(kept)

    def _matters(self, undetermined: list[_Standing], path: MissingPath) -> bool:
        def touches(standing: _Standing) -> bool:
            return any((p.pattern, p.keys) == (path.pattern, path.keys) for p in standing.missing)

        affected = [s for s in undetermined if touches(s)]
        if any(len({(p.pattern, p.keys) for p in s.missing}) == 1 for s in affected):
            return True  # a rule is open, and open because of this record alone
        chosen = [self._index[s.rule.id] for s in undetermined]
        return self._completions.matters(chosen, path, [self._index[s.rule.id] for s in affected])

    def _repair(self, rules: Sequence[Rule]) -> Repair | None:
        """Other values of free arguments, checked by the interpreter before they are named."""
        from ledger_verify.solver.completions import find_repair
        from ledger_verify.solver.query import Undecided

        try:
            found = find_repair(self._situation(), [rule.holds for rule in rules], self._readable)
        except Undecided:
            return None
        if not found:
            return None
        shown = {
            name: None
            if value is None
            else to_json(value, self._tool.arguments.by_name[name].type, self._domain.zone)
            for name, value in found.items()
        }
        if None in found.values():
            return Repair(shown, needs_reads=True)
        scope = self._scope_for({**self._bound, **found})
        truths = [truth_of(evaluate(rule.holds, scope)) for rule in rules]
        if Truth.FALSE in truths or Truth.ERROR in truths:
            return None
        return Repair(shown, needs_reads=Truth.UNKNOWN in truths)

    def _refuse(
        self, decision: Decision, standings: list[_Standing],
        missing: list[MissingRead] | None = None, repair: Repair | None = None,
    ) -> Verdict:  # fmt: skip
        reports = self._reports(standings)
        missing = missing or []
        unread = []
        if decision is Decision.BLOCK and not any(s.violated for s in standings):
            unread = sorted({p.pattern for s in standings for p in s.missing} - self._readable)
        message = describe(decision, self._tool.name, reports, missing, repair, unread)
        return Verdict(
            decision, self._tool.name, self._raw, message, reports, tuple(missing), repair,
            "solver" if self._asked_solver else "compiled",
        )  # fmt: skip

    def _reports(self, standings: list[_Standing]) -> tuple[RuleReport, ...]:
        return tuple(
            RuleReport(
                s.rule.id,
                s.truth.value,
                "" if s.truth is Truth.TRUE else rule_message(s.rule, self._scope, self._domain),
                s.rule.clause,
            )
            for s in standings
        )

    def _give_up(self, standings: list[_Standing], reason: str) -> Verdict:
        message = f"`{self._tool.name}` is not allowed: {reason}."
        reports = self._reports(standings)
        return Verdict(
            Decision.BLOCK, self._tool.name, self._raw, message, reports, decided_by="error"
        )
