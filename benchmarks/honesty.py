"""Does an answer that is not known stay so? Each question to the solver is left open in turn.

    python benchmarks/honesty.py [--policies N] [--walks N] [--seed FIRST]

For random policies, every question that `check`, `prove`, `diff` and `generate` ask is answered
with "unknown" once: what is said then must be the same, or say that something was left open. Then
walks of the real gate, with reads, writes and records that are stale in part, are tried against
every claim over sequences that is proved.
Exit status 0, or 1 if an answer was wrong; the seed that is named repeats it.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the generators are among the tests

import pytest

from ledger_verify.proofs.invariants import Proof
from tests.checks import test_unknown_answers as unknown
from tests.differential import test_walks as walks

ASKED: dict[str, Callable[[int], tuple[Callable[[], Any], Callable[[Any, Any], str]]]] = {
    "check": unknown.of_check,
    "prove": unknown.of_sequences,
    "diff": unknown.of_diff,
    "generate": unknown.of_generate,
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="leave each question open in turn")
    parser.add_argument("--policies", type=int, default=20)
    parser.add_argument("--walks", type=int, default=200, help="for each claim that is proved")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    options = parser.parse_args(arguments)
    seeds = range(options.seed, options.seed + options.policies)
    logging.disable(logging.WARNING)  # the gate tells of every question that is left open
    started, wrong = time.perf_counter(), 0
    with pytest.MonkeyPatch.context() as patch:
        oracle = unknown.Oracle(patch)
        for name in ASKED:
            found: Counter[str] = Counter()
            for seed in seeds:
                for number, verdict in _forced(oracle, name, seed):
                    found["wrong" if verdict not in ("same", "said") else verdict] += 1
                    if verdict not in ("same", "said"):
                        print(f"{name}, seed {seed}, question {number}: {verdict}")
            wrong += found["wrong"]
            print(
                f"{name}: {found.total()} questions left open, {found['said']} times it was said, "
                f"{found['same']} times it did not matter, {found['wrong']} wrong"
            )
    proofs: Counter[Proof] = Counter()
    walked = broken = 0
    for seed in seeds:
        domain, result = walks.outcome(seed)
        proofs[result.proof] += 1
        if result.proof not in (Proof.PROVED, Proof.PROVED_UP_TO_BOUND):
            continue
        calls = 6 if result.proof is Proof.PROVED else result.calls
        random = Random(seed)
        for _ in range(options.walks):
            walked += 1
            trace = walks.walk(domain, random, calls)
            if trace is not None:
                broken += 1
                print(f"walk, seed {seed}: {trace}")
    told = ", ".join(f"{count} {proof.value}" for proof, count in sorted_by_name(proofs))
    print(
        f"claims over sequences: {told}; {walked} walks against what is proved, {broken} broken it"
    )
    print(f"{time.perf_counter() - started:.0f} s")
    return 1 if wrong or broken else 0


def _forced(oracle: unknown.Oracle, name: str, seed: int) -> Iterator[tuple[int, str]]:
    ask, judge = ASKED[name](seed)
    for number, whole, other in oracle.one_by_one(ask, tries=None):
        yield number, judge(whole, other)


def sorted_by_name(proofs: Counter[Proof]) -> list[tuple[Proof, int]]:
    return sorted(proofs.items(), key=lambda item: item[0].name)


if __name__ == "__main__":
    sys.exit(main())
