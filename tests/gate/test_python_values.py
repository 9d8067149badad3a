"""A host hands over what its own tools have: dates, times and decimals of Python."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from ledger_verify import Decision, Domain, Gate, Session
from ledger_verify.lang.times import to_us

NOON = datetime(2024, 8, 13, 10, tzinfo=UTC)  # twelve o'clock in Berlin
WITHIN = (
    "days(ledger.orders[args.id].day, now) <= 90 && args.amount <= ledger.orders[args.id].total"
)
SHOP = Domain.define(
    "shop",
    timezone="Europe/Berlin",
    definitions={
        "Order": {
            "type": "object",
            "required": ["total", "day"],
            "properties": {
                "total": {"type": "number"},
                "day": {"type": "string", "format": "date"},
                "paid_at": {"type": "string", "format": "date-time"},
            },
        }
    },
    ledger={"orders.*": "Order"},
    tools={
        "get_order": {
            "kind": "read",
            "arguments": {"id": "string"},
            "observes": {"orders.{args.id}": "result"},
        },
        "refund": {
            "kind": "write",
            "arguments": {"id": "string", "amount": "number", "on": "date", "at": "datetime"},
            "touches": ["orders.{args.id}"],
        },
    },
    rules=[
        {
            "id": "within",
            "tools": ["refund"],
            "let": {"r": "ledger.orders[args.id]"},
            "require": WITHIN,
            "clause": "c",
        }
    ],
)


def told(day: date, now: datetime = NOON) -> Session:
    session = Gate(SHOP).session(clock_us=to_us(now))
    order = {"total": Decimal("989.70"), "day": day, "paid_at": datetime(2024, 5, 15, 12)}
    assert session.observe("get_order", {"id": "A1"}, order) == []
    return session


ARGUMENTS = {
    "id": "A1", "amount": Decimal("989.70"), "on": date(2024, 8, 13), "at": datetime(2024, 8, 13, 9)
}  # fmt: skip


def test_arguments_and_results_of_python_are_judged_and_shown_as_json() -> None:
    verdict = told(date(2024, 5, 15)).check("refund", ARGUMENTS)
    assert verdict.decision is Decision.ALLOW
    assert verdict.arguments["on"] == "2024-08-13"
    assert verdict.arguments["at"] == "2024-08-13T09:00:00"
    shown = json.loads(json.dumps(verdict.to_json(), default=str))
    assert shown["arguments"]["on"] == "2024-08-13"


def test_a_time_is_no_date() -> None:
    verdict = told(date(2024, 5, 15)).check("refund", {**ARGUMENTS, "on": datetime(2024, 8, 13)})
    assert verdict.decision is Decision.REVISE
    assert "`on`: expected a date" in verdict.message


@pytest.mark.parametrize(
    ("day", "allowed"),
    [(date(2024, 5, 15), True), (date(2024, 5, 14), False), (date(2024, 8, 14), True)],
)
@pytest.mark.parametrize("hour", [0, 10, 21])
def test_the_ninetieth_day_counts_whole(day: date, allowed: bool, hour: int) -> None:
    verdict = told(day, NOON.replace(hour=hour)).check("refund", ARGUMENTS)
    assert (verdict.decision is Decision.ALLOW) is allowed


def test_a_day_ends_at_midnight_in_the_domains_timezone() -> None:
    late = datetime(2024, 8, 13, 22, tzinfo=UTC)  # the fourteenth in Berlin
    assert told(date(2024, 5, 15), late).check("refund", ARGUMENTS).decision is Decision.BLOCK
