"""Python's cyclic garbage collector, held still during a decision that has a limit of time.

What a decision makes, such as the solver's terms, is gone with it by its reference counts. A full
collection in between walks through all that the process holds, which may take longer than the
decision itself, and frees none of it.
"""

from __future__ import annotations

import gc
import threading
import time

_LONGEST_SECONDS = 1.0
"""Where decisions in several threads overlap without end, it runs again after this."""

_lock = threading.Lock()
_inside = 0
_held_since: float | None = None


def hold() -> None:
    """The collector does not start until as many `release` as `hold` were called.

    It is not touched where the host has switched it off.
    """
    global _inside, _held_since
    with _lock:
        _inside += 1
        if _inside == 1 and gc.isenabled():
            gc.disable()
            _held_since = time.monotonic()


def release() -> None:
    """The end of a `hold`."""
    global _inside, _held_since
    with _lock:
        _inside -= 1
        if _held_since is None:
            return
        if _inside == 0 or time.monotonic() - _held_since > _LONGEST_SECONDS:
            gc.enable()
            _held_since = None
