"""Regular expressions that could take exponential time, such as `(a+)+$`.

RE2 takes linear time on all of them; Python's engine tries every way to share a text between a
repeat and the repeat around it. So a repeat whose body can end in a repeat of characters that the
body can also begin with is refused; there is always a way to write it without.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_ALPHABET = frozenset(range(256))  # characters beyond it count as the last one
_EVERYTHING_BEFORE = frozenset({"AT", "GROUPREF"})


def may_explode(pattern: str) -> bool:
    """Whether an unbounded repeat shares characters with a repeat at the end of its own body."""
    from re import _parser as parser

    return any(_is_ambiguous(body) for body in _loops(list(parser.parse(pattern, re.ASCII))))


def _loops(items: list[Any]) -> Iterator[list[Any]]:
    """The bodies of the unbounded repeats."""
    for op, argument in items:
        for body in _bodies(str(op), argument):
            if str(op).endswith("REPEAT") and str(argument[1]) == "MAXREPEAT":
                yield body
            yield from _loops(body)


def _bodies(op: str, argument: Any) -> list[list[Any]]:
    match op:
        case "BRANCH":
            return [list(option) for option in argument[1]]
        case "SUBPATTERN":
            return [list(argument[3])]
        case "MAX_REPEAT" | "MIN_REPEAT":
            return [list(argument[2])]
    return []


def _is_ambiguous(body: list[Any]) -> bool:
    return bool(_first(body) & _last_loops(body))


def _first(items: list[Any]) -> frozenset[int]:
    """The characters with which a match can begin."""
    found: frozenset[int] = frozenset()
    for op, argument in items:
        found |= _characters(str(op), argument)
        if not _is_nullable(str(op), argument):
            break
    return found


def _last_loops(items: list[Any]) -> frozenset[int]:
    """The characters of unbounded repeats that can stand at the end of a match."""
    found: frozenset[int] = frozenset()
    for op, argument in reversed(items):
        name = str(op)
        if name.endswith("REPEAT") and str(argument[1]) == "MAXREPEAT":
            found |= _first(list(argument[2]))
        for body in _bodies(name, argument):
            found |= _last_loops(body)
        if not _is_nullable(name, argument):
            break
    return found


def _is_nullable(op: str, argument: Any) -> bool:
    if op in ("MAX_REPEAT", "MIN_REPEAT") and argument[0] == 0:
        return True
    bodies = _bodies(op, argument)
    if not bodies:
        return op in _EVERYTHING_BEFORE
    return any(all(_is_nullable(str(o), a) for o, a in body) for body in bodies)


def _characters(op: str, argument: Any) -> frozenset[int]:
    match op:
        case "LITERAL":
            return frozenset({min(argument, 255)})
        case "NOT_LITERAL":
            return _ALPHABET - {argument} if argument < 255 else _ALPHABET
        case "ANY":
            return _ALPHABET - {10}
        case "IN":
            return _class(argument)
    return frozenset().union(*map(_first, _bodies(op, argument)))


def _class(members: Any) -> frozenset[int]:
    found: frozenset[int] = frozenset()
    negated = False
    for op, argument in members:
        match str(op):
            case "NEGATE":
                negated = True
            case "LITERAL":
                found |= {min(argument, 255)}
            case "RANGE":
                low, high = argument
                found |= frozenset(range(min(low, 255), min(high, 255) + 1))
            case _:
                found |= _category(str(argument))
    return (_ALPHABET - found) | {255} if negated else found


def _category(name: str) -> frozenset[int]:
    kind = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}[name.rsplit("_", 1)[-1]]
    found = frozenset(c for c in _ALPHABET if re.match(kind, chr(c), re.ASCII))
    return (_ALPHABET - found) if "_NOT_" in name else found
