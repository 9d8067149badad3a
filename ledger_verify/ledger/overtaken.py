"""Calls under way that will show records, and what calls changed that ended before them.

Calls of one message may run side by side, and their outcomes come in any order. So what a call
shows may be older than a change of which one was told since the call was proposed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ledger_verify.ledger.attempts import Frozen
from ledger_verify.ledger.parts import Within

if TYPE_CHECKING:
    from ledger_verify.ledger.store import Ledger

Part = tuple[str, tuple[Any | None, ...], Within]
"""A pattern, the keys of records (None stands for any), and the part of them."""


@dataclass
class Underway:
    """Equal calls, `times` of them, that were proposed and not answered, and the changes since."""

    times: int = 0
    changed: list[Part] = field(default_factory=list)


@dataclass
class CallsUnderway:
    """The calls that show records and were proposed and not answered."""

    calls: dict[Frozen, Underway] = field(default_factory=dict)

    def propose(self, call: Frozen) -> None:
        """A call is about to run.

        An equal one that was overtaken and never answered is taken for lost, so that a host that
        does not tell what became of a call is not told for ever that it is old.
        """
        found = self.calls.get(call)
        if found is None or found.changed:
            found = self.calls[call] = Underway()
        found.times += 1

    def change(self, part: Part) -> None:
        """Something was changed: what is under way may not show it."""
        for found in self.calls.values():
            if part not in found.changed:
                found.changed.append(part)

    def end(self, call: Frozen) -> Sequence[Part]:
        """A call has ended; returns what it may show as it was before a change."""
        found = self.calls.get(call)
        if found is None:
            return ()
        found.times -= 1
        if not found.times:
            del self.calls[call]
        return tuple(found.changed)

    def copy(self) -> CallsUnderway:
        """Independent ones."""
        return CallsUnderway(
            {call: Underway(u.times, list(u.changed)) for call, u in self.calls.items()}
        )


def overtake(ledger: Ledger, parts: Sequence[Part]) -> None:
    """What a call showed may be as it was before these parts were changed."""
    if parts:
        ledger.change()
    for pattern, keys, within in parts:
        ledger.alter(pattern, keys, within)
