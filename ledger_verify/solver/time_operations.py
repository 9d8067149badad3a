"""Calendar parts of symbolic timestamps, and parts of durations.

Hours, minutes and weekdays are exact for a given UTC offset; which of its offsets a zone has at
a moment, and years, months and days, are left open.
"""

from __future__ import annotations

import z3

from ledger_verify.lang import times
from ledger_verify.lang.types import TimestampType
from ledger_verify.solver.logic import Term, disjoin
from ledger_verify.solver.shapes import Known, Scalar, Sym
from ledger_verify.solver.symbols import DAY_US, Symbols, zone_offsets

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
    assert isinstance(part_shape, Known) and isinstance(zone_shape, Known)
    part, zone_name = part_shape.value, zone_shape.value
    moment = symbols.term(operands[0], TimestampType())
    if part in _OPEN_RANGES:
        value = z3.Function(f"{part}@{zone_name}", z3.IntSort(), z3.IntSort())(moment)
        low, high = _OPEN_RANGES[part]
        symbols.facts.append(z3.And(value >= low, value <= high))
        return Sym(Scalar(value))
    local = moment + _offset(symbols, moment, zone_name)
    match part:
        case "getDayOfWeek":
            value = (local / DAY_US + _THURSDAY) % 7
        case "getHours":
            value = local % DAY_US / (3600 * times.SECOND_US)
        case "getMinutes":
            value = local % (3600 * times.SECOND_US) / (60 * times.SECOND_US)
        case "getSeconds":
            value = local % (60 * times.SECOND_US) / times.SECOND_US
        case _:
            value = local % times.SECOND_US / 1000
    return Sym(Scalar(value))


def _offset(symbols: Symbols, moment: Term, zone_name: str) -> Term:
    offsets = zone_offsets(times.zone_named(zone_name))
    if len(offsets) == 1:
        return z3.IntVal(offsets[0])
    offset = z3.Function(f"offset@{zone_name}", z3.IntSort(), z3.IntSort())(moment)
    symbols.facts.append(disjoin(offset == known for known in offsets))
    return offset


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
