"""Interpreter and compiled functions on thousands of random predicates, ledgers and gaps.

Cases are numbered by seeds, so every run judges the same ones. More of them:
`LEDGER_VERIFY_CASES=20000 pytest tests/differential`, or `python benchmarks/differential.py`.
"""

import os
from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings

from ledger_verify.evaluate.kleene import Truth, truth
from tests.differential.agreement import CHECKS, Check, compiled_answer
from tests.differential.strategies import Case, cases, full_ledger, partial_ledger, random_case

CASES = int(os.environ.get("LEDGER_VERIFY_CASES", "2000"))
BLOCKS = 10


@pytest.mark.parametrize("block", range(BLOCKS))
def test_evaluators_agree(block: int) -> None:
    for seed in range(block, CASES, BLOCKS):
        case = random_case(Random(seed))
        for name, check in CHECKS.items():
            found = check(case)
            assert found is None, f"seed {seed}: {name}: {found}\n{case.text}\n{case}"


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
@settings(max_examples=30)
@given(case=cases(size=3))
def test_evaluators_agree_on_cases_that_shrink(check: Check, case: Case) -> None:
    assert check(case) is None, case.text


def test_the_cases_are_worth_having() -> None:
    """All four answers come up, gaps matter, and most answers need no interpreter."""
    partial, full, compiled = Counter[Truth](), Counter[Truth](), 0
    for seed in range(500):
        case = random_case(Random(seed))
        partial[truth(case.expr, case.scope(partial_ledger(case)))] += 1
        ledger = full_ledger(case)
        full[truth(case.expr, case.scope(ledger))] += 1
        compiled += compiled_answer(case, ledger) is not None
    assert min(partial[answer] for answer in Truth) >= 40
    assert partial[Truth.UNKNOWN] >= 2 * full[Truth.UNKNOWN]
    assert compiled >= 0.8 * (full[Truth.TRUE] + full[Truth.FALSE])
