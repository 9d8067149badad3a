"""Calls of one message run side by side: what one shows may be older than what another changed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_verify import Domain, Gate, Session
from ledger_verify.adapters.chat import ChatGuard

DOMAIN = Domain.define(
    "bills",
    definitions={"Bill": {"type": "object", "required": ["left", "open"], "properties": {
        "left": {"type": "integer"}, "open": {"type": "boolean"}}}},
    ledger={"bills.*": "Bill"},
    tools={
        "get": {"kind": "read", "arguments": {"id": "string"},
                "observes": {"bills.{args.id}": "result"}},
        "pay": {"kind": "write", "arguments": {"id": "string"},
                "touches": ["bills.{args.id}.left"]},
        "open": {"kind": "write", "arguments": {"id": "string"},
                 "touches": ["bills.{args.id}.open"], "observes": {"bills.{args.id}": "result"}},
    },
    rules=[
        {"id": "left", "tools": ["pay"], "require": "ledger.bills[args.id].left > 0"},
        {"id": "any", "tools": ["open"], "require": "ledger.bills[args.id].left >= -9"},
    ],
)  # fmt: skip
GATE = Gate(DOMAIN)
A = {"id": "a"}


class Bank:
    """One bill with a payment left."""

    def __init__(self, left: int = 1) -> None:
        self.left = left

    def run(self, tool: str) -> Any:
        if tool == "pay":
            self.left -= 1
            return "paid"
        return {"left": self.left, "open": True}


@given(
    st.lists(st.sampled_from(["get", "pay", "open"]), min_size=1, max_size=4),
    st.randoms(use_true_random=False),
    st.booleans(),
)
def test_no_bill_is_paid_twice_in_whatever_order_calls_run(
    calls: list[str], random: Any, checked: bool
) -> None:
    bank, session = Bank(), GATE.session()
    session.observe("get", A, bank.run("get"))
    allowed = []
    for tool in calls:
        if tool == "get" and not checked:
            session.expect(tool, A)
            allowed.append(tool)
        elif session.check(tool, A).allowed:
            allowed.append(tool)
    random.shuffle(allowed)
    results = [(tool, bank.run(tool)) for tool in allowed]
    random.shuffle(results)
    for tool, result in results:
        session.observe(tool, A, result)
    assert bank.left >= 0
    assert session.dry_run("pay", A).allowed <= (bank.left > 0)
    session.observe("get", A, bank.run("get"))  # what is read now is not overtaken
    assert session.dry_run("pay", A).allowed == (bank.left > 0)


@pytest.mark.parametrize("answers", [("pay", "get"), ("get", "pay")])
@pytest.mark.parametrize("calls", [("pay", "get"), ("get", "pay")])
def test_the_order_of_answers_in_a_message_is_not_the_order_of_events(
    calls: tuple[str, ...], answers: tuple[str, ...]
) -> None:
    shown = {"get": json.dumps({"left": 1, "open": True}), "pay": "paid"}
    guard = ChatGuard(GATE.session())
    guard.absorb([asking("get"), answer("get", shown["get"])])
    messages = [asking(*calls), *(answer(f"{tool}-2", shown[tool]) for tool in answers)]
    messages[0]["tool_calls"] = [{**call, "id": f"{call['id']}-2"} for call in
                                 messages[0]["tool_calls"]]  # fmt: skip
    guard.absorb([asking("get"), answer("get", shown["get"]), *messages])
    assert not guard.session.dry_run("pay", A).allowed


def asking(*tools: str) -> dict[str, Any]:
    calls = [{"id": t, "function": {"name": t, "arguments": json.dumps(A)}} for t in tools]
    return {"role": "assistant", "tool_calls": calls}


def answer(id_: str, content: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id_, "content": content}


def began() -> Session:
    session = GATE.session()
    session.observe("get", A, Bank().run("get"))
    session.check("get", A)
    session.check("pay", A)
    session.observe("pay", A, "paid")
    return session


def test_what_is_under_way_is_saved() -> None:
    session = GATE.resume(json.loads(json.dumps(began().save())))
    session.observe("get", A, Bank().run("get"))
    assert not session.dry_run("pay", A).allowed


def test_an_overtaken_read_is_advised_again() -> None:
    session = began()
    session.observe("get", A, Bank().run("get"))
    (missing,) = session.check("pay", A).missing
    assert missing.read is not None
    assert missing.read.name == "get"


def test_a_host_that_never_answers_a_read_is_not_stuck() -> None:
    session = began()
    for _ in range(3):
        session.check("get", A)
    session.observe("get", A, Bank().run("get"))
    assert session.dry_run("pay", A).allowed


def test_what_did_not_happen_overtakes_nothing() -> None:
    session = GATE.session()
    session.observe("get", A, Bank().run("get"))
    session.check("get", A)
    session.check("pay", A)
    session.observe("pay", A, error=True)
    session.observe("get", A, Bank().run("get"))
    assert session.dry_run("pay", A).allowed
