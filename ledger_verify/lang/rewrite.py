"""Typed expressions made over: parts put in the place of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    MapOf,
    Observed,
    Or,
    Read,
    Records,
    Variable,
    parts,
)


def rewritten(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """The expression with `change` done to every part, the innermost first.

    Parts that `let`s share stay shared. `change` must keep the type.
    """
    known: dict[int, Expr] = {}

    def visit(part: Expr) -> Expr:
        if id(part) not in known:
            known[id(part)] = change(with_parts(part, tuple(map(visit, parts(part)))))
        return known[id(part)]

    return visit(expr)


def with_variables(expr: Expr, values: Mapping[str, Expr]) -> Expr:
    """The expression with values in the place of variables, which it must not bind itself.

    The variables of its macros must not occur in the values.
    """
    return rewritten(
        expr, lambda part: values.get(part.name, part) if isinstance(part, Variable) else part
    )


def with_own_variables(expr: Expr, mark: str) -> Expr:
    """The same expression, the variables of its macros marked, so that they meet no others."""

    def change(part: Expr) -> Expr:
        match part:
            case Variable(name=name) if "#" in name:
                return replace(part, name=name + mark)
            case Fold(variable=variable, index=index):
                own = replace(variable, name=variable.name + mark)
                at = index and replace(index, name=index.name + mark)
                return replace(part, variable=own, index=at)
        return part

    return rewritten(expr, change)


def conjuncts(expr: Expr) -> tuple[Expr, ...]:
    """The parts that must all be true for the expression to be."""
    if isinstance(expr, And):
        return tuple(part for operand in expr.operands for part in conjuncts(operand))
    return (expr,)


def with_parts(expr: Expr, below: tuple[Expr, ...]) -> Expr:
    """The expression with others in place of its `parts`."""
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
        case MapOf():
            return replace(expr, values=below)
        case Fold(condition=None):
            return replace(expr, range=below[0], body=below[1])
        case Fold():
            return replace(expr, range=below[0], condition=below[1], body=below[2])
