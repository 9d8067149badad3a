"""What checks are asked to do, and with what."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Protocol, runtime_checkable

from ledger_verify.checks.base.data import Data
from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.kept import KeptSolver, Memory
from ledger_verify.evaluate.kleene import Truth
from ledger_verify.gate.cases import confirms, replay_found, truths_in
from ledger_verify.gate.gate import Gate
from ledger_verify.gate.verdict import Verdict
from ledger_verify.lang.typed import Expr
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Assumption
from ledger_verify.solver.asking import Asking
from ledger_verify.solver.outcome import Search
from ledger_verify.solver.question import Question

Used = AbstractSet[tuple[str, str, str]]
"""Entries of `ignore`: `rules` or `tools`, the id or name there, the name of a check."""


@dataclass(frozen=True)
class Settings:
    """How long and how far to look.

    `timeout_ms` and `resources` limit one question to the solver, `scope` bounds lists for which
    the schema sets no limit.
    """

    timeout_ms: int = 10_000
    resources: int = 100_000_000
    scope: int = 4


class Bench:
    """What a check of one domain works with; the solver is loaded when it is first used.

    With a `memory`, the solver is asked only what is not kept there.
    """

    def __init__(
        self, domain: Domain, settings: Settings | None = None, memory: Memory | None = None
    ) -> None:
        self.domain = domain
        self.settings = settings or Settings()
        self._memory = memory

    def assuming(self, assumptions: tuple[Assumption, ...]) -> Bench:
        """The same with other assumptions."""
        other = replace(self.domain, assumptions=assumptions)
        return Bench(other, self.settings, self._memory)

    @cached_property
    def gate(self) -> Gate:
        """The gate of the domain."""
        return Gate(self.domain, explain_ms=None)

    @cached_property
    def solver(self) -> Asking:
        """Questions about the domain."""
        return self._new_solver() if self._kept is None else self._kept

    @cached_property
    def _kept(self) -> KeptSolver | None:
        if self._memory is None:
            return None
        limits = self.settings.timeout_ms, self.settings.resources, self.settings.scope
        return KeptSolver(self.domain, self._memory, limits, self._new_solver)

    def _new_solver(self) -> Asking:
        from ledger_verify.solver.query import Limits
        from ledger_verify.solver.static import StaticSolver

        limits = Limits(self.settings.timeout_ms, self.settings.resources)
        agrees = partial(confirms, self.gate)
        return StaticSolver(self.domain, self.settings.scope, limits, agrees)

    def shown(self, question: Question, *, within_bound: bool = False) -> Search:
        """A search whose case people will see: it does not depend on what else was asked."""
        solver = self.solver
        first = (
            solver.search_within_bound(question, pleasant=False)
            if within_bound
            else solver.search(question, pleasant=False)
        )
        if first.case is None:
            return first
        if self._kept is not None:
            return self._kept.shown(question, within_bound=within_bound)
        alone = self._new_solver()
        return alone.search_within_bound(question) if within_bound else alone.search(question)

    def search(self, question: Question) -> Search:
        """A case that nobody will see, or the proof that there is none."""
        return self.solver.search(question, pleasant=False)

    def replay(self, case: Case) -> Verdict | None:
        """The gate's verdict on a case that the solver found; None where it is no case."""
        return replay_found(self.gate, case)

    def all_true(self, case: Case, predicates: Sequence[Expr]) -> bool:
        """Whether the interpreter finds all predicates TRUE in the case."""
        truths = self.truths(case, predicates)
        return truths is not None and all(truth is Truth.TRUE for truth in truths)

    def truths(self, case: Case, predicates: Sequence[Expr]) -> tuple[Truth, ...] | None:
        """The truth of predicates in the case by the interpreter; None where it is no case."""
        return truths_in(self.gate, case, predicates)


@dataclass(frozen=True)
class Job:
    """One thing that a check looks at, with the help of the solver.

    `subject` names it within the check. Calls of `tool` are what it asks about; jobs of one tool
    are done together.
    """

    subject: str
    tool: str
    look: Callable[[], Iterable[Claim]]


@runtime_checkable
class SourceCheck(Protocol):
    """A module with a check that reads the domain only; its docstring is its page."""

    ABOUT: About

    def run(self, domain: Domain) -> Iterator[Claim]:
        """One claim for each thing that the check looks at."""


@runtime_checkable
class SolverCheck(Protocol):
    """A module with a check that asks the solver; its docstring is its page."""

    ABOUT: About

    def jobs(self, bench: Bench) -> Iterator[Job]:
        """One job for each thing that the check looks at; making them asks the solver nothing."""


@runtime_checkable
class ReviewCheck(Protocol):
    """A module with a check of what the other checks left; its docstring is its page."""

    ABOUT: About

    def review(self, domain: Domain, ran: Collection[About], used: Used) -> Iterator[Claim]:
        """One claim for each thing that the check looks at.

        `ran` are the checks that looked at the domain, `used` the entries of `ignore` that accepted
        a finding.
        """


@runtime_checkable
class DataCheck(Protocol):
    """A module with a check that compares the domain with data; its docstring is its page."""

    ABOUT: About

    def examine(self, domain: Domain, data: Data) -> Iterator[Claim]:
        """One claim for each thing that the check looks at."""


Check = SourceCheck | SolverCheck | DataCheck | ReviewCheck
