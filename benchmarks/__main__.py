"""All figures of the documentation that need no files: `python -m benchmarks`."""

from __future__ import annotations

import sys

from benchmarks import differential, gate_speed, honesty, large_policy


def main() -> int:
    print("one decision:")
    gate_speed.main([])
    print("\nthe checks, on policies of growing size:")
    large_policy.main([])
    print("\nthe evaluators, compared on random cases:")
    status = differential.main(["--cases", "2000"])
    print("\neach question left open in turn, and walks against what is proved:")
    return max(status, honesty.main(["--policies", "3"]))


if __name__ == "__main__":
    sys.exit(main())
