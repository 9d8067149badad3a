"""Calendar parts of symbolic timestamps, and parts of durations.

Hours, minutes and weekdays are exact for a given UTC offset; which of its offsets a zone has at
a moment, and years, months and days, are left open until a model asks for them.
"""

from __future__ import annotations

import z3

from ledger_verify.lang import times
from ledger_verify.lang.types import INT, TimestampType
from ledger_verify.solver.lessons import of_operation
from ledger_verify.solver.logic import Term
from ledger_verify.solver.shapes import Known, Scalar, Sym
from ledger_verify.solver.symbols import Symbols
from ledger_verify.solver.zones import DAY_US, offset_at

_OPEN_RANGES = {
    "getFullYear": (1, 9999),
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
    # the calendar ends with the years 1 and 9999 of local time
    gap = symbols.ranged and z3.Or(local < times.TIMESTAMP_MIN_US, local > times.TIMESTAMP_MAX_US)
    return Sym(Scalar(_part(symbols, moment, local, part, zone_name)), gap=gap)


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
