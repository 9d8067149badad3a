"""Invariants over one call: what is proved by the rules, and what without them."""

import pytest

from ledger_verify.evaluate.kleene import Truth
from ledger_verify.gate.cases import truths_in
from ledger_verify.gate.gate import Gate
from ledger_verify.policy.domain import Domain
from ledger_verify.proofs.invariants import Proof, ProofResult, prove
from ledger_verify.solver.static import StaticSolver


def shop(never: str) -> Domain:
    fields = {"total": {"type": "number", "minimum": 0}, "status": {"enum": ["open", "sent"]}}
    return Domain.define(
        "shop",
        tools={"ship": {"kind": "write", "arguments": {"id": "string", "n": "integer"}}},
        ledger={"orders.*": "Order"},
        definitions={
            "Order": {"type": "object", "required": ["total", "status"], "properties": fields}
        },
        rules=[{"id": "few", "tools": ["ship"], "require": "args.n < 5"}],
        assumptions=["ledger.orders.all(o, o.total <= 100)"],
        invariants=[{"id": "i", "tools": ["ship"], "never": never}],
    )


def proved(never: str) -> ProofResult:
    domain = shop(never)
    (result,) = prove(domain, StaticSolver(domain))
    return result


@pytest.mark.parametrize("never", ["args.n >= 5", "args.n == 7 && args.id != ''"])
def test_what_the_rules_see_to(never: str) -> None:
    result = proved(never)
    assert (result.proof, result.without_rules) == (Proof.PROVED, False)


@pytest.mark.parametrize(
    "never",
    [
        "ledger.orders[args.id].total < 0",
        "ledger.orders[args.id].total > 100",
        "args.n > 3 && args.n < 2",
        'ledger.orders[args.id].status == "opne"',
    ],
)
def test_what_holds_whatever_the_rules_say(never: str) -> None:
    result = proved(never)
    assert (result.proof, result.without_rules) == (Proof.PROVED, True)
    assert result.to_json(shop(never))["without_rules"] is True


def test_what_a_call_breaks() -> None:
    result = proved("args.n == 4")
    assert (result.proof, result.without_rules) == (Proof.REFUTED, False)
    assert result.counterexample is not None


# --- what the solver knows only roughly ---

ROUGH = Domain.define(
    "pay",
    timezone="Europe/Berlin",
    ledger={},
    tools={"pay": {"kind": "write", "arguments": {"n": "integer", "x": "number", "day": "date"}}},
    rules=[{"id": "r", "tools": ["pay"], "require": "args.n == 7 && args.day >= now"}],
    invariants=[
        {"id": id_, "tools": ["pay"], "never": never}
        for id_, never in {
            "another text": 'string(args.n) == "8"',
            "its text": 'string(args.n) == "7"',
            "a text of a number": 'string(args.x) == "2.5" && args.x > 3.0',
            "no midnight": "args.day.getHours() != 0",
            "an earlier day of the year": "args.day.getFullYear() == now.getFullYear() && "
            "args.day.getDayOfYear() < now.getDayOfYear()",
            "a month": "args.day.getMonth() == 6",
            "no month": "args.day.getMonth() == 12",
            "two months": "args.day.getMonth() == 1 && args.day.getDate() > 29",
        }.items()
    ],
)
NEVER_SO = {"another text", "a text of a number", "no midnight", "no month", "two months"}


def test_a_case_that_does_not_break_the_claim_refutes_nothing() -> None:
    for result in prove(ROUGH, StaticSolver(ROUGH)):
        id_ = result.invariant.id
        if id_ in NEVER_SO or id_ == "an earlier day of the year":
            assert result.proof in (Proof.PROVED, Proof.UNDECIDED), id_
        if result.proof is Proof.REFUTED:
            assert result.counterexample is not None
            never = result.invariant.never
            assert truths_in(Gate(ROUGH), result.counterexample, (never,)) == (Truth.TRUE,), id_


def test_what_is_rough_is_learnt() -> None:
    proofs = {r.invariant.id: r.proof for r in prove(ROUGH, StaticSolver(ROUGH))}
    assert proofs["another text"] is Proof.PROVED
    assert proofs["its text"] is Proof.REFUTED
    assert proofs["no month"] is Proof.PROVED


# --- numbers that no decimal is ---


@pytest.mark.parametrize(
    ("rule", "never", "proof"),
    [
        ("args.x > 0", "args.x * args.x == 2", Proof.UNDECIDED),
        ("args.x * args.x == 2 || args.x == 5", "args.x > 0", Proof.REFUTED),
        ("args.x * args.x == 2", "args.x > 1", Proof.UNDECIDED),
        ("args.x * args.x <= 2", "args.x > 1", Proof.REFUTED),
        ("args.x * args.x == 2.25", "args.x > 1", Proof.REFUTED),
    ],
)
def test_a_root_is_no_counterexample(rule: str, never: str, proof: Proof) -> None:
    domain = Domain.define(
        "roots",
        tools={"act": {"kind": "write", "arguments": {"x": "number"}}},
        ledger={},
        rules=[{"id": "r", "tools": ["act"], "require": rule}],
        invariants=[{"id": "i", "tools": ["act"], "never": never}],
    )
    (result,) = prove(domain, StaticSolver(domain))
    assert result.proof is proof
