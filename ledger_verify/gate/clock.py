"""The clock of a session."""

from __future__ import annotations

import time

from ledger_verify.gate.decide import Clock
from ledger_verify.lang.errors import InputError


def system_clock() -> int:
    """Microseconds since 1970, now."""
    return time.time_ns() // 1000


def session_clock(clock_us: int | Clock | None, pinned: int | None) -> Clock:
    """The clock that was given, else the pinned present, else the system's.

    Raises `InputError` for what is no clock.
    """
    if callable(clock_us):
        return clock_us
    if not (clock_us is None or type(clock_us) is int):
        raise InputError(
            f"`clock_us` is {clock_us!r}, expected whole microseconds since 1970, or a "
            "function that tells them"
        )
    fixed = pinned if clock_us is None else clock_us
    return system_clock if fixed is None else lambda: fixed
