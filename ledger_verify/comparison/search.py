"""The search for calls of one tool that one side allows and the other does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from ledger_verify.checks.base.reporting import rule_region
from ledger_verify.comparison.context import Reach, bearing_assumptions, demand
from ledger_verify.comparison.report import Blame, Change, Counterexample, Direction, Told
from ledger_verify.comparison.sides import Pair
from ledger_verify.comparison.variants import pattern_of, variants
from ledger_verify.lang.errors import Location
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.parts import parts_of_records, types_of_parts
from ledger_verify.policy.rules import Rule
from ledger_verify.schema.coerce import Misfit, coercer
from ledger_verify.schema.relations import within
from ledger_verify.solver.difference import Contrast, DifferenceSolver
from ledger_verify.solver.examples import asked_of
from ledger_verify.solver.outcome import Outcome
from ledger_verify.solver.query import Limits


@dataclass(frozen=True)
class Effort:
    """How far to search: slots of lists for which the schema sets no limit, and solver limits."""

    scope: int = 4
    limits: Limits = field(default_factory=lambda: Limits(timeout_ms=10_000, resources=100_000_000))


@dataclass
class Search:
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
        """The direction: proved empty, shown by a case, or undecided with the reasons."""
        solver = self._solver(self.contrast)
        outcome = Outcome.NONE
        if not solver.refuted_at_once():
            found = self._replayed(solver)
            if found is not None:
                return found
            outcome = solver.refute()
        if solver.timed_out:
            return Direction(Change.UNDECIDED, reason="; ".join([*self.doubts, _TIME]))
        if outcome is Outcome.UNDECIDED:
            outcome = self._with_stand_ins(solver, self._patterns)
        if outcome is Outcome.UNDECIDED:
            self.doubts += solver.doubts
            if not self.doubts:
                self.doubts.append(_LIMITS)
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
            for case in self._near(solver):
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

    def _near(self, solver: DifferenceSolver) -> Iterator[Case]:
        """Variants of an allowed call, and of some in which what cannot be told does not fit."""
        for found in (solver.unobserved(), solver.witness()):
            for case in () if found is None else self._said(found):
                yield case
                yield from variants(self.pair, case)
        if solver.doubts:
            pessimist = replace(self._solver(self.contrast), optimistic=False)
            for case in islice(pessimist.cases(), _MAX_VARIED):
                yield from variants(self.pair, case)

    def _solver(self, contrast: Contrast) -> DifferenceSolver:
        return DifferenceSolver(contrast, self.effort.scope, self.effort.limits)

    def _replayed(self, solver: DifferenceSolver) -> Direction | None:
        """The first case of the solver that the two gates really judge so."""
        unlike = False
        for found in solver.cases():
            for case in self._said(found):
                if self.pair.differs(case):
                    return _found(self.pair, case)
            unlike = True
        if unlike:
            self.doubts.append(_UNLIKE)
        return None

    def _said(self, case: Case) -> Iterator[Case]:
        """The case, and if more is asked for, as by tests of its own, with all that was said."""
        yield case
        tool = self.pair.allowing.tool(case.tool)
        more = {} if tool is None else asked_of(tool, case.arguments)
        if more.keys() - set(case.heard):
            yield replace(case, heard=tuple(dict.fromkeys((*case.heard, *more))))

    def _of_what_is_kept_out(self, solver: DifferenceSolver) -> Outcome:
        """Whether the proof covers records, too, that only the second side takes as evidence."""
        first, second = self.pair.allowing.domain, self.pair.other.domain
        wider = all(within(first.ledger[p].record, second.ledger[p].record) for p in self._patterns)
        if not (self.arguments_fit and wider) or self.doubts or self._loose_in_part():
            return Outcome.UNDECIDED
        return self._with_stand_ins(solver, self.loose, by_other=True)

    def _loose_in_part(self) -> bool:
        """Whether a stale part of a record that both have seen may have a value that only the
        second side knows of: no other record stands in for that.
        """
        first, second = self.pair.allowing.domain, self.pair.other.domain
        for pattern in self.loose:
            records = first.ledger[pattern].record, second.ledger[pattern].record
            for domain, record in zip((first, second), records, strict=True):
                parts = parts_of_records(domain.tools.values(), pattern, record)
                types = (types_of_parts(parts, record) for record in records)
                for own, others in zip(*types, strict=True):
                    if own is None or others is None:
                        return True
                    if not within(others[0], own[0]) or (others[1] and not own[1]):
                        return True
        return False

    def _with_stand_ins(
        self, solver: DifferenceSolver, patterns: list[str], *, by_other: bool = False
    ) -> Outcome:
        """A proof that tries records on which the first rules fail in place of what is missing.

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
                    try:
                        value = coercer(first.ledger[pattern].record, first.zone)(record)
                    except Misfit:  # the schema has forms of texts that the solver cannot spell
                        continue
                    found.setdefault(pattern, []).append(value)
        # where the world is that of the second side, no record may be left without one
        if not found or (by_other and len(found) < len(patterns)):
            return Outcome.UNDECIDED
        usual = {pattern: values[0] for pattern, values in found.items()}
        stand_ins = tuple({**usual, p: value} for p, values in found.items() for value in values)
        contrast = replace(self.contrast, by_other=by_other, stand_ins=stand_ins)
        return self._solver(contrast).refute()


_SURE = (Outcome.NONE, Outcome.NONE_UP_TO_BOUND, Outcome.UNDECIDED)
_MAX_VARIED = 8
_TIME = "the limit of time was reached"
_LIMITS = "neither a proof nor an example was found within the limits"
_UNLIKE = "an example that the solver found is not judged so by the two gates"


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
            _place(pair.other.domain, own[report.id]),
            _place(pair.allowing.domain, twins[report.id]) if report.id in twins else None,
            report.id in twins and demand(twins[report.id]) == demand(own[report.id]),
        )
        for report in reasons
    )  # fmt: skip
    found = Counterexample(pruned, told["OLD"], told["NEW"], pair.other.label, blamed)
    reason = pair.other.refuses_all(pruned.tool)
    return Direction(Change.FOUND, reason=reason, counterexample=found)


def _place(domain: Domain, rule: Rule) -> Location:
    """Where the policy demands it: for a rule of a template, where the policy uses that."""
    return rule_region(domain, rule, rule.require)[0].start
