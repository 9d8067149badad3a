"""The message of a rule that is UNKNOWN is never told as a fact."""

from collections.abc import Callable
from typing import Any

import pytest

from ledger_verify import Domain, Gate, Session

TOLD = "it was paid already"
BILL = {"type": "object", "required": ["open"], "properties": {"open": {"type": "boolean"}}}


def session(*, readable: bool = True) -> Session:
    read: dict[str, Any] = {"kind": "read", "arguments": {"id": "string"}}
    if readable:
        read["observes"] = {"bills.{args.id}": "result"}
    domain = Domain.define(
        "bills",
        definitions={"Bill": BILL},
        ledger={"bills.*": "Bill"},
        tools={
            "get": read,
            "pay": {"kind": "write", "arguments": {"id": "string"}, "touches": ["bills.{args.id}"]},
        },
        rules=[
            {"id": "open", "tools": ["pay"], "require": "ledger.bills[args.id].open",
             "message": TOLD},
            {"id": "once", "tools": ["pay"], "message": TOLD,
             "require": "!history.pay.exists(c, c.ok && c.args.id == args.id)"},
        ],
    )  # fmt: skip
    return Gate(domain).session(clock_us=0)


def unread(made: Session) -> None:
    """Nothing was read."""


def misfit(made: Session) -> None:
    made.observe("get", {"id": "7"}, {"open": "maybe"})


def failed(made: Session) -> None:
    made.observe("get", {"id": "7"}, error=True)


def interrupted(made: Session) -> None:
    made.observe("get", {"id": "7"}, {"open": True})
    made.check("pay", {"id": "7"})
    made.interrupted("pay", {"id": "7"})


def pending(made: Session) -> None:
    made.observe("get", {"id": "7"}, {"open": True})
    made.check("pay", {"id": "7"})


@pytest.mark.parametrize("readable", [True, False])
@pytest.mark.parametrize("before", [unread, misfit, failed, interrupted, pending])
def test_what_is_unknown_is_not_told_as_a_fact(
    before: Callable[[Session], None], readable: bool
) -> None:
    made = session(readable=readable)
    before(made)
    verdict = made.check("pay", {"id": "7"})
    assert not verdict.allowed
    assert "UNKNOWN" in (truths := {rule.truth for rule in verdict.rules})
    assert truths <= {"UNKNOWN", "TRUE"}
    lines = [line for line in verdict.message.splitlines() if TOLD in line]
    assert all(
        "is not settled by what was observed. Where it does not hold: " in line for line in lines
    ), verdict.message


def test_what_is_known_to_be_broken_is_told() -> None:
    made = session()
    made.observe("get", {"id": "7"}, {"open": False})
    assert f"- open: {TOLD}" in made.check("pay", {"id": "7"}).message
