"""What can be observed, stale and unread field by field, in proofs and in what they show."""

from typing import Any

import pytest

from ledger_verify import Domain, Gate
from ledger_verify.checks.base.job import Settings
from ledger_verify.checks.running.run import run_checks
from ledger_verify.gate.cases import replay_case
from ledger_verify.proofs.invariants import Proof, ProofResult, prove
from ledger_verify.solver.static import StaticSolver
from tests.differential.boxes import ARGUMENTS, DEFINITIONS, LEDGER, READS

B = "boxes.{args.id}"
BOX = "ledger.boxes[args.id]"


def proved(never: str, *touches: list[Any], rules: tuple[str, ...] = ("true",)) -> ProofResult:
    writes = {
        f"w{i}": {"kind": "write", "arguments": ARGUMENTS, "touches": touched}
        for i, touched in enumerate(touches)
    }
    act = {"kind": "write", "arguments": ARGUMENTS, "touches": [B]}
    domain = Domain.define(
        "d", tools={**READS, "act": act, **writes}, ledger=LEDGER, definitions=DEFINITIONS,
        rules=[{"id": f"r{i}", "tools": ["act"], "require": r} for i, r in enumerate(rules)],
        invariants=[{"id": "n", "tools": ["act"], "never": never}], clock="2024-05-15T15:00:00",
    )  # fmt: skip
    (result,) = prove(domain, StaticSolver(domain))
    if result.counterexample is not None:
        assert replay_case(Gate(domain), result.counterexample).allowed
    return result


APART = f"observed({BOX}.s) && !observed({BOX}.n)"


@pytest.mark.parametrize("touched", [f"{B}.n", "boxes.*.n", f"{B}"])
def test_a_write_may_touch_one_field(touched: str) -> None:
    result = proved(APART, [touched])
    if touched == B:
        assert result.proof is Proof.PROVED
        return
    assert result.proof is Proof.REFUTED
    assert result.counterexample is not None
    (path,) = result.counterexample.stale
    assert path.endswith(".n")


@pytest.mark.parametrize(
    ("never", "touches"),
    [
        (f"observed({BOX}) && !observed({BOX}.n)", ([f"{B}.s"],)),
        (f"!observed({BOX}) && observed({BOX}.n)", ([f"{B}.n"],)),
        (APART, ([f"{B}.n", f"{B}.s"],)),
        (f"observed({BOX}.m) != observed({BOX}.s)", ([f"{B}.m.{{args.name}}", f"{B}.s"],)),
        (f"observed({BOX}.n) && size(records(ledger.boxes)) == 0", ([f"{B}.n"],)),
    ],
)
def test_what_nothing_tells_apart_stays_proved(never: str, touches: tuple[list[Any], ...]) -> None:
    assert proved(never, *touches).proof is Proof.PROVED


@pytest.mark.parametrize(
    ("rule", "touched", "stale"),
    [
        (f"{BOX}.inner.b && !observed({BOX}.inner)", f"{B}.inner.a", ".inner.a"),
        (f'{BOX}.m["p"] == 1 && !observed({BOX}.m)', f"{B}.m.{{args.name}}", ".m."),
        (f'{BOX}.d["p"].r && !observed({BOX}.d)', f"{B}.d.*.q", ".d.p.q"),
        (f"{BOX}.z.w == 1 && !observed({BOX}.z)", f"{B}.z.v", ".z.v"),
        ("size(records(ledger.boxes)) == 1 && !observed(ledger.boxes['x'])", B, ""),
    ],
)
def test_the_rest_of_what_is_stale_in_part_still_counts(
    rule: str, touched: str, stale: str
) -> None:
    result = proved("true", [touched], rules=(rule,))
    assert result.proof is Proof.REFUTED
    case = result.counterexample
    assert case is not None
    assert any(stale in path for path in case.stale) or not stale


@pytest.mark.parametrize(
    "rule",
    [
        f"{BOX}.inner.a == 1 && !observed({BOX}.inner)",
        f"{BOX}.n == 1 && !observed({BOX}.n)",
    ],
)
def test_what_is_stale_can_still_decide_nothing(rule: str) -> None:
    # in a completion it may be otherwise, so the gate never allows such a call
    result = proved("true", [f"{B}.inner.a"], [f"{B}.n"], rules=(rule,))
    assert result.proof in (Proof.UNDECIDED, Proof.PROVED)


def test_a_rule_that_needs_a_stale_field_is_not_vacuous() -> None:
    domain = Domain.define(
        "d",
        tools={
            "get": {"kind": "read", "observes": {"o": "result"}},
            "bump": {"kind": "write", "touches": ["o.total"]},
        },
        ledger={"o": "O"},
        definitions={
            "O": {
                "type": "object",
                "required": ["status", "total"],
                "properties": {"status": {"type": "string"}, "total": {"type": "integer"}},
            }
        },
        rules=[
            {
                "id": "r",
                "tools": ["bump"],
                "require": "!(observed(ledger.o.status) && !observed(ledger.o.total))",
            }
        ],
        clock="2024-05-15T15:00:00",
    )
    (report,) = run_checks([domain], Settings(timeout_ms=5_000))
    assert not {"LV102", "LV106"} & {finding.code for finding in report.findings}
