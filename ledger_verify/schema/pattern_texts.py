"""Texts that a regular expression may match, found by trying."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from ledger_verify.lang.regex_parse import parse
from ledger_verify.lang.regex_tree import (
    Begin,
    Boundary,
    Characters,
    End,
    InOrder,
    Node,
    OneOf,
    Ranges,
    Repeat,
)

_TRIES = 400
_COMMON = "a0B1-_ .xyzbcABC23456789/,:@#+"
_MOST_RANGES = 40


def texts_of_pattern(pattern: str, length: int) -> Iterator[str]:
    """Texts made after the pattern, the shortest first, then longer ones of all its branches.

    They are the same in every run, grow up to about `length`, and need not all match: anchors and
    boundaries are not looked at. None for a pattern that no tree can hold.
    """
    tree = parse(pattern)
    if tree is None:
        return
    for attempt in range(_TRIES):
        grown = 0 if attempt == 0 else 1 + attempt * max(2, length) // _TRIES
        yield _Maker(Random(attempt), attempt == 0, grown).text(tree)


class _Maker:
    """Makes one text; `plain` takes the first choice everywhere."""

    def __init__(self, random: Random, plain: bool, grown: int) -> None:
        self._random, self._plain, self._grown = random, plain, grown

    def text(self, node: Node) -> str:
        """A text after the tree."""
        match node:
            case Characters(ranges=ranges):
                choices = _choices(ranges)
                if not choices:
                    return ""
                return choices[0] if self._plain else self._random.choice(choices)
            case InOrder(items=items):
                return "".join(map(self.text, items))
            case OneOf(options=options):
                return self.text(options[0] if self._plain else self._random.choice(options))
            case Repeat(body=body, low=low, high=high):
                most = low + self._grown if high is None else min(high, low + self._grown)
                return "".join(self.text(body) for _ in range(self._random.randint(low, most)))
            case Begin() | End() | Boundary():
                return ""


def _choices(ranges: Ranges) -> list[str]:
    """Common characters of the ranges, then their ends."""
    common = [c for c in _COMMON if any(low <= ord(c) <= high for low, high in ranges)]
    ends = [chr(code) for both in ranges[:_MOST_RANGES] for code in both]
    usual = [char for char in ends if char.isprintable() and char not in common]
    return common + usual or [char for char in ends if not "\ud800" <= char <= "\udfff"]
