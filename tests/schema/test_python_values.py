"""Python's dates, times and decimals stand for what JSON writes of them."""

from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_verify.lang.types import NUMBER, STRING, TIMESTAMP, TimestampType, Type
from ledger_verify.schema.coerce import Misfit, coercer

BERLIN = ZoneInfo("Europe/Berlin")
DAY = TimestampType(date=True)
ZONES: tuple[tzinfo, ...] = (
    UTC, BERLIN, ZoneInfo("America/Sao_Paulo"), ZoneInfo("Asia/Kathmandu"),
    ZoneInfo("Pacific/Apia"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("type_", "value", "text"),
    [
        (DAY, date(2024, 5, 15), "2024-05-15"),
        (TIMESTAMP, datetime(2024, 5, 15, 12, 30), "2024-05-15T12:30:00"),
        (TIMESTAMP, datetime(2024, 5, 15, 12, tzinfo=UTC), "2024-05-15T12:00:00Z"),
        (TIMESTAMP, datetime(2024, 3, 31, 2, 30), "2024-03-31T02:30:00"),
        (TIMESTAMP, datetime(2024, 10, 27, 2, 30), "2024-10-27T02:30:00"),
        (TIMESTAMP, datetime(2024, 10, 27, 2, 30, fold=1, tzinfo=BERLIN), "2024-10-27T01:30:00Z"),
        (TIMESTAMP, datetime(1890, 1, 1, tzinfo=BERLIN), "1889-12-31T23:06:32Z"),
        (NUMBER, Decimal("989.70"), 989.7),
    ],
)
def test_a_python_value_is_what_json_writes_of_it(type_: Type, value: Any, text: Any) -> None:
    coerce = coercer(type_, BERLIN)
    assert coerce(value) == coerce(text)


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (DAY, datetime(2024, 5, 15)),
        (DAY, datetime(2024, 5, 15, tzinfo=UTC)),
        (TIMESTAMP, date(2024, 5, 15)),
        (TIMESTAMP, datetime(2024, 10, 27, 2, 30, fold=1)),
        (TIMESTAMP, datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1)))),
        (STRING, date(2024, 5, 15)),
        (STRING, Decimal("1.5")),
        (NUMBER, Decimal("NaN")),
        (NUMBER, date(2024, 5, 15)),
    ],
)
def test_what_json_could_not_write_is_a_misfit(type_: Type, value: Any) -> None:
    with pytest.raises(Misfit):
        coercer(type_, BERLIN)(value)


@given(moment=st.datetimes(timezones=st.sampled_from(ZONES)), zone=st.sampled_from(ZONES))
def test_a_moment_keeps_its_place_in_time(moment: datetime, zone: tzinfo) -> None:
    exact = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    try:
        assert coercer(TIMESTAMP, zone)(moment) == exact
    except Misfit:  # local times whose moment in UTC is beyond the calendar
        assert moment.year in (1, 9999)
