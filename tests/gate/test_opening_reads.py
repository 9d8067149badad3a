"""Where a read would help, the call is REVISE with that read: every form in which rules ask."""

from __future__ import annotations

from typing import Any

import pytest

from ledger_verify.gate import Session
from tests.gate.shop import TOOLS, O, reads, rule, see_order, session

O1 = {"order_id": "o1"}
MORE = {
    **TOOLS,
    "get_terms": {"kind": "read"},
    "list_orders": {"kind": "read", "observes": {"orders.{item.sku}": "result[*]"}},
}
TERMS: tuple[str, Any] = ("get_terms", {})
STOCK: tuple[str, Any] = ("list_stock", {})
ORDERS: tuple[str, Any] = ("list_orders", {})
RECORDS = "records(ledger.stock)"
OPENING: list[tuple[str, list[Any]]] = [
    (f"{RECORDS}.exists(s, s.count > 0)", [STOCK]),
    (f"!{RECORDS}.all(s, s.count == 0)", [STOCK]),
    (f"!(!{RECORDS}.exists(s, s.count > 0))", [STOCK]),
    (f"{RECORDS}.exists_one(s, s.count > 0)", [STOCK]),
    (f"{RECORDS}.size() > 0", [STOCK]),
    (f"{RECORDS}.filter(s, s.count > 0).size() >= 2", [STOCK]),
    (f"sum({RECORDS}.map(s, s.count)) > 5", [STOCK]),
    (f"args.order_id == 'o2' || {RECORDS}.exists(s, s.count > 0)", [STOCK]),
    (f"args.order_id == 'o1' ? {RECORDS}.size() > 0 : false", [STOCK]),
    (f"{RECORDS}.size() > 0 && history.get_terms.exists(c, c.ok)", [TERMS, STOCK]),
    ("[1].all(i, records(ledger.stock).exists(s, s.count > i))", [STOCK]),
    ("history.exists(c, c.tool == 'get_terms')", [TERMS]),
    ("history.exists(c, c.tool == 'get_terms' && c.ok)", [TERMS]),
    ("!history.all(c, c.tool != 'get_terms')", [TERMS]),
    ("history.filter(c, c.tool == 'get_terms').size() > 0", [TERMS]),
    ("history.map(c, c.tool).exists(t, t == 'get_terms')", [TERMS]),
    ("history.exists(c, c.tool in ['get_terms', 'cancel'])", [TERMS]),
    ("history.get_terms.exists(c, c.ok)", [TERMS]),
    ("!(history.get_terms.size() == 0)", [TERMS]),
    ("[1].exists(i, history.get_terms.size() >= i)", [TERMS]),
    (f"observed({O})", [("get_order", O1)]),
    (f"!(!observed({O}))", [("get_order", O1)]),
    ("['o1'].all(i, observed(ledger.orders[i]))", [("get_order", O1)]),
]
NOTHING_HELPS = [
    f"{RECORDS}.exists(s, s.count > 0) && args.order_id == 'o2'",
    f"{RECORDS}.size() > 0 && {RECORDS}.size() == 0",
    "records(ledger.prices).size() > 0",  # every read of it needs what nobody has said
    "history.exists(c, c.tool == 'ship')",
    "history.ship.exists(c, c.ok)",
]
HOLDS = [
    f"!{RECORDS}.exists(s, s.count > 0)",
    f"{RECORDS}.all(s, s.count > 0)",
    "!history.exists(c, c.tool == 'get_terms')",
    "history.all(c, c.tool != 'get_terms')",
    "!history.get_terms.exists(c, c.ok)",
    f"!observed({O})",
]


def made(require: str) -> Session:
    return session(rule("cancel", require), define_tools=MORE)


@pytest.mark.parametrize(("require", "wanted"), OPENING)
def test_the_read_that_opens_the_way_is_advised(require: str, wanted: list[Any]) -> None:
    verdict = made(require).dry_run("cancel", O1)
    assert verdict.decision.value == "REVISE"
    assert sorted(reads(verdict)) == sorted(wanted)


@pytest.mark.parametrize("require", NOTHING_HELPS)
def test_what_no_read_can_make_true_is_refused(require: str) -> None:
    verdict = made(require).dry_run("cancel", O1)
    assert (verdict.decision.value, verdict.missing) == ("BLOCK", ())


@pytest.mark.parametrize("require", HOLDS)
def test_what_holds_without_a_read_needs_none(require: str) -> None:
    assert made(require).dry_run("cancel", O1).allowed


@pytest.mark.parametrize(
    ("require", "read", "result"),
    [
        (f"!{RECORDS}.exists(s, s.count > 0)", STOCK, [{"sku": "a", "count": 2}]),
        (f"{RECORDS}.all(s, s.count > 5)", STOCK, [{"sku": "a", "count": 2}]),
        ("!history.exists(c, c.tool == 'get_terms')", TERMS, "the terms"),
        ("history.get_terms.size() == 0", TERMS, "the terms"),
    ],
)
def test_no_read_undoes_what_was_read(require: str, read: Any, result: Any) -> None:
    s = made(require)
    tool, arguments = read
    s.observe(tool, arguments, result)
    verdict = s.dry_run("cancel", O1)
    assert (verdict.decision.value, verdict.missing) == ("BLOCK", ())


@pytest.mark.parametrize(("require", "wanted"), OPENING)
def test_a_read_that_did_not_help_is_not_advised_again(require: str, wanted: list[Any]) -> None:
    s = made(require)
    for _ in range(len(wanted) + 1):  # a listing may show the order, too
        verdict = s.dry_run("cancel", O1)
        if verdict.decision.value == "REVISE":
            tool, arguments = reads(verdict)[0]
            s.observe(tool, arguments, "not now", error=True)
    verdict = s.dry_run("cancel", O1)
    # that it was tried may be all that a rule asks
    assert verdict.allowed or "not now" in verdict.message
    assert verdict.decision.value != "REVISE"
    assert verdict.missing == ()


def test_a_list_of_which_some_is_known_may_grow() -> None:
    s = made("records(ledger.orders).exists(o, o.total > 50)")
    see_order(s, total=5)
    assert reads(s.dry_run("cancel", O1)) == [ORDERS]


def test_a_list_that_was_shown_in_full_does_not_grow() -> None:
    whole = {"from": "result[*]", "all": True}
    tools = {
        **MORE,
        "list_stock": {"kind": "read", "observes": {"stock.{item.sku}": whole}},
        "scan_stock": {"kind": "read", "observes": {"stock.{item.sku}": "result[*]"}},
    }
    s = session(rule("cancel", f"{RECORDS}.size() > 1"), define_tools=tools)
    s.observe("list_stock", {}, [{"sku": "a", "count": 2}])
    verdict = s.dry_run("cancel", O1)
    assert (verdict.decision.value, verdict.missing) == ("BLOCK", ())
    s.interrupted("restock", {"skus": ["b"]})
    assert s.dry_run("cancel", O1).decision.value == "REVISE"
