"""Invariants over sequences of calls: each outcome, and what a sequence may consist of."""

import pytest

from ledger_verify.gate.gate import Gate
from ledger_verify.gate.sequences import replay_sequence
from ledger_verify.policy.domain import Domain
from ledger_verify.proofs.invariants import Proof
from ledger_verify.solver.query import Limits
from tests.proofs.refunds import (
    NOTHING_REFUNDED,
    ORDER,
    POSITIVE,
    REFUND,
    SINGLE_LIMIT,
    SUM_LIMIT,
    Document,
    refunds,
    result_of,
    setter,
)

READ_PURSE: Document = {
    "kind": "read",
    "arguments": {"id": "string"},
    "observes": {"purses.{args.id}": "result"},
}
MOVE: Document = {
    "kind": "write",
    "arguments": {"from": "string", "to": "string", "amount": "number"},
    "touches": ["purses.{args.from}.balance", "purses.{args.to}.balance"],
    "effects": {
        "purses.{args.from}.balance": "ledger.purses[args.from].balance - args.amount",
        "purses.{args.to}.balance": "ledger.purses[args.to].balance + args.amount",
    },
}
LOOK: Document = {"kind": "read", "observes": {"till": "result"}}
PAY: Document = {
    "kind": "write",
    "arguments": {"amount": "number"},
    "touches": ["till.balance"],
    "effects": {"till.balance": "ledger.till.balance - args.amount"},
}
COUNT = setter("marks.{args.mark}.count", f"{ORDER}.marks[args.mark].count + 1", mark="string")
MARKS_UP_TO_THREE = (
    'ledger.orders.all(o, !has(o.marks) || !("a" in o.marks) || o.marks["a"].count <= 3)'
)
RETURNED_OR_EXCHANGED = (
    'history.give_back.all(c, !c.ok || ledger.orders[c.args.id].status == "returned") && '
    'history.swap.all(c, !c.ok || ledger.orders[c.args.id].status == "exchanged")'
)
ONCE_FOR_ORDER = "!history.refund.exists(r, r.ok && r.args.id == args.id)"
CALLED_BEFORE = "size(history.refund) >= 1"


def of(tool: str, require: str) -> Document:
    return {"tools": [tool], "require": require}


def purses(*rules: str, always: str = "ledger.purses.all(p, p.balance <= 100)") -> Domain:
    documents = [of("move", rule) for rule in rules]
    return refunds(
        *documents,
        always=always,
        ledger={"purses.*": "Purse"},
        read_purse=READ_PURSE,
        move=MOVE,
    )


def statuses(*rules: Document) -> Domain:
    return refunds(
        *rules,
        always=RETURNED_OR_EXCHANGED,
        give_back=setter("status", '"returned"'),
        swap=setter("status", '"exchanged"'),
    )


def till(*rules: str) -> Domain:
    documents = [of("pay", rule) for rule in rules]
    always = "ledger.till.balance >= 0"
    return refunds(*documents, always=always, ledger={"till": "Purse"}, look=LOOK, pay=PAY)


def capped(*rules: str) -> Domain:
    always = "ledger.orders.all(o, !has(o.limit) || o.limit >= 10)"
    cap = setter("limit", "args.top", top="number")
    return refunds(*(of("cap", rule) for rule in rules), always=always, cap=cap)


def touching(*paths: str, effects: Document | None = None) -> Domain:
    """`refund` is harmless; `note` touches the paths, with these effects."""
    note = {
        "kind": "write",
        "arguments": {"id": "string"},
        "touches": list(paths),
        "effects": effects or {},
    }
    return refunds(POSITIVE, SUM_LIMIT, of("note", "true"), note=note)


PROVED = {
    "the sum is limited": refunds(POSITIVE, SUM_LIMIT),
    "nothing is allowed": refunds("false"),
    "a write without rules is never allowed": refunds(),
    "no tool bears on it": refunds(POSITIVE, always='ledger.orders.all(o, o.owner != "x")'),
    "one call in all": refunds(
        POSITIVE, SINGLE_LIMIT, "size(history.refund) < 1", initially=NOTHING_REFUNDED
    ),
    "a limit of two by the template": refunds(
        POSITIVE,
        f"args.amount * 2 <= {ORDER}.paid",
        {"use": "limit_per_session", "with": {"earlier": "history.refund", "limit": "2"}},
        initially=NOTHING_REFUNDED,
    ),
    "one that succeeds": refunds(
        POSITIVE, SINGLE_LIMIT, "!history.refund.exists(r, r.ok)", initially=NOTHING_REFUNDED
    ),
    "the records and the history tell it together": refunds(
        POSITIVE,
        SINGLE_LIMIT,
        "!history.refund.exists(r, r.ok)",
        initially=NOTHING_REFUNDED,
        always="ledger.orders.all(o, o.refunded <= o.paid "
        "&& (o.refunded == 0 || history.refund.exists(r, r.ok)))",
    ),
    "no order is both": statuses(
        of("give_back", f'{ORDER}.status == "sent"'), of("swap", f'{ORDER}.status == "sent"')
    ),
    "time only goes forward": refunds(
        POSITIVE,
        SINGLE_LIMIT,
        'history.refund.all(r, now - r.time < duration("0s"))',
        initially=NOTHING_REFUNDED,
    ),
    "two records, which must differ": purses(
        "args.amount >= 0",
        "args.from != args.to",
        "ledger.purses[args.from].balance >= args.amount",
        "ledger.purses[args.to].balance + args.amount <= 100",
    ),
    "an optional field": capped("args.top >= 10"),
    "an entry of a map": refunds(
        of("count", f"{ORDER}.marks[args.mark].count < 3"), always=MARKS_UP_TO_THREE, count=COUNT
    ),
    "a plain record": till("args.amount > 0", "args.amount <= ledger.till.balance"),
    "another field is touched": touching("orders.{args.id}.status"),
    "what is touched has an effect": touching(
        "orders.{args.id}.refunded", effects={"orders.{args.id}.refunded": "0"}
    ),
    "an assumption keeps what is unknown in bounds": refunds(
        POSITIVE,
        SUM_LIMIT,
        of("note", "true"),
        assumptions=["ledger.orders.all(o, o.limit >= 1)"],
        always="ledger.orders.all(o, o.limit >= 0)",
        note={"kind": "write", "arguments": {"id": "string"}, "touches": ["orders.{args.id}"]},
    ),
}

REFUTED = {
    "each is under the limit, the sum is not": (
        2, refunds(POSITIVE, SINGLE_LIMIT, initially=NOTHING_REFUNDED),
    ),
    "without a start any state may be one": (1, refunds(POSITIVE, SINGLE_LIMIT)),
    "two of three calls": (
        3,
        refunds(
            POSITIVE,
            f"args.amount * 2 <= {ORDER}.paid",
            {"use": "limit_per_session", "with": {"earlier": "history.refund", "limit": "3"}},
            initially=NOTHING_REFUNDED,
        ),
    ),
    "a limit that another amount evades": (
        2,
        refunds(
            POSITIVE,
            SINGLE_LIMIT,
            "size(history.refund.filter(r, r.args.amount == args.amount)) < 1",
            initially=NOTHING_REFUNDED,
        ),
    ),
    "a refused call opens the door": (
        3,
        refunds(POSITIVE, SINGLE_LIMIT, CALLED_BEFORE, initially=NOTHING_REFUNDED),
    ),
    "a day later": (
        2,
        refunds(
            POSITIVE,
            SINGLE_LIMIT,
            'history.refund.all(r, now - r.time >= duration("24h"))',
            initially=NOTHING_REFUNDED,
        ),
    ),
    "both, one after the other": (
        2,
        statuses(
            of("give_back", f'{ORDER}.status == "sent"'),
            of("swap", f'{ORDER}.status != "exchanged"'),
        ),
    ),
    "one record under two keys": (
        1,
        purses(
            "args.amount >= 0",
            "ledger.purses[args.from].balance >= args.amount",
            "args.from == args.to || ledger.purses[args.to].balance + args.amount <= 100",
        ),
    ),
    "an optional field that appears": (1, capped("args.top >= 9")),
    "an entry of a map": (
        1,
        refunds(
            of("count", f"{ORDER}.marks[args.mark].count < 4"),
            always=MARKS_UP_TO_THREE,
            count=COUNT,
        ),
    ),
    "below the schema's bound": (1, till("args.amount > 0", "args.amount <= 10")),
    "a field touched without an effect": (1, touching("orders.{args.id}.refunded")),
    "a record touched without an effect": (1, touching("orders.{args.id}")),
    "all records touched": (1, touching("orders.*")),
    "a part of what is touched has an effect": (
        1, touching("orders.{args.id}", effects={"orders.{args.id}.status": '"sent"'}),
    ),
    "a tool of the person": (
        1,
        refunds(
            POSITIVE,
            SUM_LIMIT,
            other={**REFUND, "by": "user", "effects": {}},
        ),
    ),
    "a start that breaks it": (
        0, refunds(POSITIVE, SUM_LIMIT, initially="ledger.orders.all(o, o.refunded <= 5)"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("domain", PROVED.values(), ids=PROVED)
def test_what_is_proved_for_all_sequences(domain: Domain) -> None:
    result = result_of(domain)
    assert (result.proof, result.reasons, result.counterexample) == (Proof.PROVED, (), None)


@pytest.mark.parametrize(("calls", "domain"), REFUTED.values(), ids=REFUTED)
def test_what_is_refuted_by_a_shortest_sequence(calls: int, domain: Domain) -> None:
    result = result_of(domain)
    assert result.proof is Proof.REFUTED
    found = result.counterexample
    assert found is not None
    assert (result.calls, len(found.sequence.calls)) == (calls, calls)
    assert replay_sequence(Gate(domain), domain.always[0], found.sequence) == found


def test_the_sequence_is_told_with_what_each_call_changed() -> None:
    _, domain = REFUTED["each is under the limit, the sum is not"]
    data = result_of(domain).to_json(domain)
    assert (data["id"], data["outcome"], data["k"], data["bound"]) == ("kept", "REFUTED", 2, None)
    calls = data["sequence"]["calls"]
    assert [(c["tool"], c["verdict"], c["ok"]) for c in calls] == [("refund", "ALLOW", True)] * 2
    (path,) = data["sequence"]["broken"]
    start, end = data["sequence"]["ledger"][path], data["sequence"]["broken"][path]
    amounts = [c["arguments"]["amount"] for c in calls]
    assert start["refunded"] == 0
    assert end["refunded"] == sum(amounts) > start["paid"] >= max(amounts)
    assert [c["changes"] for c in calls] == [
        [{"path": f"{path}.refunded", "there": True, "value": v, "declared": True}]
        for v in (amounts[0], sum(amounts))
    ]
    assert calls[0]["time"] <= calls[1]["time"]


def test_a_refused_call_is_told_with_the_verdict_of_the_gate() -> None:
    _, domain = REFUTED["a refused call opens the door"]
    found = result_of(domain).counterexample
    assert found is not None
    assert [c.verdict for c in found.sequence.calls] == ["BLOCK", "ALLOW", "ALLOW"]


def test_what_is_only_supposed_is_told_apart() -> None:
    _, domain = REFUTED["a field touched without an effect"]
    found = result_of(domain).counterexample
    assert found is not None
    ((changed,),) = found.changes
    assert not changed.declared
    assert changed.path.endswith(".refunded")


def test_calls_that_fail_change_nothing_but_are_remembered() -> None:
    rules = (POSITIVE, SINGLE_LIMIT, "history.refund.exists(r, !r.ok && r.verdict == 'ALLOW')")
    domain = refunds(*rules, of("refund", "true"), initially=NOTHING_REFUNDED)
    assert result_of(domain, 3).proof is Proof.PROVED_UP_TO_BOUND  # none is ever the first
    rules = (POSITIVE, SINGLE_LIMIT, "history.try_it.exists(r, !r.ok && r.verdict == 'ALLOW')")
    domain = refunds(
        *rules,
        of("try_it", "true"),
        initially=NOTHING_REFUNDED,
        try_it={"kind": "write", "arguments": {"id": "string"}},
    )
    found = result_of(domain, 3).counterexample
    assert found is not None
    (first, *rest) = found.sequence.calls
    assert (first.tool, first.verdict, first.ok) == ("try_it", "ALLOW", False)
    assert [c.tool for c in rest] == ["refund", "refund"]


def test_proved_only_up_to_a_length() -> None:
    domain = refunds(POSITIVE, SINGLE_LIMIT, ONCE_FOR_ORDER, initially=NOTHING_REFUNDED)
    for calls in (1, 3):
        result = result_of(domain, calls)
        assert (result.proof, result.calls) == (Proof.PROVED_UP_TO_BOUND, calls)
        assert result.bound is None


def test_a_longer_sequence_is_found_only_if_it_is_asked_for() -> None:
    calls, domain = REFUTED["two of three calls"]
    assert result_of(domain, calls - 1).proof is Proof.PROVED_UP_TO_BOUND
    assert result_of(domain, calls).proof is Proof.REFUTED


def test_an_effect_that_the_schema_forbids_stands_in_the_way() -> None:
    result = result_of(refunds(SUM_LIMIT))  # amounts may be negative
    assert result.proof is Proof.UNDECIDED
    (reason,) = result.reasons
    assert "`refund` can put there what the schema forbids" in reason


def test_an_effect_that_breaks_an_assumption_stands_in_the_way() -> None:
    domain = refunds(POSITIVE, SUM_LIMIT, assumptions=["ledger.orders.all(o, o.refunded <= 10)"])
    result = result_of(domain)
    assert result.proof is Proof.UNDECIDED
    (reason,) = result.reasons
    assert "an effect can break this assumption" in reason
    kept = refunds(
        POSITIVE, SUM_LIMIT, f"{ORDER}.refunded + args.amount <= 10",
        assumptions=["ledger.orders.all(o, o.refunded <= 10)"],
    )  # fmt: skip
    assert result_of(kept).proof is Proof.PROVED


def test_no_proof_without_time() -> None:
    result = result_of(refunds(POSITIVE, SUM_LIMIT), 2, Limits(timeout_ms=1, resources=1))
    assert result.proof is Proof.UNDECIDED
    assert result.reasons


def test_a_pinned_clock_is_that_of_every_call() -> None:
    later = 'history.refund.all(r, now - r.time >= duration("1s"))'
    domain = refunds(
        POSITIVE, SINGLE_LIMIT, later, initially=NOTHING_REFUNDED, clock="2024-05-15T15:00:00"
    )
    assert result_of(domain).proof is Proof.PROVED
