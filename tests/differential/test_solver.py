"""The solver against the interpreter on random predicates, ledgers and gaps.

Cases are numbered by seeds, so every run judges the same ones. More of them:
`LEDGER_VERIFY_SOLVER_CASES=5000 pytest tests/differential/test_solver.py`, or
`python benchmarks/differential.py`.
"""

import os
from collections import Counter
from random import Random

import pytest

from ledger_verify.evaluate.kleene import Truth, truth
from ledger_verify.solver.completions import Settled
from tests.differential.solver_agreement import SOLVER_CHECKS, settled
from tests.differential.static_agreement import STATIC_CHECKS
from tests.differential.strategies import partial_ledger, random_case
from tests.differential.worlds import completions

CHECKS = {**SOLVER_CHECKS, **STATIC_CHECKS}
CASES = int(os.environ.get("LEDGER_VERIFY_SOLVER_CASES", "600"))
"""Each is judged by all of the checks, so these are four times as many."""
BLOCKS = 6


@pytest.mark.parametrize("block", range(BLOCKS))
@pytest.mark.parametrize("name", CHECKS)
def test_the_solver_agrees_with_the_interpreter(name: str, block: int) -> None:
    for seed in range(block, CASES, BLOCKS):
        case = random_case(Random(seed))
        found = CHECKS[name](case)
        assert found is None, f"seed {seed}: {found}\n{case.text}\n{case}"


def test_most_of_what_is_left_open_is_open() -> None:
    """OPEN is never wrong, but it is worth little where no two completions differ."""
    counts: Counter[str] = Counter()
    for seed in range(250):
        case = random_case(Random(seed))
        ledger = partial_ledger(case)
        if truth(case.expr, case.scope(ledger)) is not Truth.UNKNOWN:
            continue
        if settled(case, ledger) is not Settled.OPEN:
            counts["settled"] += 1
            continue
        answers = {truth(case.expr, case.scope(c)) is Truth.TRUE for c in completions(case, 25)}
        counts["open" if len(answers) == 2 else "perhaps not open"] += 1
    assert counts["settled"] >= 5
    assert counts["perhaps not open"] <= 0.5 * counts["open"]
