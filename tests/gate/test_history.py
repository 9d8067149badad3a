"""Rules over earlier calls of the session, and tools of the person."""

from __future__ import annotations

from typing import Any

import pytest

from ledger_verify import Decision, Domain, Gate, InputError, Session

HOUR_US = 3_600_000_000


def domain(require: str, **rule: Any) -> Domain:
    bill = {
        "type": "object",
        "required": ["status"],
        "properties": {"status": {"enum": ["Due", "Paid"]}},
    }
    return Domain.define(
        "phone",
        definitions={"Bill": bill},
        ledger={"bills.*": "Bill"},
        tools={
            "get_bill": {
                "kind": "read",
                "arguments": {"id": "string"},
                "observes": {"bills.{args.id}": "result"},
            },
            "confirm": {"kind": "neutral", "arguments": {"id": "string"}},
            "refund": {"kind": "write", "arguments": {"id": "string", "amount": "integer"}},
            "pay": {
                "kind": "write",
                "by": "user",
                "result": {
                    "whole": r"Paid bill (?P<bill>\w+)\.",
                    "nothing": ["There is no bill to pay."],
                },
                "touches": ["bills.{result.bill}.status"],
            },
        },
        rules=[{"id": "rule", "tools": ["refund"], "require": require, **rule}],
        clock="2026-01-01T00:00:00",
    )


CALL = {"id": "B1", "amount": 1}


def decide(session: Session, **changed: Any) -> Decision:
    return session.check("refund", {**CALL, **changed}).decision


def test_a_prerequisite_counts_once_it_ran_without_error() -> None:
    need = "history.confirm.exists(c, c.ok && c.args.id == args.id)"
    session = Gate(domain(need, otherwise="revise")).session()
    assert decide(session) is Decision.REVISE
    session.check("confirm", {"id": "B1"})
    assert decide(session) is Decision.REVISE
    session.observe("confirm", {"id": "B1"}, "no", error=True)
    assert decide(session) is Decision.REVISE
    session.observe("confirm", {"id": "B2"}, "yes")
    assert decide(session) is Decision.REVISE
    session.observe("confirm", {"id": "B1"}, "yes")
    assert decide(session) is Decision.ALLOW


def test_a_limit_counts_calls_that_ran_within_the_window() -> None:
    limit = "history.refund.filter(c, c.ok && now - c.time < duration('1h')).size() < 2"
    now = [0]
    session = Gate(domain(limit)).session(clock_us=lambda: now[0])
    for amount in (1, 2):
        assert decide(session, amount=amount) is Decision.ALLOW
        session.observe("refund", {**CALL, "amount": amount}, "ok")
    assert decide(session, amount=3) is Decision.BLOCK
    now[0] = HOUR_US - 1
    assert decide(session, amount=3) is Decision.BLOCK
    now[0] = HOUR_US
    assert decide(session, amount=3) is Decision.ALLOW


def test_verdicts_and_times_of_earlier_calls_can_be_read() -> None:
    rule = "!history.refund.exists(c, c.verdict == 'BLOCK' && c.args == args) && args.amount < 9"
    session = Gate(domain(rule, otherwise="block")).session()
    assert decide(session, amount=9) is Decision.BLOCK
    assert decide(session, amount=9) is Decision.BLOCK
    assert decide(session) is Decision.ALLOW


def test_a_call_that_was_never_judged_is_remembered_as_unchecked() -> None:
    rule = "history.exists(c, c.tool == 'get_bill' && c.verdict == 'UNCHECKED' && c.ok)"
    session = Gate(domain(rule)).session()
    session.observe("get_bill", {"id": "B1"}, {"status": "Due"})
    assert decide(session) is Decision.ALLOW


def test_calls_of_one_message_see_those_before_them() -> None:
    session = Gate(domain("history.refund.size() < 1")).session()
    verdicts = session.check_message([("refund", CALL), ("refund", {**CALL, "amount": 2})])
    assert [verdict.decision for verdict in verdicts] == [Decision.ALLOW, Decision.BLOCK]


@pytest.mark.parametrize(
    ("require", "second"),
    [
        ("sum(history.refund.filter(c, c.ok).map(c, c.args.amount)) + args.amount <= 3", "REVISE"),
        ("sum(history.refund.filter(c, c.ok).map(c, c.args.amount)) + args.amount <= 4", "ALLOW"),
        ("sum(history.refund.filter(c, c.ok).map(c, c.args.amount)) + args.amount <= 2", "BLOCK"),
        ("args.amount == 1 || history.refund.exists(c, c.ok)", "REVISE"),
        ("args.amount < 9", "ALLOW"),
    ],
)
def test_whether_a_call_of_the_same_message_succeeds_is_open(require: str, second: str) -> None:
    session = Gate(domain(require, otherwise="block")).session()
    first = ("refund", CALL)
    verdicts = session.check_message([first, ("refund", {**CALL, "amount": 3})])
    assert [verdict.decision.value for verdict in verdicts] == ["ALLOW", second]


def test_a_call_of_an_earlier_message_that_did_not_happen_does_not_count() -> None:
    limit = "sum(history.refund.filter(c, c.ok).map(c, c.args.amount)) + args.amount <= 3"
    session = Gate(domain(limit)).session()
    assert decide(session, amount=3) is Decision.ALLOW
    assert decide(session, amount=1) is Decision.REVISE
    session.observe("refund", {**CALL, "amount": 3}, error=True)
    verdicts = session.check_message([("refund", CALL), ("refund", {**CALL, "amount": 2})])
    assert [verdict.decision for verdict in verdicts] == [Decision.ALLOW, Decision.ALLOW]


def test_sessions_have_histories_of_their_own() -> None:
    gate = Gate(domain("history.refund.size() < 1"))
    assert decide(gate.session()) is Decision.ALLOW
    assert decide(gate.session()) is Decision.ALLOW


PAID = "ledger.bills[args.id].status == 'Paid'"


@pytest.mark.parametrize(
    ("answer", "stale"),
    [
        ("Paid bill B1.", {"B1"}),
        ("Paid bill B2.", {"B2"}),
        ("There is no bill to pay.", set()),
        ("Something else happened.", {"B1", "B2"}),
        (None, {"B1", "B2"}),
    ],
)
def test_what_the_person_does_makes_records_stale(answer: Any, stale: set[str]) -> None:
    session = Gate(domain(PAID)).session()
    for bill in ("B1", "B2"):
        session.observe("get_bill", {"id": bill}, {"status": "Paid"})
    session.observe("pay", {}, answer)
    waiting = {b for b in ("B1", "B2") if decide(session, id=b) is Decision.REVISE}
    assert waiting == stale


def test_the_agent_cannot_call_a_tool_of_the_person() -> None:
    verdict = Gate(domain(PAID)).session().check("pay", {})
    assert verdict.decision is Decision.BLOCK
    assert "person" in verdict.message


def test_what_the_person_reads_is_no_evidence() -> None:
    with pytest.raises(InputError, match="is not seen"):
        Domain.define(
            "phone", ledger={}, tools={"look": {"kind": "read", "by": "user", "arguments": {}}}
        )


def test_arguments_that_only_the_person_can_give_are_not_filled_in() -> None:
    user = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}
    for asks, expected in ((["id"], None), ([], "u1")):
        made = Domain.define(
            "desk",
            definitions={"User": user},
            ledger={"user": "User"},
            tools={
                "get_user": {
                    "kind": "read",
                    "arguments": {"id": "string"},
                    "observes": {"user": "result"},
                    "asks": asks,
                },
                "close": {"kind": "write", "arguments": {"id": "string"}},
            },
            rules=[{"id": "own", "tools": ["close"], "require": "ledger.user.id == args.id"}],
        )
        verdict = Gate(made).session().check("close", {"id": "u1"})
        assert verdict.missing[0].read is not None
        assert verdict.missing[0].read.arguments == {"id": expected}
