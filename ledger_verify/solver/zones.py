"""The UTC offsets that a time zone has, without the calendar of when it has which."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, tzinfo

import z3

from ledger_verify.lang import times
from ledger_verify.solver.logic import Bool, Term, conjoin, disjoin, implies

DAY_US = 86_400 * times.SECOND_US


def one_of_offsets(zone: tzinfo, moment: Term, meets: Callable[[int], Bool]) -> Bool:
    """Whether an offset that the zone may have at the moment meets a condition.

    Which of its offsets it has on which day is left open; before 1970 there are more of them.
    """
    ever, modern = zone_offsets(zone)
    if ever == modern:
        return disjoin(map(meets, ever))
    return conjoin(
        (
            implies(moment < 0, disjoin(map(meets, ever))),
            implies(moment >= 0, disjoin(map(meets, modern))),
        )
    )


@functools.lru_cache(maxsize=16)
def zone_offsets(zone: tzinfo) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """All offsets in microseconds that the zone has had since the year 1, and those since 1970.

    A look at every week finds them all: no zone of the tz database has had one for less.
    """
    fixed = zone.utcoffset(None)
    if fixed is not None:
        offset = fixed // timedelta(microseconds=1)
        return (offset,), (offset,)
    modern = set(_offsets(zone, datetime(1969, 12, 25), datetime(2110, 1, 1)))
    before = set(_offsets(zone, datetime(1845, 1, 1), datetime(1970, 1, 7)))
    first = set(_offsets(zone, datetime(1, 1, 2), datetime(1, 1, 3)))
    return tuple(sorted(first | before | modern)), tuple(sorted(modern))


def _offsets(zone: tzinfo, start: datetime, end: datetime) -> Iterator[int]:
    moment, week = start.replace(tzinfo=zone), timedelta(days=7)
    while moment.replace(tzinfo=None) < end:
        shift = moment.utcoffset()
        assert shift is not None
        yield shift // timedelta(microseconds=1)
        moment += week


def offset_at(moment: Term, zone_name: str) -> tuple[Term, Bool]:
    """The offset at a moment as a function of it, and the fact that it is one of the zone's."""
    zone = times.zone_named(zone_name)
    ever, _ = zone_offsets(zone)
    if len(ever) == 1:
        return z3.IntVal(ever[0]), True
    offset = z3.Function(f"offset@{zone_name}", z3.IntSort(), z3.IntSort())(moment)
    return offset, one_of_offsets(zone, moment, lambda known: offset == known)
