"""A list that comes in pages is partial until the last one was read."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from ledger_verify import Domain, Gate, Session
from tests.gate.shop import reads

NEXT = {"when": "result.next != null", "next": {"cursor": "result.next"}}
NUMBERED = {
    "when": "result.page < result.pages",
    "next": {"page": "args.page + 1"},
    "first": {"page": "1"},
}
DOMAINS: dict[str, tuple[dict[str, Any], Any]] = {
    "short": ({"cursor?": "string"}, "result.next != null"),
    "long": ({"cursor?": "string"}, NEXT),
    "numbered": ({"page": "integer"}, NUMBERED),
}


@cache
def gate(form: str, *, all_: bool = False, require: str = "") -> Gate:
    arguments, more = DOMAINS[form]
    seen = {"from": "result.items[*]", "more": more, **({"all": True} if all_ else {})}
    order = {
        "type": "object",
        "required": ["id", "open"],
        "properties": {"id": {"type": "string"}, "open": {"type": "boolean"}},
    }
    numbers = {"page": {"type": "integer"}, "pages": {"type": "integer"}}
    returns = {"type": "object", "required": [*numbers], "properties": numbers}
    tools = {
        "list": {
            **({"returns": returns} if form == "numbered" else {}),
            "kind": "read", "arguments": {"customer": "string", **arguments},
            "observes": {"orders.{args.customer}.{item.id}": seen},
        },
        "close": {
            "kind": "write", "arguments": {"customer": "string"},
            "touches": ["orders.{args.customer}.*"],
        },
        "pay": {"kind": "write", "arguments": {"customer": "string", "id": "string"}},
    }  # fmt: skip
    none_open = "!records(ledger.orders).exists(o, o.open)"
    rules = [
        {"id": "none_open", "tools": ["close"], "require": require or none_open},
        {"id": "is_open", "tools": ["pay"],
         "require": "ledger.orders[args.customer][args.id].open"},
    ]  # fmt: skip
    return Gate(
        Domain.define(
            "desk", clock="2026-01-01T00:00:00", definitions={"Order": order},
            ledger={"orders.*.*": "Order"}, tools=tools, rules=rules,
        )
    )  # fmt: skip


def page(*ids: str, open: bool = False, **more: Any) -> dict[str, Any]:
    return {"items": [{"id": id, "open": open} for id in ids], "next": None, **more}


def read(session: Session, result: Any, *, error: bool | None = None, **arguments: Any) -> None:
    session.observe("list", {"customer": "c", **arguments}, result, error=error)


def closes(session: Session) -> Any:
    return session.dry_run("close", {"customer": "c"})


def test_it_waits_for_the_next_page() -> None:
    session = gate("long").session()
    read(session, page("a", next="p2"))
    verdict = closes(session)
    assert verdict.decision.value == "REVISE"
    assert reads(verdict) == [("list", {"customer": "c", "cursor": "p2"})]
    read(session, page("b", next="p3"), cursor="p2")
    assert reads(closes(session)) == [("list", {"customer": "c", "cursor": "p3"})]
    read(session, page(), cursor="p3")
    assert closes(session).allowed


def test_pages_by_number() -> None:
    session = gate("numbered").session()
    read(session, page("a", page=1, pages=2), page=1)
    assert reads(closes(session)) == [("list", {"customer": "c", "page": 2})]
    read(session, page("b", page=2, pages=2), page=2)
    assert closes(session).allowed


def test_without_the_way_to_the_next_page_it_waits_all_the_same() -> None:
    session = gate("short").session()
    read(session, page("a", next="p2"))
    verdict = closes(session)
    assert verdict.decision.value == "REVISE"
    assert reads(verdict) == [("list", {"customer": "c", "cursor": None})]
    assert "`list` has further pages" in verdict.message
    read(session, page("b"), cursor="p2")
    assert closes(session).allowed


@pytest.mark.parametrize("form", ["short", "long"])
@pytest.mark.parametrize(
    ("require", "decision"),
    [
        ("records(ledger.orders).exists(o, o.open)", "REVISE"),
        ("!records(ledger.orders).exists(o, o.open)", "REVISE"),
        ("records(ledger.orders).all(o, !o.open)", "REVISE"),
        ("records(ledger.orders).all(o, o.open)", "BLOCK"),
        ("records(ledger.orders).exists(o, o.id == 'a')", "ALLOW"),
        ("records(ledger.orders).size() >= 1", "ALLOW"),
        ("records(ledger.orders).size() < 1", "BLOCK"),
        ("records(ledger.orders).size() == 1", "REVISE"),
    ],
)
def test_what_further_pages_cannot_change_is_settled(
    form: str, require: str, decision: str
) -> None:
    session = gate(form, require=require).session()
    read(session, page("a", next="p2"))
    assert closes(session).decision.value == decision


def test_a_record_that_is_not_there_yet_may_be_on_the_next_page() -> None:
    session = gate("long").session()
    read(session, page("a", next="p2"))
    verdict = session.dry_run("pay", {"customer": "c", "id": "z"})
    assert reads(verdict) == [("list", {"customer": "c", "cursor": "p2"})]


def test_a_page_that_fails_leaves_it_partial() -> None:
    session = gate("long").session()
    read(session, page("a", next="p2"))
    read(session, "Error: no such cursor", cursor="p2", error=True)
    verdict = closes(session)
    assert (verdict.decision.value, verdict.missing) == ("BLOCK", ())
    assert any("no such cursor" in told for told in verdict.tried)


@pytest.mark.parametrize("result", [{"items": []}, {"items": [], "next": 5}, {"items": 1}])
def test_what_cannot_be_told_is_partial(result: Any) -> None:
    session = gate("long").session()
    session.observe("list", {"customer": "c"}, result)
    assert not closes(session).allowed


def test_a_cursor_that_leads_nowhere_new_is_none() -> None:
    session = gate("long").session()
    read(session, page("a", next="p2"))
    read(session, page("b", next="p2"), cursor="p2")
    verdict = closes(session)
    assert reads(verdict) == [("list", {"customer": "c", "cursor": None})]


def test_a_list_that_begins_anew_forgets_its_old_pages() -> None:
    session = gate("long").session()
    read(session, page("a", next="old"))
    session.interrupted("close", {"customer": "c"})
    read(session, page("a", next="new"))
    assert reads(closes(session)) == [("list", {"customer": "c", "cursor": "new"})]


def test_the_rest_of_another_list_is_another_matter() -> None:
    session = gate("long").session()
    read(session, page("a", next="p2"))
    session.observe("list", {"customer": "d"}, page("b"))
    assert closes(session).decision.value == "REVISE"


def test_saved_in_the_middle() -> None:
    session = gate("long", all_=True).session()
    read(session, page("a", next="p2"))
    resumed = gate("long", all_=True).resume(session.save())
    assert closes(resumed) == closes(session)
    read(resumed, page("b"), cursor="p2")
    assert closes(resumed).allowed
    assert resumed.dry_run("pay", {"customer": "c", "id": "z"}).absent


FIRST: dict[str, dict[str, Any]] = {"long": {}, "numbered": {"page": 1}}
SECOND: dict[str, dict[str, Any]] = {"long": {"cursor": "p2"}, "numbered": {"page": 2}}
ONE = page("a", open=True, next="p2", page=1, pages=2)
TWO = page("b", open=True, page=2, pages=2)


def pays(session: Session, id: str = "z") -> tuple[str, bool]:
    verdict = session.dry_run("pay", {"customer": "c", "id": id})
    return verdict.decision.value, bool(verdict.absent)


@pytest.mark.parametrize("form", FIRST)
def test_all_is_stated_by_the_last_page(form: str) -> None:
    session = gate(form, all_=True).session()
    read(session, ONE, **FIRST[form])
    assert pays(session) == ("REVISE", False)
    read(session, TWO, **SECOND[form])
    assert pays(session) == ("BLOCK", True)
    assert pays(session, "a") == pays(session, "b") == ("ALLOW", False)


@pytest.mark.parametrize("form", FIRST)
@pytest.mark.parametrize("how", ["no first", "changed", "misfit"])
def test_all_is_not_stated_where_something_lacks(form: str, how: str) -> None:
    session = gate(form, all_=True).session()
    if how != "no first":
        read(session, ONE, **FIRST[form])
    if how == "changed":
        session.interrupted("close", {"customer": "c"})
    two = {**TWO, "items": [*TWO["items"], {"id": "y"}]} if how == "misfit" else TWO
    read(session, two, **SECOND[form])
    assert pays(session)[1] is False


def test_what_was_there_before_the_first_page_is_gone_after_the_last() -> None:
    session = gate("long", all_=True).session()
    read(session, page("x", open=True))
    read(session, ONE)
    read(session, TWO, cursor="p2")
    assert pays(session, "x") == ("BLOCK", True)
    assert pays(session, "a") == ("ALLOW", False)
