"""Equal parts of several expressions as one object, so that they share one encoding."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace

from ledger_verify.lang.typed import (
    And,
    Apply,
    Choose,
    Constant,
    Expr,
    FieldOf,
    Fold,
    HasField,
    ListOf,
    Observed,
    Or,
    Read,
    Records,
    Variable,
    parts,
)


def shared(exprs: Iterable[Expr]) -> tuple[Expr, ...]:
    """The expressions, in which parts that say the same are one object.

    The bounds of types are those of the first one met, so all must be over the same types.
    """
    visited: dict[int, tuple[Expr, Expr]] = {}
    kept: dict[Hashable, Expr] = {}

    def visit(expr: Expr) -> Expr:
        if id(expr) not in visited:
            below = tuple(map(visit, parts(expr)))
            place = (type(expr), _own(expr), tuple(map(id, below)))
            if place not in kept:
                kept[place] = _with_parts(expr, below)
            visited[id(expr)] = expr, kept[place]
        return visited[id(expr)][1]

    return tuple(map(visit, exprs))


def _own(expr: Expr) -> Hashable:
    """What an expression says besides its parts."""
    match expr:
        case Constant(value=value, type=type_):
            return (type(value), value, str(type_))
        case Variable(name=name, type=type_):
            return (name, str(type_))
        case Read(pattern=pattern) | Records(pattern=pattern):
            return pattern
        case Observed(read=read, field_name=name):
            return (read.pattern, name)
        case FieldOf(field_name=name) | HasField(field_name=name):
            return name
        case Apply(operation=operation, type=type_):
            return (operation, str(type_))
        case Fold(kind=kind, variable=variable, condition=condition, type=type_):
            return (kind, variable.name, condition is None, str(type_))
        case Choose(type=type_) | ListOf(type=type_):
            return str(type_)
        case And() | Or():
            return None


def _with_parts(expr: Expr, below: tuple[Expr, ...]) -> Expr:
    """The expression with other parts in place of its own."""
    match expr:
        case Constant() | Variable() | Records():
            return expr
        case Read():
            return replace(expr, keys=below)
        case Observed(read=read):
            return replace(expr, read=replace(read, keys=below))
        case FieldOf() | HasField():
            return replace(expr, of=below[0])
        case Apply() | And() | Or():
            return replace(expr, operands=below)
        case Choose():
            return replace(expr, condition=below[0], then=below[1], otherwise=below[2])
        case ListOf():
            return replace(expr, items=below)
        case Fold(condition=None):
            return replace(expr, range=below[0], body=below[1])
        case Fold():
            return replace(expr, range=below[0], condition=below[1], body=below[2])
