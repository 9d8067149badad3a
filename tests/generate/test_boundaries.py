"""Cases beside the bounds of rules."""

from __future__ import annotations

import pytest

from ledger_verify import Domain, Gate
from ledger_verify.generate.cases import boundary_faults
from ledger_verify.generate.mutants import loosened
from ledger_verify.generate.scenario import Scenario
from ledger_verify.solver.static import StaticSolver


def domain(require: str, *more: str) -> Domain:
    return Domain.define(
        "till",
        ledger={},
        tools={
            "pay": {
                "kind": "write",
                "arguments": {"n": "integer", "m": "integer", "xs": "integer[]", "at": "datetime"},
                "touches": [],
            }
        },
        rules=[
            {"id": f"rule_{i}", "tools": ["pay"], "require": text}
            for i, text in enumerate((require, *more))
        ],
        clock="2026-01-01T00:00:00",
    )


@pytest.mark.parametrize(
    ("require", "argument", "value"),
    [
        ("args.n <= 10", "n", 11),
        ("args.n < 10", "n", 10),
        ("args.n >= 10", "n", 9),
        ("10 > args.n", "n", 10),
        ("size(args.xs) <= 2", "xs", 3),
        ("args.n == 1 || args.m == 1 || args.n + args.m >= 7", None, None),
        ('now - args.at <= duration("24h")', "at", "2025-12-30T23:59:59+00:00"),
    ],
)
def test_a_bound_is_missed_by_one(require: str, argument: str | None, value: object) -> None:
    made = domain(require)
    (case,) = boundary_faults(made, StaticSolver(made), Gate(made), made.rules[0])
    assert isinstance(case, Scenario)
    assert case.verdict == "BLOCK"
    arguments = case.case.arguments
    if argument is None:
        assert arguments["n"] + arguments["m"] == 6
    elif argument == "xs":
        assert len(arguments["xs"]) == value
    else:
        assert arguments[argument] == value


@pytest.mark.parametrize(
    "require", ["args.n == 3", 'args.n in [1, 2] && string(args.m) != "x"', "args.n <= args.m"]
)
def test_a_rule_without_a_constant_bound_has_no_boundary(require: str) -> None:
    made = domain(require)
    assert list(loosened(made.rules[0])) == []


def test_a_bound_that_another_rule_makes_needless_gives_no_case() -> None:
    made = domain("args.n <= 10", "args.n <= 5")
    assert list(boundary_faults(made, StaticSolver(made), Gate(made), made.rules[0])) == []
