"""Two domains compared: the calls newly allowed and newly refused, tool by tool."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ledger_verify.checks.diff_context import (
    Reach,
    bearing_assumptions,
    common_assumptions,
    demand,
    evidence_changes,
    looser,
    notes,
    rule_changes,
    unseen,
)
from ledger_verify.checks.diff_report import (
    Blame,
    Change,
    Counterexample,
    DiffReport,
    Direction,
    Told,
    ToolDiff,
)
from ledger_verify.checks.diff_variants import pattern_of, variants
from ledger_verify.checks.sides import Pair, Side
from ledger_verify.lang.form import form
from ledger_verify.lang.types import Type
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Rule
from ledger_verify.schema.coerce import coercer
from ledger_verify.schema.relations import has_forms, same_values, within
from ledger_verify.solver.difference import Contrast, DifferenceSolver
from ledger_verify.solver.outcome import Outcome
from ledger_verify.solver.query import Limits


@dataclass(frozen=True)
class Effort:
    """How far to search: slots of lists for which the schema sets no limit, and solver limits."""

    scope: int = 4
    limits: Limits = field(default_factory=lambda: Limits(timeout_ms=10_000, resources=100_000_000))


def diff(
    old: Domain,
    new: Domain,
    effort: Effort | None = None,
    progress: Callable[[str], None] = lambda tool: None,
) -> DiffReport:
    """Compare the calls that two domains allow, on the same ledger at the same moment.

    Each direction of each tool is proved empty, or shown by a case of which the one gate says
    ALLOW and the other does not, or left undecided with the reason. `progress` is told each tool.
    """
    effort = effort or Effort()
    before, after = Side.of("OLD", old), Side.of("NEW", new)
    tools = []
    for name in _compared(old, new):
        progress(name)
        allowed = _direction(Pair(after, before), name, effort)
        refused = _direction(Pair(before, after), name, effort)
        tools.append(ToolDiff(name, allowed, refused))
    return DiffReport(
        old, new, tuple(tools), rule_changes(old, new),
        tuple(notes(old, new)), tuple(evidence_changes(old, new)),
    )  # fmt: skip


def _compared(old: Domain, new: Domain) -> Iterator[str]:
    """The agent's writes of either side, and all tools with rules."""
    judged = {
        name
        for domain in (old, new)
        for name in (*(t.name for t in domain.writes), *(rule.tool for rule in domain.rules))
    }
    return (name for name in dict.fromkeys((*new.tools, *old.tools)) if name in judged)


def _direction(pair: Pair, name: str, effort: Effort) -> Direction:
    """Whether the one side allows calls of the tool that the other does not."""
    first, second = pair.allowing, pair.other
    never = first.refuses_all(name)
    if never is not None:
        return Direction(Change.NONE, reason=never)
    rules, others = first.rules(name), second.rules(name)
    reach = Reach.of(tuple(rule.holds for rule in (*rules, *others)))
    keyed_otherwise = _keyed_otherwise(first, second, reach)
    if keyed_otherwise is not None:
        return Direction(Change.UNDECIDED, reason=keyed_otherwise)
    refused = second.refuses_all(name)
    doubted = [] if refused is not None else [r for r in others if not _kept(pair, r, rules)]
    loose = [] if refused is not None else looser(first, second, reach)
    doubts = [] if refused is not None else list(unseen(first, second, reach))
    fit = refused is None and _arguments_fit(pair, name)
    if fit and not doubted and not doubts and not loose:
        return Direction(Change.NONE)
    contrast = Contrast(
        first.domain, second.domain, name,
        tuple(rule.holds for rule in rules),
        tuple(rule.holds for rule in sorted(doubted, key=lambda r: _is_same(r, rules))),
        common_assumptions(first.domain, second.domain),
        other_allows=refused is None,
        alike=_alike(pair, name, reach),
        structured=_needs_texts(pair, name, reach),
    )  # fmt: skip
    return _Search(pair, contrast, effort, fit, loose, doubts).run()


@dataclass
class _Search:
    """One direction of one tool. `loose` are patterns of which the second side takes records that
    the first keeps out, `doubts` say what else no proof here covers.
    """

    pair: Pair
    contrast: Contrast
    effort: Effort
    arguments_fit: bool
    loose: list[str]
    doubts: list[str]

    def run(self) -> Direction:
        solver = self._solver(self.contrast)
        outcome = solver.refute()
        if outcome is Outcome.UNDECIDED:
            found = self._replayed(solver)
            if found is not None:
                return found
            outcome = self._with_stand_ins(solver, self._patterns)
        if outcome is Outcome.UNDECIDED:
            self.doubts += solver.doubts
            if not self.doubts:
                self.doubts.append(_TIME if solver.timed_out else _LIMITS)
        elif self.loose:
            outcome = max(outcome, self._of_what_is_kept_out(solver), key=_SURE.index)
        if self.loose and outcome is Outcome.UNDECIDED:
            found = self._replayed(self._solver(replace(self.contrast, by_other=True)))
            if found is not None:
                return found
            self.doubts += [
                f"{self.pair.other.label} takes records at `{pattern}` as evidence that do not "
                f"fit the schema of {self.pair.allowing.label}"
                for pattern in self.loose
            ]
        if self.doubts:
            witness = solver.witness()
            for case in () if witness is None else variants(self.pair, witness):
                if self.pair.differs(case):
                    return _found(self.pair, case)
            return Direction(Change.UNDECIDED, reason="; ".join(dict.fromkeys(self.doubts)))
        bound = 2 * solver.scope if outcome is Outcome.NONE_UP_TO_BOUND else None
        return Direction(Change.NONE, bound=bound)

    @property
    def _patterns(self) -> list[str]:
        """The patterns that both sides know and a rule reads."""
        first, second = self.pair.allowing.domain, self.pair.other.domain
        reach = Reach.of((*self.contrast.holding, *self.contrast.doubted))
        return sorted(reach.patterns & set(first.ledger) & set(second.ledger))

    def _solver(self, contrast: Contrast) -> DifferenceSolver:
        return DifferenceSolver(contrast, self.effort.scope, self.effort.limits)

    def _replayed(self, solver: DifferenceSolver) -> Direction | None:
        """The first case of the solver that the two gates really judge so."""
        unlike = False
        for case in solver.cases():
            if self.pair.differs(case):
                return _found(self.pair, case)
            unlike = True
        if unlike:
            self.doubts.append(_UNLIKE)
        return None

    def _of_what_is_kept_out(self, solver: DifferenceSolver) -> Outcome:
        """Whether the proof covers records, too, that only the second side takes as evidence."""
        first, second = self.pair.allowing.domain, self.pair.other.domain
        wider = all(within(first.ledger[p].record, second.ledger[p].record) for p in self._patterns)
        if not (self.arguments_fit and wider) or self.doubts:
            return Outcome.UNDECIDED
        return self._with_stand_ins(solver, self.loose, by_other=True)

    def _with_stand_ins(
        self, solver: DifferenceSolver, patterns: list[str], *, by_other: bool = False
    ) -> Outcome:
        """A proof that tries records on which the first side's rules fail in place of what it lacks.

        Assumptions may rule such a record out, so none may bear upon these patterns.
        """
        first, second = self.pair.allowing.domain, self.pair.other.domain
        free = [p for p in patterns if not bearing_assumptions(first, second, frozenset({p}))]
        if by_other and free != patterns:
            return Outcome.UNDECIDED
        found: dict[str, list[Any]] = {}
        for case in solver.failing() if free else ():
            for path, record in case.ledger.items():
                pattern = pattern_of(first, path)
                if pattern in free:
                    value = coercer(first.ledger[pattern].record, first.zone)(record)
                    found.setdefault(pattern, []).append(value)
        # where the world is that of the second side, no record may be left without one
        if not found or (by_other and len(found) < len(patterns)):
            return Outcome.UNDECIDED
        usual = {pattern: values[0] for pattern, values in found.items()}
        stand_ins = tuple({**usual, p: value} for p, values in found.items() for value in values)
        contrast = replace(self.contrast, by_other=by_other, stand_ins=stand_ins)
        return self._solver(contrast).refute()


_SURE = (Outcome.NONE, Outcome.NONE_UP_TO_BOUND, Outcome.UNDECIDED)
_TIME = "the limit of time was reached"
_LIMITS = "neither a proof nor an example was found within the limits"
_UNLIKE = "an example that the solver found is not judged so by the two gates"


def _kept(pair: Pair, rule: Rule, rules: tuple[Rule, ...]) -> bool:
    """Whether the side that allows has the same rule, over the same types."""
    return _is_same(rule, rules) and _alike(pair, rule.tool, Reach.of((rule.holds,)))


def _alike(pair: Pair, tool: str, reach: Reach) -> bool:
    """Whether what is read of a call of the tool has the same types and present on both sides."""
    first, second = pair.allowing.domain, pair.other.domain
    called = {tool, *reach.histories}
    return (
        (not reach.now or first.clock_us == second.clock_us)
        and all(
            name in first.tools
            and name in second.tools
            and same_values(first.tools[name].arguments, second.tools[name].arguments)
            for name in called
        )
        and all(
            pattern in first.ledger
            and pattern in second.ledger
            and same_values(first.ledger[pattern].record, second.ledger[pattern].record)
            for pattern in reach.patterns
        )
    )


def _is_same(rule: Rule, rules: tuple[Rule, ...]) -> bool:
    wanted = form(rule.holds)
    return any(form(other.holds) == wanted for other in rules)


def _arguments_fit(pair: Pair, name: str) -> bool:
    """Whether arguments that fit the first side surely fit the other."""
    given = pair.allowing.domain.tools[name].arguments
    return within(given, pair.other.domain.tools[name].arguments)


def _keyed_otherwise(first: Side, second: Side, reach: Reach) -> str | None:
    """Why records cannot be compared at all: their keys are of other kinds."""
    for pattern in sorted(reach.patterns & set(first.domain.ledger) & set(second.domain.ledger)):
        kinds = [
            [(str(key), getattr(key, "date", None)) for key in side.domain.ledger[pattern].keys]
            for side in (first, second)
        ]
        if kinds[0] != kinds[1]:
            return f"the keys of `{pattern}` have other types in {first.label} and {second.label}"
    return None


def _needs_texts(pair: Pair, name: str, reach: Reach) -> bool:
    """Whether texts that fit one schema may have a form that the other refuses."""
    first, second = pair.allowing.domain, pair.other.domain
    types: list[tuple[Type, Type]] = []
    for called in {name, *reach.histories} & set(first.tools) & set(second.tools):
        types.append((first.tools[called].arguments, second.tools[called].arguments))
    for pattern in reach.patterns & set(first.ledger) & set(second.ledger):
        types.append((first.ledger[pattern].record, second.ledger[pattern].record))
    return any(not within(given, wanted) and has_forms(wanted) for given, wanted in types)


def _found(pair: Pair, case: Case) -> Direction:
    pruned = pair.prune(case)
    told = {
        label: Told(side.verdict(pruned), side.moment_us(pruned), side.see(pruned).misfits)
        for label, side in pair.by_label.items()
    }
    verdict = told[pair.other.label].verdict
    reasons = [report for report in verdict.rules if report.truth != "TRUE"]
    twins = {rule.id: rule for rule in pair.allowing.rules(pruned.tool)}
    own = {rule.id: rule for rule in pair.other.rules(pruned.tool)}
    blamed = tuple(
        Blame(
            report.id, report.truth, report.message, report.clause,
            own[report.id].places["require"],
            twins[report.id].places["require"] if report.id in twins else None,
            report.id in twins and demand(twins[report.id]) == demand(own[report.id]),
        )
        for report in reasons
    )  # fmt: skip
    found = Counterexample(pruned, told["OLD"], told["NEW"], pair.other.label, blamed)
    reason = pair.other.refuses_all(pruned.tool)
    return Direction(Change.FOUND, reason=reason, counterexample=found)
