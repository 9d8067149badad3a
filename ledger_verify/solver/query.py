"""Asking z3, with limits, and with words that cannot be confused."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum

import z3
from z3 import z3core

from ledger_verify.lang.deadline import NO_DEADLINE, Deadline, Expired
from ledger_verify.solver.cores import Conflict, Harmony, Open
from ledger_verify.solver.lessons import Unclear
from ledger_verify.solver.logic import Bool, as_term, conjoin, disjoin, implies
from ledger_verify.solver.outcome import Reached, Undecided
from ledger_verify.solver.stated import of_literals
from ledger_verify.solver.symbols import Symbols

EXCLUSIVE = threading.RLock()
"""z3's objects live in one context that only one thread at a time may use."""


@contextmanager
def exclusive(deadline: Deadline) -> Iterator[None]:
    """Hold the lock; raises `Expired` where others hold it until the deadline."""
    left = deadline.left_ms()
    if not EXCLUSIVE.acquire(timeout=-1 if left is None else left / 1_000):
        raise Expired
    try:
        yield
    finally:
        EXCLUSIVE.release()


def _prepare(context: z3.Context) -> z3.Context:
    # Python may free a term in any thread, outside the lock; z3 then frees it later.
    z3core.Z3_enable_concurrent_dec_ref(context.ref())
    return context


_prepare(z3.main_ctx())

_MAX_WISH_QUESTIONS = 200


class Workplace:
    """A z3 context of its own.

    Which of several models z3 finds depends on the terms that it has seen. What is asked inside a
    workplace has the same answers whatever was asked elsewhere.
    """

    def __init__(self) -> None:
        self._context = _prepare(z3.Context())

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Hold the lock and make terms in this context; those of others must not be touched."""
        with EXCLUSIVE:
            usual = z3.main_ctx()
            z3.z3._main_ctx = self._context
            try:
                yield
            finally:
                z3.z3._main_ctx = usual


class Answer(Enum):
    """Whether the constraints can be met; UNDECIDED when a limit was reached first."""

    SATISFIABLE = "satisfiable"
    UNSATISFIABLE = "unsatisfiable"
    UNDECIDED = "undecided"

    def __bool__(self) -> bool:
        raise TypeError("an answer is one of three; ask which")


@dataclass(frozen=True)
class Limits:
    """Limits of one question to the solver: wall clock, and z3's own deterministic count.

    `lessons` is how often a question is asked again because its model gets something wrong that
    the solver knows only roughly. Past the `deadline` every question ends with `Expired`.
    """

    timeout_ms: int = 2_000
    resources: int = 20_000_000
    seed: int = 7
    lessons: int = 8
    deadline: Deadline = NO_DEADLINE


class Query:
    """A set of constraints over some symbols, to which questions are put.

    `sure` tells of the last answer that was SATISFIABLE whether its model is known to be right
    in what is encoded only roughly.
    """

    def __init__(self, symbols: Symbols, limits: Limits) -> None:
        self._symbols = symbols
        self._solver = z3.SimpleSolver()
        self._solver.set("timeout", limits.timeout_ms)
        self._solver.set("rlimit", limits.resources)
        self._solver.set("random_seed", limits.seed)
        self._asserted = 0
        self._told_apart = (0, 0, 0)
        self._lessons = limits.lessons
        self._limits = limits
        self.questions = 0
        self.sure = True

    def add(self, constraint: Bool) -> None:
        """Demand a constraint of every further answer."""
        if constraint is not True:
            self._solver.add(as_term(constraint))

    @contextmanager
    def supposing(self, constraint: Bool) -> Iterator[None]:
        """What is added inside, and the constraint, counts only there."""
        asserted, told_apart = self._asserted, self._told_apart
        self._solver.push()
        try:
            self.add(constraint)
            yield
        finally:
            self._solver.pop()
            self._asserted, self._told_apart = asserted, told_apart

    def ask(self, constraints: Iterable[Bool] = ()) -> tuple[Answer, z3.ModelRef | None]:
        """Whether the facts and these constraints can be met together, with a model if so."""
        with self._posed(constraints) as answer:
            model = self._solver.model() if answer is Answer.SATISFIABLE else None
            return answer, model

    def possible(self, constraints: Iterable[Bool] = ()) -> bool:
        """Like `ask`, for a yes or no; raises `Undecided`."""
        with self._posed(constraints) as answer:
            if answer is Answer.UNDECIDED:
                raise Undecided
            return answer is Answer.SATISFIABLE

    def reach(self, goals: Sequence[Bool], given: Iterable[Bool] = ()) -> Reached:
        """Which goals can be met, each by itself along with what is given.

        One model settles all goals that it meets.
        """
        always = conjoin(given)
        pending = {number: goal for number, goal in enumerate(goals) if goal is not False}
        met: set[int] = set()
        while pending:
            answer, model = self.ask([always, disjoin(pending.values())])
            if answer is not Answer.SATISFIABLE:
                left = frozenset(pending) if answer is Answer.UNDECIDED else frozenset()
                return Reached(frozenset(met), left)
            seen = [number for number, goal in pending.items() if _is_met(goal, model)]
            if not seen or not self.sure:  # what becomes of the goals cannot be told
                break
            met.update(seen)
            for number in seen:
                del pending[number]
        open_ = set()
        for number, goal in pending.items():
            answer, _ = self.ask([always, goal])
            if answer is Answer.SATISFIABLE and self.sure:
                met.add(number)
            elif answer is not Answer.UNSATISFIABLE:
                open_.add(number)
        return Reached(frozenset(met), frozenset(open_))

    def conflict(
        self, soft: Sequence[Bool], chosen: Iterable[int], given: Iterable[Bool]
    ) -> Conflict | Harmony | Open:
        """Whether the chosen ones of some constraints conflict, along with what is given."""
        self._add_what_is_known()
        self.questions += 1
        self._solver.push()
        try:
            self.add(conjoin(given))
            names = {z3.Bool(f"chosen!{number}"): number for number in chosen}
            for name, number in names.items():
                self.add(implies(name, soft[number]))
            match self._check(*names):
                case Answer.UNSATISFIABLE:
                    core = self._solver.unsat_core()
                    return Conflict(tuple(names[name] for name in core))
                case Answer.UNDECIDED:
                    return Open()
                case Answer.SATISFIABLE:
                    model = self._solver.model()
        finally:
            self._solver.pop()
        return Harmony(frozenset(n for n, one in enumerate(soft) if not _is_met(one, model)))

    def improve(self, wishes: Iterable[Bool], model: z3.ModelRef) -> z3.ModelRef:
        """A model that meets as many wishes as halving finds together; they stay demanded.

        What is left is given up once the solver reaches a limit, or after many questions.
        """
        pending = [[wish for wish in wishes if wish is not True]]
        last = self.questions + _MAX_WISH_QUESTIONS
        while pending and self.questions < last:
            group = pending.pop()
            if not group:
                continue
            answer, better = self.ask(group)
            if answer is Answer.UNDECIDED:
                break
            if answer is Answer.SATISFIABLE:
                self.add(conjoin(group))
                model = better
            elif len(group) > 1:
                middle = len(group) // 2
                pending += [group[middle:], group[:middle]]
        return model

    @contextmanager
    def _posed(self, constraints: Iterable[Bool]) -> Iterator[Answer]:
        wanted = conjoin(constraints)
        self._add_what_is_known()
        if wanted is False:
            yield Answer.UNSATISFIABLE
            return
        self.questions += 1
        self._solver.push()
        try:
            self.add(wanted)
            yield self._check()
        finally:
            self._solver.pop()

    def _check(self, *chosen: z3.BoolRef) -> Answer:
        """The answer to what was added, with a model that is right where that can be told."""
        self.sure, left = True, self._lessons
        near: tuple[z3.BoolRef, ...] | None = None
        while True:
            result = self._result(*chosen, *(near or ()))
            if near and result != z3.sat:
                near = ()  # there is none among the times that are known exactly
                continue
            if result != z3.sat:
                return Answer.UNSATISFIABLE if result == z3.unsat else Answer.UNDECIDED
            if not self._lessons:  # nobody asks whether the model is right
                self.sure = not self._symbols.lessons
                return Answer.SATISFIABLE
            facts, clear = self._lessons_of(self._solver.model())
            self.sure = not facts and clear
            if self.sure or not left or (not facts and near is not None):
                return Answer.SATISFIABLE
            self._symbols.facts += facts  # for all further questions
            self.add(conjoin([*facts, self._symbols.texts.distinct()]))
            left -= 1
            if near is None:
                near = self._near()

    def _result(self, *supposed: z3.BoolRef) -> z3.CheckSatResult:
        """What z3 says; where it gives up with an error, such as for texts, that is no answer."""
        usual, left = self._limits.timeout_ms, self._limits.deadline.left_ms()
        if left is not None:
            self._solver.set("timeout", min(usual, math.ceil(left)))
        try:
            result = self._solver.check(*supposed)
        except z3.Z3Exception:
            result = z3.unknown
        if result == z3.unknown:
            self._limits.deadline.check()
            if left is not None and left < usual and self._stopped():
                raise Expired
        return result

    def _stopped(self) -> bool:
        """Whether z3 gave up for lack of time."""
        return self._solver.reason_unknown() in ("timeout", "canceled")

    def _lessons_of(self, model: z3.ModelRef) -> tuple[list[Bool], bool]:
        """The facts that a model breaks, and whether it could be told of all."""
        learnt = [learn(model) for learn in self._symbols.lessons]
        facts = [fact for fact in learnt if not isinstance(fact, Unclear) and fact is not True]
        return facts, not any(isinstance(fact, Unclear) for fact in learnt)

    def _near(self) -> tuple[z3.BoolRef, ...]:
        """The supposition that all times are among those that are known exactly."""
        near = self._symbols.near
        if not near:
            return ()
        flag = z3.Bool(f"near!{len(near)}")
        self.add(implies(flag, conjoin(near)))
        return (flag,)

    def _add_what_is_known(self) -> None:
        """New facts, and that new literals differ from each other and from the old ones."""
        facts, texts = self._symbols.facts, self._symbols.texts
        self.add(conjoin(facts[self._asserted :]))
        self._asserted = len(facts)
        known = (len(texts.literals), len(texts.formed), len(self._symbols.heard))
        if known != self._told_apart:
            self.add(conjoin(of_literals(self._symbols, texts.literals)))
            self.add(texts.distinct())
            self._told_apart = known


def _is_met(goal: Bool, model: z3.ModelRef) -> bool:
    return goal is True or (goal is not False and z3.is_true(model.eval(goal, True)))
