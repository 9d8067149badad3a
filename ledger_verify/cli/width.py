"""How many columns of a terminal a text takes."""

from __future__ import annotations

import unicodedata

_NO_COLUMN = ("Mn", "Me")
_TWO_COLUMNS = ("W", "F")


def text_width(text: str) -> int:
    """The columns of printable text: two for a wide character, none for a combining mark."""
    return len(text) if text.isascii() else sum(map(_width, text))


def padded(text: str, width: int, *, right: bool = False) -> str:
    """The text with spaces up to a width; with `right`, in front of it."""
    spaces = " " * (width - text_width(text))
    return spaces + text if right else text + spaces


def _width(char: str) -> int:
    if unicodedata.category(char) in _NO_COLUMN:
        return 0
    return 2 if unicodedata.east_asian_width(char) in _TWO_COLUMNS else 1
