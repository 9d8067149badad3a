"""Which messages of a conversation a guard knew before it was saved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from ledger_verify.conversation.parts import AnswerPart, CallPart, Part, TextPart
from ledger_verify.source.alike import content_text


def is_instruction(parts: Sequence[Part]) -> bool:
    """Whether a message only instructs the model: it may change from turn to turn."""
    return all(isinstance(part, TextPart) and part.role == "system" for part in parts)


def content_of(parts: Sequence[Part]) -> str:
    """What a message says, the same however storage orders and spells its JSON."""
    return content_text([(type(part).__name__, *_fields(part)) for part in parts])


def _fields(part: Part) -> Iterator[Any]:
    return (getattr(part, field.name) for field in fields(part))


def call_ids(parts: Iterable[Part]) -> list[str]:
    """The ids of the calls in a message."""
    return [part.id for part in parts if isinstance(part, CallPart) and part.id is not None]


_Shown: TypeAlias = tuple[Sequence[Part], str]
"""A message: its parts and its content."""


@dataclass
class Known:
    """The messages that a saved guard had seen, against the conversation as it is now.

    A message is an old one for certain where the ids of its calls say so, or where the conversation
    begins with all that the guard had seen, unchanged. In a changed conversation a message without
    ids (or with ids that were given twice) may as well be a new one with the same content: it
    counts as old, and is in doubt. What is added after the first look is new.
    """

    seen: list[str]
    gone: Counter[str]
    ids: Counter[str]
    _left: Counter[str] | None = None
    _same: int = 0
    _open: bool = True

    def look(self, conversation: Sequence[_Shown]) -> None:
        """Compare with the conversation as it is given for the first time."""
        begins = [content for _, content in conversation[: len(self.seen)]]
        self._same = len(self.seen) if begins == self.seen else 0
        self._left = Counter(self.seen[self._same :]) + self.gone
        self._open = self._same == 0

    @property
    def looked(self) -> bool:
        """Whether the conversation was compared already."""
        return self._left is not None

    def close(self) -> None:
        """All that comes from now on is new, except for what has ids."""
        self._open = False

    def takes(self, place: int, parts: Sequence[Part], content: str) -> bool:
        """Whether the message at that place is an old one; each counts once."""
        if place < self._same:
            return True
        if self._left is None or self._left[content] == 0:
            return False
        if not self._open and not self._has_ids(parts):
            return False
        self._left[content] -= 1
        return True

    def is_certain(self, place: int, parts: Sequence[Part]) -> bool:
        """Whether a message that was taken for an old one cannot be new."""
        return place < self._same or self._has_ids(parts)

    def forgotten(self) -> Counter[str]:
        """The messages that the conversation no longer shows."""
        return Counter(self.seen) + self.gone if self._left is None else +self._left

    def _has_ids(self, parts: Sequence[Part]) -> bool:
        paired = [part for part in parts if isinstance(part, CallPart | AnswerPart)]
        return bool(paired) and all(
            part.id is not None and self.ids[part.id] <= 1 for part in paired
        )

    @classmethod
    def of(cls, state: Mapping[str, Any]) -> Known:
        """From the part of a saved state that tells of messages."""
        return cls(state["seen"], Counter(state["gone"]), Counter(state["ids"]))
