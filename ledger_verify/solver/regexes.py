"""The plain part of regular expressions as z3 ones."""

from __future__ import annotations

import re
from typing import Any

import z3

from ledger_verify.lang.regex import compiled
from ledger_verify.solver.texts import is_spellable, string_value

_SPACE = " \t\n\r\f\v"


def to_z3_regex(pattern: str) -> Any | None:
    """A z3 regular expression for the texts in which the pattern is found, or None.

    None for what has no direct counterpart (word boundaries, flags, characters that z3 lacks);
    callers then know nothing of the match, which is safe.
    """
    from re import _parser as parser

    source = compiled(pattern).pattern  # in which `$` and `\\s` mean what the language means
    try:
        parsed = parser.parse(source, re.ASCII)
    except (re.error, RecursionError, OverflowError):
        return None
    if parsed.state.flags & ~(re.ASCII | re.UNICODE):
        return None
    items = list(parsed)
    starts, ends = _anchors(items[:1], "AT_BEGINNING"), _anchors(items[-1:], "AT_END")
    body = _sequence(items[starts : len(items) - ends])
    if body is None:
        return None
    anything = [z3.Full(z3.ReSort(z3.StringSort()))]
    parts = [*([] if starts else anything), body, *([] if ends else anything)]
    return parts[0] if len(parts) == 1 else z3.Concat(*parts)


def _anchors(items: Any, name: str) -> bool:
    """Whether the items are one anchor at that side."""
    return any(str(op) == "AT" and str(where).startswith(name) for op, where in items)


def _character(code: int) -> Any | None:
    return z3.Re(string_value(chr(code))) if is_spellable(chr(code)) else None


def _sequence(items: Any) -> Any | None:
    parts = [_item(str(op), argument) for op, argument in items]
    if any(part is None for part in parts):
        return None
    if not parts:
        return z3.Re(z3.StringVal(""))
    return parts[0] if len(parts) == 1 else z3.Concat(*parts)


def _item(op: str, argument: Any) -> Any | None:
    match op:
        case "LITERAL":
            return _character(argument)
        case "NOT_LITERAL":
            return _negated(_character(argument))
        case "ANY":
            return _negated(_character(ord("\n")))
        case "IN":
            return _set(argument)
        case "BRANCH":
            options = [_sequence(option) for option in argument[1]]
            return None if None in options else z3.Union(*options)
        case "SUBPATTERN":
            _, added, removed, inner = argument
            return None if added or removed else _sequence(inner)
        case "MAX_REPEAT" | "MIN_REPEAT":
            low, high, inner = argument
            body = _sequence(inner)
            if body is None:
                return None
            if str(high) != "MAXREPEAT":
                return z3.Loop(body, low, high)
            return z3.Concat(z3.Loop(body, low, low), z3.Star(body)) if low else z3.Star(body)
    return None


def _negated(regex: Any | None) -> Any | None:
    if regex is None:
        return None
    one = z3.AllChar(z3.ReSort(z3.StringSort()))
    return z3.Intersect(one, z3.Complement(regex))


def _set(argument: Any) -> Any | None:
    options = []
    negative = False
    for op, value in argument:
        match str(op):
            case "NEGATE":
                negative = True
            case "LITERAL":
                options.append(_character(value))
            case "RANGE":
                low, high = map(chr, value)
                options.append(_range(low, high) if is_spellable(high) else None)
            case "CATEGORY":
                options.append(_category(str(value)))
            case _:
                return None
    if any(option is None for option in options):
        return None
    union = options[0] if len(options) == 1 else z3.Union(*options)
    return _negated(union) if negative else union


def _range(low: str, high: str) -> Any:
    return z3.Range(string_value(low), string_value(high))


def _category(name: str) -> Any | None:
    digit = _range("0", "9")
    space = z3.Union(*(_character(ord(c)) for c in _SPACE))
    word = z3.Union(digit, _range("a", "z"), _range("A", "Z"), _character(ord("_")))
    classes = {"DIGIT": digit, "SPACE": space, "WORD": word}
    kind = name.removeprefix("CATEGORY_")
    positive = classes.get(kind.removeprefix("NOT_"))
    if positive is None:
        return None
    return _negated(positive) if kind.startswith("NOT_") else positive
