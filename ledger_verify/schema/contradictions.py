"""Bounds of a JSON Schema that no value can meet."""

from __future__ import annotations

from ledger_verify.lang import regex
from ledger_verify.lang.types import IntType, ListType, MapType, NumberType, StringType, Type


def contradiction(type_: Type) -> str | None:
    """Why no value fits the type, by its own bounds; None where some may."""
    match type_:
        case StringType():
            return _of_texts(type_)
        case IntType(minimum=low, maximum=high) if low is not None and high is not None:
            return f"no integer is from {low} to {high}" if low > high else None
        case NumberType():
            return _of_numbers(type_)
        case ListType(min_items=low, max_items=high) | MapType(min_size=low, max_size=high):
            return f"no size is from {low} to {high}" if high is not None and low > high else None
    return None


def _of_texts(type_: StringType) -> str | None:
    low, high = type_.min_length or 0, type_.max_length
    if high is not None and low > high:
        return f"no text has from {low} to {high} characters"
    if type_.enum is None:
        return None
    pattern = None if type_.pattern is None else regex.compiled(type_.pattern)
    fits = (
        len(text) >= low
        and (high is None or len(text) <= high)
        and (pattern is None or pattern.is_in(text))
        for text in type_.enum
    )
    return None if any(fits) else "no value of the `enum` keeps to the other bounds"


def _of_numbers(type_: NumberType) -> str | None:
    lows = ((type_.minimum, False), (type_.exclusive_minimum, True))
    highs = ((type_.maximum, False), (type_.exclusive_maximum, True))
    for low, above in lows:
        for high, below in highs:
            if low is None or high is None:
                continue
            if low > high or (low == high and (above or below)):
                return f"no number is {'above' if above else 'from'} {low} " + (
                    f"and below {high}" if below else f"to {high}"
                )
    return None
