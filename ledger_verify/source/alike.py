"""JSON without what two spellings of the same may differ in, to compare by content."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from decimal import Decimal
from typing import Any


def alike(value: Any) -> Any:
    """The value, the same for any order of names and for `1.50`, `1.5` and `15e-1`.

    No two different numbers become the same, however long they are; true is not 1.
    """
    match value:
        case Mapping():
            return ("object", sorted((str(name), alike(inner)) for name, inner in value.items()))
        case list() | tuple():
            return [alike(inner) for inner in value]
        case float() | Decimal():
            return ("number", *_exact(Decimal(str(value))))
        case int() if not isinstance(value, bool):
            return ("number", *_whole(value))
        case _:
            return value


def _whole(value: int) -> tuple[Any, ...]:
    return (hex(value),)  # digits of any number


def _exact(value: Decimal) -> tuple[Any, ...]:
    if not value.is_finite():
        return (str(value),)
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    shown = "".join(map(str, digits)).rstrip("0")
    exponent += len(digits) - len(shown)
    if not shown.strip("0"):
        return _whole(0)
    if 0 <= exponent < 400 and len(digits) <= 4000:
        return _whole(int(value))
    return ("-" if sign else "", shown.lstrip("0"), exponent)


def digest_of(value: Any) -> str:
    """A digest of JSON by its content: storage may reorder names and spell numbers differently."""
    return hashlib.sha256(repr(alike(value)).encode("utf-8", "surrogatepass")).hexdigest()
