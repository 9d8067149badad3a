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
    Observed,
    Or,
    Read,
    Records,
    Variable,
)


def rewritten(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """The expression with `change` done to every part, the innermost first.

    Parts that `let`s share stay shared. `change` must keep the type.
    """
    known: dict[int, Expr] = {}

    def visit(part: Expr) -> Expr:
        if id(part) not in known:
            known[id(part)] = change(_with_parts(part, visit))
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
            case Fold(variable=variable):
                return replace(part, variable=replace(variable, name=variable.name + mark))
        return part

    return rewritten(expr, change)


def conjuncts(expr: Expr) -> tuple[Expr, ...]:
    """The parts that must all be true for the expression to be."""
    if isinstance(expr, And):
        return tuple(part for operand in expr.operands for part in conjuncts(operand))
    return (expr,)


def _with_parts(expr: Expr, visit: Callable[[Expr], Expr]) -> Expr:
    def all_of(parts: tuple[Expr, ...]) -> tuple[Expr, ...]:
        return tuple(visit(part) for part in parts)

    match expr:
        case Constant() | Variable() | Records():
            return expr
        case Read(keys=keys):
            return replace(expr, keys=all_of(keys))
        case Observed(read=read):
            return replace(expr, read=replace(read, keys=all_of(read.keys)))
        case FieldOf(of=of) | HasField(of=of):
            return replace(expr, of=visit(of))
        case Apply(operands=operands) | And(operands=operands) | Or(operands=operands):
            return replace(expr, operands=all_of(operands))
        case Choose(condition=condition, then=then, otherwise=otherwise):
            return replace(
                expr, condition=visit(condition), then=visit(then), otherwise=visit(otherwise)
            )
        case ListOf(items=items):
            return replace(expr, items=all_of(items))
        case Fold(range=range_, condition=condition, body=body):
            return replace(
                expr,
                range=visit(range_),
                condition=None if condition is None else visit(condition),
                body=visit(body),
            )
