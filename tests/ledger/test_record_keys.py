"""Records with a declared key: one that is of another key is no observation of the record."""

import re
from collections.abc import Mapping
from typing import Any

import pytest

from ledger_verify import Domain, Gate
from ledger_verify.gate.session import Session
from ledger_verify.lang.errors import InputError

NUMBERED = {"type": "integer"}
TEXT = {"type": "string"}
DAY = {"type": "string", "format": "date"}


def record(optional: tuple[str, ...] = (), **fields: Any) -> Any:
    required = [name for name in fields if name not in optional]
    return {"type": "object", "required": required, "properties": fields}


ORDER = record(order_id=TEXT, total=NUMBERED)


def session(
    key: Any = "order_id", type_: Any = ORDER, path: str = "orders.{args.id}", **arguments: Any
) -> Session:
    pattern = re.sub(r"\{[^}]*\}", "*", path)
    domain = Domain.define(
        "d",
        ledger={pattern: {"record": "Record", "key": key}},
        tools={
            "get": {
                "kind": "read",
                "arguments": {"id": "string", **arguments},
                "observes": {path: "result"},
            },
            "list": {
                "kind": "read",
                "arguments": {"id": "string", **arguments},
                "observes": {path: "result[*]"},
            },
            "change": {"kind": "write", "arguments": {"id": "string"}, "touches": [f"{pattern}"]},
        },
        definitions={"Record": type_},
        timezone="Europe/Berlin",
    )
    return Gate(domain).session()


def test_the_record_of_another_key_is_rejected() -> None:
    made = session()
    (drift,) = made.observe("get", {"id": "A"}, {"order_id": "B", "total": 1})
    assert drift.reason.startswith(
        '`orders.A`: the record is one of another key: its `order_id` is `"B"`, not `"A"`'
    )
    assert made.render() == ""
    rejection = made.ledger.rejected["orders.*", ("A",)]
    assert (rejection.tool, rejection.arguments) == ("get", {"id": "A"})
    assert rejection.reason == drift.reason


def test_what_was_known_under_the_key_is_stale_and_nothing_else() -> None:
    made = session()
    for name in "ABC":
        assert made.observe("get", {"id": name}, {"order_id": name, "total": 1}) == []
    assert len(made.observe("get", {"id": "A"}, {"order_id": "B", "total": 2})) == 1
    lines = made.render().splitlines()
    assert [("stale" in line, '"total": 1' in line) for line in lines] == [
        (True, True), (False, True), (False, True),
    ]  # fmt: skip


def test_a_later_good_observation_removes_the_rejection() -> None:
    made = session()
    made.observe("get", {"id": "A"}, {"order_id": "B", "total": 1})
    made.observe("get", {"id": "C"}, {"order_id": "C", "total": 1})
    assert list(made.ledger.rejected) == [("orders.*", ("A",))]
    made.observe("list", {"id": "A"}, [{"order_id": "A", "total": 1}])
    assert made.ledger.rejected == {}
    assert "stale" not in made.render()


def test_a_result_that_tells_no_key_is_forgotten_once_the_call_is_made_again() -> None:
    made = session()
    made.observe("list", {"id": "A"}, "nonsense")
    assert list(made.ledger.rejected) == [("orders.*", ("A",))]
    made.observe("list", {"id": "A"}, [])
    assert made.ledger.rejected == {}


def test_a_copy_keeps_the_rejections() -> None:
    made = session()
    made.observe("get", {"id": "A"}, {"order_id": "B", "total": 1})
    assert made.ledger.copy().rejected == made.ledger.rejected


def test_of_one_list_only_what_disagrees_is_rejected() -> None:
    made = session(["order_id", None], path="orders.{args.id}.{item.total}")
    rows = [{"order_id": "A", "total": 1}, {"order_id": "B", "total": 2}]
    assert len(made.observe("list", {"id": "A"}, rows)) == 1
    assert made.render().startswith("orders.A.1 =")
    assert list(made.ledger.rejected) == [("orders.*.*", ("A", 2))]


@pytest.mark.parametrize(
    ("field", "argument", "given", "found", "fits"),
    [
        (TEXT, "string", "ä", "ä", True),
        (TEXT, "string", "ä", "a\u0308", False),
        (TEXT, "string", "A.1", "A.1", True),
        (TEXT, "string", "A", "a", False),
        (TEXT, "string", "1", 1, False),
        (TEXT, "string", "A ", "A", False),
        (NUMBERED, "integer", 1, 1, True),
        (NUMBERED, "integer", 1, 1.0, True),
        (NUMBERED, "integer", 1, 2, False),
        (NUMBERED, "integer", 1, "1", False),
        ({"type": "number"}, "integer", 2, 2.0, True),
        ({"type": "number"}, "integer", 2, 2.5, False),
        (DAY, "date", "2024-05-20", "2024-05-20", True),
        (DAY, "date", "2024-05-20", "2024-05-21", False),
        ({**DAY, "format": "date-time"}, "datetime", "2024-05-20T10:00:00",
         "2024-05-20T08:00:00Z", True),
        ({**DAY, "format": "date-time"}, "datetime", "2024-05-20T10:00:00",
         "2024-05-20T10:00:00Z", False),
        ({"type": "boolean"}, "boolean", True, True, True),
        ({"type": "boolean"}, "boolean", True, False, False),
        ({"anyOf": [TEXT, {"type": "null"}]}, "string", "A", "A", True),
        ({"anyOf": [TEXT, {"type": "null"}]}, "string", "A", None, False),
        ({"enum": ["A", "B"]}, "string", "A", "A", True),
        ({"enum": ["A", "B"]}, "string", "C", "A", False),
    ],
)  # fmt: skip
def test_typed_values_are_compared(
    field: Any, argument: str, given: Any, found: Any, fits: bool
) -> None:
    made = session("own", record(own=field), "rows.{args.k}", k=argument)
    drifts = made.observe("get", {"id": "x", "k": given}, {"own": found})
    assert (not drifts, bool(made.render())) == (fits, fits)


@pytest.mark.parametrize(
    ("found", "fits"),
    [
        ({"order_id": "A"}, True),
        ({}, True),
        ({"order_id": None}, False),
        ({"order_id": "B"}, False),
    ],
)
def test_an_optional_key_that_is_absent_tells_nothing(found: Mapping[str, Any], fits: bool) -> None:
    made = session(type_=record(("order_id",), order_id={"anyOf": [TEXT, {"type": "null"}]}))
    assert (made.observe("get", {"id": "A"}, found) == []) is fits


def test_a_required_key_that_is_absent_does_not_fit() -> None:
    (drift,) = session().observe("get", {"id": "A"}, {"total": 1})
    assert "required field `order_id`" in drift.reason


@pytest.mark.parametrize(
    ("found", "fits"),
    [
        ({"number": "HAT1", "day": "2024-05-20"}, True),
        ({"number": "HAT2", "day": "2024-05-20"}, False),
        ({"number": "HAT1", "day": "2024-05-21"}, False),
    ],
)
def test_keys_of_several_fields(found: Any, fits: bool) -> None:
    made = session(
        ["number", "day"], record(number=TEXT, day=DAY), "flights.{args.id}.{args.day}", day="date"
    )
    drifts = made.observe("get", {"id": "HAT1", "day": "2024-05-20"}, found)
    assert (drifts == []) is fits
    if drifts:
        assert "flights.HAT1.2024-05-20" in drifts[0].reason


def test_a_record_that_is_put_in_by_its_path() -> None:
    made = session()
    made.record("orders.A", {"order_id": "A", "total": 1})
    with pytest.raises(InputError, match="is one of another key"):
        made.record("orders.A", {"order_id": "B", "total": 1})


def test_the_field_of_a_path_without_keys_is_kept_for_what_identifies() -> None:
    made = session("user_id", record(user_id=TEXT), "user")
    pattern = made.domain.ledger["user"]
    assert (pattern.identity, pattern.key_fields) == ("user_id", ())
    assert made.observe("get", {"id": "A"}, {"user_id": "B"}) == []


def test_keys_are_bounded_like_the_field() -> None:
    made = session(type_=record(order_id={"type": "string", "pattern": "^W"}))
    with pytest.raises(InputError, match="matches `\\^W`"):
        made.record("orders.A", {"order_id": "A"})
