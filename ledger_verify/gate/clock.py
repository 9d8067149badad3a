"""The clock of a session."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ledger_verify.gate.decide import Clock, checked_time, note_failure
from ledger_verify.lang.errors import InputError


def system_clock() -> int:
    """Microseconds since 1970, now."""
    return time.time_ns() // 1000


@dataclass(frozen=True)
class FixedClock:
    """A present that stays: of a domain that pins it, or of a session that was given one."""

    now_us: int

    def __call__(self) -> int:
        return self.now_us


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
    return system_clock if fixed is None else FixedClock(fixed)


class SessionTime:
    """When things happen in a session: now, or at a time that is told of the past."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._then: tuple[int | None] | None = None

    @contextmanager
    def at(self, moment_us: int | None) -> Iterator[None]:
        """What happens inside does so at that time; None: nobody knows when.

        A fixed present stays.
        """
        before = self._then
        self._then = None if isinstance(self._clock, FixedClock) else (moment_us,)
        try:
            yield
        finally:
            self._then = before

    def present(self) -> int:
        """The time at which a call is judged."""
        told = None if self._then is None else self._then[0]
        return self._clock() if told is None else told

    def moment(self) -> int | None:
        """The time at which a call happened, None if nobody tells it."""
        if self._then is not None:
            return self._then[0]
        try:
            return checked_time(self._clock())
        except Exception:
            note_failure("the clock of a session failed")
            return None

    def of_call(self, now_us: int | None) -> int | None:
        """The time of a call that was judged at `now_us`."""
        return now_us if self._then is None else self._then[0]
