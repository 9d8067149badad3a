"""Of which records an expression speaks: the patterns that it reads, and the earlier calls."""

from __future__ import annotations

from ledger_verify.lang.typed import Expr, Observed, Read, Records, Variable, parts

Origins = frozenset[str] | None
"""Patterns of records, and names of histories; None where nobody knows."""

_LIMIT = 100_000
_found: dict[int, tuple[Expr, frozenset[str]]] = {}
"""By the id of the expression, which is kept so that the id stays its own."""


def patterns_read(expr: Expr) -> frozenset[str]:
    """What the expression reads itself, whatever its variables stand for."""
    if id(expr) not in _found:
        if len(_found) >= _LIMIT:
            _found.clear()
        own = frozenset(_own(expr))
        _found[id(expr)] = expr, own.union(*map(patterns_read, parts(expr)))
    return _found[id(expr)][1]


def _own(expr: Expr) -> tuple[str, ...]:
    match expr:
        case Read(pattern=pattern) | Records(pattern=pattern):
            return (pattern,)
        case Observed(read=read):
            return (read.pattern,)
        case Variable() if expr.is_history:
            return (expr.name,)
    return ()


def together(origins: list[Origins]) -> Origins:
    """All that these speak of."""
    found: set[str] = set()
    for one in origins:
        if one is None:
            return None
        found |= one
    return frozenset(found)
