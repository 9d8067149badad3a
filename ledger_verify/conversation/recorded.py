"""Recorded conversations, whatever format they were recorded in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from ledger_verify.conversation.events import (
    Answered,
    Event,
    Proposed,
    Refused,
    Said,
)
from ledger_verify.conversation.parts import AGENT, USER
from ledger_verify.ledger.outcomes import Outcome


@dataclass(frozen=True)
class Call:
    """A recorded tool call with what became of it.

    `index` is its position among all calls of the same side in the conversation, from 0.
    `arguments` is JSON, or the text that stands where JSON should be. `result` is what the tool
    answered, without its wrapping. `outcome` is None while the recording has no answer.
    """

    index: int
    name: str
    arguments: Any
    result: Any
    outcome: Outcome | None
    by: str = AGENT
    id: str | None = None

    @property
    def executed_ok(self) -> bool | None:
        """Whether the recorded environment carried the call out; None if nobody knows."""
        known = {Outcome.SUCCEEDED: True, Outcome.FAILED: False}
        return None if self.outcome is None else known.get(self.outcome)

    @property
    def error(self) -> bool:
        """Whether it is known not to have been carried out."""
        return self.outcome is Outcome.FAILED


@dataclass(frozen=True)
class ExpectedAction:
    """A call that the benchmark's task expects."""

    name: str
    arguments: Any
    by: str = AGENT


@dataclass(frozen=True)
class Conversation:
    """One recorded conversation; `position` counts those of its file, from 0.

    What the recording leaves out (`id`, `task`, `trial`, `reward`) is None.
    """

    file: str
    position: int
    id: str | None
    task: str | int | None
    trial: int | None
    reward: int | Decimal | None
    expected: tuple[ExpectedAction, ...]
    events: tuple[Event, ...]

    @property
    def label(self) -> str | int:
        """The conversation's name in reports: its task, or else its id, or its position."""
        if self.task is not None:
            return self.task
        return self.position if self.id is None else self.id

    def calls(self, by: str = AGENT) -> Iterator[Call]:
        """All calls of the agent, or of another side, in order."""
        return (self.call(event) for event in self._proposed if event.by == by)

    def call(self, event: Proposed, tell: Callable[[Answered], Outcome] | None = None) -> Call:
        """A call of this conversation with what became of it.

        `tell` has the outcome of an answered one where a domain knows more than its signs.
        """
        outcome: Outcome | None = None
        content: Any = None
        match self._ends.get((event.by, event.index)):
            case Answered() as end:
                outcome = end.outcome if tell is None else tell(end)
                content = end.content
            case Refused(verdict=verdict):
                outcome, content = Outcome.FAILED, verdict
        return Call(event.index, event.name, event.arguments, content, outcome, event.by, event.id)

    def texts(self, role: str = USER) -> Iterator[str]:
        """What somebody wrote, in order."""
        return (e.text for e in self.events if isinstance(e, Said) and e.role == role)

    @property
    def unanswered(self) -> int:
        """How many calls of any side have no answer in the recording."""
        return sum((event.by, event.index) not in self._ends for event in self._proposed)

    @property
    def speaks(self) -> bool:
        """Whether the recording has a message of the user."""
        return any(text.strip() for text in self.texts())

    @cached_property
    def _proposed(self) -> tuple[Proposed, ...]:
        return tuple(event for event in self.events if isinstance(event, Proposed))

    @cached_property
    def _ends(self) -> dict[tuple[str, int], Answered | Refused]:
        """The ends of calls, by whose they are and their number."""
        return {
            (event.call.by, event.call.index): event
            for event in self.events
            if isinstance(event, Answered | Refused)
        }
