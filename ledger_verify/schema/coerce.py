"""JSON values to the values of a type, checked once, when they are observed or proposed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, tzinfo
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ledger_verify.lang import regex
from ledger_verify.lang.errors import near_match
from ledger_verify.lang.literals import INT_MAX, INT_MIN
from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.operations import whole
from ledger_verify.lang.times import in_timestamp_range, to_us, zone_named
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
from ledger_verify.schema.misfit import Absent, Misfit
from ledger_verify.schema.python_times import json_text
from ledger_verify.source.json_number import is_within_bounds

__all__ = ["Coerce", "Misfit", "coercer"]

Coerce = Callable[[Any], Any]
_MAX_DIGITS = 300
_MAX_SIZE = 10**_MAX_DIGITS
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_DATE_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6})0*)?)?"
    r"([Zz]|[+-]\d\d:\d\d)?",
    re.ASCII,
)
_DECIMAL_TEXT = re.compile(r"[+-]?\d{1,400}(\.\d{1,400})?", re.ASCII)


def coercer(type_: Type, zone: tzinfo) -> Coerce:
    """A function from JSON values to values of the type; it raises `Misfit`.

    Python's `Decimal` is a number, its `date` a date and its `datetime` a time, as JSON has them: a
    `datetime` is no date, and one without an offset is local time in `zone`.

    Numbers become exact, dates and times integer microseconds (those without an offset are read
    in `zone`), lists tuples. Fields that the schema does not know are left out.
    """
    match type_:
        case BoolType():
            return _bool
        case NullType():
            return _null
        case IntType():
            return _int(type_)
        case NumberType():
            return _number(type_)
        case StringType():
            return _string(type_)
        case TimestampType(date=whole_days):
            return _date(zone) if whole_days else _date_time(zone)
        case NullableType(of=of):
            inner = coercer(of, zone)
            return lambda value: None if value is None else inner(value)
        case ListType():
            return _list(type_, zone)
        case MapType():
            return _map(type_, zone)
        case RecordType():
            return _record(type_, zone)
        case DurationType() | UnsettledType():
            raise AssertionError(f"no JSON value has type {type_}")


def _bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise Misfit("true or false", value)


def _null(value: Any) -> None:
    if value is not None:
        raise Misfit("null", value)


def _exact(value: Any, expected: str) -> int | Fraction:
    """The exact value of a JSON number; neither its size nor its reciprocal is beyond 1e300.

    `bool` is none, although Python counts it among the integers.
    """
    exact: int | Fraction
    match value:
        case bool():
            raise Misfit(expected, value)
        case int():
            exact = int(value)
        case float() if math.isfinite(value):
            exact = Fraction(str(value))
        case Decimal() if (
            value.is_finite() and abs(value.adjusted()) <= _MAX_DIGITS and is_within_bounds(value)
        ):
            exact = Fraction(value)
        case _:
            raise Misfit(expected, value)
    if exact and not 1 <= abs(exact) * _MAX_SIZE <= _MAX_SIZE**2:
        raise Misfit(expected, value)
    return whole(exact)


def _int(type_: IntType) -> Coerce:
    low = INT_MIN if type_.minimum is None else type_.minimum
    high = INT_MAX if type_.maximum is None else type_.maximum
    expected = "a whole number"
    if type_.minimum is not None or type_.maximum is not None:
        expected += f" from {low} to {high}" if type_.maximum is not None else f" from {low}"

    def coerce(value: Any) -> int:
        exact = value if type(value) is int else _exact(value, expected)
        if isinstance(exact, int) and low <= exact <= high:
            return exact
        raise Misfit(expected if isinstance(exact, Fraction) else f"{expected} of 64 bits", value)

    return coerce


def _number(type_: NumberType) -> Coerce:
    low, high = type_.minimum, type_.maximum
    above, below = type_.exclusive_minimum, type_.exclusive_maximum
    bounds = {"at least": low, "at most": high, "above": above, "below": below}
    shown = [f"{word} {bound}" for word, bound in bounds.items() if bound is not None]
    expected = " ".join(["a number", *shown])

    def coerce(value: Any) -> int | Fraction:
        if type_.text and isinstance(value, str) and _DECIMAL_TEXT.fullmatch(value):
            value = Decimal(value)  # pydantic writes a Decimal as text
        exact = _exact(value, expected)
        if (
            (low is not None and exact < low)
            or (high is not None and exact > high)
            or (above is not None and exact <= above)
            or (below is not None and exact >= below)
        ):
            raise Misfit(expected, value)
        return exact

    return coerce


def _string(type_: StringType) -> Coerce:
    enum = frozenset(type_.enum) if type_.enum is not None else None
    pattern = regex.compiled(type_.pattern) if type_.pattern is not None else None
    low, high = type_.min_length or 0, type_.max_length

    def coerce(value: Any) -> str:
        if not isinstance(value, str):
            raise Misfit("a string", value)
        if enum is not None and value not in enum:
            raise Misfit(f"one of {', '.join(f'`{o}`' for o in type_.enum or ())}", value)
        if len(value) < low or (high is not None and len(value) > high):
            raise Misfit(f"a string of {low} to {high or 'any number of'} characters", value)
        text = unicode_text(value)
        if pattern is not None and not pattern.is_in(text):
            raise Misfit(f"a string that matches `{type_.pattern}`", value)
        return text

    return coerce


def unicode_text(value: str) -> str:
    """The text, if it is one of whole characters; raises `Misfit` for half of a pair."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise Misfit("a string of Unicode characters", value) from None
    return value


def _date(zone: tzinfo) -> Coerce:
    expected = "a date such as `2024-05-15`"

    def coerce(value: Any) -> int:
        text = json_text(value) if isinstance(value, date) else value
        if not isinstance(text, str) or not _DATE.fullmatch(text):
            raise Misfit(expected, value)
        try:
            return in_timestamp_range(to_us(datetime.fromisoformat(text).replace(tzinfo=zone)))
        except (ValueError, OverflowError, NoValue):
            raise Misfit(expected, value) from None

    return coerce


def _date_time(zone: tzinfo) -> Coerce:
    expected = "a time such as `2024-05-15T15:00:00`"

    def coerce(value: Any) -> int:
        text = json_text(value) if isinstance(value, date) else value
        match = _DATE_TIME.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise Misfit(expected, value)
        *clock, fraction, offset = match.groups()
        year, month, day, hour, minute, second = (int(part or 0) for part in clock)
        micros = int((fraction or "").ljust(6, "0"))
        try:
            at = zone if offset is None else _offset(offset)
            moment = datetime(year, month, day, hour, minute, second, micros, at)
            return in_timestamp_range(to_us(moment))
        except (ValueError, OverflowError, NoValue):
            raise Misfit(expected, value) from None

    return coerce


def _offset(text: str) -> tzinfo:
    return zone_named("+00:00" if text in ("Z", "z") else text)


def _list(type_: ListType, zone: tzinfo) -> Coerce:
    item = coercer(type_.item, zone)
    low, high = type_.min_items, type_.max_items

    def coerce(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise Misfit("a list", value)
        if len(value) < low or (high is not None and len(value) > high):
            limit = f"{low} items or more" if high is None else f"{low} to {high} items"
            raise Misfit(f"a list of {limit}", value)
        out = []
        for index, element in enumerate(value):
            try:
                out.append(item(element))
            except Misfit as misfit:
                raise misfit.inside(index) from None
        return tuple(out)

    return coerce


def _map(type_: MapType, zone: tzinfo) -> Coerce:
    inner = coercer(type_.value, zone)
    low, high = type_.min_size, type_.max_size

    def coerce(value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            raise Misfit("an object", value)
        if len(value) < low or (high is not None and len(value) > high):
            raise Misfit(f"an object of {low} to {high or 'any number of'} entries", value)
        out = {}
        for key, element in value.items():
            try:
                out[unicode_text(key)] = inner(element)
            except Misfit as misfit:
                raise misfit.inside(key) from None
        return out

    return coerce


def _record(type_: RecordType, zone: tzinfo) -> Coerce:
    fields = [(name, coercer(f.type, zone), f.optional) for name, f in type_.fields]

    def coerce(value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise Misfit(f"an object ({type_.name})", value)
        out = {}
        for name, inner, optional in fields:
            if name not in value:
                if optional:
                    continue
                raise Misfit(f"a value for the required field `{name}`", Absent(), (name,))
            try:
                out[name] = inner(value[name])
            except Misfit as misfit:
                raise misfit.inside(name) from None
        if type_.closed:
            for name in value:
                if name not in type_.by_name:
                    close = near_match(str(name), type_.by_name)
                    expected = f"no field of that name in {type_.name}"
                    raise Misfit(expected, value[name], (str(name),), close)
        return out

    return coerce
