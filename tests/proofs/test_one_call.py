"""Invariants over one call: what is proved by the rules, and what without them."""

import pytest

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
