"""A proposed call, together with all that it is judged by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ledger_verify.evaluate.kleene import Scope
from ledger_verify.lang.deadline import NO_DEADLINE, Deadline
from ledger_verify.ledger.attempts import Frozen
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Rule
from ledger_verify.policy.tools import Tool, ToolKind

if TYPE_CHECKING:
    from ledger_verify.solver.situation import Situation


@dataclass(frozen=True)
class Proposal:
    """A call of `tool` at `now_us` on a ledger, for an agent with `tools` (None for all).

    `arguments` are typed values. `advising` are the reads whose own rules are being looked at.
    Past the `deadline` all that is asked about the call ends with `Expired`.
    """

    domain: Domain
    tools: frozenset[str] | None
    tool: Tool
    ledger: Ledger
    arguments: Mapping[str, Any]
    now_us: int
    advising: frozenset[Frozen] = frozenset()
    deadline: Deadline = NO_DEADLINE

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that apply."""
        return self.domain.rules_by_tool[self.tool.name]

    @property
    def repairable(self) -> tuple[str, ...]:
        """The arguments that a repair may change."""
        return self.domain.repairable[self.tool.name]

    @cached_property
    def readable(self) -> frozenset[str]:
        """The patterns of which this agent can observe records."""
        return frozenset(seen.pattern for tool in self.read_tools for seen in tool.observes)

    @cached_property
    def own_reads(self) -> frozenset[str]:
        """The histories of the read tools that this agent has: `history.TOOL`."""
        return frozenset(f"history.{tool.name}" for tool in self.read_tools)

    @property
    def read_tools(self) -> tuple[Tool, ...]:
        """The read tools that this agent has."""
        return tuple(
            tool
            for tool in self.domain.tools.values()
            if tool.kind is ToolKind.READ
            and not tool.by_user
            and (self.tools is None or tool.name in self.tools)
        )

    @cached_property
    def scope(self) -> Scope:
        """What the interpreter evaluates the rules in."""
        names = {"args": self.arguments, "now": self.now_us, "call": {"tool": self.tool.name}}
        return Scope(self.ledger, names, deadline=self.deadline)

    def situation(self, deadline: Deadline | None = None) -> Situation:
        """The same for the solver; with a deadline of its own, if that is to be sooner."""
        load_solver(self.deadline)
        from ledger_verify.solver.query import Limits
        from ledger_verify.solver.situation import Situation

        limits = Limits(lessons=0, deadline=deadline or self.deadline)
        return Situation(self.domain, self.tool, self.ledger, self.arguments, self.now_us, limits)

    def with_arguments(self, arguments: Mapping[str, Any]) -> Proposal:
        """The same call with other arguments."""
        return replace(self, arguments=arguments)


def load_solver(deadline: Deadline = NO_DEADLINE) -> None:
    """Import the solver, which takes long once; the deadline is not for that."""
    with deadline.not_counting():
        import ledger_verify.solver.completions  # noqa: F401
