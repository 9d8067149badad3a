"""The UTC offsets that a time zone has, without the calendar of when it has which."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta, tzinfo

import z3

from ledger_verify.lang import times
from ledger_verify.solver.logic import Bool, Term, conjoin, disjoin, implies

DAY_US = 86_400 * times.SECOND_US


Interval = tuple[int, int, int]
"""From one moment until before another a zone has an offset."""


def one_of_offsets(
    zone: tzinfo, moment: Term, meets: Callable[[int], Bool], around: Sequence[Interval] = ()
) -> Bool:
    """Whether an offset that the zone may have at the moment meets a condition.

    Which of its offsets it has on which day is left open except `around` some day; before 1970
    there are more of them.
    """
    ever, modern = zone_offsets(zone)
    if ever == modern:
        return disjoin(map(meets, ever))
    known: list[Bool] = []
    earlier: int | None = None
    for start, end, offset in around:
        # a day whose midnight is skipped starts at the change, by the offset from before it
        at_change = False if earlier is None else conjoin((moment == start, meets(earlier)))
        within = conjoin((moment >= start, moment < end))
        known.append(implies(within, disjoin((meets(offset), at_change))))
        earlier = offset
    before, since = disjoin(map(meets, ever)), disjoin(map(meets, modern))
    return conjoin([implies(moment < 0, before), implies(moment >= 0, since), *known])


@functools.lru_cache(maxsize=128)
def offsets_around(zone: tzinfo, now_us: int) -> tuple[Interval, ...]:
    """Which offset the zone has from a year before until a year after a moment."""
    start = now_us - now_us % DAY_US - 366 * DAY_US
    days = [(start + i * DAY_US, offset_of(zone, start + i * DAY_US)) for i in range(733)]
    found: list[Interval] = []
    for (begin, offset), (end, following) in itertools.pairwise(days):
        change = end if offset == following else _change(zone, begin, end)
        if found and found[-1][2] == offset:
            found[-1] = (found[-1][0], change, offset)
        else:
            found.append((found[-1][1] if found else begin, change, offset))
    return tuple(found)


def _change(zone: tzinfo, begin: int, end: int) -> int:
    """The first moment at which the offset is no longer that of `begin`."""
    offset = offset_of(zone, begin)
    while end - begin > 1:
        middle = (begin + end) // 2
        begin, end = (middle, end) if offset_of(zone, middle) == offset else (begin, middle)
    return end


def offset_of(zone: tzinfo, moment_us: int) -> int:
    """The offset in microseconds that the zone has at a moment of the calendar, or near it."""
    return times.offset_us(moment_us, zone)


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


def skips_no_day(zone: tzinfo) -> bool:
    """Whether every date has a moment in the zone, so that the start of a day is on that day.

    False may be said of a zone that skips none.
    """
    ever, _ = zone_offsets(zone)
    return max(ever) - min(ever) < DAY_US


def offset_at(moment: Term, zone_name: str, around_us: int | None = None) -> tuple[Term, Bool]:
    """The offset at a moment as a function of it, and the fact that it is one of the zone's."""
    zone = times.zone_named(zone_name)
    ever, _ = zone_offsets(zone)
    if len(ever) == 1:
        return z3.IntVal(ever[0]), True
    offset = z3.Function(f"offset@{zone_name}", z3.IntSort(), z3.IntSort())(moment)
    around = () if around_us is None else offsets_around(zone, around_us)
    return offset, one_of_offsets(zone, moment, lambda known: offset == known, around)
