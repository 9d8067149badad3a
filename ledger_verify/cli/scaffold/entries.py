"""What is known of a tool before a domain is written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

READ, WRITE, NEUTRAL = "read", "write", "neutral"


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
