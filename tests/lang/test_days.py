"""`days` against Python's own calendar: many zones, changes of the clocks, ends of the calendar."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ledger_verify.evaluate.compiled import compile_predicate
from ledger_verify.evaluate.kleene import Failure, Scope, evaluate
from ledger_verify.lang.check import check_text
from ledger_verify.lang.environment import Environment
from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.times import TIMESTAMP_MAX_US, TIMESTAMP_MIN_US, to_us
from ledger_verify.lang.types import TIMESTAMP, FieldType, RecordType, TimestampType
from ledger_verify.ledger.store import Ledger
from ledger_verify.schema.coerce import Misfit, coercer

ZONES = (
    "UTC", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Asia/Kathmandu",
    "Asia/Tokyo", "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Kiritimati", "Africa/Cairo",
    "Asia/Beirut", "America/Anchorage",
)  # fmt: skip
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY = TimestampType(date=True)
ARGS = RecordType("args", (("a", FieldType(TIMESTAMP)), ("b", FieldType(TIMESTAMP))))
moments = st.one_of(
    st.integers(TIMESTAMP_MIN_US, TIMESTAMP_MAX_US),
    st.integers(0, 2 * 10**15),  # where zones change their clocks
    st.sampled_from([TIMESTAMP_MIN_US, TIMESTAMP_MAX_US, 0]),
)


def answers(a: int, b: int, zone: str) -> tuple[Any, Any]:
    """What the interpreter and the compiled function say."""
    expr = check_text("days(args.a, args.b)", Environment({"args": ARGS}, timezone=zone))
    values = {"a": a, "b": b}
    interpreted = evaluate(expr, Scope(names={"args": values}))
    try:
        compiled = compile_predicate(expr)(Ledger({}), values, 0, {})
    except NoValue:
        compiled = None
    return None if isinstance(interpreted, Failure) else interpreted, compiled


def local_day(moment: int, zone: str) -> int:
    """The number of the local date, by a calendar of 400 years before or after at the ends."""
    days = 0 if abs(moment) < 50_000_000_000_000_000 else 146_097 * (1 if moment > 0 else -1)
    shifted = EPOCH + timedelta(microseconds=moment) - timedelta(days=days)
    return shifted.astimezone(ZoneInfo(zone)).date().toordinal() + days - EPOCH.toordinal()


@given(a=moments, b=moments, zone=st.sampled_from(ZONES))
@example(a=TIMESTAMP_MIN_US, b=TIMESTAMP_MAX_US, zone="UTC")
@example(a=TIMESTAMP_MIN_US, b=TIMESTAMP_MAX_US, zone="Asia/Tokyo")
def test_days_are_those_between_local_dates(a: int, b: int, zone: str) -> None:
    expected = local_day(b, zone) - local_day(a, zone)
    assert answers(a, b, zone) == (expected, expected)


@given(day=st.dates(), other=st.dates(), zone=st.sampled_from(ZONES))
def test_dates_of_a_schema_are_as_far_apart_as_dates(day: date, other: date, zone: str) -> None:
    coerce = coercer(DAY, ZoneInfo(zone))
    try:
        moments = coerce(day), coerce(other)
    except Misfit:
        assert {day.year, other.year} & {1, 9999}
        return
    # some zones never had a day: its start is that of the day after
    skipped = [
        local_day(moment, zone) != shown.toordinal() - EPOCH.toordinal()
        for moment, shown in zip(moments, (day, other), strict=True)
    ]
    if any(skipped):
        assert zone in ("Pacific/Apia", "Pacific/Kiritimati")
        return
    assert answers(*moments, zone)[0] == (other - day).days


@pytest.mark.parametrize(
    ("a", "b", "zone", "expected"),
    [
        ("2024-03-10T04:59:59Z", "2024-03-10T05:00:00Z", "America/New_York", 1),
        ("2024-03-10T05:00:00Z", "2024-03-11T03:59:59Z", "America/New_York", 0),
        ("2024-11-03T04:00:00Z", "2024-11-04T04:59:59Z", "America/New_York", 0),
        ("2011-12-30T09:59:59Z", "2011-12-30T10:00:00Z", "Pacific/Apia", 2),
        ("2024-02-28T00:00:00Z", "2024-03-01T00:00:00Z", "UTC", 2),
        ("2023-02-28T00:00:00Z", "2023-03-01T00:00:00Z", "UTC", 1),
    ],
)
def test_where_clocks_change(a: str, b: str, zone: str, expected: int) -> None:
    first, last = (to_us(datetime.fromisoformat(text)) for text in (a, b))
    assert answers(first, last, zone) == (expected, expected)
    assert answers(last, first, zone) == (-expected, -expected)
