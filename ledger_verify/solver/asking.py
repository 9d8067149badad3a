"""What can be asked about one domain before deployment, whoever gives the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ledger_verify.lang.typed import Expr
from ledger_verify.policy.tools import Tool
from ledger_verify.solver.outcome import Constants, CoreNames, Outcome, Reached, Ruling, Search
from ledger_verify.solver.question import Question


class Asking(Protocol):
    """Answers questions; `StaticSolver` says what each of them means."""

    def search(self, question: Question, *, pleasant: bool = True) -> Search:
        """A case, or the proof that there is none."""

    def search_within_bound(self, question: Question, *, pleasant: bool = True) -> Search:
        """The same for lists up to the bound only."""

    def caseless(self, question: Question) -> Search:
        """A search that makes no case."""

    def outcome(self, question: Question) -> Outcome:
        """The outcome of a search that makes no case."""

    def impossible(self, question: Question) -> Ruling:
        """Whether it is proved that no case exists."""

    def core(
        self, tool: Tool, named: Sequence[tuple[str, Expr]], given: Question | None = None
    ) -> CoreNames:
        """A smallest set of predicates that cannot all be TRUE where `given` is met."""

    def reach(
        self,
        tool: Tool,
        goals: Sequence[tuple[Expr, ...]],
        given: tuple[Expr, ...] = (),
        family: tuple[Expr, ...] = (),
    ) -> Reached:
        """For which goals there is a case."""

    def constants(self, of: Question, wanted: Sequence[Expr]) -> Constants:
        """Which of the wanted parts have one value only."""
