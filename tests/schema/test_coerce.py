"""JSON values to typed values and back; what does not fit is a `Misfit`, never another error."""

import json
import math
from datetime import UTC, date, datetime, tzinfo
from decimal import Decimal
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_verify.lang.types import (
    BOOL,
    INT,
    NULL,
    NUMBER,
    STRING,
    TIMESTAMP,
    FieldType,
    IntType,
    ListType,
    MapType,
    NullableType,
    NumberType,
    RecordType,
    StringType,
    TimestampType,
    Type,
)
from ledger_verify.schema.coerce import Misfit, coercer
from ledger_verify.schema.render import to_json, to_text

NEW_YORK = ZoneInfo("America/New_York")
DATE = TimestampType(date=True)
HUGE = 10**5000
ZONES: tuple[tzinfo, ...] = (
    UTC, NEW_YORK, ZoneInfo("Asia/Kathmandu"), ZoneInfo("America/Sao_Paulo"),
    ZoneInfo("Pacific/Apia"),
)  # fmt: skip


def us(text: str) -> int:
    moment = datetime.fromisoformat(text)
    return int((moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()) * 1_000_000


@pytest.mark.parametrize(
    ("type_", "raw", "value"),
    [
        (BOOL, True, True),
        (NULL, None, None),
        (INT, 5, 5),
        (INT, 5.0, 5),
        (INT, Decimal("5.00"), 5),
        (INT, -(2**63), -(2**63)),
        (NUMBER, 5, 5),
        (NUMBER, 989.70, Fraction(9897, 10)),
        (NUMBER, 1e22, 10**22),
        (NUMBER, Decimal("0.1"), Fraction(1, 10)),
        (NumberType(text=True), "989.70", Fraction(9897, 10)),
        (NUMBER, -0.0, 0),
        (STRING, "é🐱\0", "é🐱\0"),
        (StringType(pattern="^[A-Z]+$"), "AB", "AB"),
        (DATE, "2024-05-15", us("2024-05-15T04:00:00+00:00")),
        (DATE, "2024-02-29", us("2024-02-29T05:00:00+00:00")),
        (TIMESTAMP, "2024-05-15T15:00:00", us("2024-05-15T19:00:00+00:00")),
        (TIMESTAMP, "2024-05-15 15:00", us("2024-05-15T19:00:00+00:00")),
        (TIMESTAMP, "2024-05-15T15:00:00Z", us("2024-05-15T15:00:00+00:00")),
        (TIMESTAMP, "2024-05-15T15:00:00.5+02:00", us("2024-05-15T13:00:00+00:00") + 500_000),
        (TIMESTAMP, "2024-05-15T15:00:00.123456000z", us("2024-05-15T15:00:00+00:00") + 123_456),
        # 02:30 does not exist on that day: read with the offset that was in force before
        (TIMESTAMP, "2024-03-10T02:30:00", us("2024-03-10T07:30:00+00:00")),
        # 01:30 happens twice on that day: the first one
        (TIMESTAMP, "2024-11-03T01:30:00", us("2024-11-03T05:30:00+00:00")),
        (NullableType(INT), None, None),
        (ListType(INT), [1, 2.0], (1, 2)),
        (MapType(NUMBER), {"a": 0.5}, {"a": Fraction(1, 2)}),
        (RecordType("R", (("a", FieldType(INT)),)), {"a": 1, "new": "field"}, {"a": 1}),
        (RecordType("R", (("a", FieldType(INT, optional=True)),)), {}, {}),
    ],
)
def test_fits(type_: Type, raw: Any, value: Any) -> None:
    coerced = coercer(type_, NEW_YORK)(raw)
    assert coerced == value
    assert type(coerced) is type(value)


@pytest.mark.parametrize(
    ("type_", "raw"),
    [
        (BOOL, 1),
        (BOOL, "true"),
        (BOOL, None),
        (NULL, 0),
        (INT, True),
        (INT, 1.5),
        (INT, "1"),
        (INT, 2**63),
        (INT, math.nan),
        (INT, math.inf),
        (INT, HUGE),
        (INT, Decimal("NaN")),
        (INT, Decimal("sNaN")),
        (INT, Decimal("1E+999999999")),
        (IntType(minimum=1), 0),
        (IntType(maximum=1), 2),
        (NUMBER, False),
        (NUMBER, math.nan),
        (NUMBER, -math.inf),
        (NUMBER, 1e308),
        (NUMBER, 1e-308),
        (NUMBER, HUGE),
        (NUMBER, Decimal("1E-999999999")),
        (NUMBER, "1e5"),
        (NUMBER, "1,000"),
        (NUMBER, " 1"),
        (NumberType(minimum=0), -0.01),
        (NumberType(exclusive_minimum=0), 0),
        (NumberType(exclusive_maximum=1), 1.0),
        (NumberType(maximum=Fraction(1, 10)), 0.11),
        (STRING, 1),
        (STRING, "\ud800"),
        (StringType(enum=("a", "b")), "c"),
        (StringType(pattern="^a$"), "a\n"),
        (StringType(min_length=2), "a"),
        (StringType(max_length=1), "ab"),
        (DATE, "2024-02-30"),
        (DATE, "2023-02-29"),
        (DATE, "2024-5-15"),
        (DATE, "2024-05-15T00:00:00"),
        (DATE, "0000-01-01"),
        (DATE, "10000-01-01"),
        (DATE, "٢٠٢٤-05-15"),
        (DATE, 20240515),
        (TIMESTAMP, "2024-05-15"),
        (TIMESTAMP, "2024-05-15T24:00:00"),
        (TIMESTAMP, "2024-05-15T23:59:60Z"),
        (TIMESTAMP, "2024-05-15T12:60:00Z"),
        (TIMESTAMP, "2024-05-15T12:00:000"),
        (TIMESTAMP, "2024-05-15T12:00:00.1234567Z"),
        (TIMESTAMP, "2024-05-15T12:00:00+25:00"),
        (TIMESTAMP, "2024-05-15T12:00:00-0400"),
        (TIMESTAMP, "0001-01-01T00:00:00+14:00"),
        (TIMESTAMP, 1715799600),
        (ListType(INT), "12"),
        (ListType(INT), {"0": 1}),
        (ListType(INT), [1, "a"]),
        (ListType(INT, min_items=1), []),
        (ListType(INT, max_items=1), [1, 2]),
        (MapType(INT), [1]),
        (MapType(INT), {1: 1}),
        (MapType(INT), {"a": True}),
        (MapType(INT), {"\ud800": 1}),
        (MapType(INT, min_size=1), {}),
        (RecordType("R", (("a", FieldType(INT)),)), {}),
        (RecordType("R", (("a", FieldType(INT)),)), {"a": None}),
        (RecordType("R", (("a", FieldType(INT)),)), None),
        (RecordType("R", (("a", FieldType(INT)),), closed=True), {"a": 1, "b": 2}),
    ],
    ids=lambda value: f"{value!r:.40}" if value is not HUGE else "huge",
)
def test_does_not_fit(type_: Type, raw: Any) -> None:
    with pytest.raises(Misfit) as caught:
        coercer(type_, NEW_YORK)(raw)
    assert "expected" in str(caught.value)


def test_a_misfit_says_where() -> None:
    item = RecordType("Item", (("qty", FieldType(INT)),))
    order = RecordType("Order", (("items", FieldType(ListType(item))),))
    with pytest.raises(Misfit) as caught:
        coercer(order, UTC)({"items": [{"qty": 1}, {"qty": "two"}]})
    assert caught.value.path == ("items", 1, "qty")
    assert str(caught.value) == '`items[1].qty`: expected a whole number, found `"two"`'
    with pytest.raises(Misfit, match="`items`: expected a value for the required field `items`"):
        coercer(order, UTC)({})


def _types() -> st.SearchStrategy[Type]:
    plain: list[Type] = [BOOL, INT, NUMBER, STRING, TIMESTAMP, DATE]
    scalars = [*plain, *(NullableType(type_) for type_ in plain)]
    return st.recursive(
        st.sampled_from(scalars),
        lambda inner: st.one_of(
            inner.map(ListType),
            inner.map(MapType),
            st.dictionaries(st.sampled_from("abc"), st.builds(FieldType, inner, st.booleans())).map(
                lambda fields: RecordType("R", tuple(fields.items()))
            ),
        ),
        max_leaves=6,
    )


_CLOCK = st.datetimes(datetime(1800, 1, 1), datetime(2200, 1, 1))


def _json(type_: Type) -> st.SearchStrategy[Any]:
    match type_:
        case NullableType(of=of):
            return st.none() | _json(of)
        case ListType(item=item):
            return st.lists(_json(item), max_size=3)
        case MapType(value=value):
            return st.dictionaries(st.text(max_size=3), _json(value), max_size=3)
        case RecordType(fields=fields):
            return st.fixed_dictionaries(
                {name: _json(field.type) for name, field in fields if not field.optional},
                optional={name: _json(field.type) for name, field in fields if field.optional},
            )
        case TimestampType(date=True):
            return st.dates(date(1, 1, 2), date(9999, 12, 30)).map(lambda day: day.isoformat())
        case TimestampType():
            return _CLOCK.map(lambda moment: moment.isoformat()) | st.datetimes(
                datetime(2, 1, 1), timezones=st.just(UTC)
            ).map(lambda moment: moment.isoformat())
    plain: dict[Type, st.SearchStrategy[Any]] = {
        BOOL: st.booleans(),
        INT: st.integers(-(2**63), 2**63 - 1),
        NUMBER: st.floats(-1e300, 1e300, allow_subnormal=False).filter(
            lambda x: x == 0 or abs(x) >= 1e-300
        ),
        STRING: st.text(max_size=5),
    }
    return plain[type_]


@given(st.data(), _types(), st.sampled_from(ZONES))
def test_values_go_to_json_and_back(data: st.DataObject, type_: Type, zone: tzinfo) -> None:
    coerce = coercer(type_, zone)
    value = coerce(data.draw(_json(type_)))
    written = to_json(value, type_, zone)
    assert coerce(written) == value
    assert coerce(json.loads(json.dumps(written))) == value
    assert isinstance(to_text(value, type_, zone), str)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.decimals()
    | st.sampled_from(["\ud800", 10**4000, "2024-02-30", "1e999999999", object(), b"a", {1, 2}]),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=5,
)  # fmt: skip


@given(anything, _types())
def test_anything_fits_or_is_a_misfit(raw: Any, type_: Type) -> None:
    try:
        coercer(type_, NEW_YORK)(raw)
    except Misfit as misfit:
        message = str(misfit)
    else:
        return
    assert len(message) < 500


@pytest.mark.parametrize(
    ("given", "shown"), [("1.5", "`1.5`"), ("1e999", "1E+999"), ("12345678901234.5", "8901234.5`")]
)
def test_a_number_that_does_not_fit_is_shown_as_a_number(given: str, shown: str) -> None:
    with pytest.raises(Misfit) as caught:
        coercer(INT, UTC)(Decimal(given))
    assert shown in caught.value.message
