"""Names for what expressions and types mean, the same in every process."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

from ledger_verify.lang.errors import Location, Span
from ledger_verify.lang.regex import Regex


class ContentNames:
    """Names values by their content: equal content has an equal name, other content another.

    Where something stands (spans and locations) is no part of its content. Parts that several
    values share are named once.
    """

    def __init__(self) -> None:
        self._named: dict[int, tuple[Any, bytes]] = {}

    def name(self, value: Any) -> bytes:
        """The name, 16 bytes; raises `TypeError` for what is neither plain data nor a dataclass."""
        match value:
            case None | bool() | int() | str() | bytes() | Fraction() | Decimal():
                return _digest(type(value).__name__, repr(value).encode())
            case Enum():
                return _digest(type(value).__name__, value.name.encode())
            case Regex(pattern=pattern):
                return _digest("Regex", pattern.encode("utf-8", "surrogatepass"))
            case tuple() | list():
                return _digest("list", *map(self.name, value))
            case frozenset():
                return _digest("set", *sorted(map(self.name, value)))
            case Mapping():
                return _digest("map", *(self.name(part) for item in value.items() for part in item))
        if not is_dataclass(value) or isinstance(value, type):
            raise TypeError(f"no content name for {type(value).__name__}")
        if id(value) not in self._named:
            parts = [
                self.name(getattr(value, field.name))
                for field in fields(value)
                if not isinstance(getattr(value, field.name), Span | Location)
            ]
            # what is named is kept, so that its id stays its own
            self._named[id(value)] = value, _digest(type(value).__name__, *parts)
        return self._named[id(value)][1]


def _digest(kind: str, *parts: bytes) -> bytes:
    made = hashlib.blake2b(kind.encode(), digest_size=16)
    for part in parts:
        made.update(len(part).to_bytes(4, "big"))
        made.update(part)
    return made.digest()
