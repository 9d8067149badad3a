"""What a message of any format says: calls, answers to calls, and texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

AGENT = "assistant"
USER = "user"
PROVIDER = "provider"
"""Who made a call: the agent, the user with tools of their own, or the model's provider."""


@dataclass(frozen=True)
class CallPart:
    """A tool call. `arguments` is JSON, or the text that stands where JSON should be.

    `id` is None only in formats whose calls have none.
    """

    id: str | None
    name: str
    arguments: Any
    by: str = AGENT


@dataclass(frozen=True)
class AnswerPart:
    """What a call is answered with. `failed` is what the format itself says of it, None if nothing.

    `id` and `name` say which call it belongs to; None where the format does not say. Of one that is
    `unfinished` nobody knows yet what will become of the call.
    """

    id: str | None
    name: str | None
    content: Any
    failed: bool | None = None
    by: str | None = None
    unfinished: bool = False


@dataclass(frozen=True)
class TextPart:
    """What somebody wrote; `role` is `user`, `assistant`, `system`, or a word of the format."""

    role: str
    text: str


Part: TypeAlias = CallPart | AnswerPart | TextPart
