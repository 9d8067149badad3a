"""All figures of the documentation that need no files: `python -m benchmarks`.

Exit status 1 if a benchmark misses the limit that it states, or finds a disagreement.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from benchmarks import (
    differential,
    gate_speed,
    hostile_calls,
    hostile_patterns,
    large_policy,
    walks,
    worlds,
)

BENCHMARKS: tuple[tuple[str, Callable[[list[str]], int | None], list[str]], ...] = (
    ("one decision", gate_speed.main, []),
    ("hostile calls", hostile_calls.main, []),
    ("hostile texts against patterns", hostile_patterns.main, []),
    ("the checks, on policies of growing size", large_policy.main, []),
    ("the evaluators, compared on random cases", differential.main, ["--cases", "2000"]),
    ("the gate, walked through against what is proved", walks.main, ["--walks", "600"]),
    ("the gate, walked through against all that is said", worlds.main, ["--cases", "60"]),
)


def main() -> int:
    missed = []
    for title, benchmark, arguments in BENCHMARKS:
        print(f"{title}:")
        if benchmark(arguments):
            missed.append(title)
        print()
    print(f"missed: {', '.join(missed)}" if missed else "all within the limits that they state")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
