"""A point in time after which an answer is of no use any more.

What may take long is handed the deadline and asks it now and then; past it everything ends with
`Expired`, which only the one who set the deadline catches.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Stopwatch = Callable[[], float]
"""Seconds since some moment; never goes back."""


class Expired(Exception):
    """The deadline has passed."""


class Deadline:
    """The moment `limit_ms` milliseconds after `start` (now); with None there is none."""

    def __init__(
        self,
        limit_ms: int | None = None,
        stopwatch: Stopwatch = time.monotonic,
        start: float | None = None,
    ) -> None:
        self.limit_ms = limit_ms
        self._stopwatch = stopwatch
        if limit_ms is None:
            self._end = None
        else:
            self._end = (stopwatch() if start is None else start) + limit_ms / 1_000

    def check(self) -> None:
        """Raise `Expired` if the moment has passed."""
        if self._end is not None and self._stopwatch() >= self._end:
            raise Expired

    @property
    def passed(self) -> bool:
        """Whether the moment has passed."""
        return self._end is not None and self._stopwatch() >= self._end

    def left_ms(self) -> float | None:
        """Milliseconds that are left, None without a limit; raises `Expired` for none at all."""
        if self._end is None:
            return None
        left = (self._end - self._stopwatch()) * 1_000
        if left <= 0:
            raise Expired
        return left

    @contextmanager
    def not_counting(self) -> Iterator[None]:
        """What happens inside takes none of the time."""
        if self._end is None:
            yield
            return
        start = self._stopwatch()
        try:
            yield
        finally:
            self._end += self._stopwatch() - start


NO_DEADLINE = Deadline()
