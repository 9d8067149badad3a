"""Of a tool of which no call is allowed, whatever is said of its allowed calls is proved."""

from typing import Any

import pytest

from ledger_verify import Decision, Domain, Gate
from ledger_verify.proofs.invariants import Proof, prove
from ledger_verify.solver.static import StaticSolver

RULE = {"id": "small", "tools": ["act"], "require": "args.n < 5"}


@pytest.mark.parametrize("default", ["block", "revise"])
@pytest.mark.parametrize(
    ("tool", "rules", "proof", "told"),
    [
        ({"kind": "write"}, [], Proof.PROVED, "has no rule for it"),
        ({"kind": "write", "by": "user"}, [], Proof.PROVED, "the user's own tool"),
        ({"kind": "write"}, [RULE], Proof.REFUTED, ""),
        ({"kind": "neutral"}, [], Proof.REFUTED, ""),
    ],
)
def test_no_call_of_it_is_allowed(
    tool: dict[str, Any], rules: list[Any], proof: Proof, told: str, default: str
) -> None:
    domain = Domain.define(
        "lab",
        ledger={"o": {"type": "object"}},
        tools={
            "act": {"arguments": {"n": "integer"}, **tool},
            "other": {"kind": "write", "arguments": {"n": "integer"}},
        },
        rules=[*rules, {"id": "other", "tools": ["other"], "require": "args.n < 5"}],
        invariants=[{"id": "never-3", "tools": ["act"], "never": "args.n == 3"}],
        default=default,
    )
    (result,) = prove(domain, StaticSolver(domain))
    assert result.proof is proof
    assert all(told in reason for reason in result.reasons)
    assert bool(result.reasons) is bool(told)
    verdict = Gate(domain).session().dry_run("act", {"n": 3})
    assert (verdict.decision is Decision.ALLOW) is (proof is Proof.REFUTED)
