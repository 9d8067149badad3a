"""The plain part of regular expressions as z3 ones."""

from __future__ import annotations

import re
from typing import Any

import z3

_SPACE = " \t\n\r\f\v"


def to_z3_regex(pattern: str, *, search: bool = True) -> Any | None:
    """A z3 regular expression for the texts in which the pattern is found, or None.

    None for what has no direct counterpart (word boundaries, flags); callers then know nothing
    of the match, which is safe.
    """
    from re import _parser as parser  # type: ignore[attr-defined]

    try:
        parsed = parser.parse(pattern, re.ASCII)
    except (re.error, RecursionError, OverflowError):
        return None
    if parsed.state.flags & ~(re.ASCII | re.UNICODE):
        return None
    items = list(parsed)
    anything = z3.Full(z3.ReSort(z3.StringSort()))
    starts = bool(items) and str(items[0][0]) == "AT" and str(items[0][1]) in ("AT_BEGINNING", "AT_BEGINNING_STRING")
    ends = bool(items) and str(items[-1][0]) == "AT" and str(items[-1][1]) in ("AT_END", "AT_END_STRING")
    body = _sequence(items[1 if starts else 0 : len(items) - 1 if ends else len(items)])
    if body is None:
        return None
    parts = ([] if starts or not search else [anything]) + [body]
    parts += [] if ends or not search else [anything]
    return parts[0] if len(parts) == 1 else z3.Concat(*parts)


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
            return z3.Re(z3.StringVal(chr(argument)))
        case "NOT_LITERAL":
            return _negated(z3.Re(z3.StringVal(chr(argument))))
        case "ANY":
            return _negated(z3.Re(z3.StringVal("\n")))
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
            if str(high) == "MAXREPEAT":
                return z3.Star(body) if low == 0 else z3.Concat(z3.Loop(body, low, low), z3.Star(body))
            return z3.Loop(body, low, high)
    return None


def _negated(regex: Any) -> Any:
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
                options.append(z3.Re(z3.StringVal(chr(value))))
            case "RANGE":
                options.append(z3.Range(z3.StringVal(chr(value[0])), z3.StringVal(chr(value[1]))))
            case "CATEGORY":
                category = _category(str(value))
                if category is None:
                    return None
                options.append(category)
            case _:
                return None
    union = options[0] if len(options) == 1 else z3.Union(*options)
    return _negated(union) if negative else union


def _category(name: str) -> Any | None:
    digit = z3.Range(z3.StringVal("0"), z3.StringVal("9"))
    space = z3.Union(*(z3.Re(z3.StringVal(c)) for c in _SPACE))
    word = z3.Union(
        digit,
        z3.Range(z3.StringVal("a"), z3.StringVal("z")),
        z3.Range(z3.StringVal("A"), z3.StringVal("Z")),
        z3.Re(z3.StringVal("_")),
    )
    classes = {"DIGIT": digit, "SPACE": space, "WORD": word}
    kind = name.removeprefix("CATEGORY_")
    positive = classes.get(kind.removeprefix("NOT_"))
    if positive is None:
        return None
    return _negated(positive) if kind.startswith("NOT_") else positive
