"""Calendar parts of symbolic timestamps, and parts of durations.

Hours, minutes and weekdays are exact for a given UTC offset; which of its offsets a zone has at
a moment, and years, months and days, are left open until a model asks for them.
"""

from __future__ import annotations

import z3

from ledger_verify.lang import times
from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.types import INT, TimestampType
from ledger_verify.solver.lessons import of_operation
from ledger_verify.solver.logic import Bool, Term, disjoin
from ledger_verify.solver.shapes import Known, Scalar, Sym
from ledger_verify.solver.symbols import Symbols
from ledger_verify.solver.zones import DAY_US, offset_at, skips_no_day

_OPEN_RANGES = {
    "getFullYear": (0, 10_000),
    "getMonth": (0, 11),
    "getDate": (1, 31),
    "getDayOfMonth": (0, 30),
    "getDayOfYear": (0, 365),
}
_THURSDAY = 4  # the weekday of 1970-01-01, counted from Sunday


def time_part(symbols: Symbols, operands: list[Sym]) -> Sym:
    """A part of a timestamp; the part's name and the zone are plain values."""
    part_shape, zone_shape = operands[1].shape, operands[2].shape
    assert isinstance(part_shape, Known)
    assert isinstance(zone_shape, Known)
    part, zone_name = part_shape.value, zone_shape.value
    moment = symbols.term(operands[0], TimestampType())
    offset, fact = offset_at(moment, zone_name, symbols.around_us)
    symbols.facts.append(fact)
    zone = times.zone_named(zone_name)
    if fact is not True:
        symbols.learn_offset(zone, moment, lambda known: offset == known)
    local = moment + offset
    return Sym(Scalar(_part(symbols, moment, local, part, zone_name)))


def days_between(symbols: Symbols, operands: list[Sym]) -> Sym:
    """How many days the local date of the second moment is after that of the first.

    A value of a schema's `date` is on its day whatever offset the zone had then.
    """
    start, end, zone_shape = operands
    assert isinstance(zone_shape.shape, Known)
    zone_name = zone_shape.shape.value
    (first, no_first), (last, no_last) = (
        _local_day(symbols, moment, zone_name) for moment in (start, end)
    )
    return Sym(Scalar(last - first), gap=disjoin((no_first, no_last)))


def _local_day(symbols: Symbols, operand: Sym, zone_name: str) -> tuple[Term, Bool]:
    """The number of the local date of a moment, and where there is none."""
    if isinstance(operand.shape, Known):
        if operand.shape.value is None:  # null in some cases, and in the others no matter
            return symbols.unconstrained(z3.IntSort(), "day"), True
        try:
            return z3.IntVal(times.local_day(operand.shape.value, zone_name)), False
        except NoValue:
            return z3.IntVal(0), True
    moment = symbols.term(operand, TimestampType())
    told = symbols.days.get(moment.ast.value)
    zone = times.zone_named(zone_name)
    if told is not None and zone == symbols.zone and skips_no_day(zone):
        return told[1], False
    offset, fact = offset_at(moment, zone_name, symbols.around_us)
    symbols.facts.append(fact)
    if fact is not True:
        symbols.learn_offset(zone, moment, lambda known: offset == known)
    local = moment + offset
    return local / DAY_US, False


def _part(symbols: Symbols, moment: Term, local: Term, part: str, zone_name: str) -> Term:
    if part in _OPEN_RANGES:
        value = z3.Function(f"{part}@{zone_name}", z3.IntSort(), z3.IntSort())(moment)
        low, high = _OPEN_RANGES[part]
        symbols.facts.append(z3.And(value >= low, value <= high))
        symbols.lessons.append(
            of_operation(symbols, "time_part", [moment], value, False, INT, (part, zone_name))
        )
        return value
    match part:
        case "getDayOfWeek":
            return (local / DAY_US + _THURSDAY) % 7
        case "getHours":
            return local % DAY_US / (3600 * times.SECOND_US)
        case "getMinutes":
            return local % (3600 * times.SECOND_US) / (60 * times.SECOND_US)
        case "getSeconds":
            return local % (60 * times.SECOND_US) / times.SECOND_US
        case _:
            return local % times.SECOND_US / 1000


_UNITS_US = {"getHours": 3600 * times.SECOND_US, "getMinutes": 60 * times.SECOND_US}


def duration_part(operands: list[Sym], length: Term) -> Sym:
    """A duration in whole units, or its milliseconds below a second."""
    part = operands[1].shape
    assert isinstance(part, Known)
    size = z3.If(length >= 0, length, -length)
    if part.value == "getMilliseconds":
        units = size % times.SECOND_US / 1000
    else:
        units = size / _UNITS_US.get(part.value, times.SECOND_US)
    return Sym(Scalar(z3.If(length >= 0, units, -units)))
