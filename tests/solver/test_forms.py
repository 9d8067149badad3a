"""Patterns and lengths bind the solver also where texts are only compared."""

from __future__ import annotations

from typing import Any

import pytest

from ledger_verify import Domain
from ledger_verify.checks import dead_action, vacuous_rule
from ledger_verify.checks.running.run import run_checks
from ledger_verify.solver.outcome import Outcome
from ledger_verify.solver.question import Question
from ledger_verify.solver.static import StaticSolver


def domain(require: str, **form: Any) -> Domain:
    return Domain.define(
        "clinic",
        ledger={},
        tools={
            "book": {
                "kind": "write",
                "arguments": {"time": {"type": "string", **form}, "day": "string"},
            }
        },
        rules=[{"id": "rule", "tools": ["book"], "require": require}],
        clock="2026-01-01T00:00:00",
    )


@pytest.mark.parametrize(
    "form", [{"pattern": r"^\d\d:\d\d$"}, {"minLength": 5}, {"maxLength": 2}, {}]
)
def test_a_text_is_no_literal_of_another_form(form: dict[str, Any]) -> None:
    made = domain('args.time == "Son" || args.day == args.time && args.day == "Son"', **form)
    rule = made.rules[0]
    outcome = StaticSolver(made).search(Question(made.tools["book"], true=(rule.holds,))).outcome
    assert outcome is (Outcome.NONE if form else Outcome.FOUND)


def test_examples_keep_to_the_form() -> None:
    made = domain('args.time != args.day && args.day in ["Mon", "Sun"]', pattern=r"^\d\d:\d\d$")
    report = run_checks([made], None, (dead_action, vacuous_rule))[0]
    assert report.findings == ()
