"""How much work something is, without a clock: the calls of functions that it takes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def calls_of(action: Callable[[], Any]) -> int:
    """How many functions are called, those of Python and those of C."""
    count = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(before)
    return count


def grows_faster(work: Callable[[int], Callable[[], Any]], size: int = 200) -> bool:
    """Whether eight times as much takes more than eight times the work; `work` prepares one size.

    What is the same for any size is taken off.
    """
    least, small, large = (calls_of(work(n)) for n in (1, size, 8 * size))
    return large - least > 1.25 * 8 * (small - least)
