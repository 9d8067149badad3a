"""Terms and Boolean connectives, built fast, with constants folded.

What is known never reaches the solver. z3's Python operators check and convert their operands at
length; the operands here are known to fit, so its C interface is called directly, which is about
ten times as fast. That decides the speed of refusals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import z3
from z3 import z3core

Bool: TypeAlias = bool | Any
"""A condition: a plain bool where it is known, else a z3 Boolean (z3 has no type stubs)."""
Term: TypeAlias = Any
"""A z3 expression of any sort."""


def negate(operand: Bool) -> Bool:
    """Not."""
    if isinstance(operand, bool):
        return not operand
    context = operand.ctx
    return z3.BoolRef(z3core.Z3_mk_not(context.ref(), operand.as_ast()), context)


def conjoin(operands: Iterable[Bool]) -> Bool:
    """And; true for none."""
    kept: list[Any] = []
    for operand in operands:
        if operand is False:
            return False
        if operand is not True:
            kept.append(operand)
    if not kept:
        return True
    return kept[0] if len(kept) == 1 else _nary(z3core.Z3_mk_and, kept)


def disjoin(operands: Iterable[Bool]) -> Bool:
    """Or; false for none."""
    kept: list[Any] = []
    for operand in operands:
        if operand is True:
            return True
        if operand is not False:
            kept.append(operand)
    if not kept:
        return False
    return kept[0] if len(kept) == 1 else _nary(z3core.Z3_mk_or, kept)


def _nary(make: Any, operands: Sequence[Any]) -> z3.BoolRef:
    context = operands[0].ctx
    return z3.BoolRef(make(context.ref(), len(operands), _array(operands)), context)


def _array(operands: Sequence[Any]) -> Any:
    array = (z3.Ast * len(operands))()
    for i, operand in enumerate(operands):
        array[i] = operand.as_ast()
    return array


def implies(condition: Bool, consequence: Bool) -> Bool:
    """If the condition holds, so does the consequence."""
    return disjoin((negate(condition), consequence))


def is_number(term: Term) -> bool:
    """Whether the term is an integer or a real."""
    return isinstance(term, z3.ArithRef)


def identical(left: Term, right: Term) -> bool:
    """Whether both are the same term; z3 makes no term twice while it lives."""
    return bool(left.ast.value == right.ast.value)


def same(left: Term, right: Term) -> Bool:
    """Equality of two terms of one sort."""
    if identical(left, right):
        return True
    context = left.ctx
    return z3.BoolRef(z3core.Z3_mk_eq(context.ref(), left.as_ast(), right.as_ast()), context)


def choose(condition: Bool, then: Term, otherwise: Term) -> Term:
    """If-then-else over terms, or over folded Booleans."""
    if isinstance(condition, bool):
        return then if condition else otherwise
    if isinstance(then, bool) and isinstance(otherwise, bool):
        if then == otherwise:
            return then
        return condition if then else negate(condition)
    if isinstance(then, bool) or isinstance(otherwise, bool):
        return disjoin((conjoin((condition, then)), conjoin((negate(condition), otherwise))))
    if identical(then, otherwise):
        return then
    context = condition.ctx
    ast = z3core.Z3_mk_ite(context.ref(), condition.as_ast(), then.as_ast(), otherwise.as_ast())
    return reference(ast, then)


def reference(ast: Any, like: Term) -> Term:
    """A raw term of the same sort as `like`, with the operators of its sort."""
    for kind in (z3.BoolRef, z3.ArithRef, z3.SeqRef):
        if isinstance(like, kind):
            return kind(ast, like.ctx)
    return z3.ExprRef(ast, like.ctx)


def application(function: Any, arguments: Sequence[Term], kind: type) -> Term:
    """The function of the arguments; `kind` is the class of terms of its range."""
    context = function.ctx
    ast = z3core.Z3_mk_app(context.ref(), function.ast, len(arguments), _array(arguments))
    return kind(ast, context)


def as_term(value: Bool) -> z3.BoolRef:
    """A folded Boolean as a z3 term."""
    return z3.BoolVal(value) if isinstance(value, bool) else value
