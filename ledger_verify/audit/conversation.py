"""Recorded conversations, whatever format they were recorded in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

AGENT = "assistant"
USER = "user"


@dataclass(frozen=True)
class Call:
    """A recorded tool call.

    `index` is its position among all calls of the same requestor in the conversation, from 0.
    `arguments` is the parsed JSON, or the raw text where that is malformed. `result` is what the
    tool answered, text as a rule; `answered_at` is the position of the message with it, None if the
    call was never answered. `error` tells that the answer is an error.
    """

    index: int
    name: str
    arguments: Any
    result: Any
    error: bool
    requestor: str = AGENT
    id: str | None = None
    answered_at: int | None = None

    @property
    def executed_ok(self) -> bool | None:
        """Whether the recorded environment carried the call out; None if it never answered."""
        return None if self.answered_at is None else not self.error


@dataclass(frozen=True)
class Turn:
    """A message other than a tool's answer; `position` counts all messages, from 0."""

    position: int
    role: str
    text: str
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True)
class OrphanResult:
    """A tool's answer to a call that the recording does not have."""

    position: int
    id: str | None
    name: str | None
    result: Any


@dataclass(frozen=True)
class ExpectedAction:
    """A call that the benchmark's task expects."""

    name: str
    arguments: Any
    requestor: str = AGENT


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
    turns: tuple[Turn, ...]
    orphans: tuple[OrphanResult, ...] = ()

    @property
    def label(self) -> str | int:
        """The task, else the recording's own id, else the position in the file."""
        if self.task is not None:
            return self.task
        return self.position if self.id is None else self.id

    @property
    def speaks(self) -> bool:
        """Whether the recording has a message of the user."""
        return any(turn.role == USER and turn.text.strip() for turn in self.turns)

    def calls(self, requestor: str = AGENT) -> Iterator[Call]:
        """All calls of the agent, or of the user, in order."""
        for turn in self.turns:
            yield from (call for call in turn.calls if call.requestor == requestor)

    @property
    def unanswered(self) -> int:
        """How many calls of either side have no answer in the recording."""
        return sum(call.answered_at is None for turn in self.turns for call in turn.calls)
