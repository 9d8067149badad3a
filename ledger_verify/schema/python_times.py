"""Python's dates and times as the texts that JSON has for them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

_MINUTE = timedelta(minutes=1)


def json_text(value: date) -> str | None:
    """`2024-05-15` for a date, `2024-05-15T15:00:00` with the offset, if it has one, for a time.

    None where no text says the same: for the second of two equal local times without an offset, and
    for what has an offset finer than a minute at the ends of the calendar.
    """
    if not isinstance(value, datetime):
        return value.isoformat()
    try:
        shift = value.utcoffset()
        if shift is None:
            return None if value.fold else value.isoformat()
        return (value.astimezone(UTC) if shift % _MINUTE else value).isoformat()
    except (ValueError, TypeError, OverflowError):
        return None
