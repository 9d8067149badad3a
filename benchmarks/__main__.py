"""All figures of the documentation that need no files: `python -m benchmarks`."""

from __future__ import annotations

import sys

from benchmarks import (
    differential,
    gate_speed,
    hostile_calls,
    hostile_patterns,
    large_policy,
    walks,
)


def main() -> int:
    print("one decision:")
    gate_speed.main([])
    print("\nhostile calls, and hostile texts against patterns:")
    hostile_calls.main([])
    hostile_patterns.main([])
    print("\nthe checks, on policies of growing size:")
    large_policy.main([])
    print("\nthe evaluators, compared on random cases:")
    agreed = differential.main(["--cases", "2000"])
    print("\nthe gate, walked through against what is proved:")
    return max(agreed, walks.main(["--walks", "600"]))


if __name__ == "__main__":
    sys.exit(main())
