"""Doing something again whenever a file of a domain changes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from ledger_verify.cli.output import note, print_error
from ledger_verify.lang.errors import InputError

_PAUSE_S = 0.3
_FILES = ("*.yaml", "rules/*.yaml")

Seen = Mapping[Path, tuple[int, int]]


def keep_watching(
    folders: Sequence[Path],
    run: Callable[[], object],
    *,
    pause: Callable[[], None] = lambda: time.sleep(_PAUSE_S),
    clock: Callable[[], str] = lambda: time.strftime("%H:%M:%S"),
) -> NoReturn:
    """Run at once, and again when a YAML file in the folders or their `rules/` changes.

    What is wrong with the input is printed, and the next change waited for. Ends only by an
    exception, such as `KeyboardInterrupt`.
    """
    last: Seen | None = None
    while True:
        seen = state(folders)
        if seen != last:
            last = seen
            note(f"--- {clock()} ---")
            try:
                run()
            except InputError as problem:
                print_error(problem)
            note("waiting for a change; Ctrl-C ends")
        pause()


def state(folders: Sequence[Path]) -> Seen:
    """Time of change in nanoseconds and size in bytes of every file that is watched."""
    found: dict[Path, tuple[int, int]] = {}
    for path in (path for folder in folders for form in _FILES for path in folder.glob(form)):
        try:
            status = path.stat()
        except OSError:  # it went away in between, or is a link to nothing
            continue
        found[path] = status.st_mtime_ns, status.st_size
    return found
