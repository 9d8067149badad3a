"""Repairs: other values of free arguments under which the call is allowed, and only such."""

from typing import Any

import pytest

from ledger_verify import Domain, Gate
from ledger_verify.gate import Session, Verdict
from tests.gate.shop import reads, rule, see_order, see_user, session

CALL = {"order_id": "o1", "size": "L", "count": 5, "on": "2024-05-20"}
PAY = {"order_id": "o1", "card": "x9", "amount": 5}
ON_FILE = rule("pay", "args.card in ledger.user.cards", id="on_file")
COVERED = rule(
    "pay",
    'ledger.user.cards[args.card].kind == "credit" '
    "|| ledger.user.cards[args.card].balance >= args.amount",
    id="covered",
)


def repaired(s: Session, verdict: Verdict, said: dict[str, Any] | None = None) -> Verdict:
    """The verdict on the call with its repair made."""
    assert verdict.repair is not None
    arguments = {**verdict.arguments, **verdict.repair.arguments, **(said or {})}
    for name in verdict.repair.without:
        del arguments[name]
    return s.dry_run(verdict.tool, arguments)


@pytest.mark.parametrize(
    ("require", "expected"),
    [
        ('args.size == "S"', {"size": "S"}),
        ("args.count <= 3", {"count": 3}),
        ("args.count <= 3 && args.count >= 3", {"count": 3}),
        ('args.on == timestamp("2024-06-01T00:00:00Z")', {"on": "2024-06-01"}),
        ('args.size == "S" && args.count == 2', {"size": "S", "count": 2}),
        (
            'has(args.at) && args.at == timestamp("2024-06-01T10:00:00Z")',
            {"at": "2024-06-01T10:00:00+00:00"},
        ),
    ],
)
def test_a_repair_has_the_values_that_make_the_call_legal(
    require: str, expected: dict[str, Any]
) -> None:
    s = session(rule("choose", require))
    verdict = s.dry_run("choose", CALL)
    assert verdict.decision.value == "REVISE"
    assert verdict.repair is not None
    assert set(verdict.repair.arguments) == set(expected)
    if "count" not in expected:
        assert verdict.repair.arguments == expected
    assert (verdict.repair.needs_reads, verdict.missing) == (False, ())
    assert repaired(s, verdict).allowed


def test_a_repair_changes_as_little_as_it_can() -> None:
    s = session(rule("choose", 'args.size == "S" || args.count == 1 && args.size == "M"'))
    verdict = s.dry_run("choose", CALL)
    assert verdict.repair is not None
    assert verdict.repair.arguments == {"size": "S"}


def test_a_repair_meets_every_rule() -> None:
    s = session(
        rule("choose", 'args.size != "L"', id="a"), rule("choose", 'args.size != "M"', id="b")
    )
    verdict = s.dry_run("choose", CALL)
    assert verdict.repair is not None
    assert verdict.repair.arguments == {"size": "S"}


def test_a_repair_may_leave_an_argument_out() -> None:
    s = session(rule("choose", "!has(args.at)"))
    verdict = s.dry_run("choose", {**CALL, "at": "2024-05-20T10:00:00"})
    assert verdict.decision.value == "REVISE"
    assert verdict.repair is not None
    assert (dict(verdict.repair.arguments), verdict.repair.without) == ({}, ("at",))
    assert "no `at`" in verdict.message
    assert verdict.to_json()["repair"]["without"] == ["at"]
    assert repaired(s, verdict).allowed


def test_a_repair_may_be_null() -> None:
    s = session(rule("pay", "has(args.memo) && args.memo == null"))
    verdict = s.dry_run("pay", {**PAY, "memo": "x"})
    assert verdict.repair is not None
    assert (dict(verdict.repair.arguments), verdict.repair.ask) == ({"memo": None}, ())
    assert repaired(s, verdict).allowed


def test_what_a_call_is_about_is_not_negotiable() -> None:
    s = session(rule("choose", 'args.order_id == "o2"'))
    assert s.dry_run("choose", CALL).decision.value == "BLOCK"


def test_a_fixed_argument_is_not_negotiable() -> None:
    s = session(rule("pay", "args.amount == 4"))
    assert s.dry_run("pay", PAY).decision.value == "BLOCK"


def test_items_that_key_the_touched_records_are_not_negotiable() -> None:
    s = session(rule("restock", 'args.skus == ["tea"]'))
    assert s.dry_run("restock", {"skus": ["coffee"]}).decision.value == "BLOCK"


def test_the_payment_method_is_negotiable() -> None:
    s = session(ON_FILE, COVERED)
    see_user(s)
    verdict = s.dry_run("pay", PAY)
    assert verdict.decision.value == "REVISE"
    assert verdict.repair is not None
    assert verdict.repair.arguments["card"] in ("g1", "c1")
    assert repaired(s, verdict).allowed
    rich = s.dry_run("pay", {**PAY, "amount": 500})
    assert rich.repair is not None
    assert rich.repair.arguments == {"card": "c1"}


def test_a_repair_of_what_no_argument_can_mend_is_none() -> None:
    s = session(ON_FILE, COVERED)
    see_user(s, cards={"g1": {"kind": "gift", "balance": 20}})
    verdict = s.dry_run("pay", {**PAY, "amount": 500})
    assert (verdict.decision.value, verdict.repair) == ("BLOCK", None)


def test_reads_and_repair_together() -> None:
    s = session(
        rule("choose", 'args.size == "S"', id="size"),
        rule("choose", 'ledger.orders[args.order_id].state == "open"', id="open"),
    )
    verdict = s.dry_run("choose", CALL)
    assert verdict.decision.value == "REVISE"
    assert verdict.repair is not None
    assert (dict(verdict.repair.arguments), verdict.repair.needs_reads) == ({"size": "S"}, True)
    assert [m.path for m in verdict.missing] == ["orders.o1"]
    assert repaired(s, verdict).decision.value == "REVISE"
    see_order(s)
    assert repaired(s, verdict).allowed


def test_the_reads_are_those_that_the_repaired_call_needs() -> None:
    """With `S` the stock decides, with `L` the price would; `L` is violated already."""
    s = session(
        rule("choose", 'args.size == "S"', id="size"),
        rule("choose", 'args.size == "S" ? ledger.stock["tea"].count > 0 '
             ': ledger.user.tier == "gold"', id="which"),
    )  # fmt: skip
    verdict = s.dry_run("choose", CALL)
    assert verdict.repair is not None
    assert [m.path for m in verdict.missing] == ["stock.tea"]


def test_a_repair_needs_no_reads_where_the_rest_holds_anyway() -> None:
    total = "ledger.orders[args.order_id].total"
    s = session(
        rule("choose", 'args.size == "S"', id="size"),
        rule("choose", f"{total} > 5 || {total} < 6", id="any"),
    )
    verdict = s.dry_run("choose", CALL)
    assert verdict.repair is not None
    assert (verdict.repair.needs_reads, verdict.missing) == (False, ())
    assert repaired(s, verdict).allowed


def test_no_repair_where_what_it_needs_cannot_be_read() -> None:
    s = session(
        rule("choose", 'args.size == "S"', id="size"),
        rule("choose", 'ledger.user.tier == "gold"', id="gold"),
        tools=["choose", "get_order"],
    )
    verdict = s.dry_run("choose", CALL)
    assert (verdict.decision.value, verdict.repair) == ("BLOCK", None)


def test_what_the_records_show_is_asked_for_before_they_are_read() -> None:
    """The card cannot stay; which other there is, the profile will show."""
    other = rule("pay", 'args.card != "x9"', id="other")
    s = session(ON_FILE, other)
    verdict = s.dry_run("pay", PAY)
    assert verdict.decision.value == "REVISE"
    assert verdict.repair is not None
    assert (dict(verdict.repair.arguments), verdict.repair.ask) == ({"card": None}, ("card",))
    assert reads(verdict) == [("get_user", {"user_id": None})]
    see_user(s)
    verdict = s.dry_run("pay", PAY)
    assert verdict.repair is not None
    assert verdict.repair.arguments["card"] in ("g1", "c1")
    assert repaired(s, verdict).allowed


# --- what a call is about is never changed


def payables(rules: list[dict[str, Any]], **pay: Any) -> Session:
    invoice = {
        "type": "object",
        "required": ["number", "currency", "owner", "iban", "paid"],
        "properties": {
            **{name: {"type": "string"} for name in ("number", "currency", "owner", "iban")},
            "paid": {"type": "number"},
        },
    }
    arguments = {"id": "string", "number": "string", "iban": "string", "amount": "number"}
    domain = Domain.define(
        "payables",
        definitions={"Invoice": invoice, "User": {"type": "object", "required": ["id", "iban"],
            "properties": {"id": {"type": "string"}, "iban": {"type": "string"}}}},
        ledger={"invoices.*": "Invoice", "user": "User"},
        tools={
            "get": {"kind": "read", "arguments": {"id": "string"},
                    "observes": {"invoices.{args.id}": "result"}},
            "me": {"kind": "read", "observes": {"user": "result"}},
            "pay": {"kind": "write", "arguments": arguments, "free": list(arguments), **pay},
        },
        rules=[{"id": f"r{i}", "tools": ["pay"], **rule} for i, rule in enumerate(rules)],
    )  # fmt: skip
    return Gate(domain).session()


SEEN = {"number": "N2", "currency": "EUR", "owner": "u2", "iban": "DE2", "paid": 5}
OF_USER = {"require": "ledger.invoices[args.id].owner == ledger.user.id"}
ITS_IBAN = {"require": "args.iban == ledger.invoices[args.id].iban"}
PAYING = {"id": "P2", "number": "N2", "iban": "DE2", "amount": 1}


@pytest.mark.parametrize(
    ("rules", "changes", "pay"),
    [
        # an unknown record: not another one that is known
        ([{"require": "observed(ledger.invoices[args.id])"}], {"id": "P9"}, {}),
        ([{"require": "ledger.invoices[args.id].paid > 0"}], {"id": "P9"}, {}),
        ([{"require": "args.id == 'P2'"}], {"id": "P9"}, {"touches": ["invoices.{args.id}"]}),
        # a duplicate: not some other text
        ([{"require": "!records(ledger.invoices).exists(i, i.number == args.number)"}], {}, {}),
        # a form that does not fit: not an invention
        ([{"require": "args.iban.matches('^FR[0-9]+$')"}], {}, {}),
        ([{"require": "args.iban != 'DE2'"}], {}, {}),
        # what only the user can say
        ([ITS_IBAN], {"iban": "FR1"}, {"asks": ["iban"]}),
        # somebody else's record: not that one's account
        ([OF_USER, ITS_IBAN], {"iban": "FR1"}, {}),
    ],
)
def test_what_a_call_is_about_is_never_repaired(
    rules: list[dict[str, Any]], changes: dict[str, Any], pay: dict[str, Any]
) -> None:
    s = payables(rules, **pay)
    s.observe("get", {"id": "P2"}, SEEN)
    s.observe("get", {"id": "P9"}, "no such invoice", error=True)
    s.observe("me", {}, {"id": "u1", "iban": "DE1"})
    verdict = s.dry_run("pay", {**PAYING, **changes})
    assert (verdict.decision.value, verdict.repair) == ("BLOCK", None)


def test_a_value_that_the_own_records_show_is_proposed_and_no_stranger_is() -> None:
    s = payables([OF_USER, ITS_IBAN])
    s.observe("get", {"id": "P2"}, SEEN)
    # whose invoice it is cannot be told so far: its account is not named
    verdict = s.dry_run("pay", {**PAYING, "iban": "FR1"})
    assert "DE2" not in verdict.message
    assert verdict.repair is not None
    assert verdict.repair.ask == ("iban",)
    assert reads(verdict) == [("me", {})]
    s.observe("me", {}, {"id": "u2", "iban": "DE1"})
    verdict = s.dry_run("pay", {**PAYING, "iban": "FR1"})
    assert verdict.repair is not None
    assert verdict.repair.arguments == {"iban": "DE2"}


def test_only_what_is_declared_free_is_repaired() -> None:
    s = payables([{"require": "args.amount <= 5"}], free=[])
    assert s.dry_run("pay", {**PAYING, "amount": 6}).decision.value == "BLOCK"


@pytest.mark.parametrize("size", ["S", "M", "L"])
@pytest.mark.parametrize("count", [1, 5, 9])
@pytest.mark.parametrize(
    "require",
    [
        'args.size == "M" || args.count * 2 == 6',
        'args.size == "S" ? args.count < 3 : args.size == "M" && args.count > 7',
        'args.on < timestamp("2024-01-01T00:00:00Z") && args.count == 9',
        "args.count % 4 == 0",
        "args.on.getDayOfWeek() == 1",
        'has(args.at) ? args.at > args.on : args.size == "S"',
    ],
)
def test_every_repair_without_reads_is_allowed(size: str, count: int, require: str) -> None:
    s = session(rule("choose", require))
    verdict = s.dry_run("choose", {**CALL, "size": size, "count": count})
    if not verdict.allowed and verdict.repair is not None:
        assert repaired(s, verdict).allowed
    assert verdict.decision.value != "BLOCK" or "getDay" in require


def test_a_repair_that_the_schema_or_the_gate_would_refuse_is_not_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for wrong in ({"size": "XL"}, {"count": 99}, {"size": "M"}):
        monkeypatch.setattr(
            "ledger_verify.solver.completions.find_repair", lambda *_, found=wrong: dict(found)
        )
        s = session(rule("choose", 'args.size == "S"'))
        verdict = s.dry_run("choose", CALL)
        assert (verdict.decision.value, verdict.repair) == ("BLOCK", None)


def test_a_day_without_a_midnight_can_be_a_repair() -> None:
    made = Domain.define(
        "diary",
        clock="2018-11-03T12:00:00",
        timezone="America/Sao_Paulo",
        ledger={},
        tools={"book": {"kind": "write", "arguments": {"day": "date"}, "free": ["day"]}},
        rules=[
            {
                "id": "tomorrow",
                "tools": ["book"],
                "require": "args.day > now && args.day - now < duration('24h')",
            }
        ],
    )
    verdict = Gate(made).session().dry_run("book", {"day": "2001-01-01"})
    assert verdict.repair is not None
    assert verdict.repair.arguments == {"day": "2018-11-04"}
