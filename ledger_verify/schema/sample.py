"""A small valid value of a type, for the parts of an example that nothing depends on."""

from __future__ import annotations

import re
from datetime import tzinfo
from fractions import Fraction
from typing import Any

from ledger_verify.lang import regex
from ledger_verify.lang.operations import whole
from ledger_verify.lang.times import from_us, to_us
from ledger_verify.lang.types import (
    BoolType,
    DurationType,
    IntType,
    ListType,
    MapType,
    NullableType,
    NullType,
    NumberType,
    RecordType,
    StringType,
    TimestampType,
    Type,
    UnsettledType,
)


def sample(type_: Type, name: str, now_us: int, zone: tzinfo) -> Any:
    """A valid value: required fields only, shortest lists, bounds kept; `name` makes texts.

    Raises `ValueError` where a pattern is too involved to find a text for it.
    """
    match type_:
        case BoolType():
            return False
        case NullType() | NullableType():
            return None
        case IntType(minimum=low, maximum=high):
            return _nearest_to_zero(low, high)
        case NumberType():
            return _number(type_)
        case StringType():
            return text_sample(type_, name)
        case TimestampType(date=date):
            return start_of_day(now_us, zone) if date else now_us
        case DurationType():
            return 0
        case ListType(item=item, min_items=count):
            return tuple(sample(item, f"{name}_{i + 1}", now_us, zone) for i in range(count))
        case MapType(value=value, min_size=count):
            return {f"{name}_{i + 1}": sample(value, name, now_us, zone) for i in range(count)}
        case RecordType(fields=fields):
            return {
                key: sample(field.type, key, now_us, zone)
                for key, field in fields
                if not field.optional
            }
        case UnsettledType():
            return None


def start_of_day(moment_us: int, zone: tzinfo) -> int:
    """The start of the local day of a moment."""
    local = from_us(moment_us, zone)
    return to_us(local.replace(hour=0, minute=0, second=0, microsecond=0))


def _nearest_to_zero(low: int | None, high: int | None) -> int:
    if low is not None and low > 0:
        return low
    return high if high is not None and high < 0 else 0


def _number(type_: NumberType) -> int | Fraction:
    low, high = type_.minimum, type_.maximum
    above, below = type_.exclusive_minimum, type_.exclusive_maximum
    if above is not None and above >= 0 and (low is None or low <= above):
        ceiling = min((b for b in (high, below) if b is not None), default=above + 2)
        return whole(min(Fraction(above) + 1, (Fraction(above) + ceiling) / 2))
    if below is not None and below <= 0 and (high is None or high >= below):
        floor = max((b for b in (low, above) if b is not None), default=below - 2)
        return whole(max(Fraction(below) - 1, (Fraction(below) + floor) / 2))
    if low is not None and low > 0:
        return low
    return high if high is not None and high < 0 else 0


def text_sample(type_: StringType, name: str) -> str:
    """A text that the type allows, made of `name` where it can be."""
    if type_.enum:
        return type_.enum[0]
    text = name
    if type_.pattern is not None and regex.compiled(type_.pattern).search(text) is None:
        text = _of_pattern(type_.pattern)
    low, high = type_.min_length or 0, type_.max_length
    if high is not None:
        text = text[:high]
    text = text.ljust(low, "x")
    if type_.pattern is not None and regex.compiled(type_.pattern).search(text) is None:
        raise ValueError(f"no example found for the pattern `{type_.pattern}`")
    return text


def _of_pattern(pattern: str) -> str:
    from re import _parser as parser

    return _shortest(parser.parse(pattern, re.ASCII))


def _shortest(items: Any) -> str:
    out = []
    for op, argument in items:
        match str(op):
            case "LITERAL":
                out.append(chr(argument))
            case "NOT_LITERAL":
                out.append("a" if argument != ord("a") else "b")
            case "ANY":
                out.append("a")
            case "IN":
                out.append(_member(argument))
            case "BRANCH":
                out.append(_shortest(argument[1][0]))
            case "SUBPATTERN":
                out.append(_shortest(argument[3]))
            case "MAX_REPEAT" | "MIN_REPEAT":
                out.append(_shortest(argument[2]) * argument[0])
    return "".join(out)


def _member(argument: Any) -> str:
    match str(argument[0][0]):
        case "LITERAL":
            return chr(argument[0][1])
        case "RANGE":
            return chr(argument[0][1][0])
        case "CATEGORY":
            category = str(argument[0][1])
            return (
                "0"
                if category.endswith("_DIGIT") and "NOT" not in category
                else "a"
                if "SPACE" not in category or "NOT" in category
                else " "
            )
        case _:  # a negated set: any character outside it
            excluded = {value for op, value in argument[1:] if str(op) == "LITERAL"}
            return next(c for c in "aB0_-. x" if ord(c) not in excluded)
