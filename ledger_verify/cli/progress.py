"""A progress bar on standard error, for people who watch."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[int, int], None]


@contextmanager
def progress_bar(label: str) -> Iterator[Advance]:
    """A function `advance(done, total)`; it draws nothing unless standard error is a terminal.

    With `NO_COLOR` or `TERM=dumb` nothing is drawn either.
    """
    if not _watched():
        yield _nothing
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label.replace("[", r"\["), total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def _watched() -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stderr is not None and sys.stderr.isatty()


def _nothing(_done: int, _total: int) -> None:
    return
