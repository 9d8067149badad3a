"""Text in pictures: how wide it is, and what has to be kept out of it."""

from __future__ import annotations

import unicodedata

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def cells(text: str) -> int:
    """How many columns of a fixed-width font the text takes."""
    return sum(map(_cells_of, text))


def shortened(text: str, most: int) -> str:
    """The text, cut to so many columns with an ellipsis at its end."""
    if cells(text) <= most:
        return text
    kept, used = [], 1
    for char in text:
        used += _cells_of(char)
        if used > most:
            break
        kept.append(char)
    return f"{''.join(kept)}…"


def one_line(text: str) -> str:
    """The text without line ends, control characters and what no file can hold."""
    shown = [" " if char.isspace() else char for char in text]
    return "".join(REPLACEMENT if _is_illegal(char) else char for char in shown)


def _cells_of(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _is_illegal(char: str) -> bool:
    """Control characters, lone surrogates, and what neither XML nor text may hold."""
    code = ord(char)
    return unicodedata.category(char) in ("Cc", "Cs") or code & 0xFFFE == 0xFFFE
