"""Asking z3, with limits, and with words that cannot be confused."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum

import z3
from z3 import z3core

from ledger_verify.solver.cores import Verdict
from ledger_verify.solver.logic import Bool, as_term, conjoin, disjoin, implies
from ledger_verify.solver.outcome import Reached
from ledger_verify.solver.symbols import Symbols

EXCLUSIVE = threading.RLock()
"""z3's objects live in one context that only one thread at a time may use."""


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


class Undecided(Exception):
    """The solver reached a limit before it had an answer."""


@dataclass(frozen=True)
class Limits:
    """Limits of one question to the solver: wall clock, and z3's own deterministic count."""

    timeout_ms: int = 2_000
    resources: int = 20_000_000
    seed: int = 7


class Query:
    """A set of constraints over some symbols, to which questions are put."""

    def __init__(self, symbols: Symbols, limits: Limits) -> None:
        self._symbols = symbols
        self._solver = z3.SimpleSolver()
        self._solver.set("timeout", limits.timeout_ms)
        self._solver.set("rlimit", limits.resources)
        self._solver.set("random_seed", limits.seed)
        self._asserted = 0
        self._told_apart = (0, 0)
        self.questions = 0

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
            if not seen:  # what the model makes of the goals cannot be told
                break
            met.update(seen)
            for number in seen:
                del pending[number]
        answers = {number: self.ask([always, goal])[0] for number, goal in pending.items()}
        met.update(n for n, answer in answers.items() if answer is Answer.SATISFIABLE)
        left = frozenset(n for n, answer in answers.items() if answer is Answer.UNDECIDED)
        return Reached(frozenset(met), left)

    def conflict(
        self, soft: Sequence[Bool], chosen: Iterable[int], given: Iterable[Bool]
    ) -> Verdict:
        """Whether the chosen ones of some constraints conflict, along with what is given."""
        self._add_what_is_known()
        self.questions += 1
        self._solver.push()
        try:
            self.add(conjoin(given))
            names = {z3.Bool(f"chosen!{number}"): number for number in chosen}
            for name, number in names.items():
                self.add(implies(name, soft[number]))
            result = self._solver.check(*names)
            if result == z3.unsat:
                return Verdict(True, needed=[names[name] for name in self._solver.unsat_core()])
            if result == z3.unknown:
                return Verdict(False)
            model = self._solver.model()
        finally:
            self._solver.pop()
        return Verdict(False, broken=[n for n, one in enumerate(soft) if not _is_met(one, model)])

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
            result = self._solver.check()
            if result == z3.unknown:
                yield Answer.UNDECIDED
            else:
                yield Answer.SATISFIABLE if result == z3.sat else Answer.UNSATISFIABLE
        finally:
            self._solver.pop()

    def _add_what_is_known(self) -> None:
        """New facts, and that new literals differ from each other and from the old ones."""
        facts, texts = self._symbols.facts, self._symbols.texts
        self.add(conjoin(facts[self._asserted :]))
        self._asserted = len(facts)
        known = (len(texts.literals), len(texts.formed))
        if known != self._told_apart:
            self.add(texts.distinct())
            self._told_apart = known


def _is_met(goal: Bool, model: z3.ModelRef) -> bool:
    return goal is True or (goal is not False and z3.is_true(model.eval(goal, True)))
