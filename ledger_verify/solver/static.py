"""Questions before deployment: is there any call and ledger such that ... ?

Two worlds answer them. In the *strict* one a record that is not observed has no value, so a model
is a case that the interpreter judges the same way. In the *free* one every record has a value
whether or not it is observed; it has all the cases that the gate could ever allow, so a proof
there holds for the gate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ledger_verify.lang.typed import Expr
from ledger_verify.lang.types import TIMESTAMP
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Tool
from ledger_verify.solver.examples import Example
from ledger_verify.solver.logic import Bool, conjoin, negate
from ledger_verify.solver.outcome import Outcome, Search
from ledger_verify.solver.query import Answer, Limits, Query, alone
from ledger_verify.solver.shapes import known
from ledger_verify.solver.sizes import wanted_sizes
from ledger_verify.solver.symbols import Symbols
from ledger_verify.solver.wishes import Wishes
from ledger_verify.solver.worlds import LedgerWorld, symbols_for

_EXAMPLE_NOW_US = 1_767_279_600_000_000  # 2026-01-01T15:00:00Z, where a domain pins no clock


@dataclass(frozen=True)
class Question:
    """A call of `tool` on which the `true` predicates are TRUE and the `false` ones FALSE.

    With `untrue`, those need only be other than TRUE, for want of a value.
    """

    tool: Tool
    true: tuple[Expr, ...] = ()
    false: tuple[Expr, ...] = ()
    untrue: tuple[Expr, ...] = ()

    @property
    def predicates(self) -> tuple[Expr, ...]:
        """All predicates of the question."""
        return (*self.true, *self.false, *self.untrue)


@dataclass(frozen=True)
class StaticSolver:
    """Puts questions about one domain. `scope` bounds lists for which the schema sets no limit."""

    domain: Domain
    scope: int = 4
    limits: Limits = field(default_factory=lambda: Limits(timeout_ms=10_000, resources=100_000_000))

    def search(self, question: Question) -> Search:
        """A case, or the proof that there is none.

        FOUND: the strict, bounded query is satisfiable. NONE: the free query is unsatisfiable.
        NONE_UP_TO_BOUND: it is once no list exceeds the bound. UNDECIDED otherwise. Where the
        bound decides, twice the bound is tried as well.
        """
        with alone():
            found, undecided = self._find(question)
            if found is not None:
                return Search(Outcome.FOUND, found)
            outcome = self._refute(question, undecided)
            if outcome is Outcome.NONE or undecided:
                return Search(outcome)
            wider = replace(self, scope=2 * self.scope)
            found, undecided = wider._find(question)
            if found is not None:
                return Search(Outcome.FOUND, found)
            return Search(wider._refute(question, undecided))

    def impossible(self, question: Question) -> bool:
        """Whether it is proved that no case exists, for lists of any length."""
        with alone():
            return self._refutation(question) is Answer.UNSATISFIABLE

    def _refute(self, question: Question, undecided: bool) -> Outcome:
        if self._refutation(question) is Answer.UNSATISFIABLE:
            return Outcome.NONE
        if undecided:
            return Outcome.UNDECIDED
        query, symbols, conditions = self._free(question)
        answer, _ = query.ask([*conditions, *symbols.bounds])
        return Outcome.NONE_UP_TO_BOUND if answer is Answer.UNSATISFIABLE else Outcome.UNDECIDED

    def _refutation(self, question: Question) -> Answer:
        query, symbols, conditions = self._free(question)
        answer, _ = query.ask(conditions)
        if answer is not Answer.SATISFIABLE or not symbols.bounds:
            return answer
        # perhaps only because predicates over the tail of one list do not know of each other
        query, _, conditions = self._free(question, drawing=True)
        return query.ask(conditions)[0]

    def _free(
        self, question: Question, *, drawing: bool = False
    ) -> tuple[Query, Symbols, list[Bool]]:
        symbols, world = self._world(question, strict=False, drawing=drawing)
        conditions = [world.encoder.holds(predicate) for predicate in question.true]
        conditions += [
            negate(world.encoder.holds(predicate))
            for predicate in (*question.false, *question.untrue)
        ]
        return Query(symbols, self.limits), symbols, conditions

    def _world(
        self, question: Question, *, strict: bool, drawing: bool = False
    ) -> tuple[Symbols, LedgerWorld]:
        symbols = symbols_for(self.domain, question.predicates, self.scope)
        symbols.drawing = drawing
        symbols.wishes = Wishes(self._now_us) if strict else None
        symbols.around_us = self._now_us
        symbols.sizes = wanted_sizes(question.predicates)
        now = known(self._now_us)
        if self.domain.clock_us is None:
            now = symbols.make(TIMESTAMP, "now")
        args = symbols.make(question.tool.arguments, "args")
        names = {"args": args, "now": now, "call": known({"tool": question.tool.name})}
        return symbols, LedgerWorld(self.domain, symbols, names, strict=strict)

    @property
    def _now_us(self) -> int:
        return _EXAMPLE_NOW_US if self.domain.clock_us is None else self.domain.clock_us

    def _find(self, question: Question) -> tuple[Case | None, bool]:
        symbols, world = self._world(question, strict=True)
        conditions = [world.encoder.holds(predicate) for predicate in question.true]
        conditions += [world.encoder.fails(predicate) for predicate in question.false]
        conditions += [negate(world.encoder.holds(predicate)) for predicate in question.untrue]
        if question.untrue:
            # only a missing value may be the reason, not a missing observation
            conditions += [instance.observed for instance in world.instances.values()]
        query = Query(symbols, self.limits)
        query.add(conjoin([*conditions, *symbols.bounds]))
        answer, model = query.ask()
        if answer is Answer.SATISFIABLE:
            example = Example(self.domain, question.tool, world, query, self._now_us)
            return example.case(model), False
        return None, answer is Answer.UNDECIDED

    def core(self, tool: Tool, named: Sequence[tuple[str, Expr]]) -> tuple[str, ...]:
        """The names of a smallest set of predicates that cannot all be TRUE.

        Sets of one and two are tried in turn; beyond that, members are dropped from the whole
        while the rest stays impossible, so that the result is irreducible.
        """
        items = list(named)
        for i, first in enumerate(items):
            if self.impossible(Question(tool, true=(first[1],))):
                return (first[0],)
            for second in items[:i]:
                if self.impossible(Question(tool, true=(second[1], first[1]))):
                    return (second[0], first[0])
        kept = items
        for item in items:
            rest = [other for other in kept if other is not item]
            if self.impossible(Question(tool, true=tuple(expr for _, expr in rest))):
                kept = rest
        return tuple(name for name, _ in kept)
