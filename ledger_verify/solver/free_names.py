"""The names that an expression takes from outside of it."""

from __future__ import annotations

from ledger_verify.lang.typed import Expr, Fold, Variable, parts

_LIMIT = 100_000
_found: dict[int, tuple[Expr, tuple[str, ...]]] = {}
"""By the id of the expression, which is kept so that the id stays its own. Equal nodes are not
looked up by their value, since hashing a deep one costs as much as a visit."""


def free_names(expr: Expr) -> tuple[str, ...]:
    """The names of variables that the expression reads and does not bind itself."""
    if id(expr) not in _found:
        if len(_found) >= _LIMIT:
            _found.clear()
        _found[id(expr)] = expr, tuple(sorted(_names(expr)))
    return _found[id(expr)][1]


def _names(expr: Expr) -> set[str]:
    match expr:
        case Variable(name=name):
            return {name}
        case Fold(variables=variables, range=range_, condition=condition, body=body):
            inside = {*free_names(body), *(free_names(condition) if condition is not None else ())}
            return {*free_names(range_), *(inside - {own.name for own in variables})}
    return {name for part in parts(expr) for name in free_names(part)}
