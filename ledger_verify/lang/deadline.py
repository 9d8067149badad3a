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


_KEPT_BACK = 0.2
"""The part of a limit in which nothing is begun any more: what runs cannot stop at once."""


class Deadline:
    """The last moment to go on, to be done `limit_ms` milliseconds after `start` (now).

    With None for a limit there is none.
    """

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
            to_go_on = limit_ms * (1 - _KEPT_BACK) / 1_000
            self._end = (stopwatch() if start is None else start) + to_go_on

    def check(self, for_ms: float = 0) -> None:
        """Raise `Expired` if the moment has passed, or will have in so many milliseconds.

        `for_ms` is for what cannot ask again before it is done.
        """
        if self._end is not None and self._stopwatch() + for_ms / 1_000 >= self._end:
            raise Expired

    @property
    def passed(self) -> bool:
        """Whether the moment has passed."""
        return self._end is not None and self._stopwatch() >= self._end

    def halfway(self) -> Deadline:
        """The moment at which half of the limit is over; none where there is no limit."""
        sooner = Deadline(self.limit_ms, self._stopwatch)
        if self._end is not None and self.limit_ms is not None:
            sooner._end = self._end - self.limit_ms * (0.5 - _KEPT_BACK) / 1_000
        return sooner

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
