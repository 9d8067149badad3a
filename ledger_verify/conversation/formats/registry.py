"""Which format a message is in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ledger_verify.conversation.formats import anthropic, chat, gemini, langchain, responses
from ledger_verify.conversation.formats.sound import sound
from ledger_verify.conversation.parts import Part
from ledger_verify.lang.errors import InputError, near_match
from ledger_verify.source.cursor import Cursor, described


@dataclass(frozen=True)
class Format:
    """A format of messages: which are its own, and what they say.

    In an `itemwise` one what the agent does in one turn is spread over several messages.
    """

    name: str
    fits: Callable[[Mapping[str, Any]], bool]
    parts: Callable[[Cursor], Iterator[Part]]
    itemwise: bool = False


FORMATS = tuple(
    Format(module.NAME, module.fits, module.parts, module is responses)
    for module in (langchain, responses, gemini, anthropic, chat)
)
"""In the order in which they are tried: chat takes whatever has a role."""

_WHOLE = {
    "choices": "the `message` of one of its `choices`",
    "candidates": "the `content` of one of its `candidates`",
    "output": "the items of its `output`",
    "messages": "the items of its `messages`",
    "contents": "the items of its `contents`",
    "input": "the items of its `input`",
}
"""Where the messages are in what a model's API takes and answers."""


def format_named(name: str) -> Format:
    """The format of that name; raises `InputError` with a near match."""
    for known in FORMATS:
        if known.name == name:
            return known
    names = [known.name for known in FORMATS]
    hint = near_match(name, names) or f"formats are {', '.join(names)}"
    raise InputError(f"unknown format `{name}`", hint=hint)


def parts_of(message: Cursor, wanted: Format | None = None) -> tuple[Format, list[Part]]:
    """What the message says; raises `InputError` where no format, or not the wanted one, knows."""
    message.as_object("a message")
    if wanted is not None:
        return wanted, list(map(sound, wanted.parts(message)))
    for known in FORMATS:
        if known.fits(message.value):
            return known, list(map(sound, known.parts(message)))
    names = ", ".join(known.name for known in FORMATS)
    inside = next((where for field, where in _WHOLE.items() if field in message.value), None)
    raise message.error(
        f"in none of the formats {names}: {described(message.value)}",
        hint=None if inside is None else f"this holds messages: give {inside}",
    )
