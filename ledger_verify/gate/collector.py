"""Python's cyclic garbage collector, held still while a refusal is explained.

An explanation makes many terms, and all are gone with it by their reference counts. A full
collection in between walks through all that the process holds, which may take longer than the
explanation itself, and frees none of them.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ledger_verify.lang.deadline import Deadline

_LONGEST_SECONDS = 1.0
"""Where explanations in several threads overlap without end, it runs again after this."""

_lock = threading.Lock()
_inside = 0
_held_since: float | None = None


@contextmanager
def held(deadline: Deadline) -> Iterator[None]:
    """The collector does not start inside; without a limit of time it is left alone.

    Nor is it touched where the host has switched it off.
    """
    if deadline.limit_ms is None:
        yield
        return
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    global _inside, _held_since
    with _lock:
        _inside += 1
        if _inside == 1 and gc.isenabled():
            gc.disable()
            _held_since = time.monotonic()


def _leave() -> None:
    global _inside, _held_since
    with _lock:
        _inside -= 1
        if _held_since is None:
            return
        if _inside == 0 or time.monotonic() - _held_since > _LONGEST_SECONDS:
            gc.enable()
            _held_since = None
