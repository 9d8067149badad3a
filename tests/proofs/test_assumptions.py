"""No proof rests on an assumption that an effect may break."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from ledger_verify.policy.domain import Domain
from ledger_verify.proofs.invariants import Proof, ProofResult, prove
from ledger_verify.proofs.sequences import SequenceResult
from ledger_verify.solver.static import StaticSolver
from tests.proofs.refunds import result_of

R = "ledger.r[args.k]"
NUMBERS = {"type": "integer"}


def domain(
    invariant: str,
    *facts: str,
    effects: Mapping[str, str] | None = None,
    rules: Sequence[str] = (f"{R}.n <= 5",),
    more: Mapping[str, Any] | None = None,
    never: str | None = None,
) -> Domain:
    """Records of three numbers, of which `add` adds ten to the first where that is small."""
    told = {f"r.{{args.k}}.{field}": v for field, v in (effects or {"n": f"{R}.n + 10"}).items()}
    fields = ("n", "c", "d")
    claims: list[dict[str, Any]] = [{"id": "kept", "always": invariant}]
    if never is not None:
        claims = [{"id": "never", "tools": ["add"], "never": never}]
    return Domain.define(
        "facts",
        tools={
            "read": {
                "kind": "read", "arguments": {"k": "string"}, "observes": {"r.{args.k}": "result"}
            },
            "add": {
                "kind": "write", "arguments": {"k": "string"},
                "touches": list(told), "effects": told,
            },
            **(more or {}),
        },
        ledger={"r.*": "R", "limit": "Limit"},
        definitions={
            "R": {"type": "object", "required": list(fields),
                  "properties": dict.fromkeys(fields, NUMBERS)},
            "Limit": {"type": "object", "required": ["most"], "properties": {"most": NUMBERS}},
        },
        rules=[{"id": f"r{i}", "tools": ["add"], "require": r} for i, r in enumerate(rules)],
        assumptions=facts, invariants=claims, clock="2026-01-01T12:00:00",
    )  # fmt: skip


SMALL = "ledger.r.all(o, o.n <= 15)"
LEADS = ("ledger.r.all(o, o.n <= o.c)", "ledger.r.all(o, o.c <= 5)")
BROKEN = {
    "by way of another field": (SMALL, LEADS),
    "by way of two": (
        SMALL,
        ("ledger.r.all(o, o.n <= o.c)", "ledger.r.all(o, o.c <= o.d)", "ledger.r.all(o, o.d <= 5)"),
    ),
    "with an invariant that speaks of it": ("ledger.r.all(o, o.n <= 15 && o.c <= 15)", LEADS),
    "by way of another record": (
        SMALL, ("ledger.r.all(o, o.n <= ledger.limit.most)", "ledger.limit.most <= 5")
    ),
    "of the field itself": (SMALL, ("ledger.r.all(o, o.n <= 5)",)),
}  # fmt: skip


@pytest.mark.parametrize(("invariant", "facts"), BROKEN.values(), ids=BROKEN)
def test_what_needs_a_broken_assumption_is_undecided(
    invariant: str, facts: tuple[str, ...]
) -> None:
    """The gate allows the second call unread: it takes the assumption for true."""
    result = result_of(domain(invariant, *facts))
    assert result.proof is Proof.UNDECIDED
    assert any("an effect can break this assumption" in reason for reason in result.reasons)


KEPT: Mapping[str, tuple[tuple[str, ...], Mapping[str, Any]]] = {
    "no fact": ((), {}),
    "of fields that nothing changes": (("ledger.r.all(o, o.c <= o.d)",), {}),
    "kept by the rules": (
        ("ledger.r.all(o, o.n <= o.c)",), {"rules": (f"{R}.n <= 5", f"{R}.c >= 15")}
    ),
    "kept by the effects": (
        LEADS, {"effects": {"n": "3", "c": "4"}}
    ),
    "touched, but not said how": (
        ("ledger.r.all(o, o.c <= 5)",),
        {"more": {"stir": {"kind": "write", "by": "user", "arguments": {"k": "string"},
                           "touches": ["r.{args.k}.c"]}}},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("facts", "rest"), KEPT.values(), ids=KEPT)
def test_what_no_effect_breaks_may_be_used(facts: tuple[str, ...], rest: Mapping[str, Any]) -> None:
    assert result_of(domain(SMALL, *facts, **rest)).proof is Proof.PROVED


def _one_call(never: str, *facts: str, **rest: Any) -> ProofResult:
    made = domain("", *facts, never=never, **rest)
    (result,) = prove(made, StaticSolver(made))
    return result


def test_one_call_is_proved_without_the_assumptions_that_an_effect_breaks() -> None:
    needs = _one_call(f"{R}.c > 5", "ledger.r.all(o, o.n <= o.c)", "ledger.r.all(o, o.c <= 5)")
    assert needs.proof is Proof.UNDECIDED
    assert any("an effect can break this assumption" in reason for reason in needs.reasons)
    free = _one_call(f"{R}.n > 5", *LEADS)
    assert (free.proof, free.reasons) == (Proof.PROVED, ())
    kept = _one_call(f"{R}.d > 5", "ledger.r.all(o, o.d <= 5)")
    assert kept.proof is Proof.PROVED


def test_one_call_is_refuted_all_the_same() -> None:
    refuted = _one_call(f"{R}.c < 5", *LEADS)
    assert refuted.proof is Proof.REFUTED
    assert refuted.counterexample is not None


# --- what is shown is the whole case ---


def test_the_records_that_the_start_reads_are_shown() -> None:
    made = Domain.define(
        "start",
        tools={
            "add": {
                "kind": "write", "arguments": {"k": "string"}, "touches": ["r.{args.k}.n"],
                "effects": {"r.{args.k}.n": f"{R}.n + 10"},
            },
            "read": {
                "kind": "read", "arguments": {"k": "string"}, "observes": {"r.{args.k}": "result"}
            },
        },
        ledger={"r.*": "R", "g": "G"},
        definitions={
            "R": {"type": "object", "required": ["n"], "properties": {"n": NUMBERS}},
            "G": {"type": "object", "required": ["q"], "properties": {"q": NUMBERS}},
        },
        rules=[{"id": "any", "tools": ["add"], "require": f"{R}.n >= 0"}],
        invariants=[{
            "id": "kept", "always": "ledger.r.all(o, o.n <= 5)",
            "initially": "ledger.r.all(o, o.n == ledger.g.q && ledger.g.q == 3)",
        }],
        clock="2026-01-01T12:00:00",
    )  # fmt: skip
    result: SequenceResult = result_of(made)
    assert result.proof is Proof.REFUTED
    assert result.counterexample is not None
    shown = result.to_json(made)["sequence"]
    assert shown["ledger"]["g"] == {"q": 3}
    (call,) = shown["calls"]
    assert call["read"] == [path for path in shown["ledger"] if path != "g"]


def test_a_refusal_in_a_sequence_says_what_was_unread() -> None:
    made = Domain.define(
        "tries",
        tools={
            "read": {
                "kind": "read", "arguments": {"k": "string"}, "observes": {"r.{args.k}": "result"}
            },
            "add": {"kind": "write", "arguments": {"k": "string"}, "touches": ["r.{args.k}.c"]},
        },
        ledger={"r.*": "R"},
        definitions={
            "R": {"type": "object", "required": ["n", "c"],
                  "properties": {"n": NUMBERS, "c": NUMBERS}},
        },
        rules=[{"id": "small", "tools": ["add"], "require": f"{R}.n <= 5"}],
        invariants=[{
            "id": "kept", "always": 'size(history.add.filter(c, c.verdict == "REVISE")) < 1',
        }],
        clock="2026-01-01T12:00:00",
    )  # fmt: skip
    result = result_of(made)
    assert result.proof is Proof.REFUTED
    shown = result.to_json(made)["sequence"]
    refused = [call for call in shown["calls"] if call["verdict"] == "REVISE"]
    assert refused
    assert all(call["unread"] for call in refused)
