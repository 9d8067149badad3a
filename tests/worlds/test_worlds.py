"""Nothing that is said of a random policy is broken by a walk through the gate.

More of them: `LEDGER_VERIFY_CASES=500 pytest tests/worlds`, or `python benchmarks/worlds.py`.
"""

import os
from collections import Counter
from typing import Any

import pytest

from ledger_verify.gate.gate import Gate
from ledger_verify.ledger import observe
from tests.worlds import walk
from tests.worlds.lots import TRAITS
from tests.worlds.walk import first_wrong

POLICIES = int(os.environ.get("LEDGER_VERIFY_CASES", "8"))
BLOCKS = 2


@pytest.mark.parametrize("block", range(BLOCKS))
def test_no_walk_breaks_what_is_said(block: int) -> None:
    tally: Counter[str] = Counter()
    for seed in range(block, POLICIES, BLOCKS):
        found = first_wrong(seed, tally, walks=4)
        assert found is None, found
    # it would be worth little if nothing were allowed or proved, or a trait missing
    assert tally["calls ALLOW"] >= POLICIES
    assert tally["never PROVED"] >= POLICIES
    assert all(tally[f"with {trait}"] for trait in TRAITS)


def found_with(trait: str, seeds: range) -> bool:
    """Whether a walk of policies that have the trait finds something wrong."""
    return any(first_wrong(seed, Counter(), walks=8, always={trait}) for seed in seeds)


def test_a_record_of_another_key_that_counts_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observe, "wrong_key", lambda *given: None)
    assert found_with("keyed", range(4))


def test_a_write_that_leaves_as_known_what_its_result_does_not_show_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def wrote(self: Any, ledger: Any, tool: Any, arguments: Any, result: Any, *told: Any) -> Any:
        return self._show(ledger, tool, arguments, list(tool.observes), result, None)

    monkeypatch.setattr(observe.Observer, "wrote", wrote)
    assert found_with("shows", range(4))


def test_a_session_of_other_facts_than_it_was_opened_with_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Generous(Gate):
        def session(self, *, facts: Any = None, **more: Any) -> Any:
            return super().session(facts={**facts, "cap": 3}, **more)

    monkeypatch.setattr(walk, "Gate", Generous)
    assert found_with("facts", range(8))


def test_what_nobody_said_and_passes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Trusting(Gate):
        def session(self, **given: Any) -> Any:
            return super().session(asks="ignored", **given)

    monkeypatch.setattr(walk, "Gate", Trusting)
    assert found_with("asks", range(4))
