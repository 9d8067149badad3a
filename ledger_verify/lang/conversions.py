"""How to write a value so that it fits the other operand: hints for operands of different types."""

from __future__ import annotations

import json
import re
from datetime import datetime
from decimal import Decimal

from ledger_verify.lang import times
from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.overloads import fits
from ledger_verify.lang.typed import Constant, Expr
from ledger_verify.lang.types import (
    IntType,
    ListType,
    MapType,
    NumberType,
    RecordType,
    StringType,
    Type,
    strip_null,
)

_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_IN_DAYS = re.compile(r"P?(\d{1,5}(?:\.\d{1,3})?) ?([dw])(?:ays?|eeks?)?", re.IGNORECASE)
_LENGTH = 'a length of time is written `duration("24h")`'


def conversion_hint(left: Expr, right: Expr, timezone: str, operator: str = "==") -> str | None:
    """What to write for one of two operands that do not go together; None where nothing is known.

    Times without an offset are meant in `timezone`, an IANA name.
    """
    for expr, other in ((right, left), (left, right)):
        if isinstance(expr, Constant):
            hint = hint_for(expr, other.type, timezone, operator)
            if hint is not None:
                return hint
    for expr, other in ((right, left), (left, right)):
        if not isinstance(expr, Constant):
            hint = hint_for(expr, other.type, timezone, operator)
            if hint is not None:
                return hint
    return None


def membership_hint(item: Expr, container: Expr, timezone: str) -> str | None:
    """The same for an item and a list that it cannot be in."""
    bare = strip_null(container.type)
    if not isinstance(bare, ListType):
        return None
    if isinstance(container, Constant):
        first = Constant(container.value[0], bare.item, container.span)
        return conversion_hint(item, first, timezone)
    return hint_for(item, bare.item, timezone)


def hint_for(expr: Expr, wanted: Type, timezone: str, operator: str = "==") -> str | None:
    """What to write for an expression so that it goes together with a value of the type."""
    value = expr.value if isinstance(expr, Constant) else None
    is_number = fits(expr.type, "number")
    if fits(wanted, "timestamp"):
        if operator in ("+", "-") and (is_number or fits(expr.type, "string")):
            return duration_hint(value)
        if fits(expr.type, "string"):
            return timestamp_hint(value, timezone)
        return timestamp_hint(None, timezone) if is_number and value is not None else None
    if fits(wanted, "duration") and (is_number or fits(expr.type, "string")):
        return duration_hint(value)
    if fits(expr.type, "string"):
        return _text_as(value, wanted)
    if fits(wanted, "string") and (is_number or fits(expr.type, "bool")):
        if isinstance(value, bool | int):
            return f"a text is in quotes: `{json.dumps(str(value).lower())}`"
        return "`string(...)` makes a text of it" if operator == "+" and value is None else None
    return None


def truth_hint(type_: Type) -> str | None:
    """How to make a condition of a value; other languages take some values for true."""
    match strip_null(type_):
        case StringType():
            return 'one of several texts is `x in ["a", "b"]`, a text that is not empty `x != ""`'
        case IntType() | NumberType():
            return "compare it, as in `x != 0`"
        case ListType() | MapType():
            return "compare its size, as in `size(x) > 0`"
        case RecordType():
            return "ask of a record whether it was read, `observed(x)`, or of a field of it"
    return None


def timestamp_hint(text: object, timezone: str) -> str:
    """How the time that a text means is written."""
    try:
        moment = datetime.fromisoformat(str(text))
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=times.zone_named(timezone))
        exact = moment.isoformat().replace("+00:00", "Z")
        times.parse_timestamp(exact)
    except (ValueError, OverflowError, NoValue):
        return 'a time is written `timestamp("2026-01-31T15:00:00Z")`, with an offset'
    return f'a time is written `timestamp("{exact}")`'


def duration_hint(value: object) -> str:
    """How the length of time that a text means is written; days and weeks are counted in hours."""
    spelled = _IN_DAYS.fullmatch(value) if isinstance(value, str) else None
    if spelled is not None:
        hours = Decimal(spelled[1]) * (24 if spelled[2].lower() == "d" else 168)
        if hours == hours.to_integral_value() and 0 < hours < 10**6:
            return f'a length of time is written `duration("{int(hours)}h")`'
    try:
        times.parse_duration(value if isinstance(value, str) else "")
    except NoValue:
        return _LENGTH
    return f'a length of time is written `duration("{value}")`'


def _text_as(value: object, wanted: Type) -> str | None:
    """What to write for a text where a number or a bool is wanted."""
    if fits(wanted, "bool"):
        is_truth = isinstance(value, str) and value.lower() in ("true", "false")
        return f"write `{str(value).lower()}` without quotes" if is_truth else None
    if not fits(wanted, "number"):
        return None
    if value is None:
        return "`int(...)` makes a whole number of a text"
    is_number = isinstance(value, str) and _NUMBER.fullmatch(value)
    return f"write `{value}` without quotes" if is_number else None
