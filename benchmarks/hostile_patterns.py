"""What can a hostile text do to a regular expression? Patterns that take for ever in other engines.

    python benchmarks/hostile_patterns.py [--length 10000] [--limit-ms 50]

Each of the 200 patterns is of a kind that was published as a cause of denial of service: repeats in
repeats, options that overlap, repeats that share characters, long counted repeats. A rule with it
judges a call whose argument is a text made for it. The peer is Python's own engine on a text of
only 28 characters, given one second. Exit status 1 if a decision takes longer than the limit.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import sys
import time
from itertools import product

from ledger_verify import Domain, Gate

_BODIES = ("a", "[a-z]", "\\w", "(?:a|aa)", "(?:a|a?)", "a|b", "[^b]", ".", "\\d|\\w", "(?:ab?)")
_FORMS = (
    "^({0}+)+$", "^({0}*)*$", "^({0}+)*$", "^({0}|{0})+$", "({0}+)+b", "^({0}+){{2,}}$",
    "^(({0})+)+!$", "^({0}+\\s?)*$", "^({0}*)*{0}*x$", "({0}+.)*=", "^(?:{0}+,?)+;$",
    "{0}+{0}+{0}+{0}+x", "^(?i:({0}+)+)$", "^({0}?){{30}}{0}{{30}}x$", "(?:{0}+)+\\b#",
    "^(({0}+)+)+$", "^({0}{{1,50}}){{1,20}}x$", ".*{0}.*{0}.*{0}x", "^(?:({0}+)|b)+\\d$",
    "([{{(]?{0}+[)}}]?)+@",
)  # fmt: skip


def patterns() -> list[str]:
    """200 patterns: every form around every body."""
    return [form.format(body) for form, body in product(_FORMS, _BODIES)]


def domain(pattern: str) -> Domain:
    """A tool whose argument must match the pattern."""
    rule = {"id": "form", "tools": ["send"], "require": f"args.text.matches(r'''{pattern}''')"}
    tools = {"send": {"kind": "write", "arguments": {"text": "string"}}}
    return Domain.define("mail", ledger={}, tools=tools, rules=[rule])


def decision_ms(pattern: str, text: str) -> float:
    """How long the gate takes for one call."""
    session = Gate(domain(pattern)).session(clock_us=0)
    start = time.perf_counter()
    session.check("send", {"text": text})
    return (time.perf_counter() - start) * 1_000


def _search(pattern: str, text: str) -> None:
    re.search(pattern, text)


def hangs_in_python(pattern: str) -> bool:
    """Whether Python's engine takes more than a second for 28 characters."""
    worker = multiprocessing.Process(target=_search, args=(pattern, "a" * 28 + "!"))
    worker.start()
    worker.join(1.0)
    hangs = worker.is_alive()
    if hangs:
        worker.kill()
    worker.join()
    return hangs


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--length", type=int, default=10_000)
    parser.add_argument("--limit-ms", type=float, default=50)
    parser.add_argument("--no-peer", action="store_true")
    options = parser.parse_args(arguments)
    chosen = patterns()
    text = "a" * options.length + "!"
    decision_ms("a", "b")  # the first refusal loads the interpreter
    times = sorted(decision_ms(pattern, text) for pattern in chosen)
    print(f"{len(chosen)} patterns, a text of {len(text):,} characters")
    print(f"median {times[len(times) // 2]:.2f} ms, worst {times[-1]:.2f} ms a decision")
    if not options.no_peer:
        hanging = sum(map(hangs_in_python, chosen))
        print(f"Python's `re`, 29 characters: {hanging} of them take more than a second")
    return int(times[-1] > options.limit_ms)


if __name__ == "__main__":
    sys.exit(main())
