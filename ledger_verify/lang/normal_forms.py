"""Letters in one case, and texts in one of Unicode's normal forms."""

from __future__ import annotations

import functools
import string
import unicodedata
from itertools import groupby
from typing import Literal, TypeAlias

Form: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]
FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_UPPER = str.maketrans(string.ascii_lowercase, string.ascii_uppercase)
_LONG_RUN = 32


def lower_ascii(text: str) -> str:
    """The text with `A` to `Z` as small letters; nothing else is changed."""
    return text.translate(_LOWER)


def upper_ascii(text: str) -> str:
    """The text with `a` to `z` as capitals; nothing else is changed."""
    return text.translate(_UPPER)


def normalized(text: str, form: Form) -> str:
    """The text in that normal form, in time that grows with its length alone."""
    if text.isascii():
        return text
    parts = "".join(map(_decomposed, text, (form,) * len(text)))
    # sorting marks is what takes Python's own function the square of the length
    return unicodedata.normalize(form, _with_sorted_marks(parts))


@functools.lru_cache(maxsize=4096)
def _decomposed(character: str, form: Form) -> str:
    return unicodedata.normalize("NFKD" if "K" in form else "NFD", character)


def _with_sorted_marks(text: str) -> str:
    """The text with the marks behind each other in their canonical order, where they are many."""
    if not _has_long_run(text):
        return text
    runs = groupby(text, _is_mark)
    ordered = (sorted(run, key=unicodedata.combining) if mark else run for mark, run in runs)
    return "".join(map("".join, ordered))


def _has_long_run(text: str) -> bool:
    marks = 0
    for class_ in map(unicodedata.combining, text):
        marks = marks + 1 if class_ else 0
        if marks > _LONG_RUN:
            return True
    return False


def _is_mark(character: str) -> bool:
    return unicodedata.combining(character) > 0
