"""Assumptions that contradict each other: named exactly, and nothing is proved with them."""

import pytest

from ledger_verify.checks.base.job import SolverCheck
from ledger_verify.checks.catalog import CHECKS, selected
from ledger_verify.checks.running.run import run_checks
from ledger_verify.lang.errors import InputError
from ledger_verify.policy.domain import Domain
from ledger_verify.proofs.invariants import prove
from ledger_verify.solver.static import StaticSolver
from tests.checks.shop import DEFINITIONS, ORDER, TOOLS


def _shop(*assumptions: str) -> Domain:
    return Domain.define(
        "shop", tools=TOOLS, ledger={"orders.*": "Order"}, definitions=DEFINITIONS,
        rules=[{"id": "sent", "tools": ["change"], "require": f'{ORDER}.status == "sent"'}],
        invariants=[{"id": "dear", "tools": ["change"], "never": f"{ORDER}.total > 5.0"}],
        assumptions=assumptions,
    )  # fmt: skip


CONTRADICTORY = _shop(
    "ledger.orders.all(o, o.total > 5)",
    "ledger.orders.all(o, size(o.items) < 100)",
    'ledger.orders.all(o, o.status != "sent" && o.total <= 5)',
)


def test_the_core_leaves_out_what_can_be_met() -> None:
    (report,) = run_checks([CONTRADICTORY], None, selected(["LV1", "LV6"]))
    (found,) = report.findings
    assert found.code == "LV601"
    assert "`ledger.orders.all(o, o.total > 5)`" in found.message
    assert "o.total <= 5" in found.message
    assert "o.items" not in found.message


def test_what_the_solver_says_with_them_does_not_count() -> None:
    (report,) = run_checks([CONTRADICTORY])
    asked = {c.ABOUT.name for c in CHECKS if isinstance(c, SolverCheck)}
    asked.remove("contradictory_assumptions")
    summaries = [summary for summary in report.checked if summary.check in asked]
    assert any(summary.undecided for summary in summaries)
    assert all(summary.proved == summary.refuted == 0 for summary in summaries)


def test_nothing_is_proved_with_them() -> None:
    with pytest.raises(InputError, match="everything would be proved"):
        list(prove(CONTRADICTORY, StaticSolver(CONTRADICTORY)))
    fine = _shop("ledger.orders.all(o, o.total <= 5)")
    assert [r.proof.name for r in prove(fine, StaticSolver(fine))] == ["PROVED"]


def test_they_are_asked_about_whatever_was_chosen() -> None:
    for checks in (selected(["LV102"]), selected(["LV1"], ["LV101"]), selected(ignore=["LV601"])):
        (report,) = run_checks([CONTRADICTORY], None, checks)
        assert "LV601" in {finding.code for finding in report.findings}
        assert not {"LV101", "LV102"} & {finding.code for finding in report.findings}
    (fine,) = run_checks([_shop("ledger.orders.all(o, o.total <= 5)")], None, selected(["LV102"]))
    assert [summary.check for summary in fine.checked] == ["vacuous_rule"]


def test_checks_that_do_not_ask_the_solver_do_not_ask_about_them() -> None:
    (report,) = run_checks([CONTRADICTORY], None, selected(["LV203"]))
    assert [summary.check for summary in report.checked] == ["unused_let"]
