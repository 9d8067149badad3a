"""The form of an expression: what it says, without its places and the bounds of its types."""

from __future__ import annotations

from collections.abc import Hashable

from ledger_verify.lang.typed import (
    Apply,
    Constant,
    Expr,
    FieldOf,
    Fold,
    HasField,
    MapOf,
    Observed,
    Read,
    Records,
    Variable,
    parts,
)

Form = tuple[object, ...]
"""Compared with `==`. Equal forms over ledgers and calls of equal types mean the same."""


def form(expr: Expr) -> Form:
    """The form of an expression; `let`s and templates are gone, so what they wrote is equal."""
    known: dict[int, Form] = {}

    def visit(part: Expr) -> Form:
        if id(part) not in known:
            below = tuple(map(visit, parts(part)))
            known[id(part)] = type(part).__name__, said_besides_parts(part), below
        return known[id(part)]

    return visit(expr)


def said_besides_parts(expr: Expr) -> Hashable:
    """What an expression says besides its parts and types."""
    match expr:
        case Constant(value=value, type=type_):
            return (type(value), value, str(type_))
        case Variable(name=name) | FieldOf(field_name=name) | HasField(field_name=name):
            return name
        case Read(pattern=pattern) | Records(pattern=pattern):
            return pattern
        case Observed(read=read, field_name=name):
            return (read.pattern, name)
        case Apply(operation=operation):
            return operation
        case MapOf(keys=keys):
            return keys
        case Fold(kind=kind, variables=variables, condition=condition):
            return (kind, *(variable.name for variable in variables), condition is None)
    return None
