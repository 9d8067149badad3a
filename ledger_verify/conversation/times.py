"""When a message was written, where it says so."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from ledger_verify.lang.times import to_us
from ledger_verify.source.cursor import Cursor

_KEYS = ("timestamp", "created_at", "createdAt", "created")
_MILLISECONDS_FROM = 10**11
"""A number of seconds that large would be thousands of years ahead, so it is of milliseconds."""
_BEYOND = 10**15
"""More than any time has, in either unit."""


def written_at(message: Cursor) -> int | None:
    """Microseconds since 1970, of a time with its offset or a number of seconds; None for others.

    A time without an offset says nothing for sure, and so is no time.
    """
    for key in _KEYS:
        found = _microseconds(message.value.get(key))
        if found is not None:
            return found
    return None


def _microseconds(value: Any) -> int | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float | Decimal):
        if isinstance(value, Decimal) and not value.is_finite():
            return None
        if not 0 < value < _BEYOND:
            return None
        seconds = Decimal(str(value))
        factor = 1_000 if seconds >= _MILLISECONDS_FROM else 1_000_000
        whole = int(seconds * factor)
        return whole if whole < 253_402_300_800_000_000 else None
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        return to_us(moment) if moment.tzinfo is not None else None
    return None
