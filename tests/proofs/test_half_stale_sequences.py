"""Where only half-stale records break what is `always` true, the answer says just that."""

import pytest

from ledger_verify import Domain
from ledger_verify.proofs.invariants import Proof
from ledger_verify.proofs.sequences import prove_sequences
from ledger_verify.solver.outcome import Doubt
from ledger_verify.solver.sequences import SequenceSolver

HALF = "observed(ledger.o.status) && !observed(ledger.o.total)"


def lab(require: str, touches: str) -> Domain:
    return Domain.define(
        "lab",
        definitions={
            "O": {
                "type": "object",
                "required": ["status", "total"],
                "properties": {
                    "status": {"enum": ["a", "b"]},
                    "total": {"type": "integer"},
                    "n": {"type": "integer"},
                },
            }
        },
        ledger={"o": "O"},
        tools={
            "get": {"kind": "read", "arguments": {}, "observes": {"o": "result"}},
            "mark": {"kind": "write", "arguments": {}, "touches": [touches]},
            "add": {
                "kind": "write",
                "arguments": {"n": "integer"},
                "touches": ["o.n"],
                "effects": {"o.n": "args.n"},
            },
        },
        rules=[
            {"id": "free", "tools": ["mark"], "require": "true"},
            {"id": "half", "tools": ["add"], "require": require},
        ],
        invariants=[{"id": "few", "initially": "ledger.o.n == 0", "always": "ledger.o.n <= 5"}],
    )


@pytest.mark.parametrize(
    ("require", "touches", "proof", "reasons"),
    [
        (HALF, "o.total", Proof.UNDECIDED, (Doubt.HALF_STALE.value,)),
        (f"args.n <= 5 || {HALF}", "o.total", Proof.UNDECIDED, (Doubt.HALF_STALE.value,)),
        (f"args.n <= 9 || {HALF}", "o.total", Proof.REFUTED, ()),
        (f"args.n <= 5 && {HALF}", "o.total", Proof.PROVED, ()),
    ],
)
def test_the_reason_names_what_is_not_searched(
    require: str, touches: str, proof: Proof, reasons: tuple[str, ...]
) -> None:
    domain = lab(require, touches)
    (result,) = prove_sequences(domain, SequenceSolver(domain), longest=2)
    assert (result.proof, result.reasons) == (proof, reasons)
