"""A result with very many records that do not fit costs little, and proves nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ledger_verify import Decision, Domain, Gate, Session
from ledger_verify.ledger.found import MOST_TOLD
from tests.gate.work import grows_faster

MANY = 3 * MOST_TOLD
TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
RECORD = {
    "type": "object",
    "required": ["id", "day", "limit"],
    "properties": {"id": TEXT, "day": TEXT, "limit": WHOLE},
}


def session(require: str = "true") -> Session:
    tools = {
        "list": {"kind": "read", "observes": {"items.{item.id}": "result[*]"}},
        "list_all": {
            "kind": "read",
            "observes": {"items.{item.id}": {"from": "result[*]", "all": True}},
        },
        "get": {
            "kind": "read",
            "arguments": {"id": "string"},
            "observes": {"items.{args.id}": "result"},
        },
        "days": {
            "kind": "read",
            "arguments": {"day": "string"},
            "observes": {"days.{item.id}.{args.day}": "result[*]"},
        },
        "any_day": {"kind": "read", "observes": {"days.{item.id}.{item.day}": "result[*]"}},
        "act": {"kind": "write", "arguments": {"id": "string"}},
    }
    domain = Domain.define(
        "store",
        clock="2026-01-01T00:00:00",
        definitions={"Record": RECORD},
        ledger={"items.*": "Record", "days.*.*": "Record"},
        tools=tools,
        rules=[{"id": "rule", "tools": ["act"], "require": require}],
    )
    return Gate(domain).session()


def records(count: int, **fields: Any) -> list[dict[str, Any]]:
    """So many records; a field of None is left out."""
    made = ({"id": f"a{n}", "day": "d", "limit": n, **fields} for n in range(count))
    return [{name: value for name, value in one.items() if value is not None} for one in made]


def decision(made: Session) -> Decision:
    return made.dry_run("act", {"id": "a7"}).decision


def test_each_is_counted_and_the_first_are_told() -> None:
    for count in (1, MOST_TOLD, MOST_TOLD + 1, MANY):
        drifts = session().observe("list", {}, records(count, limit="x"))
        assert sum(drift.records for drift in drifts) == count
        assert len(drifts) == min(count, MOST_TOLD + 1)
        assert all(d.reason.startswith("`limit`: expected") for d in drifts[:MOST_TOLD])
    assert drifts[-1].reason == f"{MANY - MOST_TOLD} more records do not count"


@pytest.mark.parametrize("count", [MOST_TOLD, MANY])
def test_of_none_is_anything_known_until_all_are_shown_well(count: int) -> None:
    made = session("records(ledger.items).all(i, i.limit < 1000)")
    made.observe("list", {}, records(count, limit="x"))
    assert decision(made) is Decision.REVISE
    for record in records(count - 1):
        made.observe("get", {"id": record["id"]}, record)
    assert decision(made) is Decision.REVISE
    made.observe("list", {}, records(count))
    assert decision(made) is Decision.ALLOW


@pytest.mark.parametrize("count", [MOST_TOLD, MANY])
def test_what_was_known_of_each_is_stale_and_nothing_else(count: int) -> None:
    made = session("ledger.items[args.id].limit < 1000")
    made.observe("list", {}, records(2 * count))
    made.observe("list", {}, records(count, limit="x"))
    for number in (0, count - 1, count, 2 * count - 1):
        allowed = made.dry_run("act", {"id": f"a{number}"}).allowed
        assert allowed is (number >= count)
    message = made.dry_run("act", {"id": "a7"}).message
    assert "list() showed" in message
    assert "`limit`: expected a whole number" in message


@pytest.mark.parametrize("count", [MOST_TOLD, MANY])
def test_keys_that_are_told_in_part_make_stale_what_they_may_be(count: int) -> None:
    made = session('ledger.days[args.id]["d"].limit < 1000')
    made.observe("any_day", {}, records(count + 5))
    assert decision(made) is Decision.ALLOW
    made.observe("any_day", {}, records(count, day=None))
    assert decision(made) is Decision.REVISE
    assert made.dry_run("act", {"id": f"a{count}"}).allowed
    made.observe("days", {"day": "d"}, records(count, id=None))
    assert not made.dry_run("act", {"id": f"a{count}"}).allowed


@pytest.mark.parametrize("count", [MOST_TOLD, MANY])
def test_nothing_is_known_to_be_absent_any_more(count: int) -> None:
    made = session('!records(ledger.items).exists(i, i.id == "a7")')
    made.observe("list_all", {}, [])
    assert decision(made) is Decision.ALLOW
    made.observe("list", {}, records(count, limit="x"))
    assert decision(made) is Decision.REVISE


def test_more_than_can_be_told_leaves_little_behind() -> None:
    made = session()
    made.observe("list", {}, records(MANY, limit="x"))
    made.observe("any_day", {}, records(MANY, day=None))
    ledger = made.ledger
    assert len(ledger.rejected) == 2
    assert [len(found) for found in ledger.doubtful.by_pattern.values()] == [1, 1]


WORKS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "all fit": ("list", {}, {}),
    "none fits": ("list", {}, {"limit": "x"}),
    "no key": ("list", {}, {"id": None}),
    "a key of two": ("days", {"day": "d"}, {"id": None}),
    "the other key of two": ("any_day", {}, {"day": None, "limit": "x"}),
    "none of a list of all": ("list_all", {}, {"limit": "x"}),
    "one twice": ("list", {}, {"id": "a1"}),
}


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("name", WORKS)
def test_the_work_grows_with_the_result_and_no_faster(name: str, again: bool) -> None:
    tool, arguments, fields = WORKS[name]

    def work(count: int) -> Callable[[], Any]:
        made = session()
        if again:
            made.observe("list_all", {}, records(count))
            made.observe("any_day", {}, records(count))
        return lambda: made.observe(tool, arguments, records(count, **fields))

    assert not grows_faster(work)
