"""Claims over positions, tables, dates and trimmed texts: proved for lists of any length, or
refuted by a call that the gate confirms.
"""

import pytest

from ledger_verify.policy.domain import Domain
from ledger_verify.proofs.invariants import Proof, ProofResult, prove
from ledger_verify.solver.static import StaticSolver

DAY = "ledger.orders[args.id].day"


def proved(require: str, never: str) -> ProofResult:
    domain = Domain.define(
        "swap",
        timezone="Europe/Berlin",
        definitions={
            "Order": {
                "type": "object",
                "required": ["day", "stock"],
                "properties": {
                    "day": {"type": "string", "format": "date"},
                    "stock": {"type": "object", "additionalProperties": {"type": "integer"}},
                },
            }
        },
        ledger={"orders.*": "Order"},
        tools={
            "get": {
                "kind": "read",
                "arguments": {"id": "string"},
                "observes": {"orders.{args.id}": "result"},
            },
            "swap": {
                "kind": "write",
                "arguments": {
                    "id": "string", "old": "string[]", "new": "string[]", "counts": "integer[]",
                    "tier": {"enum": ["gold", "silver"]}, "amount": "integer", "at": "datetime",
                },
            },
        },
        rules=[{"id": "r", "tools": ["swap"], "require": require.replace("DAY", DAY)}],
        invariants=[{"id": "i", "tools": ["swap"], "never": never.replace("DAY", DAY)}],
    )  # fmt: skip
    (result,) = prove(domain, StaticSolver(domain))
    return result


@pytest.mark.parametrize(
    ("require", "never"),
    [
        ("args.counts.all(i, n, n > i)", "args.counts.exists(i, n, n <= i)"),
        ("args.counts.all(i, n, n > i)", "args.counts.exists(n, n <= 0)"),
        ("true", "args.counts.exists(i, n, i < 0)"),
        ("true", "args.counts.exists(i, n, i >= size(args.counts))"),
        (
            "size(args.old) == size(args.new) && args.new.all(i, n, n != args.old[i])",
            'args.new.exists(i, n, i == 11 && n == "S" && args.old[i] == "S")',
        ),
        ('args.amount <= {"gold": 100, "silver": 50}[args.tier]', "args.amount > 100"),
        (
            'args.amount <= {"gold": 100, "silver": 50}[args.tier]',
            'args.tier != "gold" && args.amount > 50',
        ),
        (
            "days(DAY, now) <= 90",
            "days(DAY, now) > 90",
        ),
        (
            "days(DAY, now) <= 90",
            'now - DAY > duration("2190h")',
        ),
        ('args.id.trim() == "A1"', 'args.id == "A2"'),
        ("args.id.trim() == args.id", 'args.id.startsWith(" ")'),
        ('args.id.lowerAscii() != "root"', 'args.id == "rOOt"'),
        ('!(args.id.lowerAscii() in ["a", "root"])', 'args.id == "A"'),
        ('!args.id.lowerAscii().startsWith(".env")', 'args.id.startsWith(".EnV.local")'),
        ('args.id.upperAscii().matches("^[A-Z]+$")', "args.id.contains(' ')"),
        ('args.id.upperAscii() == "A1"', 'args.id.lowerAscii() != "a1"'),
        ("args.id == args.id.normalize() && args.id.size() < 3", 'args.id == "e\u0301"'),
        ('args.id.matches("^[a-z]+$")', "args.id != args.id.normalize('NFKC')"),
    ],
)
def test_what_holds_for_lists_of_any_length(require: str, never: str) -> None:
    result = proved(require, never)
    assert (result.proof, result.counterexample) == (Proof.PROVED, None)


@pytest.mark.parametrize(
    ("require", "never"),
    [
        (
            "args.new.all(i, n, i < size(args.old) && n != args.old[i])",
            "size(args.new) > size(args.old)",
        ),
        (
            "ledger.orders[args.id].stock.all(k, v, v > 0)",
            "ledger.orders[args.id].stock[args.tier] < 1",
        ),
    ],
)
def test_what_is_known_of_no_single_item_holds_up_to_the_bound(require: str, never: str) -> None:
    assert proved(require, never).proof is Proof.PROVED_UP_TO_BOUND


@pytest.mark.parametrize(
    ("require", "never"),
    [
        ("args.counts.all(i, n, n >= i)", "args.counts.exists(i, n, n == i)"),
        ("true", 'args.new.exists(i, n, i == 11 && n == "S")'),
        ("args.new.all(i, n, i >= size(args.old) || n != args.old[i])", "size(args.new) == 11"),
        ('args.amount <= {"gold": 100, "silver": 50}[args.tier]', "args.amount > 99"),
        (
            "days(DAY, now) <= 90",
            'now - DAY > duration("2183h")',
        ),
        ('args.id.trim() == "A1"', 'args.id != "A1"'),
        ('args.id.lowerAscii() == "a1"', 'args.id != "a1"'),
        ('args.id != "root"', 'args.id.lowerAscii() == "root"'),
        ('args.id.upperAscii().startsWith("AB")', 'args.id.contains("b")'),
    ],
)
def test_what_a_call_breaks(require: str, never: str) -> None:
    result = proved(require, never)
    assert result.proof is Proof.REFUTED
    assert result.counterexample is not None


def test_what_a_normal_form_is_made_of_is_not_decided() -> None:
    result = proved('!args.id.contains("é")', 'args.id.normalize() == "é"')
    assert result.proof is Proof.UNDECIDED
