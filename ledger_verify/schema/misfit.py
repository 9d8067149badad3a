"""The error for a JSON value that does not fit its type."""

from __future__ import annotations

import json
from typing import Any

from ledger_verify.lang.errors import InputError


class Misfit(InputError):
    """A JSON value that does not fit its type; `path` leads to it from the root of the value."""

    def __init__(self, expected: str, found: Any, path: tuple[str | int, ...] = ()) -> None:
        self.expected, self.found, self.path = expected, found, path
        super().__init__(self._describe())

    def _describe(self) -> str:
        place = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in self.path).lstrip(".")
        shown = "nothing" if isinstance(self.found, Absent) else _shown(self.found)
        return f"{f'`{place}`: ' if place else ''}expected {self.expected}, found {shown}"

    def inside(self, step: str | int) -> Misfit:
        """The same misfit, seen from one level further out."""
        return Misfit(self.expected, self.found, (step, *self.path))


class Absent:
    """Stands in a misfit for a value that is not there."""


def _shown(value: Any) -> str:
    """A JSON value, cut short, in backticks."""
    try:
        text = json.dumps(value, ensure_ascii=True, default=str)
    except (TypeError, ValueError, RecursionError):
        return "a value that is no JSON"
    return f"`{text[:60]}...`" if len(text) > 60 else f"`{text}`"
