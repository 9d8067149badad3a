"""A repair is the nearest legal value by the stated distance: against every value there is."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger_verify import Domain, Gate

DAYS = [date(2024, 3, 20) + timedelta(days=n) for n in range(25)]  # summer time begins on the 31st


def repaired(type_: Any, require: str, value: Any, **domain: Any) -> Any:
    """The repaired argument, the same one where the call is allowed, None where it is blocked."""
    made = Domain.define(
        "near",
        ledger={},
        tools={"act": {"kind": "write", "arguments": {"x": type_}, "free": ["x"]}},
        rules=[{"id": "r", "tools": ["act"], "require": require}],
        **domain,
    )
    verdict = Gate(made).session().check("act", {"x": value})
    if verdict.allowed:
        return value
    return None if verdict.repair is None else verdict.repair.arguments["x"]


@pytest.mark.parametrize(
    ("require", "proposed", "expected"),
    [
        ("args.x <= 2500.0", "2500.01", "2500"),
        ("args.x < 2500.0", "2500.01", "2499.99"),
        ("args.x < 2500.0", "2501", "2499"),
        ("args.x <= 833.335", "900", "833.335"),
        ("args.x >= 10.0 && args.x <= 20.0", "3.7", "10"),
        ("args.x <= 1.0 || args.x >= 4.0", "3.2", "4"),
        ("args.x <= 1.0 || args.x >= 3.0", "2", "1"),
        ("args.x * 3.0 <= 100.0", "40", "33"),  # a third cannot be written
    ],
)
def test_numbers(require: str, proposed: str, expected: str) -> None:
    found = repaired("number", require, Decimal(proposed))
    assert Decimal(str(found)) == Decimal(expected)


ranges = st.lists(st.tuples(st.integers(-30, 30), st.integers(0, 5)), min_size=1, max_size=3)


@given(ranges, st.integers(-40, 40))
@settings(max_examples=40, deadline=None)
def test_whole_numbers(allowed: list[tuple[int, int]], proposed: int) -> None:
    require = " || ".join(f"args.x >= {low} && args.x <= {low + more}" for low, more in allowed)
    values = [v for low, more in allowed for v in range(low, low + more + 1)]
    assert repaired("integer", require, proposed) == min(
        values, key=lambda v: (abs(v - proposed), v)
    )


@given(ranges, st.integers(-4000, 4000))
@settings(max_examples=40, deadline=None)
def test_decimals(allowed: list[tuple[int, int]], cents: int) -> None:
    """The nearest point of closed ranges is the value itself or an end of one."""
    proposed = Decimal(cents) / 100
    require = " || ".join(f"args.x >= {low}.5 && args.x <= {low + more}.5" for low, more in allowed)
    half = Decimal("0.5")
    points = [
        min(max(proposed, low + half if low >= 0 else low - half),
            low + more + half if low + more >= 0 else low + more - half)
        for low, more in allowed
    ]  # fmt: skip
    points = [p for p, (low, _) in zip(points, allowed, strict=True) if low >= 0]
    if len(points) < len(allowed):
        return
    expected = min(points, key=lambda p: (abs(p - proposed), p))
    assert Decimal(str(repaired("number", require, proposed))) == expected


@given(st.sets(st.sampled_from(DAYS), min_size=1, max_size=3), st.sampled_from(DAYS))
@settings(max_examples=25, deadline=None)
def test_dates(allowed: set[date], proposed: date) -> None:
    require = " || ".join(f'args.x == timestamp("{day}T00:00:00{_offset(day)}")' for day in allowed)
    found = repaired(
        "date", require, proposed.isoformat(), timezone="Europe/Berlin", clock="2024-03-25"
    )
    assert date.fromisoformat(found) == min(allowed, key=lambda d: (abs(d - proposed), d))


@pytest.mark.parametrize("month", [3, 10])  # a day of 23 hours, and one of 25
def test_of_two_dates_as_many_days_away_the_earlier_is_nearer(month: int) -> None:
    changed = 31 if month == 3 else 27
    proposed = date(2024, month, changed)
    for away in range(1, 4):
        for middle in (proposed, proposed + timedelta(days=1)):
            both = [middle - timedelta(days=away), middle + timedelta(days=away)]
            require = " || ".join(
                f'args.x == timestamp("{day}T00:00:00{_offset(day)}")' for day in both
            )
            found = repaired(
                "date", require, middle.isoformat(), timezone="Europe/Berlin", clock="2024-03-25"
            )
            assert date.fromisoformat(found) == both[0]


def _offset(day: date) -> str:
    return "+02:00" if date(2024, 3, 31) < day <= date(2024, 10, 27) else "+01:00"


def test_enums_are_tried_in_their_order() -> None:
    for order in (["a", "b", "c"], ["c", "b", "a"]):
        assert repaired({"enum": [*order, "z"]}, 'args.x != "z"', "z") == order[0]


ITEMS = ["a", "b", "c"]


@given(
    st.lists(st.sampled_from(ITEMS), min_size=1, max_size=3),
    st.lists(st.lists(st.sampled_from(ITEMS), min_size=1, max_size=3), min_size=1, max_size=3),
)
@settings(max_examples=30, deadline=None)
def test_lists_change_the_fewest_items(proposed: list[str], allowed: list[list[str]]) -> None:
    type_ = {"type": "array", "items": {"enum": ITEMS}, "maxItems": 3}
    require = " || ".join(f"args.x == {items}".replace("'", '"') for items in allowed)
    found = repaired(type_, require, proposed)

    def distance(items: list[str]) -> int:
        pairs = zip(items, proposed, strict=False)
        return abs(len(items) - len(proposed)) + sum(a != b for a, b in pairs)

    assert found in allowed
    assert distance(found) == min(map(distance, allowed))


def test_the_fewest_arguments_change() -> None:
    names = ["a", "b", "c", "d"]
    for legal in product([0, 1], repeat=4):
        others = (0, 0, 1, 1)
        require = " || ".join(
            "(" + " && ".join(f"args.{n} == {v}" for n, v in zip(names, one, strict=True)) + ")"
            for one in (legal, others)
        )
        made = Domain.define(
            "few",
            ledger={},
            tools={"act": {"kind": "write", "arguments": dict.fromkeys(names, "integer"),
                           "free": names}},
            rules=[{"id": "r", "tools": ["act"], "require": require}],
        )  # fmt: skip
        verdict = Gate(made).session().check("act", dict.fromkeys(names, 0))
        if not verdict.allowed:
            assert verdict.repair is not None
            assert len(verdict.repair.arguments) == min(sum(legal), 2)
