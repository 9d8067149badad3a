"""Arguments: bound to the tool's schema, or sent back."""

import json
from decimal import Decimal
from typing import Any

import pytest

from ledger_verify.gate import Verdict
from tests.gate.shop import rule, session

CALL: dict[str, Any] = {"order_id": "o1", "size": "S", "count": 1, "on": "2024-05-20"}
NUMBERED: dict[Any, Any] = {**CALL, 5: 1}
PAY: dict[str, Any] = {"order_id": "o1", "card": "g1", "amount": 5}


class Strange:
    """No JSON."""


def judge(tool: str, arguments: Any, require: str = "true") -> Verdict:
    verdict = session(rule(tool, require)).check(tool, arguments)
    json.dumps(verdict.to_json(), default=str, allow_nan=False)  # it can be written down
    verdict.message.encode()
    return verdict


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("choose", {**CALL, "size": "XL"}, "one of `S`, `M`, `L`"),
        ("choose", {**CALL, "size": "s"}, "one of `S`, `M`, `L`"),
        ("choose", {**CALL, "size": None}, "a string"),
        ("choose", {**CALL, "count": 0}, "from 1 to 9"),
        ("choose", {**CALL, "count": 1.5}, "a whole number"),
        ("choose", {**CALL, "count": "1"}, "a whole number"),
        ("choose", {**CALL, "count": True}, "a whole number"),
        ("choose", {**CALL, "count": 10**30}, "a whole number"),
        ("choose", {**CALL, "on": "20 May"}, "a date such as"),
        ("choose", {**CALL, "on": "2024-02-30"}, "a date such as"),
        ("choose", {**CALL, "on": "2024-05-20T00:00:00"}, "a date such as"),
        ("choose", {**CALL, "on": 20240520}, "a date such as"),
        ("choose", {**CALL, "at": "noon"}, "a time such as"),
        ("choose", {**CALL, "at": None}, "a time such as"),
        ("choose", {k: v for k, v in CALL.items() if k != "size"}, "required field `size`"),
        ("choose", {**CALL, "sise": "S"}, "did you mean `size`?"),
        ("choose", {**CALL, "": 1}, "no field of that name"),
        ("choose", NUMBERED, "no field of that name"),
        ("choose", {**CALL, "__proto__": {}}, "no field of that name"),
        ("choose", None, "expected an object"),
        ("choose", [], "expected an object"),
        ("choose", "{", "expected an object"),
        ("choose", 5, "expected an object"),
        ("choose", Strange(), "expected an object"),
        ("choose", {**CALL, "size": Strange()}, "a string"),
        ("choose", {**CALL, "size": {"S"}}, "a string"),
        ("choose", {**CALL, "size": b"S"}, "a string"),
        ("choose", {**CALL, "size": "\ud800"}, "one of"),
        ("pay", {**PAY, "card": "\ud800"}, "Unicode"),
        ("pay", {**PAY, "amount": float("nan")}, "a number"),
        ("pay", {**PAY, "amount": float("inf")}, "a number"),
        ("pay", {**PAY, "amount": Decimal("NaN")}, "a number"),
        ("pay", {**PAY, "amount": Decimal("1e999999")}, "a number"),
        ("pay", {**PAY, "amount": 10**400}, "a number"),
        ("pay", {**PAY, "amount": "5 dollars"}, "a number"),
        ("pay", {**PAY, "gift": "yes"}, "true or false"),
        ("pay", {**PAY, "gift": 1}, "true or false"),
        ("restock", {"skus": "tea"}, "a list"),
        ("restock", {"skus": {"tea"}}, "a list"),
        ("restock", {"skus": ["tea", None]}, "`skus[1]`"),
    ],
)
def test_arguments_that_do_not_fit_are_sent_back(tool: str, arguments: Any, expected: str) -> None:
    verdict = judge(tool, arguments)
    assert (verdict.decision.value, verdict.decided_by) == ("REVISE", "schema")
    assert expected in verdict.message
    assert "Correct them and call again" in verdict.message


@pytest.mark.parametrize(
    ("tool", "arguments", "require"),
    [
        ("choose", CALL, 'args.size == "S"'),
        ("choose", {**CALL, "count": 3.0}, "args.count == 3"),
        ("choose", {**CALL, "count": Decimal("3")}, "args.count == 3"),
        ("choose", {**CALL, "on": "1969-12-31"}, 'args.on < timestamp("1970-01-01T00:00:00Z")'),
        ("choose", {**CALL, "on": "0001-01-01"}, 'args.on < timestamp("1970-01-01T00:00:00Z")'),
        ("choose", {**CALL, "on": "9999-12-31"}, 'args.on > timestamp("1970-01-01T00:00:00Z")'),
        ("choose", {**CALL, "at": "2024-05-20T10:00:00"}, "args.at - args.on == duration('10h')"),
        (
            "choose",
            {**CALL, "at": "2024-05-20T10:00:00+02:00"},
            "args.at - args.on == duration('8h')",
        ),
        ("choose", {**CALL, "at": "2024-05-20T10:00:00Z"}, "args.at - args.on == duration('10h')"),
        ("pay", {**PAY, "amount": 989.70}, "args.amount == 989.70"),
        ("pay", {**PAY, "amount": 0.1}, "args.amount + 0.2 == 0.3"),
        ("pay", {**PAY, "amount": Decimal("0.1")}, "args.amount + 0.2 == 0.3"),
        ("pay", {**PAY, "amount": 10**30}, "args.amount > 0"),
        ("pay", {**PAY, "memo": None}, "args.memo == null"),
        ("pay", PAY, "!has(args.memo) && !has(args.gift)"),
        ("pay", {**PAY, "card": ""}, "size(args.card) == 0"),
        ("pay", {**PAY, "card": 'a."b"\n\u2028'}, "size(args.card) == 7"),
        ("restock", {"skus": []}, "size(args.skus) == 0"),
        ("restock", {"skus": ("a", "b")}, 'args.skus == ["a", "b"]'),
        ("restock", {"skus": ["x"] * 10_000}, "args.skus.all(k, k == 'x')"),
    ],
)
def test_arguments_mean_what_they_say(tool: str, arguments: Any, require: str) -> None:
    verdict = judge(tool, arguments, require)
    assert verdict.allowed, verdict.message


def test_a_date_is_the_start_of_its_day_where_the_domain_is() -> None:
    midnight = rule("choose", "args.at == args.on")
    for zone, offset in (("America/New_York", "-05:00"), ("Asia/Kolkata", "+05:30")):
        s = session(midnight, timezone=zone)
        call = {**CALL, "on": "2024-03-10", "at": f"2024-03-10T00:00:00{offset}"}
        assert s.dry_run("choose", call).allowed
    s = session(rule("choose", 'args.on + duration("23h") == args.at'), timezone="America/New_York")
    assert s.dry_run("choose", {**CALL, "on": "2024-03-10", "at": "2024-03-11T00:00:00"}).allowed


@pytest.mark.parametrize(
    "arguments",
    [
        {"order_id": {"deep": 0}},
        {"order_id": "o1", "more": [[[[]]]]},
    ],
)
def test_very_deep_arguments_are_sent_back(arguments: Any) -> None:
    deep: Any = []
    for _ in range(5_000):
        deep = [deep]
    for key in arguments:
        verdict = judge("cancel", {**arguments, key: deep})
        assert verdict.decision.value == "REVISE"


def test_arguments_that_contain_themselves_are_sent_back() -> None:
    loop: dict[str, Any] = {"order_id": "o1"}
    loop["self"] = loop
    assert judge("cancel", loop).decision.value == "REVISE"


def test_the_verdict_has_the_arguments_as_proposed() -> None:
    verdict = judge("pay", {**PAY, "amount": Decimal("12345678901234567.10")})
    assert verdict.arguments == {**PAY, "amount": Decimal("12345678901234567.10")}


def test_a_number_as_text_is_sent_back() -> None:
    """The tool would get the text: what was judged must be what runs."""
    verdict = judge("pay", {**PAY, "amount": "0.10"})
    assert verdict.decision.value == "REVISE"
    assert verdict.decided_by == "schema"
