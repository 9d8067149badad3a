"""Arguments and answers that no JSON text could hold, or only one that nobody can read again."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from typing import Any

from ledger_verify.conversation.parts import AnswerPart, CallPart, Part
from ledger_verify.conversation.plain import Bytes
from ledger_verify.source.json_number import is_within_bounds

DEEPEST = 100
"""Levels of lists and objects in one another."""
_LONGEST = 4_000
"""Digits of a number; what is longer Python neither reads nor writes."""
_LONGEST_BITS: int = (10**_LONGEST).bit_length()


def sound(part: Part) -> Part:
    """The part, without what cannot be judged.

    Arguments that are no JSON, or nested more deeply than `DEEPEST`, become a text that says so,
    which fits no tool. An answer that is nested so deeply says nothing.
    """
    match part:
        case CallPart(arguments=arguments):
            flaw = _flaw_in(arguments)
            return part if flaw is None else replace(part, arguments=f"not readable: {flaw}")
        case AnswerPart(content=content) if _flaw_in(content) == _TOO_DEEP:
            return replace(part, content=f"not readable: {_TOO_DEEP}", unfinished=True)
    return part


_TOO_DEEP = f"nested more than {DEEPEST} levels deep"


def _flaw_in(value: Any) -> str | None:
    level = [value]
    for _ in range(DEEPEST + 1):
        flaw = next(filter(None, map(_flaw_of, level)), None)
        if flaw is not None:
            return flaw
        level = [inner for one in level for inner in _inside(one)]
        if not level:
            return None
    return _TOO_DEEP


def _inside(value: Any) -> Iterable[Any]:
    match value:
        case dict():
            return value.values()
        case list():
            return value
    return ()


def _flaw_of(value: Any) -> str | None:
    match value:
        case Bytes():
            return f"{value} where JSON should be"
        case float() if not math.isfinite(value):
            return f"`{value}` is no number of JSON"
        case Decimal() if not value.is_finite():
            return f"`{value}` is no number of JSON"
        case int() | Decimal() if _is_long(value):
            return f"a number of more than {_LONGEST} digits"
        case Decimal() if not is_within_bounds(value):
            return f"`{value}` is out of range"
    return None


def _is_long(value: int | Decimal) -> bool:
    if isinstance(value, Decimal):
        return len(value.as_tuple().digits) > _LONGEST
    return value.bit_length() > _LONGEST_BITS
