"""Static worlds against ledgers that real reads and writes lead to.

More of them: `LEDGER_VERIFY_CASES=5000 pytest tests/differential/test_reached.py`.
"""

import os
from collections import Counter

import pytest

from tests.differential.reached import disagreement

CASES = int(os.environ.get("LEDGER_VERIFY_CASES", "240"))
BLOCKS = 6


@pytest.mark.parametrize("block", range(BLOCKS))
def test_what_is_found_replays_and_what_is_refuted_comes_about_nowhere(block: int) -> None:
    for seed in range(block, CASES, BLOCKS):
        found = disagreement(seed, Counter())
        assert found is None, found


def test_the_questions_are_of_every_kind() -> None:
    tally: Counter[str] = Counter()
    for seed in range(60):
        assert disagreement(seed, tally) is None
    assert tally["none"] >= 5
    assert tally["with something stale"] >= 5
    assert tally["undecided"] <= 12
