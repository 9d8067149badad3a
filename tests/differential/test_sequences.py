"""Invariants over sequences against an exhaustive search with the interpreter.

More random policies: `LEDGER_VERIFY_CASES=2000 pytest tests/differential/test_sequences.py`.
"""

import os
from dataclasses import replace
from functools import cache

import pytest

from ledger_verify.gate.gate import Gate
from ledger_verify.gate.sequences import replay_sequence
from ledger_verify.proofs.invariants import Proof
from ledger_verify.proofs.sequences import SequenceResult, prove_sequences
from ledger_verify.solver.sequences import SequenceSolver
from tests.differential.sequences import RandomPolicy, explore, random_policy

CASES = int(os.environ.get("LEDGER_VERIFY_CASES", "60"))
BLOCKS = 4
CALLS = 3


@cache
def outcome(seed: int, with_facts: bool = False) -> SequenceResult:
    domain = random_policy(seed, with_facts=with_facts).domain
    (result,) = prove_sequences(domain, SequenceSolver(domain), CALLS)
    return result


@pytest.mark.parametrize("block", range(BLOCKS))
def test_outcomes_are_those_of_an_exhaustive_search(block: int) -> None:
    for seed in range(block, CASES, BLOCKS):
        check_outcome(seed, random_policy(seed), outcome(seed))


@pytest.mark.parametrize("block", range(BLOCKS))
def test_outcomes_are_those_of_a_search_over_all_facts_of_sessions(block: int) -> None:
    for seed in range(block, CASES // 2, BLOCKS):
        check_outcome(seed, random_policy(seed, with_facts=True), outcome(seed, with_facts=True))


def check_outcome(seed: int, policy: RandomPolicy, result: SequenceResult) -> None:
    domain, found = policy.domain, explore(policy, CALLS)
    shown = f"seed {seed}: {result.proof} {result.calls} {result.reasons}, {found}"
    if not found.startable:
        assert (result.proof, result.calls) == (Proof.UNDECIDED, 0), shown
    elif found.broken is not None and found.broken <= CALLS:
        assert (result.proof, result.calls) == (Proof.REFUTED, found.broken), shown
        example = result.counterexample
        assert example is not None, shown
        replayed = replay_sequence(Gate(domain), domain.always[0], example.sequence)
        assert replayed == example, shown
    elif found.unfit is not None and found.unfit <= CALLS:
        # where the part that does not fit bears on nothing there may be a proof all the same
        if result.proof is Proof.UNDECIDED:
            assert result.reasons, shown
        else:
            assert explore(policy, CALLS + 2, beyond=True).broken is None, shown
    else:
        expected = {Proof.PROVED_UP_TO_BOUND}
        if found.broken is None and found.unfit is None:
            expected.add(Proof.PROVED)
        assert result.proof in expected, shown


def test_the_policies_are_worth_the_search() -> None:
    results = [outcome(seed) for seed in range(CASES)]
    assert {r.proof for r in results} >= {Proof.PROVED, Proof.PROVED_UP_TO_BOUND, Proof.REFUTED}
    assert any(r.proof is Proof.REFUTED and r.calls > 1 for r in results)


def test_the_facts_bear_on_the_outcomes() -> None:
    """Some counterexamples need their facts: with others the sequence is refused or harmless."""
    needed = 0
    for seed in range(CASES // 2):
        policy, result = random_policy(seed, with_facts=True), outcome(seed, with_facts=True)
        if result.counterexample is None:
            continue
        sequence = result.counterexample.sequence
        assert set(sequence.facts) == {"who", "cap"}
        gate, (always,) = Gate(policy.domain), policy.domain.always
        others = [replay_sequence(gate, always, replace(sequence, facts=f)) for f in policy.facts]
        needed += None in others
    assert needed
