"""Questions before deployment: is there any call and ledger such that ... ?"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.typed import Expr
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Tool
from ledger_verify.solver.conditions import Conditions
from ledger_verify.solver.cores import Conflict, Harmony, Open, smallest_core
from ledger_verify.solver.encode import Encoder
from ledger_verify.solver.examples import Example
from ledger_verify.solver.logic import Bool, conjoin, disjoin, negate
from ledger_verify.solver.outcome import (
    Constants,
    CoreNames,
    Doubt,
    Outcome,
    Reached,
    Ruling,
    Search,
)
from ledger_verify.solver.query import Answer, Limits, Workplace
from ledger_verify.solver.question import Question
from ledger_verify.solver.study import Mode, Study, example_now_us, study

log = logging.getLogger("ledger_verify.solver")
_MAX_STUDIES = 32

Confirm = Callable[[Question, Case], bool]
"""Whether the interpreter says of a case that it is one of those that the question asks for."""


class _Telling(Enum):
    """What is made of a case that was found."""

    NOTHING = "nothing"
    PLAIN = "plain"
    PLEASANT = "pleasant"


@dataclass(frozen=True)
class StaticSolver:
    """Puts questions about one domain. `scope` bounds lists for which the schema sets no limit.

    No case is given out that `confirm` does not agree to: the question is undecided then.
    """

    domain: Domain
    scope: int = 4
    limits: Limits = field(default_factory=lambda: Limits(timeout_ms=10_000, resources=100_000_000))
    confirm: Confirm | None = field(default=None, repr=False, compare=False)
    _workplace: Workplace = field(default_factory=Workplace, repr=False, compare=False)
    _studies: dict[object, tuple[tuple[Expr, ...], Study]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def search(self, question: Question, *, pleasant: bool = True) -> Search:
        """A case, or the proof that there is none.

        A case that nobody will see need not be `pleasant`, which takes most of the time.

        FOUND: the strict, bounded query is satisfiable. NONE: the free query is unsatisfiable.
        NONE_UP_TO_BOUND: it is once no list exceeds the bound. UNDECIDED otherwise. Where the
        bound decides, twice the bound is tried as well.
        """
        return self._searched(question, _Telling.PLEASANT if pleasant else _Telling.PLAIN)

    def outcome(self, question: Question) -> Outcome:
        """The outcome of a search that makes no case."""
        return self.caseless(question).outcome

    def caseless(self, question: Question) -> Search:
        """A search that makes no case: its outcome, and the doubt that stayed."""
        return self._searched(question, _Telling.NOTHING)

    def search_within_bound(self, question: Question, *, pleasant: bool = True) -> Search:
        """The same for lists up to the bound only, which is found out much sooner.

        FOUND as for `search`, NONE_UP_TO_BOUND if the strict, bounded query is unsatisfiable.
        """
        found = self._find(question, self.scope, _Telling.PLEASANT if pleasant else _Telling.PLAIN)
        return Search(Outcome.NONE_UP_TO_BOUND) if found is None else found

    def impossible(self, question: Question) -> Ruling:
        """Whether it is proved that no case exists, for lists of any length.

        NOT: the free query is satisfiable, so that cannot be proved.
        """
        match self._refutation(question, self.scope):
            case Answer.UNSATISFIABLE:
                return Ruling.PROVED
            case Answer.SATISFIABLE:
                return Ruling.NOT
        return Ruling.OPEN

    def core(
        self, tool: Tool, named: Sequence[tuple[str, Expr]], given: Question | None = None
    ) -> CoreNames:
        """The names of a smallest set of predicates that cannot all be TRUE where `given` is met.

        Beyond two members it is irreducible. All of them are known to be impossible together.
        """
        predicates = tuple(expr for _, expr in named)
        given = given or Question(tool)
        family = given.family or (*predicates, *given.expressions)
        question = replace(given, family=family)

        def ask(chosen: Sequence[int]) -> Conflict | Harmony | Open:
            free = self._conflict(question, predicates, chosen, Mode.FREE)
            if not isinstance(free, Harmony) or not self._has_tails(question):
                return free
            return self._conflict(question, predicates, chosen, Mode.CLOSE)

        core = smallest_core(len(named), ask)
        return CoreNames(tuple(named[number][0] for number in core.members), core.smallest)

    def _conflict(
        self, given: Question, predicates: Sequence[Expr], chosen: Sequence[int], mode: Mode
    ) -> Conflict | Harmony | Open:
        with self._workplace.entered():
            made = self._study(given, mode, self.scope)
            soft = [made.world.encoder.holds(predicate) for predicate in predicates]
            return made.query.conflict(soft, chosen, _free_conditions(given, made.world.encoder))

    def _has_tails(self, question: Question) -> bool:
        with self._workplace.entered():
            return bool(self._study(question, Mode.FREE, self.scope).symbols.bounds)

    def reach(
        self,
        tool: Tool,
        goals: Sequence[tuple[Expr, ...]],
        given: tuple[Expr, ...] = (),
        family: tuple[Expr, ...] = (),
    ) -> Reached:
        """For which goals there is a case in which their predicates and the given ones are TRUE.

        Only cases count in which no list exceeds the bound.
        """
        with self._workplace.entered():
            made = self._study(Question(tool, given, family=family), Mode.STRICT, self.scope)
            holds = made.world.encoder.holds
            terms = [conjoin(holds(predicate) for predicate in goal) for goal in goals]
            return made.query.reach(terms, [*map(holds, given), *made.symbols.bounds])

    def constants(self, of: Question, wanted: Sequence[Expr]) -> Constants:
        """Which of the wanted parts of the question's `true` predicates have one value only.

        The predicates need not be true: each part is looked at by itself, one inside a macro for
        any item of the list. A part is constant iff it has that value in some case, and "it is
        otherwise or has no value" is unsatisfiable.
        """
        open_ = list(range(len(wanted)))
        values: dict[int, bool] = {}
        for scope in (self.scope, 2 * self.scope):
            open_ = self._narrow(of, wanted, open_, values, scope)
            if not open_:
                break
        return Constants(values, tuple(open_))

    def _narrow(
        self,
        question: Question,
        wanted: Sequence[Expr],
        numbers: Sequence[int],
        values: dict[int, bool],
        scope: int,
    ) -> list[int]:
        """Find the constants among the parts of these numbers; what is left is undecided."""
        some = [wanted[number] for number in numbers]
        with self._workplace.entered():
            made = self._study(question, Mode.STRICT, scope)
            found = Conditions(made.world.encoder, made.symbols, False).of(question.true, some)
            goals = [goal for one in found for goal in (one.true, one.false)]
            reached = made.query.reach(goals, made.symbols.bounds)
            one_sided = [
                (place, 2 * place in reached.met)
                for place in range(len(some))
                if (2 * place in reached.met) != (2 * place + 1 in reached.met)
            ]
            undecided = {goal // 2 for goal in reached.undecided}
            observed = [instance.fresh for instance in made.world.instances.values()]
            lacks = made.query.reach(
                [found[place].valueless for place, _ in one_sided],
                [*made.symbols.bounds, *observed],
            )
        for index, (place, value) in enumerate(one_sided):
            undecided.discard(place)
            if index in lacks.met:
                continue
            if self._is_always(question, some[place], value, scope):
                values[numbers[place]] = value
            else:
                undecided.add(place)
        return [numbers[place] for place in sorted(undecided)]

    def _is_always(self, question: Question, part: Expr, value: bool, scope: int) -> bool:
        for mode in (Mode.FREE, Mode.CLOSE):
            with self._workplace.entered():
                made = self._study(question, mode, scope)
                seen = Conditions(made.world.encoder, made.symbols, True)
                (found,) = seen.of(question.true, [part])
                other = disjoin((found.false if value else found.true, found.valueless))
                if made.query.ask([other])[0] is Answer.UNSATISFIABLE:
                    return True
        return False

    def _searched(self, question: Question, telling: _Telling) -> Search:
        search, timed_out = self._search(question, self.scope, telling)
        if search.outcome in (Outcome.FOUND, Outcome.NONE) or timed_out:
            return search
        return self._search(question, 2 * self.scope, telling)[0]

    def _search(self, question: Question, scope: int, telling: _Telling) -> tuple[Search, bool]:
        """What one bound on lists tells, and whether the search for a case ran out of time."""
        found = self._find(question, scope, telling)
        if found is not None and found.outcome is Outcome.FOUND:
            return found, False
        timed_out = found is not None and found.doubt is Doubt.TIME
        refuted = self._refutation(question, scope)
        if refuted is Answer.UNSATISFIABLE:
            return Search(Outcome.NONE), timed_out
        if found is None and self._ask_free(question, Mode.FREE, scope, bounded=True) is (
            Answer.UNSATISFIABLE
        ):
            return Search(Outcome.NONE_UP_TO_BOUND), False
        if timed_out or refuted is Answer.UNDECIDED:
            return Search(Outcome.UNDECIDED, doubt=Doubt.TIME), timed_out
        doubt = Doubt.INEXACT if found is None else found.doubt
        return Search(Outcome.UNDECIDED, doubt=doubt), timed_out

    def _find(self, question: Question, scope: int, telling: _Telling) -> Search | None:
        """A case with lists up to the bound, or why there may be one that cannot be shown; None
        where there is none.

        Of one that nobody will see, it is enough that the solver is sure.
        """
        with self._workplace.entered():
            made = self._study(question, Mode.STRICT, scope)
            encoder = made.world.encoder
            conditions = [encoder.holds(predicate) for predicate in question.true]
            conditions += [encoder.fails(predicate) for predicate in question.false]
            conditions += [negate(encoder.holds(predicate)) for predicate in question.untrue]
            conditions += [encoder.lacks(expr) for expr in question.valueless]
            if question.untrue or question.valueless:
                # only a missing value may be the reason, not a missing observation
                conditions += [instance.fresh for instance in made.world.instances.values()]
            with made.query.supposing(conjoin([*conditions, *made.symbols.bounds])):
                answer, model = made.query.ask()
                if answer is Answer.UNSATISFIABLE:
                    return None
                if answer is Answer.UNDECIDED:
                    return Search(Outcome.UNDECIDED, doubt=Doubt.TIME)
                if telling is _Telling.NOTHING and made.query.sure:
                    return Search(Outcome.FOUND)
                return self._told(question, made, model, telling)

    def _told(self, question: Question, made: Study, model: Any, telling: _Telling) -> Search:
        """A case of the model that stands up to the interpreter, pleasant if nothing else helps."""
        now_us = example_now_us(self.domain)
        example = Example(self.domain, question.tool, made.world, made.query, now_us)
        for pleasant in (False, True)[telling is _Telling.PLEASANT :]:
            try:
                case = example.case(model, pleasant=pleasant)
            except (ValueError, NoValue) as problem:
                # a text after an involved pattern, a day that the zone cannot tell
                log.info("a case for `%s` cannot be told: %s", question.tool.name, problem)
                continue
            if self.confirm is None or self.confirm(question, case):
                return Search(Outcome.FOUND, None if telling is _Telling.NOTHING else case)
            log.info("a case for `%s` was not confirmed", question.tool.name)
        return Search(Outcome.UNDECIDED, doubt=Doubt.UNCONFIRMED)

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
            conditions = _free_conditions(question, made.world.encoder)
            limits = made.symbols.bounds if bounded else []
            if mode is Mode.CLOSE and not made.symbols.bounds:
                return Answer.SATISFIABLE  # there are no tails
            return made.query.ask([*conditions, *limits])[0]

    def _study(self, question: Question, mode: Mode, scope: int) -> Study:
        family = question.family or question.expressions
        # by identity, since hashing deep expressions costs more than most questions
        place = (question.tool.name, *map(id, family), mode, scope, question.in_bounds)
        if place not in self._studies:
            if len(self._studies) >= _MAX_STUDIES:
                self._studies.pop(next(iter(self._studies)))
            made = study(
                self.domain, question.tool, family, mode, scope, self.limits,
                ranged=not question.in_bounds,
            )  # fmt: skip
            self._studies[place] = family, made
        return self._studies[place][1]


def _free_conditions(question: Question, encoder: Encoder) -> list[Bool]:
    """What a question demands where every record has a value."""
    conditions: list[Bool] = [encoder.holds(predicate) for predicate in question.true]
    # a predicate without a value counts as FALSE, unless the question is what has a value
    untrue = question.untrue if question.valueless else (*question.false, *question.untrue)
    false = question.false if question.valueless else ()
    conditions += [encoder.fails(predicate) for predicate in false]
    conditions += [negate(encoder.holds(predicate)) for predicate in untrue]
    conditions += [encoder.lacks(expr) for expr in question.valueless]
    return conditions
