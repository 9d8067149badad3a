"""Smallest cores on random families of conflicts, against all subsets."""

from collections.abc import Sequence
from itertools import combinations
from random import Random

import pytest

from ledger_verify.solver.cores import Conflict, Harmony, Open, smallest_core


class _Oracle:
    """Sets conflict if they hold one of the given ones; worlds break as little as they must."""

    def __init__(self, count: int, conflicts: Sequence[frozenset[int]], *, tells: bool) -> None:
        self.count, self.conflicts, self.tells = count, conflicts, tells
        self.questions = 0

    def __call__(self, chosen: Sequence[int]) -> Conflict | Harmony | Open:
        self.questions += 1
        found = next((one for one in self.conflicts if one <= {*chosen}), None)
        if found is not None:
            return Conflict(tuple(sorted({*found, *list(chosen)[:2]})))
        held = {*chosen}
        for other in range(self.count):
            if not any(one <= {*held, other} for one in self.conflicts):
                held.add(other)
        return Harmony(frozenset({*range(self.count)} - held) if self.tells else frozenset())


@pytest.mark.parametrize("tells", [True, False])
def test_cores_are_smallest_or_irreducible(tells: bool) -> None:
    for seed in range(300):
        random = Random(seed)
        count = random.randint(1, 8)
        conflicts = [
            frozenset(random.sample(range(count), random.randint(1, min(4, count))))
            for _ in range(random.randint(1, 4))
        ]
        oracle = _Oracle(count, conflicts, tells=tells)
        found = smallest_core(count, oracle)
        core = found.members
        assert found.smallest, seed
        assert isinstance(oracle(core), Conflict), seed
        for rest in combinations(core, len(core) - 1):
            assert isinstance(oracle(rest), Harmony), seed
        fewest = min(map(len, conflicts))
        assert len(core) == fewest if fewest <= 2 else len(core) > 2, seed


def test_a_conflict_without_any_member_has_an_empty_core() -> None:
    assert smallest_core(3, _Oracle(3, [frozenset()], tells=True)).members == ()


def test_few_questions_find_a_pair_among_many() -> None:
    oracle = _Oracle(100, [frozenset({41, 77})], tells=True)
    assert smallest_core(100, oracle).members == (41, 77)
    assert oracle.questions <= 10


def test_a_core_that_a_limit_may_have_kept_from_being_smaller_says_so() -> None:
    """Whichever question stays open: the core conflicts, and is smallest unless it says so."""
    for seed in range(100):
        random = Random(seed)
        conflicts = [frozenset(random.sample(range(5), random.randint(1, 4))) for _ in range(3)]
        whole = _Oracle(5, conflicts, tells=True)
        best = smallest_core(5, whole).members
        for number in range(whole.questions):
            asked = iter(range(1000))
            oracle = _Oracle(5, conflicts, tells=True)

            def ask(chosen: Sequence[int], n: int = number) -> Conflict | Harmony | Open:
                return Open() if next(asked) == n else oracle(chosen)  # noqa: B023

            core = smallest_core(5, ask)
            assert isinstance(oracle(core.members), Conflict)
            assert not core.smallest or len(core.members) <= max(len(best), 3), (seed, number)
