"""What is known of a tool before a domain is written, and guesses at its kind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

READ, WRITE, NEUTRAL = "read", "write", "neutral"

_READING = frozenset(
    {
        "count",
        "describe",
        "fetch",
        "find",
        "get",
        "list",
        "lookup",
        "read",
        "search",
        "show",
        "view",
    }
)
_THINKING = frozenset({"calculate", "calculator", "think"})
_HUMANS = frozenset({"agent", "agents", "human", "humans", "operator", "representative", "support"})
# a name that starts like a read and goes on like this is none: `get_or_create`, `find_and_replace`
_CHANGING = frozenset(
    {
        "add", "apply", "approve", "book", "buy", "cancel", "change", "clear", "close", "create",
        "delete", "disable", "drop", "edit", "enable", "execute", "insert", "modify", "move",
        "open", "order", "pay", "post", "purge", "put", "refund", "remove", "replace", "reset",
        "run", "save", "send", "set", "submit", "update", "upload", "upsert", "write",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """`read`, `write` or `neutral`; `guess` says what it was guessed from, None if it is given."""

    kind: str
    guess: str | None = None


@dataclass(frozen=True)
class Argument:
    """An argument of a tool, with its JSON Schema as it was given."""

    schema: Any
    required: bool
    description: str = ""


@dataclass(frozen=True)
class ToolEntry:
    """A tool as its list has it; `definitions` are the targets of the `$ref`s in its schemas.

    `result` is the JSON Schema of what it returns, if that is known. `remarks` say what was left
    out.
    """

    name: str
    kind: Kind
    description: str = ""
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    definitions: Mapping[str, Any] = field(default_factory=dict)
    result: Any = None
    by_user: bool = False
    remarks: tuple[str, ...] = ()


def words_of(name: str) -> list[str]:
    """The words of `get_order`, `getOrder` or `orders/get`, in lower case."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return [word.lower() for word in re.split(r"[\W_]+", spaced) if word]


def kind_of_name(name: str) -> Kind:
    """The kind that a name suggests; whatever does not clearly read is a write."""
    words = words_of(name)
    first, rest = words[:1], words[1:]
    if first and first[0] in _READING and not (_joined(rest) and _CHANGING.intersection(rest)):
        return Kind(READ, f"the name starts with `{first[0]}`")
    if first and first[0] in _THINKING:
        return Kind(NEUTRAL, f"the name starts with `{first[0]}`")
    if first == ["transfer"] and _HUMANS.intersection(rest):
        return Kind(NEUTRAL, "the name says that a person takes over")
    return Kind(WRITE, "nothing says that it only reads")


def _joined(words: list[str]) -> bool:
    return bool({"and", "or", "then"}.intersection(words))


def kind_of_hints(hints: Any, name: str) -> Kind:
    """The kind that the annotations of an MCP tool give; without one, the name."""
    if isinstance(hints, Mapping):
        if hints.get("readOnlyHint") is True and hints.get("destructiveHint") is not True:
            return Kind(READ, "the annotation `readOnlyHint`")
        for hint, value in (("readOnlyHint", False), ("destructiveHint", True)):
            if hints.get(hint) is value:
                return Kind(WRITE, f"the annotation `{hint}`")
    return kind_of_name(name)
