"""Does everything hold that is said of a policy? Random policies of every kind, walked through.

    python benchmarks/worlds.py [--cases N] [--seed FIRST] [--walks N] [--trait NAME ...]
                                [--format text|json]

Each policy draws some of the traits that a domain may have, such as records under keys of their
own. What `prove`, and for a part of the policies `check`, `diff` and `generate`, say of it is held
against walks of the real gate: against every verdict, every allowed call, and all that counts as
known to the session.
Exit status 0, or 1 if something was said that is not so; the seed that is named repeats it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the policies are among the tests

from tests.worlds.lots import TRAITS
from tests.worlds.walk import WALKS, first_wrong

MAX_SHOWN = 10


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="walk through the gate against all that is said")
    parser.add_argument("--cases", type=int, default=200, help="how many policies")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--walks", type=int, default=WALKS, help="how many walks of each policy")
    parser.add_argument(
        "--trait", choices=TRAITS, action="append", default=[], help="one that all policies have"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(arguments)
    tally: Counter[str] = Counter()
    shown: list[str] = []
    started = time.perf_counter()
    for seed in range(options.seed, options.seed + options.cases):
        found = first_wrong(seed, tally, options.walks, {*options.trait})
        if found:
            shown.append(found)
    summary = {
        **dict(sorted(tally.items())),
        "wrong": len(shown),
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
