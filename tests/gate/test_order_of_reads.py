"""The first advised read settles the most, and one that may show several records is preferred."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger_verify import Domain, Gate
from ledger_verify.evaluate.kleene import Scope, Truth, truth
from ledger_verify.gate import Session
from tests.gate.shop import reads, rule

RECORDS = "abcde"
SHOWN = {"get_b": "b", "get_ab": "ab", "get_c": "c", "get_de": "de", "get_d": "d"}


def gate(requires: list[str]) -> Gate:
    tools: dict[str, Any] = {
        name: {"kind": "read", "observes": {one: f"result.{one}" for one in shown}}
        for name, shown in SHOWN.items()
    }
    rules = [rule("act", text, id=f"r{n}") for n, text in enumerate(requires)]
    domain = Domain.define(
        "order", ledger=dict.fromkeys(RECORDS, "boolean"),
        tools={**tools, "act": {"kind": "write"}}, rules=rules,
    )  # fmt: skip
    return Gate(domain)


@st.composite
def read_once(draw: st.DrawFn) -> str:
    """A formula in which each record stands once, so that it hangs on all of them."""
    parts = [f"ledger.{one}" for one in draw(st.permutations(RECORDS))]
    parts = parts[: draw(st.sampled_from([1, 1, 1, 2, 2, 3, 4]))]
    while len(parts) > 1:
        operator = draw(st.sampled_from(["&&", "||", "==", "!="]))
        parts = [*parts[2:], f"({parts[0]} {operator} {parts[1]})"]
    return parts[0]


def hangs_on(judge: Gate, number: int) -> set[str]:
    """The records that change whether the rule holds, by trying all values."""
    session, found = judge.session(), set()
    holds = judge.domain.rules[number].holds
    truths: dict[tuple[bool, ...], Truth] = {}
    for values in product((True, False), repeat=len(RECORDS)):
        for one, value in zip(RECORDS, values, strict=True):
            session.ledger.put(one, (), value)
        truths[values] = truth(holds, Scope(session.ledger, {}))
    for values, is_so in truths.items():
        for n, one in enumerate(RECORDS):
            if truths[(*values[:n], not values[n], *values[n + 1 :])] is not is_so:
                found.add(one)
    return found


@settings(max_examples=40, deadline=None)
@given(st.lists(read_once(), min_size=2, max_size=4))
def test_the_first_settles_at_least_as_many_rules_as_any_other(requires: list[str]) -> None:
    judge = gate(requires)
    verdict = judge.session().dry_run("act", {})
    advised = {m.path: m.read.name for m in verdict.missing if m.read is not None}
    if not advised:
        return
    by_read: dict[str, set[str]] = {}
    for path, name in advised.items():
        by_read.setdefault(name, set()).add(path)
    rules = [hangs_on(judge, number) & advised.keys() for number in range(len(requires))]

    def settles(name: str) -> int:
        return sum(bool(each) and each <= by_read[name] for each in rules)

    counts = {name: settles(name) for name in by_read}
    assert counts[next(iter(advised.values()))] == max(counts.values()), (requires, counts)
    for name, shown in by_read.items():  # of two, the one that may show both
        assert not any(shown < by_read.get(other, set()) for other in by_read), name


def test_one_read_of_two_records_comes_before_one_of_each() -> None:
    session = gate(["ledger.c", "ledger.a && ledger.b", "ledger.b || ledger.a"]).session()
    verdict = session.dry_run("act", {})
    assert [(m.path, m.read.name) for m in verdict.missing if m.read] == [
        ("a", "get_ab"), ("b", "get_ab"), ("c", "get_c"),
    ]  # fmt: skip
    session = gate(["ledger.b", "ledger.c"]).session()
    assert [name for name, _ in reads(session.dry_run("act", {}))] == ["get_b", "get_c"]


# --- searches that show all between two places


def travel(*flights: str, all_: str | None = None) -> Session:
    between = "ledger.routes[item.id].origin == args.origin"
    between += " && args.destination == ledger.routes[item.id].destination"
    day = {"day": "integer"}
    ways = {"origin": "string", "destination": "string"}
    record = {
        "type": "object",
        "required": ["id"],
        "properties": {name: {"type": "string"} for name in ("id", "origin", "destination")},
    }
    shown = {"from": "result[*]", "all": all_ or between}
    tools: dict[str, Any] = {
        "direct": {"kind": "read", "arguments": {**ways, **day},
                   "observes": {"seats.{item.id}.{args.day}": shown}},
        "by_way_of": {"kind": "read", "arguments": {**ways, **day},
                      "observes": {"seats.{item.id}.{args.day}": "result[*]"}},
        "route": {"kind": "read", "arguments": {"id": "string"},
                  "observes": {"routes.{args.id}": "result"}},
        "book": {"kind": "write", "arguments": {**ways, "days": "integer[]"}},
    }  # fmt: skip
    rules = [
        rule("book", f"observed(ledger.seats['{one}'][args.days[{n}]]) "
                     f"&& ledger.seats['{one}'][args.days[{n}]].id != ''", id=one)
        for n, one in enumerate(flights)
    ]  # fmt: skip
    domain = Domain.define(
        "travel", ledger={"seats.*.*": "Thing", "routes.*": "Thing"}, tools=tools,
        definitions={"Thing": record}, rules=rules,
    )  # fmt: skip
    return Gate(domain).session()


def know(session: Session, **routes: str) -> None:
    for id_, ends in routes.items():
        origin, destination = ends.split("-")
        route = {"id": id_, "origin": origin, "destination": destination}
        session.observe("route", {"id": id_}, route)


def ends(session: Session, *days: int) -> list[tuple[str, Any, Any, Any]]:
    call = {"origin": "A", "destination": "C", "days": list(days)}
    found = reads(session.dry_run("book", call))
    return [(n, a.get("origin"), a.get("destination"), a.get("day")) for n, a in found]


def test_a_search_is_made_between_the_places_of_a_known_route() -> None:
    session = travel("back")
    assert ends(session, 2) == [("direct", "A", "C", 2)]
    know(session, back="C-A")
    assert ends(session, 2) == [("direct", "C", "A", 2)]
    session.observe("direct", {"origin": "C", "destination": "A", "day": 2}, "busy", error=True)
    assert ends(session, 2) == [("by_way_of", "A", "C", 2)]


def test_of_two_on_one_day_the_search_that_may_show_both_comes_first() -> None:
    session = travel("one", "two")
    know(session, one="A-B", two="B-C")
    both = ("by_way_of", "A", "C", 1)
    assert ends(session, 1, 1) == [both, both]
    assert ends(session, 1, 2) == [("direct", "A", "B", 1), ("direct", "B", "C", 2)]
    session.observe("by_way_of", {"origin": "A", "destination": "C", "day": 1}, [])
    assert ends(session, 1, 1) == [("direct", "A", "B", 1), ("direct", "B", "C", 1)]
    session.observe("direct", {"origin": "A", "destination": "B", "day": 1}, [])
    call = {"origin": "A", "destination": "C", "days": [1, 1]}
    assert session.dry_run("book", call).decision.value == "BLOCK"  # there is no such seat


@pytest.mark.parametrize(
    "all_",
    [
        "ledger.routes[item.id].origin != args.origin && args.destination == 'A'",
        "ledger.routes[item.id].origin == args.origin && ledger.routes['x'].id == args.destination",
    ],
)
def test_what_does_not_tell_the_arguments_is_no_reason_to_take_others(all_: str) -> None:
    session = travel("back", all_=all_)
    know(session, back="C-A")
    assert ends(session, 2) == [("by_way_of", "A", "C", 2)]
