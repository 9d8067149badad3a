"""Values of a type back to JSON, and to short text for people."""

from __future__ import annotations

from datetime import timedelta, tzinfo
from fractions import Fraction
from typing import Any

from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.operations import decimal_text
from ledger_verify.lang.times import format_duration, from_us
from ledger_verify.lang.types import (
    DurationType,
    ListType,
    MapType,
    NullableType,
    RecordType,
    TimestampType,
    Type,
)


def to_json(value: Any, type_: Type, zone: tzinfo) -> Any:
    """The JSON value that `coercer(type_, zone)` turns into `value`."""
    if value is None:
        return None
    match type_:
        case NullableType(of=of):
            return to_json(value, of, zone)
        case TimestampType(date=date):
            return time_text(value, date, zone)
        case DurationType():
            return format_duration(value)
        case ListType(item=item):
            return [to_json(element, item, zone) for element in value]
        case MapType(value=inner):
            return {key: to_json(element, inner, zone) for key, element in value.items()}
        case RecordType():
            return {
                name: to_json(value[name], field.type, zone)
                for name, field in type_.fields
                if name in value
            }
    if isinstance(value, Fraction):
        return _json_number(value)
    return value


def _json_number(value: Fraction) -> float | str:
    """A float whose shortest decimal is the exact value, or the exact decimal as text."""
    text = decimal_text(value)
    if text is None:
        return f"{value.numerator}/{value.denominator}"
    return float(text) if Fraction(repr(float(text))) == value else text


def time_text(microseconds: int, date: bool, zone: tzinfo) -> str:
    """A date, or a local time with its offset where the zone has one."""
    try:
        moment = from_us(microseconds, zone)
    except NoValue:  # at the ends of the calendar
        moment = from_us(microseconds)
    if date:
        return moment.date().isoformat()
    offset = moment.utcoffset()
    if offset is not None and offset % timedelta(minutes=1):  # local mean time, before zones
        moment = from_us(microseconds)
    return moment.isoformat()


def to_text(value: Any, type_: Type, zone: tzinfo) -> str:
    """A value as it stands in messages: strings bare, numbers exact, times local."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case Fraction():
            return decimal_text(value) or f"{value.numerator}/{value.denominator}"
        case tuple():
            item = type_.item if isinstance(type_, ListType) else type_
            return ", ".join(to_text(element, item, zone) for element in value) or "none"
    plain = to_json(value, type_, zone)
    if isinstance(plain, dict):
        return ", ".join(f"{key}={element}" for key, element in plain.items())
    return str(plain)
