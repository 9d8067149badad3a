"""What was tried is evidence: no read is advised twice for nothing, and the refusal says why."""

from __future__ import annotations

from typing import Any

import pytest

from ledger_verify import Domain, Gate
from ledger_verify.gate import Session, Verdict
from tests.gate.shop import ORDER, TOOLS, O, reads, rule, see_order, see_user, session

OPEN = rule("cancel", f'{O}.state == "open"', id="open")
SOLD = rule("restock", "args.skus.all(k, ledger.stock[k].count > 0)", id="sold")
O1 = {"order_id": "o1"}
GET = ("get_order", {"order_id": "o1"})


def refused(s: Session) -> Verdict:
    verdict = s.dry_run("cancel", O1)
    assert (verdict.decision.value, verdict.missing) == ("BLOCK", ())
    return verdict


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("Error: order not found", "Error: order not found"),
        ("two\nlines\x1b[31m", "two lines [31m"),
        ("word " * 100, "word word"),
        ("", "failed"),
        (None, "failed"),
        ({"error": 404}, "failed"),
        ({"error": {"message": "database\nbusy", "code": 7}}, "failed and said: database busy."),
        ({"error": ["a", "", "b", "c", "d"]}, "failed and said: a; b"),
    ],
)
def test_a_failed_read_is_not_advised_again_and_is_quoted(answer: Any, said: str) -> None:
    s = session(OPEN)
    assert reads(s.dry_run("cancel", O1)) == [GET]
    s.observe("get_order", O1, answer, error=True)
    verdict = refused(s)
    assert said in verdict.message
    assert 'get_order(order_id="o1")' in verdict.message
    assert verdict.message.isprintable() or "\n" in verdict.message
    assert all(len(line) < 250 for line in verdict.message.splitlines())
    assert len(verdict.tried) == 1
    assert verdict.to_json()["tried"] == list(verdict.tried)


def test_another_record_is_another_read() -> None:
    s = session(OPEN)
    s.observe("get_order", {"order_id": "o2"}, "no such order", error=True)
    verdict = s.dry_run("cancel", O1)
    assert (reads(verdict), verdict.tried) == ([GET], ())


def test_another_tool_that_shows_the_record_is_advised() -> None:
    s = session(SOLD)
    assert reads(s.dry_run("restock", {"skus": ["tea"]})) == [("get_stock", {"sku": "tea"})]
    s.observe("get_stock", {"sku": "tea"}, "gone", error=True)
    verdict = s.dry_run("restock", {"skus": ["tea"]})
    assert reads(verdict) == [("list_stock", {})]
    assert "gone" in verdict.message
    s.observe("list_stock", {}, [{"sku": "coffee", "count": 1}])
    verdict = s.dry_run("restock", {"skus": ["tea"]})
    assert verdict.decision.value == "BLOCK"
    assert "list_stock() did not show `stock.tea`" in verdict.message
    # what the list showed counts, and a later read that shows the record wins
    assert s.dry_run("restock", {"skus": ["coffee"]}).allowed
    s.observe("list_stock", {}, [{"sku": "tea", "count": 1}])
    assert s.dry_run("restock", {"skus": ["tea"]}).allowed


@pytest.mark.parametrize("how", ["observe", "interrupted", "unknown"])
def test_after_a_change_it_may_be_tried_again(how: str) -> None:
    s = session(OPEN)
    s.observe("get_order", O1, "busy", error=True)
    refused(s)
    if how == "observe":
        s.observe("restock", {"skus": []}, "ok")
    elif how == "interrupted":
        s.interrupted("restock", {"skus": []})
    else:
        s.observe("some_other_tool", {}, "ok")
    assert reads(s.dry_run("cancel", O1)) == [GET]


@pytest.mark.parametrize("tool", ["think", "get_user", "restock"])
def test_what_changes_nothing_does_not_make_it_worth_a_try(tool: str) -> None:
    s = session(OPEN)
    s.observe("get_order", O1, "no", error=True)
    arguments = {"think": {"thought": "x"}, "get_user": {"user_id": "u"}, "restock": {"skus": []}}
    s.observe(tool, arguments[tool], "no", error=True)
    refused(s)


def test_a_read_without_an_answer_is_tried_twice() -> None:
    s = session(OPEN)
    s.interrupted("get_order", O1)
    verdict = s.dry_run("cancel", O1)
    assert reads(verdict) == [GET]
    assert "tried once without an answer" in verdict.message
    s.interrupted("get_order", O1)
    assert "tried 2 times without an answer" in refused(s).message


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({**ORDER, "total": "much"}, "`total`: expected a number at least 0"),
        ("database busy", 'found `"database busy"`'),
        (None, "found `null`"),
        ([], "expected an object (Order)"),
    ],
)
def test_what_did_not_fit_is_told_once(answer: Any, why: str) -> None:
    s = session(OPEN)
    s.observe("get_order", O1, answer)
    verdict = refused(s)
    assert len(verdict.tried) == 1
    assert why in verdict.tried[0]
    assert verdict.message.count("Already tried") == 1


def test_of_a_read_made_anew_the_answer_counts_that_came_last() -> None:
    s = session(OPEN)
    s.observe("get_order", O1, {**ORDER, "total": "much"})
    s.observe("get_order", O1, "database busy", error=True)
    assert "failed and said: database busy" in refused(s).message


def test_what_did_not_fit_is_named() -> None:
    s = session(OPEN)
    s.observe("get_order", O1, {**ORDER, "total": "much"})
    verdict = refused(s)
    assert 'get_order(order_id="o1") showed `orders.o1`' in verdict.message
    assert '`total`: expected a number at least 0, found `"much"`' in verdict.message
    see_order(s)
    assert s.dry_run("cancel", O1).allowed


def test_what_is_put_in_doubt_may_be_read_anew() -> None:
    s = session(SOLD)
    s.observe("get_stock", {"sku": "tea"}, {"sku": "tea", "count": 1})
    assert s.dry_run("restock", {"skus": ["tea"]}).allowed
    s.observe("list_stock", {}, [{"sku": "tea", "count": -1}])
    verdict = s.dry_run("restock", {"skus": ["tea"]})
    assert reads(verdict) == [("get_stock", {"sku": "tea"})]
    assert "count" in verdict.message
    s.observe("get_stock", {"sku": "tea"}, {"sku": "tea", "count": 1})
    assert s.dry_run("restock", {"skus": ["tea"]}).allowed


def test_what_was_tried_in_vain_is_no_excuse_but_another_record_may_be() -> None:
    s = session(rule("cancel", f'{O}.state == "open" || ledger.user.tier == "gold"'))
    s.observe("get_order", O1, "no such order", error=True)
    assert reads(s.dry_run("cancel", O1)) == [("get_user", {"user_id": None})]
    see_user(s)
    refused(s)
    see_user(s, tier="gold")
    assert s.dry_run("cancel", O1).allowed


def test_a_guess_that_failed_leaves_the_argument_open() -> None:
    """The user of the order is not the one to be read? Then only the user can say who is."""
    tools = {**TOOLS, "cancel": {**TOOLS["cancel"], "arguments": {
        "order_id": "string", "user_id": "string"}}}  # fmt: skip
    s = session(rule("cancel", 'ledger.user.tier == "gold"'), define_tools=tools)
    call = {**O1, "user_id": "u1"}
    assert reads(s.dry_run("cancel", call)) == [("get_user", {"user_id": "u1"})]
    s.observe("get_user", {"user_id": "u1"}, "unknown", error=True)
    verdict = s.dry_run("cancel", call)
    assert reads(verdict) == [("get_user", {"user_id": None})]
    assert 'get_user(user_id="u1") failed and said: unknown' in verdict.message


# --- every advised read passes the gate


def desk(get: dict[str, Any], *rules: dict[str, Any]) -> Session:
    note = {
        "type": "object",
        "required": ["open"],
        "properties": {"open": {"type": "boolean"}},
    }
    domain = Domain.define(
        "desk",
        definitions={"Note": note},
        ledger={"notes.*": "Note", "key": "Note"},
        tools={
            "get": {"kind": "read", "observes": {"notes.{args.id}": "result"}, **get},
            "get_key": {"kind": "read", "observes": {"key": "result"}},
            "edit": {
                "kind": "write",
                "arguments": {"note": "string"},
                "touches": ["notes.{args.note}"],
            },
        },
        rules=[
            {"id": "open", "tools": ["edit"], "require": "ledger.notes[args.note].open"},
            *rules,
        ],
    )
    return Gate(domain).session()


@pytest.mark.parametrize(
    "type_", [{"type": "string", "pattern": "^N[0-9]$"}, {"enum": ["N1"]}, {"type": "string",
    "maxLength": 2}],
)  # fmt: skip
def test_a_key_that_the_read_refuses_is_never_advised(type_: dict[str, Any]) -> None:
    s = desk({"arguments": {"id": type_}})
    assert reads(s.dry_run("edit", {"note": "N1"})) == [("get", {"id": "N1"})]
    verdict = s.dry_run("edit", {"note": "ER-x"})
    assert (verdict.decision.value, verdict.missing) == ("BLOCK", ())
    assert '`get` does not take "ER-x" as `id`' in verdict.message


def test_a_read_that_would_not_observe_it_is_never_advised() -> None:
    s = desk(
        {
            "arguments": {"id": "string"},
            "observes": {"notes.{args.id}": {"when": 'args.id.startsWith("N")'}},
        }
    )
    assert reads(s.dry_run("edit", {"note": "N1"})) == [("get", {"id": "N1"})]
    assert s.dry_run("edit", {"note": "x"}).decision.value == "BLOCK"


def test_a_read_whose_own_rule_forbids_it_is_never_advised() -> None:
    s = desk(
        {"arguments": {"id": "string"}},
        {"id": "no_x", "tools": ["get"], "require": 'args.id != "x"', "message": "x is secret"},
    )
    assert reads(s.dry_run("edit", {"note": "N1"})) == [("get", {"id": "N1"})]
    verdict = s.dry_run("edit", {"note": "x"})
    assert (verdict.decision.value, verdict.missing) == ("BLOCK", ())
    assert "x is secret" in verdict.message


def test_what_a_read_needs_is_read_first() -> None:
    s = desk(
        {"arguments": {"id": "string"}},
        {"id": "key", "tools": ["get"], "require": "ledger.key.open"},
    )
    assert reads(s.dry_run("edit", {"note": "N1"})) == [("get_key", {})]
    s.observe("get_key", {}, {"open": True})
    assert reads(s.dry_run("edit", {"note": "N1"})) == [("get", {"id": "N1"})]


def test_reads_that_need_each_other_are_not_advised() -> None:
    s = desk(
        {"arguments": {"id": "string"}},
        {"id": "key", "tools": ["get"], "require": "ledger.key.open"},
        {"id": "note", "tools": ["get_key"], "require": 'ledger.notes["N1"].open'},
    )
    assert s.dry_run("edit", {"note": "N1"}).decision.value == "BLOCK"


# --- reads with arguments that are open


def listing(**more: Any) -> Session:
    """Orders can be read one by one, and all those of an owner, whom the call does not tell."""
    tools = {
        **TOOLS,
        "list_orders": {
            "kind": "read",
            "arguments": {"owner": "string"},
            "observes": {"orders.{item.sku}": "result[*]"},
            **more,
        },
    }
    return session(OPEN, define_tools=tools)


BOTH = [GET, ("list_orders", {"owner": None})]


def test_a_listing_in_vain_is_not_advised_where_the_read_of_the_record_was_in_vain() -> None:
    s = listing()
    s.observe("get_order", O1, "no such order", error=True)
    assert reads(s.dry_run("cancel", O1)) == BOTH[1:]
    s.observe("list_orders", {"owner": "u1"}, [{**ORDER, "sku": "o2"}])
    verdict = refused(s)
    assert 'list_orders(owner="u1") did not show `orders.o1`' in verdict.message


def test_a_listing_in_vain_leaves_the_read_of_the_record() -> None:
    s = listing()
    s.observe("list_orders", {"owner": "u1"}, "nobody", error=True)
    verdict = s.dry_run("cancel", O1)
    assert reads(verdict) == BOTH[:1]
    s.observe("get_order", O1, "no such order", error=True)
    refused(s)


def test_a_change_makes_it_worth_another_try() -> None:
    s = listing()
    s.observe("get_order", O1, "no such order", error=True)
    s.observe("list_orders", {"owner": "u1"}, "nobody", error=True)
    s.observe("cancel", {"order_id": "o2"}, "done")
    assert reads(s.dry_run("cancel", O1)) == BOTH[:1]


def test_the_user_may_always_say_something_else() -> None:
    s = listing(asks=["owner"])
    s.heard("I am u1")
    s.observe("get_order", O1, "no such order", error=True)
    s.observe("list_orders", {"owner": "u1"}, "nobody", error=True)
    verdict = s.dry_run("cancel", O1)
    assert reads(verdict) == BOTH[1:]
    assert 'list_orders(owner="u1") failed and said: nobody' in verdict.message


def test_a_listing_alone_that_was_in_vain_may_be_made_for_another() -> None:
    s = listing()
    tools = [name for name in TOOLS if name != "get_order"]
    s = Gate(s.domain).session(tools=[*tools, "list_orders"])
    s.observe("list_orders", {"owner": "u1"}, "nobody", error=True)
    verdict = s.dry_run("cancel", O1)
    assert reads(verdict) == BOTH[1:]
    assert "u1" in verdict.message


def test_a_listing_that_showed_others_is_not_said_to_have_shown_none() -> None:
    """Which order is meant only the profile tells, so nobody knows whether it was shown."""
    tools = {
        **TOOLS,
        "list_orders": {
            "kind": "read",
            "arguments": {"owner": "string"},
            "observes": {"orders.{item.sku}": "result[*]"},
        },
    }
    named = rule("cancel", 'ledger.orders[ledger.user.tier].state == "open"')
    s = session(named, define_tools=tools, tools=["get_user", "list_orders", "cancel"])
    s.observe("list_orders", {"owner": "u1"}, [{**ORDER, "sku": "o2"}])
    verdict = s.dry_run("cancel", O1)
    assert [m.path for m in verdict.missing] == ["user", "orders.*"]
    assert "did not show" not in verdict.message
    assert 'list_orders(owner="u1") was made: which `orders.*` is meant' in verdict.message
