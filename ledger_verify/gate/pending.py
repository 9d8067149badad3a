"""Calls that were allowed and of which nobody has told what became of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ledger_verify.ledger.entries import Mark
from ledger_verify.ledger.newcomers import Newcomer


@dataclass(eq=False, slots=True)
class Pending:
    """One such call: its typed arguments, what it may change, and its record in the history.

    `newcomers` are the records that it may make and show. `call` is None where no rule reads the
    history of the tool.
    """

    tool: str = ""
    arguments: Mapping[str, Any] | None = None
    marks: Sequence[Mark] = ()
    call: dict[str, Any] | None = None
    newcomers: Sequence[Newcomer] = ()


@dataclass
class PendingCalls:
    """The pending calls of a session, in the order in which they were allowed."""

    _calls: list[Pending] = field(default_factory=list)

    def add(self, call: Pending) -> None:
        """One more."""
        self._calls.append(call)

    def take(self, tool: str, arguments: Mapping[str, Any], into: Pending) -> None:
        """The pending call that this one is ends; what was pending of it is put into `into`.

        Of equal calls it is the one that was allowed first: nothing tells them apart.
        """
        for call in self._calls:
            if call.tool == tool and call.arguments == arguments:
                into.tool, into.arguments = call.tool, call.arguments
                into.marks, into.call = call.marks, call.call
                into.newcomers = call.newcomers
                self.drop(call)
                return

    def drop(self, call: Pending) -> None:
        """The call is no longer pending."""
        self._calls = [other for other in self._calls if other is not call]
