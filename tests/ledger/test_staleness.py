"""What a successful write makes stale, and what stale means to rules and to the prompt."""

from typing import Any

import pytest

from tests.gate.shop import ORDER, cancel, rule, see_order, see_user, session

OWNER = rule(["cancel", "ship"], 'ledger.orders[args.order_id].owner == "u1"')
STATE = rule(["cancel", "ship"], 'ledger.orders[args.order_id].state == "open"')
CITY = rule("cancel", 'ledger.orders[args.order_id].ship.city == "Rome"')
SHIP: dict[str, Any] = {"ship": {"city": "Rome"}}


def test_a_write_makes_the_records_that_it_touches_stale() -> None:
    s = session(OWNER)
    see_order(s, "o1")
    see_order(s, "o2")
    s.observe("cancel", {"order_id": "o1"}, "done")
    assert (cancel(s, "o1"), cancel(s, "o2")) == ("REVISE", "ALLOW")


def test_a_fresh_read_is_evidence_again() -> None:
    s = session(OWNER)
    see_order(s)
    s.observe("cancel", {"order_id": "o1"}, "done")
    see_order(s)
    assert cancel(s) == "ALLOW"
    assert "stale" not in s.render()


def test_a_failed_write_makes_nothing_stale() -> None:
    s = session(OWNER)
    see_order(s)
    s.observe("cancel", {"order_id": "o1"}, "no", error=True)
    assert cancel(s) == "ALLOW"


def test_only_the_field_that_a_write_touches_is_stale() -> None:
    s = session(OWNER)
    see_order(s)
    s.observe("ship", {"order_id": "o1"})
    assert cancel(s) == "ALLOW"
    s = session(STATE)
    see_order(s)
    s.observe("ship", {"order_id": "o1"})
    verdict = s.dry_run("cancel", {"order_id": "o1"})
    assert verdict.decision.value == "REVISE"
    assert [m.path for m in verdict.missing] == ["orders.o1"]


def test_only_the_part_of_a_field_that_a_write_touches_is_stale() -> None:
    moved = {"order_id": "o1", "city": "Oslo"}
    for policy, expected in ((CITY, "REVISE"), (OWNER, "ALLOW"), (STATE, "ALLOW")):
        s = session(policy)
        see_order(s, **SHIP)
        s.observe("move", moved)
        assert cancel(s) == expected


@pytest.mark.parametrize("seen", [{}, {"ship": {}}, SHIP])
def test_what_a_write_touches_may_be_there_afterwards(seen: dict[str, Any]) -> None:
    """A field that was absent, or lay inside an absent one, is unknown after a write to it."""
    absent = rule("cancel", "!has(ledger.orders[args.order_id].ship) "
                  "|| !has(ledger.orders[args.order_id].ship.city)")  # fmt: skip
    s = session(absent)
    see_order(s, **seen)
    s.observe("move", {"order_id": "o1", "city": "Oslo"})
    assert cancel(s) == "REVISE"


def test_an_entry_of_a_map_that_a_write_touches_is_stale() -> None:
    def paid(card: str) -> str:
        rich = rule("cancel", f'ledger.user.cards["{card}"].balance >= 5')
        s = session(rich)
        see_user(s, cards={c: {"kind": "gift", "balance": 20} for c in ("g1", "g2")})
        see_order(s)
        s.observe("pay", {"order_id": "o1", "card": "g1", "amount": 5})
        return cancel(s)

    assert (paid("g1"), paid("g2")) == ("REVISE", "ALLOW")


def test_each_makes_the_record_of_every_item_stale() -> None:
    stocked = rule("restock", "args.skus.all(k, ledger.stock[k].count < 5)")
    s = session(stocked)
    s.observe("list_stock", {}, [{"sku": k, "count": 1} for k in ("a", "b", "c")])
    s.observe("restock", {"skus": ["a", "b"]})
    decisions = [s.dry_run("restock", {"skus": [k]}).decision.value for k in ("a", "b", "c")]
    assert decisions == ["REVISE", "REVISE", "ALLOW"]
    s.observe("restock", {"skus": []})
    assert s.dry_run("restock", {"skus": ["c"]}).allowed


def test_a_key_that_cannot_be_told_makes_all_stale() -> None:
    s = session(OWNER)
    see_order(s, "o1")
    see_order(s, "o2")
    s.observe("cancel", {"id": "o1"})
    assert (cancel(s, "o1"), cancel(s, "o2")) == ("REVISE", "REVISE")


@pytest.mark.parametrize("name", ["delete_everything", "", "cancel ", None, ["cancel"]])
def test_a_tool_that_the_domain_does_not_know_makes_everything_stale(name: Any) -> None:
    s = session(OWNER)
    see_order(s)
    see_user(s)
    s.observe(name, {}, "done")
    assert cancel(s) == "REVISE"
    assert all("(stale: read it again" in line for line in s.render().splitlines())


def test_an_unknown_tool_that_failed_changes_nothing() -> None:
    s = session(OWNER)
    see_order(s)
    s.observe("delete_everything", {}, "no", error=True)
    assert cancel(s) == "ALLOW"


def test_a_neutral_tool_makes_nothing_stale() -> None:
    s = session(OWNER)
    see_order(s)
    s.observe("think", {"thought": "x"})
    s.observe("think", {"no": "schema"})
    assert cancel(s) == "ALLOW"


def test_an_error_of_the_gate_while_observing_makes_everything_stale(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    s = session(OWNER)
    see_order(s)

    def fail(*_: Any) -> None:
        raise RuntimeError

    for method in ("read", "write"):
        monkeypatch.setattr(s._observer, method, fail)
    (drift,) = s.observe("cancel", {"order_id": "o2"})
    assert "internal error" in drift.reason
    assert cancel(s) == "REVISE"
    assert s.observe("get_order", {"order_id": "o1"}, ORDER)[0].pattern == "*"


def test_stale_is_shown_as_stale_with_its_last_value() -> None:
    s = session()
    see_order(s, **SHIP)
    s.observe("ship", {"order_id": "o1"})
    assert '"state": "open"' in s.render()
    assert s.render().endswith("(stale: state; read it again before acting on it)")
    s.observe("move", {"order_id": "o1", "city": "Oslo"})
    assert s.render().endswith("(stale: ship.city, state; read it again before acting on it)")
    s.observe("cancel", {"order_id": "o1"})
    assert s.render().endswith("(stale: read it again before acting on it)")


def test_a_stale_part_is_no_part_of_messages() -> None:
    told = rule("cancel", 'ledger.orders[args.order_id].owner == "u2"',
                message="ship to {ledger.orders[args.order_id].ship}")  # fmt: skip
    s = session(told)
    see_order(s, **SHIP)
    s.observe("move", {"order_id": "o1", "city": "Oslo"})
    (report,) = s.dry_run("cancel", {"order_id": "o1"}).rules
    assert report.message == "ship to <not observed>"
