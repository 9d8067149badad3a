"""Questions before deployment: is there any call and ledger such that ... ?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

from ledger_verify.lang.typed import Expr
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Tool
from ledger_verify.solver.examples import Example
from ledger_verify.solver.logic import Bool, conjoin, negate
from ledger_verify.solver.outcome import Outcome, Search
from ledger_verify.solver.query import Answer, Limits, Workplace
from ledger_verify.solver.question import Question
from ledger_verify.solver.study import Mode, Study, example_now_us, study

_MAX_STUDIES = 32


@dataclass(frozen=True)
class StaticSolver:
    """Puts questions about one domain. `scope` bounds lists for which the schema sets no limit."""

    domain: Domain
    scope: int = 4
    limits: Limits = field(default_factory=lambda: Limits(timeout_ms=10_000, resources=100_000_000))
    _workplace: Workplace = field(default_factory=Workplace, repr=False, compare=False)
    _studies: dict[object, Study] = field(default_factory=dict, repr=False, compare=False)

    def search(self, question: Question) -> Search:
        """A case, or the proof that there is none.

        FOUND: the strict, bounded query is satisfiable. NONE: the free query is unsatisfiable.
        NONE_UP_TO_BOUND: it is once no list exceeds the bound. UNDECIDED otherwise. Where the
        bound decides, twice the bound is tried as well.
        """
        search, timed_out = self._search(question, self.scope)
        if search.outcome in (Outcome.FOUND, Outcome.NONE) or timed_out:
            return search
        return self._search(question, 2 * self.scope)[0]

    def search_within_bound(self, question: Question) -> Search:
        """The same for lists up to the bound only, which is found out much sooner.

        FOUND as for `search`, NONE_UP_TO_BOUND if the strict, bounded query is unsatisfiable.
        """
        answer, case = self._find(question, self.scope)
        if case is not None:
            return Search(Outcome.FOUND, case)
        none = answer is Answer.UNSATISFIABLE
        return Search(Outcome.NONE_UP_TO_BOUND if none else Outcome.UNDECIDED)

    def impossible(self, question: Question) -> bool:
        """Whether it is proved that no case exists, for lists of any length."""
        return self._refutation(question, self.scope) is Answer.UNSATISFIABLE

    def core(self, tool: Tool, named: Sequence[tuple[str, Expr]]) -> tuple[str, ...]:
        """The names of a smallest set of predicates that cannot all be TRUE.

        Sets of one and two are tried in turn; beyond that, members are dropped from the whole
        while the rest stays impossible, so that the result is irreducible.
        """
        family = tuple(expr for _, expr in named)

        def conflict(items: Sequence[tuple[str, Expr]]) -> bool:
            true = tuple(expr for _, expr in items)
            return self.impossible(Question(tool, true=true, family=family))

        for size in (1, 2):
            for some in combinations(named, size):
                if conflict(some):
                    return tuple(name for name, _ in some)
        kept = list(named)
        for item in named:
            rest = [other for other in kept if other is not item]
            if conflict(rest):
                kept = rest
        return tuple(name for name, _ in kept)

    def _search(self, question: Question, scope: int) -> tuple[Search, bool]:
        """What one bound on lists tells, and whether the search for a case ran out of time."""
        answer, case = self._find(question, scope)
        if case is not None:
            return Search(Outcome.FOUND, case), False
        timed_out = answer is Answer.UNDECIDED
        if self._refutation(question, scope) is Answer.UNSATISFIABLE:
            return Search(Outcome.NONE), timed_out
        if not timed_out and self._ask_free(question, Mode.FREE, scope, bounded=True) is (
            Answer.UNSATISFIABLE
        ):
            return Search(Outcome.NONE_UP_TO_BOUND), False
        return Search(Outcome.UNDECIDED), timed_out

    def _find(self, question: Question, scope: int) -> tuple[Answer, Case | None]:
        with self._workplace.entered():
            made = self._study(question, Mode.STRICT, scope)
            encoder = made.world.encoder
            conditions = [encoder.holds(predicate) for predicate in question.true]
            conditions += [encoder.fails(predicate) for predicate in question.false]
            conditions += [negate(encoder.holds(predicate)) for predicate in question.untrue]
            conditions += [encoder.lacks(expr) for expr in question.valueless]
            if question.untrue or question.valueless:
                # only a missing value may be the reason, not a missing observation
                conditions += [instance.observed for instance in made.world.instances.values()]
            with made.query.supposing(conjoin([*conditions, *made.symbols.bounds])):
                answer, model = made.query.ask()
                if answer is not Answer.SATISFIABLE:
                    return answer, None
                now_us = example_now_us(self.domain)
                example = Example(self.domain, question.tool, made.world, made.query, now_us)
                return answer, example.case(model)

    def _refutation(self, question: Question, scope: int) -> Answer:
        answer = self._ask_free(question, Mode.FREE, scope)
        if answer is Answer.SATISFIABLE:
            # perhaps only because predicates over the tail of one list do not know of each other
            return self._ask_free(question, Mode.CLOSE, scope)
        return answer

    def _ask_free(
        self, question: Question, mode: Mode, scope: int, *, bounded: bool = False
    ) -> Answer:
        with self._workplace.entered():
            made = self._study(question, mode, scope)
            encoder = made.world.encoder
            conditions: list[Bool] = [encoder.holds(predicate) for predicate in question.true]
            conditions += [negate(encoder.holds(p)) for p in (*question.false, *question.untrue)]
            conditions += [encoder.lacks(expr) for expr in question.valueless]
            limits = made.symbols.bounds if bounded else []
            if mode is Mode.CLOSE and not made.symbols.bounds:
                return Answer.SATISFIABLE  # there are no tails
            return made.query.ask([*conditions, *limits])[0]

    def _study(self, question: Question, mode: Mode, scope: int) -> Study:
        family = question.family or question.expressions
        place = (question.tool.name, family, mode, scope, question.in_bounds)
        if place not in self._studies:
            if len(self._studies) >= _MAX_STUDIES:
                self._studies.pop(next(iter(self._studies)))
            self._studies[place] = study(
                self.domain,
                question.tool,
                family,
                mode,
                scope,
                self.limits,
                ranged=not question.in_bounds,
            )
        return self._studies[place]
