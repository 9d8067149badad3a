"""Does the gate keep what `prove` says? Random policies, and walks of the real gate over them.

    python benchmarks/walks.py [--walks N] [--seed FIRST] [--format text|json]

Each policy has writes that touch records in part, assumptions, effects, and claims about one call
and about sequences of calls. Where something is PROVED, agents read, propose and are answered in a
simulated environment, and every allowed call and every state is held against the claims.
Exit status 0, or 1 if a PROVED claim was broken; the seed that is named repeats it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the policies are among the tests

from tests.differential.walks import WALKS, broken_proof

MAX_SHOWN = 10


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="walk through the gate against PROVED claims")
    parser.add_argument("--walks", type=int, default=1_200)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(arguments)
    tally: Counter[str] = Counter()
    shown: list[str] = []
    started, seed = time.perf_counter(), options.seed
    while tally["walks"] < options.walks:
        tally["policies"] += 1
        found = broken_proof(seed, tally, min(WALKS, options.walks - tally["walks"]))
        if found:
            tally["broken"] += 1
            shown.append(found)
        seed += 1
    summary = {
        "seeds": f"{options.seed} to {seed - 1}",
        **dict(sorted(tally.items())),
        "broken": tally["broken"],
        "seconds": round(time.perf_counter() - started, 1),
    }
    if options.format == "json":
        print(json.dumps({**summary, "shown": shown[:MAX_SHOWN]}, indent=2))
    else:
        for key, value in summary.items():
            print(f"{key}: {value}")
        print("\n\n".join(shown[:MAX_SHOWN]))
    return 1 if shown else 0


if __name__ == "__main__":
    sys.exit(main())
