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

    def equals(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Whether it is a call of that tool with those arguments."""
        return self.tool == tool and self.arguments == arguments


@dataclass
class PendingCalls:
    """The pending calls of a session, in the order in which they were allowed.

    `_lost` are those of which an end without an outcome was told: the outcome may come late.
    """

    _calls: list[Pending] = field(default_factory=list)
    _lost: list[Pending] = field(default_factory=list)

    def add(self, call: Pending) -> None:
        """One more."""
        self._calls.append(call)

    def take(self, tool: str, arguments: Mapping[str, Any], into: Pending) -> bool:
        """The pending call that this one is ends; what was pending of it is put into `into`.

        Of equal calls it is the one that was allowed first: nothing tells them apart. Returns
        whether what is told may as well be of an equal call that ended without an outcome.
        """
        for call in self._calls:
            if call.equals(tool, arguments):
                into.tool, into.arguments = call.tool, call.arguments
                into.marks, into.call = call.marks, call.call
                into.newcomers = call.newcomers
                self.drop(call)
                return any(other.equals(tool, arguments) for other in self._lost)
        return False

    def lose(self, call: Pending) -> None:
        """A call that was pending ended without an outcome."""
        kept = Pending(call.tool, call.arguments, call=call.call)
        self._lost.append(kept)

    def late(self, tool: str, arguments: Mapping[str, Any], into: Pending) -> None:
        """What is told is the outcome of the oldest equal call that ended without one.

        Nothing is pending of that any more but its record in the history.
        """
        for call in self._lost:
            if call.equals(tool, arguments):
                into.call = call.call
                self._lost = [other for other in self._lost if other is not call]
                return

    def drop(self, call: Pending) -> None:
        """The call is no longer pending."""
        self._calls = [other for other in self._calls if other is not call]
