"""What a read that shows all did not show does not exist, until that may have changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ledger_verify import Domain, Gate, Session
from ledger_verify.cli.gate import fill_ledger
from ledger_verify.gate.cases import case_data, prune, replay_case
from ledger_verify.generate.scenario import read_scenario
from ledger_verify.lang.errors import InputError
from ledger_verify.policy.case import Case
from ledger_verify.policy.yaml_file import parse_yaml, yaml_text


def _type(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}


TEXT, WHOLE, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
ORDER = "orders.{args.customer}"
ROUTE = "ledger.routes[item.number].origin == args.origin"
TOOLS = {
    "list": {
        "kind": "read", "arguments": {"customer": "string"},
        "observes": {f"{ORDER}.{{item.id}}": {"from": "result[*]", "all": True}},
    },
    "get": {
        "kind": "read", "arguments": {"customer": "string", "id": "string"},
        "observes": {f"{ORDER}.{{args.id}}": "result"},
    },
    "search": {
        "kind": "read", "arguments": {"origin": "string", "day": "string"},
        "observes": {
            "flights.{item.number}.{args.day}": {"from": "result[*]", "all": ROUTE},
            "routes.{item.number}": "result[*]",
        },
    },
    "get_pick": {
        "kind": "read", "arguments": {"name": "string"},
        "observes": {"picks.{args.name}": "result"},
    },
    "pay": {"kind": "write", "arguments": {"customer": "string", "id": "string"}},
    "pick": {"kind": "write", "arguments": {"name": "string"}},
    "clear": {"kind": "write", "arguments": {}},
    "book": {"kind": "write", "arguments": {"number": "string", "day": "string"}},
    "reroute": {
        "kind": "write", "arguments": {"number": "string"}, "touches": ["routes.{args.number}"],
    },
    "add": {
        "kind": "write", "arguments": {"customer": "string", "id": "string"},
        "touches": [f"{ORDER}.{{args.id}}"],
    },
    "add_any": {
        "kind": "write", "arguments": {"customer": "string"}, "touches": [f"{ORDER}.*"],
    },
    "note": {
        "kind": "write", "arguments": {"customer": "string", "id": "string"},
        "touches": [f"{ORDER}.{{args.id}}.open"],
    },
}  # fmt: skip
ANY = {"id": "any", "tools": ["reroute", "add", "add_any", "note"], "require": "true"}


def rule(tool: str, require: str) -> dict[str, Any]:
    return {"id": f"{tool}_rule", "tools": [tool], "require": require}


RULES = (
    rule("pay", "ledger.orders[args.customer][args.id].open"),
    rule("pick", "ledger.orders['c'][ledger.picks[args.name].order].open"),
    rule("book", "ledger.flights[args.number][args.day].seats > 0"),
    rule("clear", "!records(ledger.orders).exists(o, o.open)"),
)


@cache
def gate(*, pay: str = "") -> Gate:
    rules = [rule("pay", pay), *RULES[1:]] if pay else list(RULES)
    definitions = {
        "Order": _type(id=TEXT, open=FLAG),
        "Flight": _type(number=TEXT, seats=WHOLE),
        "Route": _type(number=TEXT, origin=TEXT),
        "Pick": _type(order=TEXT),
    }
    ledger = {
        "orders.*.*": "Order",
        "flights.*.*": "Flight",
        "routes.*": "Route",
        "picks.*": "Pick",
    }
    return Gate(
        Domain.define(
            "desk",
            clock="2026-01-01T00:00:00",
            definitions=definitions,
            ledger=ledger,
            tools=TOOLS,
            rules=[*rules, ANY],
        )
    )


def order(id: str, *, open: bool = True) -> dict[str, Any]:
    return {"id": id, "open": open}


def listed(*found: dict[str, Any], pay: str = "") -> Session:
    session = gate(pay=pay).session()
    session.observe("list", {"customer": "c"}, list(found))
    return session


def pays(session: Session, id: str = "z", customer: str = "c") -> str:
    return session.dry_run("pay", {"customer": customer, "id": id}).decision.value


def test_what_was_not_listed_is_no_record() -> None:
    session = listed(order("a"))
    verdict = session.dry_run("pay", {"customer": "c", "id": "z"})
    assert (verdict.decision.value, verdict.missing) == ("BLOCK", ())
    assert [r.truth for r in verdict.rules] == ["ERROR"]
    told = 'no such `orders.c.z`: the read list(customer="c") listed all and did not show it'
    assert verdict.absent == (told,)
    assert f"There is {told}." in verdict.message
    assert verdict.to_json()["absent"] == [told]
    assert pays(session, "a") == "ALLOW"


def test_a_listing_says_nothing_of_another_part() -> None:
    verdict = listed(order("a")).dry_run("pay", {"customer": "d", "id": "z"})
    assert verdict.decision.value == "REVISE"
    assert verdict.absent == ()


@pytest.mark.parametrize(
    ("require", "decision"),
    [
        ("!observed(ledger.orders[args.customer][args.id])", "ALLOW"),
        ("observed(ledger.orders[args.customer][args.id])", "BLOCK"),
        ("observed(ledger.orders[args.customer][args.id].open)", "BLOCK"),
        ("ledger.orders[args.customer][args.id].open || args.id == 'z'", "ALLOW"),
        ("ledger.orders[args.customer][args.id].open || args.id != 'z'", "BLOCK"),
        ("[args.id].exists(i, ledger.orders[args.customer][i].open)", "BLOCK"),
        ("!(ledger.orders[args.customer][args.id].open && args.id == 'a')", "ALLOW"),
    ],
)
def test_in_rules_it_has_no_value(require: str, decision: str) -> None:
    assert pays(listed(order("a"), pay=require)) == decision


@pytest.mark.parametrize("unread", [True, False])
def test_a_rule_that_holds_of_every_record_does_not_of_none(unread: bool) -> None:
    require = (
        "ledger.orders[args.customer][args.id].open || !ledger.orders[args.customer][args.id].open"
    )
    session = gate(pay=require).session() if unread else listed(order("a"), pay=require)
    assert pays(session) == ("ALLOW" if unread else "BLOCK")


def wrote(tool: str, **arguments: str) -> Callable[[Session], Any]:
    def run(session: Session) -> None:
        assert session.check(tool, arguments).allowed
        session.observe(tool, arguments, "done")

    return run


CLEARED: dict[str, Callable[[Session], Any]] = {
    "the record": wrote("add", customer="c", id="z"),
    "all of the part": wrote("add_any", customer="c"),
    "a field of it": wrote("note", customer="c", id="z"),
    "unknown outcome": lambda s: s.interrupted("add", {"customer": "c", "id": "z"}),
    "pending": lambda s: s.check("add", {"customer": "c", "id": "z"}),
    "an unknown tool": lambda s: s.observe("anything", {}, "done"),
    "a rejected record": lambda s: s.observe("get", {"customer": "c", "id": "z"}, {"id": "z"}),
    "a listing that does not fit": lambda s: s.observe("list", {"customer": "c"}, [{"id": 1}]),
    "no listing": lambda s: s.observe("list", {"customer": "c"}, {"more": True}),
    "unreadable arguments": lambda s: s.observe("add", {"customer": 5}, "done"),
}
KEPT: dict[str, Callable[[Session], Any]] = {
    "another record": wrote("add", customer="c", id="y"),
    "another part": wrote("add_any", customer="d"),
    "a failed call": lambda s: s.observe("add", {"customer": "c", "id": "z"}, "", error=True),
    "a failed read": lambda s: s.observe("list", {"customer": "c"}, "", error=True),
    "another rejected one": lambda s: s.observe("get", {"customer": "c", "id": "y"}, {"id": "y"}),
}


@pytest.mark.parametrize("name", CLEARED)
def test_whatever_may_have_made_it_ends_that(name: str) -> None:
    session = listed(order("a"))
    CLEARED[name](session)
    verdict = session.dry_run("pay", {"customer": "c", "id": "z"})
    assert (verdict.decision.value, verdict.absent) == ("REVISE", ())
    assert [r.truth for r in verdict.rules] == ["UNKNOWN"]


@pytest.mark.parametrize("name", KEPT)
def test_what_cannot_have_made_it_does_not(name: str) -> None:
    session = listed(order("a"))
    KEPT[name](session)
    verdict = session.dry_run("pay", {"customer": "c", "id": "z"})
    assert verdict.decision.value == "BLOCK"
    assert len(verdict.absent) == 1


def test_a_pending_call_that_failed_made_nothing() -> None:
    session = listed(order("a"))
    call = {"customer": "c", "id": "z"}
    session.check("add", call)
    assert pays(session) == "REVISE"
    session.observe("add", call, "Error: full", error=True)
    assert pays(session) == "BLOCK"


def test_a_record_that_is_shown_is_there() -> None:
    session = listed(order("a"))
    session.observe("get", {"customer": "c", "id": "z"}, order("z"))
    assert pays(session) == "ALLOW"
    session.observe("list", {"customer": "c"}, [order("a")])
    assert pays(session) == "BLOCK"  # it is gone
    assert [path for path in session.render().splitlines() if " = " in path] == [
        'orders.c.a = {"id": "a", "open": true}'
    ]


def test_what_is_gone_is_no_longer_among_the_records() -> None:
    session = listed(order("a"))
    assert session.dry_run("clear", {}).decision.value == "BLOCK"
    session.observe("list", {"customer": "c"}, [])
    assert session.dry_run("clear", {}).allowed


def test_a_listing_answers_what_was_in_doubt() -> None:
    session = gate().session()
    session.observe("get", {"customer": "c", "id": "z"}, {"id": "z"})
    assert not session.dry_run("clear", {}).allowed
    session.observe("list", {"customer": "c"}, [order("a", open=False)])
    assert session.dry_run("clear", {}).allowed


def test_the_scope_is_asked_of_what_is_known_later() -> None:
    session = gate().session()
    flight = {"number": "1", "seats": 1, "origin": "X"}
    book = {"number": "2", "day": "mon"}
    session.observe("search", {"origin": "X", "day": "mon"}, [flight])
    assert session.dry_run("book", book).decision.value == "REVISE"
    session.observe("search", {"origin": "X", "day": "tue"}, [{**flight, "number": "2"}])
    assert session.dry_run("book", book).decision.value == "BLOCK"
    assert session.dry_run("book", book).absent
    # where it starts may be another place by now, and was one when the flights were listed
    session.check("reroute", {"number": "2"})
    session.observe("reroute", {"number": "2"}, "done")
    session.observe("search", {"origin": "X", "day": "wed"}, [{**flight, "number": "2"}])
    assert session.dry_run("book", book).decision.value == "REVISE"


def test_flights_from_elsewhere_may_be_there() -> None:
    session = gate().session()
    session.observe("search", {"origin": "X", "day": "mon"}, [])
    elsewhere = {"number": "2", "seats": 1, "origin": "Y"}
    session.observe("search", {"origin": "Y", "day": "tue"}, [elsewhere])
    verdict = session.dry_run("book", {"number": "2", "day": "mon"})
    assert (verdict.decision.value, verdict.absent) == ("REVISE", ())


@pytest.mark.parametrize(
    ("found", "decision"),
    [
        ([], "BLOCK"),
        ([order("a", open=False)], "BLOCK"),
        ([order("a", open=False), order("b")], "REVISE"),
    ],
)
def test_a_key_that_is_not_known_yet_names_one_that_was_listed(found: Any, decision: str) -> None:
    assert listed(*found).dry_run("pick", {"name": "p"}).decision.value == decision


def test_one_that_may_have_been_made_since_counts_for_keys_that_are_not_known() -> None:
    session = listed(order("a", open=False))
    wrote("add", customer="c", id="z")(session)
    assert session.dry_run("pick", {"name": "p"}).decision.value == "REVISE"


@pytest.mark.parametrize("name", [*CLEARED, *KEPT])
def test_a_resumed_session_knows_the_same(name: str) -> None:
    session = listed(order("a"))
    {**CLEARED, **KEPT}[name](session)
    resumed = gate().resume(session.save())
    call = {"customer": "c", "id": "z"}
    assert resumed.dry_run("pay", call) == session.dry_run("pay", call)
    assert resumed.render() == session.render()
    assert resumed.save() == session.save()


def test_it_is_rendered() -> None:
    session = listed(order("a"))
    line = 'orders.c.*: all that list(customer="c") lists is shown here'
    assert line in session.render().splitlines()
    session.record_absent("orders.d.x")
    assert "orders.d.x: no such record" in session.render().splitlines()


CASE = Case(
    "pay", {"customer": "c", "id": "z"}, {"orders.c.a": order("a")}, 0, absent=("orders.c.z",)
)


def test_a_case_says_what_is_absent(tmp_path: Path) -> None:
    verdict = replay_case(gate(), CASE)
    assert (verdict.decision.value, verdict.absent) == ("BLOCK", ("no such `orders.c.z`",))
    smaller = prune(gate(), CASE, verdict)
    assert (smaller.ledger, smaller.absent) == ({}, CASE.absent)
    nothing = replace(CASE, absent=("orders.c.y", "orders.c.z"))
    assert prune(gate(), nothing, verdict).absent == CASE.absent
    data = {"name": "x", **case_data(CASE, gate().domain), "expect": {"verdict": "BLOCK"}}
    file = parse_yaml(yaml_text(data), "s.yaml")
    assert read_scenario(file, file.data, (), gate().domain).case == CASE
    ledger = tmp_path / "ledger.json"
    ledger.write_text('{"orders.c.a": {"id": "a", "open": true}, "absent": ["orders.c.z"]}')
    session = gate().session()
    fill_ledger(session, str(ledger))
    assert pays(session) == "BLOCK"
    assert pays(session, "y") == "REVISE"


def test_what_is_recorded_is_not_absent() -> None:
    session = gate().session()
    session.record("orders.c.a", order("a"))
    with pytest.raises(InputError, match="the ledger has it"):
        session.record_absent("orders.c.a")
    with pytest.raises(InputError, match="not a path"):
        session.record_absent("order.c.a")
