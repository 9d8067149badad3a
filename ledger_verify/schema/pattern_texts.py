"""Texts that a regular expression may match, found by trying."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

_TRIES = 400
_ANY = "a0B1-_ .xyz"


def texts_of_pattern(pattern: str, length: int) -> Iterator[str]:
    """Texts made after the pattern, the shortest first, then longer ones of all its branches.

    They are the same in every run, grow up to about `length`, and need not all match: anchors and
    boundaries are not looked at.
    """
    from re import _parser as parser

    parsed = parser.parse(pattern, re.ASCII)
    for attempt in range(_TRIES):
        grown = 0 if attempt == 0 else 1 + attempt * max(2, length) // _TRIES
        yield _Maker(Random(attempt), attempt == 0, grown).text(parsed)


class _Maker:
    """Makes one text; `plain` takes the first choice everywhere."""

    def __init__(self, random: Random, plain: bool, grown: int) -> None:
        self._random, self._plain, self._grown = random, plain, grown

    def text(self, items: Any) -> str:
        """A text after the items of a parsed pattern."""
        return "".join(self._part(str(op), argument) for op, argument in items)

    def _part(self, op: str, argument: Any) -> str:
        match op:
            case "LITERAL":
                return chr(argument)
            case "NOT_LITERAL":
                return self._one_of(char for char in _ANY if char != chr(argument))
            case "ANY":
                return self._one_of(iter(_ANY))
            case "IN":
                return self._one_of(_members(argument))
            case "BRANCH":
                branches = argument[1]
                return self.text(branches[0] if self._plain else self._random.choice(branches))
            case "SUBPATTERN":
                return self.text(argument[3])
            case "MAX_REPEAT" | "MIN_REPEAT":
                low, high, body = argument
                count = self._random.randint(low, max(low, min(int(high), low + self._grown)))
                return "".join(self.text(body) for _ in range(count))
        return ""

    def _one_of(self, choices: Iterator[str]) -> str:
        listed = list(choices)
        if not listed:
            return ""
        return listed[0] if self._plain else self._random.choice(listed)


def _members(argument: Any) -> Iterator[str]:
    """Characters of a set: of a negated one, common characters that are not excluded."""
    negated = str(argument[0][0]) == "NEGATE"
    inside = re.compile("[" + "".join(_source(op, value) for op, value in argument) + "]", re.ASCII)
    common = f"{_ANY}bcABC23456789/,:@#+"
    yield from (char for char in common if inside.match(char))
    if not negated:
        for op, value in argument:
            if str(op) == "LITERAL":
                yield chr(value)
            elif str(op) == "RANGE":
                yield from (chr(value[0]), chr(value[1]))


def _source(op: Any, value: Any) -> str:
    match str(op):
        case "NEGATE":
            return "^"
        case "LITERAL":
            return re.escape(chr(value))
        case "RANGE":
            return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    category = str(value).removeprefix("CATEGORY_")
    letter = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}[category.removeprefix("NOT_")]
    return f"\\{letter.upper() if category.startswith('NOT_') else letter}"
