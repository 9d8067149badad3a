"""Walks of the real gate against every PROVED: none is broken.

More of them: `LEDGER_VERIFY_CASES=2000 pytest tests/differential/test_parted_walks.py`, or
`python benchmarks/walks.py`.
"""

import os
from collections import Counter

import pytest

from tests.differential.walks import broken_proof

POLICIES = int(os.environ.get("LEDGER_VERIFY_CASES", "48"))
BLOCKS = 6


@pytest.mark.parametrize("block", range(BLOCKS))
def test_no_walk_breaks_what_is_proved(block: int) -> None:
    for seed in range(block, POLICIES, BLOCKS):
        found = broken_proof(seed, Counter())
        assert found is None, found


def test_the_walks_are_worth_it() -> None:
    tally: Counter[str] = Counter()
    for seed in range(10):
        broken_proof(seed, tally, walks=3)
    assert tally["never PROVED"] >= 20
    assert tally["always PROVED"] >= 2
    assert tally["never REFUTED"] >= 1
    assert tally["allowed calls"] >= 20
