"""The form of an expression: what it says, without its places and the bounds of its types."""

from __future__ import annotations

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
)

Form = tuple[object, ...]
"""Compared with `==`. Equal forms over ledgers and calls of equal types mean the same."""


def form(expr: Expr) -> Form:
    """The form of an expression; `let`s and templates are gone, so what they wrote is equal."""
    known: dict[int, Form] = {}

    def many(exprs: tuple[Expr, ...]) -> tuple[Form, ...]:
        return tuple(map(one, exprs))

    def one(part: Expr) -> Form:
        if id(part) not in known:
            known[id(part)] = made(part)
        return known[id(part)]

    def made(part: Expr) -> Form:
        match part:
            case Constant(value=value, type=type_):
                return ("constant", type(value), value, str(type_))
            case Variable(name=name):
                return ("variable", name)
            case Read(pattern=pattern, keys=keys):
                return ("read", pattern, many(keys))
            case Records(pattern=pattern):
                return ("records", pattern)
            case Observed(read=read, field_name=name):
                return ("observed", one(read), name)
            case FieldOf(of=of, field_name=name):
                return ("field", one(of), name)
            case HasField(of=of, field_name=name):
                return ("has", one(of), name)
            case Apply(operation=operation, operands=operands):
                return (operation, many(operands))
            case And(operands=operands):
                return ("and", many(operands))
            case Or(operands=operands):
                return ("or", many(operands))
            case Choose(condition=condition, then=then, otherwise=otherwise):
                return ("choose", many((condition, then, otherwise)))
            case ListOf(items=items):
                return ("list", many(items))
            case Fold(kind=kind, variable=variable, range=range_, condition=condition, body=body):
                guard = None if condition is None else one(condition)
                return (kind, variable.name, one(range_), guard, one(body))

    return one(expr)
