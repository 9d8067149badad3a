"""Boolean connectives that fold constants, so that what is known never reaches the solver."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import z3

Bool = bool | z3.BoolRef
Term = Any
"""A z3 expression of any sort; z3 has no type stubs."""


def negate(operand: Bool) -> Bool:
    """Not."""
    return not operand if isinstance(operand, bool) else z3.Not(operand)


def conjoin(operands: Iterable[Bool]) -> Bool:
    """And; true for none."""
    kept = []
    for operand in operands:
        if operand is False:
            return False
        if operand is not True:
            kept.append(operand)
    if not kept:
        return True
    return kept[0] if len(kept) == 1 else z3.And(kept)


def disjoin(operands: Iterable[Bool]) -> Bool:
    """Or; false for none."""
    kept = []
    for operand in operands:
        if operand is True:
            return True
        if operand is not False:
            kept.append(operand)
    if not kept:
        return False
    return kept[0] if len(kept) == 1 else z3.Or(kept)


def implies(condition: Bool, consequence: Bool) -> Bool:
    """If the condition holds, so does the consequence."""
    return disjoin((negate(condition), consequence))


def choose(condition: Bool, then: Term, otherwise: Term) -> Term:
    """If-then-else over terms, or over folded Booleans."""
    if isinstance(condition, bool):
        return then if condition else otherwise
    if isinstance(then, bool) and isinstance(otherwise, bool):
        if then == otherwise:
            return then
        return condition if then else z3.Not(condition)
    if isinstance(then, bool) or isinstance(otherwise, bool):
        return disjoin((conjoin((condition, then)), conjoin((negate(condition), otherwise))))
    if then is otherwise or (z3.is_expr(then) and z3.is_expr(otherwise) and then.eq(otherwise)):
        return then
    return z3.If(condition, then, otherwise)


def as_term(value: Bool) -> z3.BoolRef:
    """A folded Boolean as a z3 term."""
    return z3.BoolVal(value) if isinstance(value, bool) else value
