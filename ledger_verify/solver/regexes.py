"""Regular expressions as z3 ones."""

from __future__ import annotations

from typing import Any

import z3

from ledger_verify.lang.regex_parse import parse
from ledger_verify.lang.regex_tree import (
    LAST,
    Begin,
    Boundary,
    Characters,
    End,
    InOrder,
    Node,
    OneOf,
    Repeat,
)
from ledger_verify.solver.texts import MAX_CHARACTER, string_value


def to_z3_regex(pattern: str) -> Any | None:
    """A z3 regular expression for the texts in which the pattern is found, or None.

    None for what has no direct counterpart (word boundaries, anchors inside, characters that z3
    lacks); callers then know nothing of the match, which is safe.
    """
    tree = parse(pattern)
    return None if tree is None else tree_to_z3(tree)


def tree_to_z3(tree: Node) -> Any | None:
    """The same of a pattern that was parsed."""
    if isinstance(tree, OneOf):
        found = [tree_to_z3(option) for option in tree.options]
        return None if any(option is None for option in found) else _union(found)
    items = tree.items if isinstance(tree, InOrder) else (tree,)
    begins = bool(items) and isinstance(items[0], Begin)
    items = items[1:] if begins else items
    ends = bool(items) and isinstance(items[-1], End)
    items = items[:-1] if ends else items
    body = _node(InOrder(items))
    if body is None:
        return None
    anything = [z3.Full(z3.ReSort(z3.StringSort()))]
    parts = [*([] if begins else anything), body, *([] if ends else anything)]
    return parts[0] if len(parts) == 1 else z3.Concat(*parts)


def _node(node: Node) -> Any | None:
    match node:
        case Characters(ranges=ranges):
            if any(low > MAX_CHARACTER or MAX_CHARACTER < high < LAST for low, high in ranges):
                return None
            return _union([_range(low, high) for low, high in ranges])
        case InOrder(items=items):
            parts = [_node(item) for item in items]
            if any(part is None for part in parts):
                return None
            if not parts:
                return z3.Re(z3.StringVal(""))
            return parts[0] if len(parts) == 1 else z3.Concat(*parts)
        case OneOf(options=options):
            found = [_node(option) for option in options]
            return None if any(option is None for option in found) else _union(found)
        case Repeat(body=body, low=low, high=high):
            inner = _node(body)
            return None if inner is None else _repeated(inner, low, high)
        case Begin() | End() | Boundary():
            return None


def _repeated(body: Any, low: int, high: int | None) -> Any:
    if high == 0:
        return z3.Re(z3.StringVal(""))
    if high is not None:
        return z3.Loop(body, low, high)
    return z3.Concat(z3.Loop(body, low, low), z3.Star(body)) if low else z3.Star(body)


def _union(options: list[Any]) -> Any:
    if not options:
        return z3.Empty(z3.ReSort(z3.StringSort()))
    return options[0] if len(options) == 1 else z3.Union(*options)


def _range(low: int, high: int) -> Any:
    if low == high:
        return z3.Re(string_value(chr(low)))
    return z3.Range(string_value(chr(low)), string_value(chr(min(high, MAX_CHARACTER))))
