"""Values of a type that are anything but ordinary: bounds, long lists, odd texts, absent fields."""

from __future__ import annotations

from datetime import tzinfo
from fractions import Fraction
from random import Random
from typing import Any

from ledger_verify.lang import times
from ledger_verify.lang.literals import INT_MAX, INT_MIN
from ledger_verify.lang.types import (
    BoolType,
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
)
from ledger_verify.schema.sample import start_of_day, text_sample

_INTEGERS = (0, 1, -1, 2, 3, 7, 10, 41, -50, 1000, INT_MAX, INT_MIN, INT_MAX - 1, 2**32, 2**62)
_NUMBERS = (
    0, 1, -1, 2, 100, Fraction(1, 2), Fraction(9999, 100), Fraction(1, 10), Fraction(-5, 3),
    10**30, Fraction(1, 10**12), Fraction(-7, 2), 50,
)  # fmt: skip
_TEXTS = (
    "", "a", "ab", "b", "o1", "o2", "o3", "s1", "s2", "gold", "open", "refund", "Straße", "12",
    "-7", "true", "1h", "2024-05-15T15:00:00Z", "a\nb", "\\u{61}", "🐱", "zz", "x\x00y", "'a'",
)  # fmt: skip
_MOMENTS = (
    0, 1715799600000000, 1715799600000001, times.TIMESTAMP_MIN_US, times.TIMESTAMP_MAX_US,
    1710054000000000, 1730613599999999, -1, 951782400000000, 1704067199999999, 4102444800000000,
)  # fmt: skip


def wild(random: Random, type_: Type, zone: tzinfo) -> Any:
    """A random typed value that fits the type."""
    match type_:
        case BoolType():
            return random.random() < 0.5
        case NullType():
            return None
        case NullableType(of=of):
            return None if random.random() < 0.3 else wild(random, of, zone)
        case IntType(minimum=low, maximum=high):
            lowest = INT_MIN if low is None else low
            highest = INT_MAX if high is None else high
            return min(max(random.choice((*_INTEGERS, lowest, highest)), lowest), highest)
        case NumberType():
            return _number(random, type_)
        case StringType():
            return _text(random, type_)
        case TimestampType(date=date):
            return _moment(random, date, zone)
        case ListType(item=item, min_items=low, max_items=high):
            longest = high if high is not None else low + 12
            size = random.choice((low, min(low + 1, longest), random.randint(low, longest)))
            return tuple(wild(random, item, zone) for _ in range(size))
        case MapType(value=value, min_size=low, max_size=high):
            size = random.randint(low, high if high is not None else low + 7)
            keys = random.sample(_TEXTS, size)
            return {key: wild(random, value, zone) for key in keys}
        case RecordType(fields=fields):
            return {
                name: wild(random, field.type, zone)
                for name, field in fields
                if not field.optional or random.random() < 0.6
            }
    raise AssertionError(type_)


def _number(random: Random, type_: NumberType) -> int | Fraction:
    fitting = [
        value
        for value in _NUMBERS
        if (type_.minimum is None or value >= type_.minimum)
        and (type_.maximum is None or value <= type_.maximum)
        and (type_.exclusive_minimum is None or value > type_.exclusive_minimum)
        and (type_.exclusive_maximum is None or value < type_.exclusive_maximum)
    ]
    return random.choice(fitting)


def _text(random: Random, type_: StringType) -> str:
    if type_.enum is not None:
        return random.choice(type_.enum)
    if type_.pattern is None and type_.min_length is None and type_.max_length is None:
        return random.choice(_TEXTS)
    return text_sample(type_, random.choice("abcdefgh"))


def _moment(random: Random, date: bool, zone: tzinfo) -> int:
    if random.random() < 0.5:
        moment = random.choice(_MOMENTS)
    else:
        moment = random.randrange(0, 4_000_000_000) * times.SECOND_US
    if not date:
        return moment
    year_us = 366 * 86_400 * times.SECOND_US
    inside = min(max(moment, times.TIMESTAMP_MIN_US + year_us), times.TIMESTAMP_MAX_US - year_us)
    return start_of_day(inside, zone)
