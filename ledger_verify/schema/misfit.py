"""The error for a JSON value that does not fit its type."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from ledger_verify.lang.errors import InputError
from ledger_verify.source.json_number import MOST_CHARACTERS

_LONGEST = 60


class Misfit(InputError):
    """A JSON value that does not fit its type; `path` leads to it from the root of the value.

    `near` is what was perhaps meant; it is part of the message.
    """

    def __init__(
        self,
        expected: str,
        found: Any,
        path: tuple[str | int, ...] = (),
        near: str | None = None,
    ) -> None:
        super().__init__("")
        self.expected, self.found, self.path, self.near = expected, found, path, near

    @property  # a hostile result has many misfits, few of which are told
    def message(self) -> str:
        """What was expected where, and what was found."""
        place = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in self.path).lstrip(".")
        shown = "nothing" if isinstance(self.found, Absent) else shown_json(self.found)
        near = f"; {self.near}" if self.near else ""
        return f"{f'`{place}`: ' if place else ''}expected {self.expected}, found {shown}{near}"

    def inside(self, step: str | int) -> Misfit:
        """The same misfit, seen from one level further out."""
        return Misfit(self.expected, self.found, (step, *self.path), self.near)


class Absent:
    """Stands in a misfit for a value that is not there."""


def _plain(value: Any) -> Any:
    """What stands for a value of Python: a number for a `Decimal` that a float can show."""
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) < 16:
        return int(value) if value == value.to_integral_value() else float(value)
    return str(value)


_ENCODER = json.JSONEncoder(ensure_ascii=True, default=_plain)


def shown_json(value: Any) -> str:
    """A JSON value, cut short, in backticks."""
    if isinstance(value, int) and value.bit_length() > 4 * MOST_CHARACTERS:
        return "a number of very many digits"  # which takes Python long to write
    text = ""
    try:
        for part in _ENCODER.iterencode(value):
            text += part
            if len(text) > _LONGEST:
                return f"`{text[:_LONGEST]}...`"
    except (TypeError, ValueError, RecursionError):
        return "a value that is no JSON"
    return f"`{text}`"
