"""A rule over all records sees those that earlier calls made, or may have made."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_verify import Decision, Domain, Gate

ARGUMENTS = {"id": "string", "amount": "integer"}
DOMAIN = Domain.define(
    "bank",
    definitions={"Payment": {"type": "object", "required": ["id", "amount"], "properties": {
        "id": {"type": "string"}, "amount": {"type": "integer"}}}},
    ledger={"payments.*": {"record": "Payment", "key": "id"}},
    tools={
        "list_payments": {"kind": "read", "observes": {"payments.{item.id}": "result[*]"}},
        "touching_all": {"kind": "write", "arguments": ARGUMENTS, "touches": ["payments.*"]},
        "touching_one": {"kind": "write", "arguments": ARGUMENTS,
                         "touches": ["payments.{args.id}"]},
        "showing": {"kind": "write", "arguments": ARGUMENTS,
                    "observes": {"payments.{item.id}": "result"}},
        "showing_and_touching": {"kind": "write", "arguments": ARGUMENTS,
                                 "touches": ["payments.{args.id}"],
                                 "observes": {"payments.{args.id}": "result"}},
    },
    rules=[{
        "id": "not_twice",
        "tools": ["touching_all", "touching_one", "showing", "showing_and_touching"],
        "require": "records(ledger.payments).all(p, p.amount != args.amount)",
    }],
)  # fmt: skip
GATE = Gate(DOMAIN)
WRITES = [name for name in DOMAIN.tools if name != "list_payments"]
ENDS = ["told", "failed", "interrupted, ran", "interrupted", "untold, ran", "untold", "misfit"]
STEPS = st.one_of(
    st.just(("list_payments", 0, "told")),
    st.tuples(st.sampled_from(WRITES), st.integers(1, 2), st.sampled_from(ENDS)),
)


@given(st.lists(STEPS, max_size=7))
def test_nothing_is_paid_twice_whatever_becomes_of_calls(steps: list[tuple[str, int, str]]) -> None:
    session, made = GATE.session(), dict[str, Any]()
    for number, (tool, amount, end) in enumerate(steps):
        if tool == "list_payments":
            session.observe(tool, {}, list(made.values()))
            continue
        id_ = f"p{number}"
        payment = {"id": id_, "amount": amount}
        if not session.check(tool, payment).allowed:
            continue
        assert amount not in {one["amount"] for one in made.values()}, steps
        if end in ("told", "misfit") or end.endswith("ran"):
            made[id_] = payment
        if end == "told":
            session.observe(tool, payment, payment)
        elif end == "misfit":
            session.observe(tool, payment, {"id": 5})
        elif end == "failed":
            session.observe(tool, payment, error=True)
        elif end.startswith("interrupted"):
            session.interrupted(tool, payment)


@pytest.mark.parametrize("tool", WRITES)
def test_a_list_that_was_read_since_counts(tool: str) -> None:
    session, first = GATE.session(), {"id": "p1", "amount": 1}
    session.observe("list_payments", {}, [])
    session.check(tool, first)
    waiting = session.dry_run(tool, {"id": "p2", "amount": 1})
    assert waiting.decision is Decision.REVISE
    assert f"wait for the outcome of `{tool}`" in waiting.message
    session.interrupted(tool, first)
    missing = session.dry_run(tool, {"id": "p2", "amount": 1}).missing
    assert [m.read.name for m in missing if m.read] == ["list_payments"]
    session.observe("list_payments", {}, [first])
    assert session.dry_run(tool, {"id": "p2", "amount": 1}).decision is Decision.BLOCK
    assert session.dry_run(tool, {"id": "p2", "amount": 2}).allowed


@pytest.mark.parametrize("tool", ["showing", "showing_and_touching"])
def test_what_a_write_shows_is_known_at_once(tool: str) -> None:
    session, first = GATE.session(), {"id": "p1", "amount": 1}
    session.check(tool, first)
    session.observe(tool, first, first)
    assert session.dry_run(tool, {"id": "p2", "amount": 1}).decision is Decision.BLOCK
    assert session.dry_run(tool, {"id": "p2", "amount": 2}).allowed


def test_what_did_not_happen_made_nothing() -> None:
    session, first = GATE.session(), {"id": "p1", "amount": 1}
    for tool in WRITES:
        assert session.check(tool, first).allowed
        session.observe(tool, first, error=True)
