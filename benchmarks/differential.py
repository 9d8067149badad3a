"""Do the evaluators agree? Random predicates, ledgers and gaps through all of them.

    python benchmarks/differential.py [--cases N] [--seed FIRST] [--solver-every N]
                                      [--format text|json]

The solver takes a hundred times as long as the rest, so it judges only every tenth case unless
another number is given.
Exit status 0, or 1 if a case shows a disagreement; the seed that is named repeats it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the generator is among the tests

from ledger_verify.evaluate.kleene import truth
from tests.differential.agreement import CHECKS, disagreement
from tests.differential.solver_agreement import SOLVER_CHECKS, tally
from tests.differential.static_agreement import STATIC_CHECKS
from tests.differential.strategies import partial_ledger, random_case

MAX_SHOWN = 10


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="compare the evaluators on random cases")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--solver-every", type=int, default=10, metavar="N")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(arguments)
    answers: Counter[str] = Counter()
    by_solver = {**SOLVER_CHECKS, **STATIC_CHECKS}
    failures: Counter[str] = Counter(dict.fromkeys({**CHECKS, **by_solver}, 0))
    judged = 0
    shown: list[str] = []
    started = time.perf_counter()
    for seed in range(options.seed, options.seed + options.cases):
        case = random_case(Random(seed))
        answers[truth(case.expr, case.scope(partial_ledger(case))).name] += 1
        asked = options.solver_every > 0 and seed % options.solver_every == 0
        judged += asked
        for name, check in {**CHECKS, **(by_solver if asked else {})}.items():
            if check(case) is not None:
                failures[name] += 1
                if len(shown) < MAX_SHOWN:
                    shown.append(f"{name}: {disagreement(check, seed) or f'seed {seed}'}")
    summary = {
        "cases": options.cases,
        "judged by the solver": judged,
        "answers": dict(sorted(answers.items())),
        "solver": dict(sorted(tally.items())),
        "disagreements": dict(failures),
        "seconds": round(time.perf_counter() - started, 1),
    }
    if options.format == "json":
        print(json.dumps({**summary, "shown": shown}, indent=2))
    else:
        for key, value in summary.items():
            print(f"{key}: {value}")
        print("\n".join(shown))
    return 1 if any(failures.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
