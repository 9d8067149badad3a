"""Writes that return the record: fresh once they succeeded, stale whenever that is in doubt."""

import json
from typing import Any

import pytest

from ledger_verify import Domain, Gate
from ledger_verify.gate.session import Session

ORDER: Any = {
    "type": "object",
    "required": ["order_id", "total"],
    "properties": {
        "order_id": {"type": "string"},
        "total": {"type": "integer", "minimum": 0},
        "note": {"type": "string"},
    },
}
FRESH = "ledger.orders[args.id].total <= 100"


def session(rule: str = FRESH, **more: Any) -> Session:
    change: Any = {
        "kind": "write",
        "arguments": {"id": "string"},
        "touches": ["orders.{args.id}.total", "balance"],
        "observes": {"orders.{args.id}": "result.order"},
        **more,
    }
    domain = Domain.define(
        "d",
        ledger={"orders.*": {"record": "Order", "key": "order_id"}, "balance": "integer"},
        tools={
            "get": {
                "kind": "read",
                "arguments": {"id": "string"},
                "observes": {"orders.{args.id}": "result"},
            },
            "get_balance": {"kind": "read", "observes": {"balance": "result"}},
            "change": change,
            "create": {
                "kind": "write",
                "arguments": {"total": "integer"},
                "observes": {"orders.{item.order_id}": "result"},
            },
        },
        definitions={"Order": ORDER},
        rules=[
            {"id": "r", "tools": ["change"], "require": rule},
            {"id": "s", "tools": ["create"], "require": "args.total >= 0"},
        ],
    )
    return Gate(domain).session()


def seen(**more: Any) -> Session:
    made = session(**more)
    made.observe("get", {"id": "A"}, {"order_id": "A", "total": 1})
    made.observe("get_balance", {}, 5)
    return made


def allowed(made: Session, order: str = "A") -> bool:
    return made.check("change", {"id": order}).allowed


GOOD = {"order": {"order_id": "A", "total": 2}}


@pytest.mark.parametrize("result", [GOOD, json.dumps(GOOD)])
def test_the_record_is_fresh_after_the_write(result: Any) -> None:
    made = seen()
    assert made.observe("change", {"id": "A"}, result) == []
    shown, order = made.render().splitlines()
    assert order == 'orders.A = {"order_id": "A", "total": 2}'
    assert "stale" in shown  # what it touched and did not return
    assert allowed(made)


def test_a_new_record_stands_under_the_key_that_the_result_tells() -> None:
    made = session()
    assert made.observe("create", {"total": 7}, {"order_id": "N1", "total": 7}) == []
    assert made.render() == 'orders.N1 = {"order_id": "N1", "total": 7}'
    assert allowed(made, "N1")


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"order": {"order_id": "A", "total": -1}}, "at least 0"),
        ({"order": {"order_id": "B", "total": 2}}, "one of another key"),
        ({"order": None}, "expected an object"),
        ({}, "with `order`"),
        ("done", "an object with `order`"),
        (None, "an object with `order`"),
        ([GOOD], "an object with `order`"),
    ],
)
def test_a_result_that_does_not_fit_leaves_it_stale(result: Any, said: str) -> None:
    made = seen()
    (drift,) = made.observe("change", {"id": "A"}, result)
    assert said in drift.reason or "expected" in drift.reason
    assert made.render().count("stale") == 2
    assert ("orders.*", ("A",)) in made.ledger.rejected
    assert not allowed(made)
    made.observe("get", {"id": "A"}, {"order_id": "A", "total": 2})
    assert made.ledger.rejected == {}
    assert allowed(made)


def test_nothing_is_shown_by_a_write_that_failed() -> None:
    made = seen()
    assert made.observe("change", {"id": "A"}, GOOD, error=True) == []
    assert "stale" not in made.render()
    assert '"total": 1' in made.render()


def test_nothing_is_shown_by_a_write_of_unknown_outcome() -> None:
    made = seen()
    made.interrupted("change", {"id": "A"})
    assert '"total": 1' in made.render()
    assert made.render().count("stale") == 2


@pytest.mark.parametrize(
    ("text", "stale", "total"), [("ok 7", 0, 7), ("no", 0, 1), ("perhaps", 1, 1)]
)
def test_a_declared_form_says_whether_it_succeeded(text: str, stale: int, total: int) -> None:
    form = {"whole": r"ok (?P<total>\d+)", "nothing": ["no"]}
    whole = {"whole": r"ok (?P<total>\d+)"}
    shown = {"orders.{args.id}": {"text": whole, "set": {"order_id": "args.id"}}}
    made = seen(result=form, observes=shown, touches=["orders.{args.id}.total"])
    made.observe("change", {"id": "A"}, text)
    order = made.render().splitlines()[1]
    assert f'"total": {total}' in order
    assert order.count("stale") == stale


def test_a_condition_is_asked_of_the_ledger_before_the_write() -> None:
    when = {"orders.{args.id}": {"from": "result.order", "when": "ledger.balance > 3"}}
    made = seen(observes=when)
    assert made.observe("change", {"id": "A"}, GOOD) == []
    assert '"total": 2' in made.render()
    made = seen(observes={"orders.{args.id}": {"from": "result.order",
                                               "when": "ledger.balance > 9"}})  # fmt: skip
    assert made.observe("change", {"id": "A"}, GOOD) == []
    assert '"total": 1' in made.render()
    assert made.render().count("stale") == 2


def test_arguments_that_do_not_fit_show_nothing() -> None:
    made = seen()
    assert made.observe("change", {"id": 5}, GOOD) != []
    assert made.render().count("stale") == 2


def test_calls_of_one_message_do_not_count_on_it() -> None:
    made = seen()
    first, second = made.check_message([("change", {"id": "A"}), ("change", {"id": "A"})])
    assert (first.allowed, second.allowed) == (True, False)


def test_no_read_is_advised_through_a_write() -> None:
    verdict = session().check("change", {"id": "A"})
    assert [entry.read.name for entry in verdict.missing if entry.read] == ["get"]
