"""JSON without what two spellings of the same may differ in, to compare by content."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ledger_verify.lang.errors import InputError


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


def content_text(value: Any) -> str:
    """A text that is the same for all spellings; of what is nested very deeply, as it is spelled.

    Raises `InputError` for what is nested more deeply still.
    """
    try:
        return repr(alike(value))
    except RecursionError:
        pass
    try:
        return repr(value)
    except (RecursionError, ValueError):
        raise InputError("nested too deeply to be compared") from None


def digest_of(value: Any) -> str:
    """A digest of JSON by its content: storage may reorder names and spell numbers differently."""
    return hashlib.sha256(content_text(value).encode("utf-8", "surrogatepass")).hexdigest()
