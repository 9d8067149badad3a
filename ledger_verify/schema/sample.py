"""A small valid value of a type, for the parts of an example that nothing depends on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import tzinfo
from fractions import Fraction
from itertools import chain
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
from ledger_verify.schema.pattern_texts import texts_of_pattern


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
    """A text that the type allows, made of `name` where it can be; raises `ValueError`."""
    found = next(text_samples(type_, [name]), None)
    if found is None:
        raise ValueError(f"no example found for the pattern `{type_.pattern}`")
    return found


def text_samples(type_: StringType, names: Iterable[str]) -> Iterator[str]:
    """Texts that the type allows: of its enum, made of the names, or made after its pattern."""
    if type_.enum:
        yield from type_.enum
        return
    low, high = type_.min_length or 0, type_.max_length
    if type_.pattern is None:
        yield from (name[:high].ljust(low, "x") for name in names)
        return
    pattern = regex.compiled(type_.pattern)
    for text in chain(names, texts_of_pattern(type_.pattern, low)):
        for made in (text, text.ljust(low, "x")):
            fits = len(made) >= low and (high is None or len(made) <= high)
            if fits and pattern.is_in(made):
                yield made
                break
