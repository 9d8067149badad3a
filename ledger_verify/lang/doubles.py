"""Where exact numbers part from the doubles of CEL, on expressions that are known at load.

On the data of a domain exact decimals are the documented departure. An expression that depends on
nothing but literals has one value in CEL; where exact numbers would give another one, it is refused
with the construct named, so that no predicate means one thing here and another in CEL.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from ledger_verify.lang.errors import BadConstant, Span, Unsupported
from ledger_verify.lang.literals import INT_MIN
from ledger_verify.lang.operations import decimal_text
from ledger_verify.lang.typed import (
    Apply,
    Choose,
    Constant,
    Expr,
    Fold,
    ListOf,
    MapOf,
    Observed,
    Read,
    Variable,
    distinct,
)
from ledger_verify.lang.types import IntType, ListType, MapType, NumberType, Type, strip_null

_ARITHMETIC: Mapping[str, tuple[str, Callable[..., float]]] = {
    "add_num": ("+", operator.add),
    "sub_num": ("-", operator.sub),
    "mul_num": ("*", operator.mul),
    "div_num": ("/", operator.truediv),
    "neg_num": ("-", operator.neg),
}
_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "in_list": lambda item, items: item in items,
}
_DURATIONS = frozenset(
    {"neg_duration", "add_duration", "sub_duration", "time_between", "duration_of_string"}
)
_MAX_NANOSECONDS_US = (2**63 - 1) // 1000
_EXACT_INTEGERS = 2**53
"""Every integer up to here is a double."""
_INT_EDGE = 2**63 - 1024
"""The greatest double below the bound of 64-bit integers; CEL takes no double beyond it."""


def closed(expr: Expr) -> bool:
    """Whether the value depends on nothing from outside; a macro's own variables do not count."""
    nodes = list(distinct(expr))
    bound = {name for node in nodes if isinstance(node, Fold) for name in node.variables}
    return not any(
        isinstance(node, Read | Observed) or (isinstance(node, Variable) and node not in bound)
        for node in nodes
    )


def check_literal(text: str, value: Fraction, span: Span) -> None:
    """Raise `Unsupported` for a number literal that no double stands for."""
    double = float(text)
    if value == 0 or (
        1e-307 < double < math.inf and value in (Fraction(double), Fraction(repr(double)))
    ):
        return
    raise Unsupported(
        f"the number `{text}`",
        span,
        hint="CEL rounds numbers of more than 15 digits, or beyond 1e308, to doubles",
    )


def check_node(expr: Expr) -> None:
    """Raise `Unsupported` where a closed expression that stays unfolded could part from CEL."""
    if not closed(expr):
        return
    if isinstance(expr, Fold):
        for node in distinct(expr):
            _check_unfolded(node)
    else:
        _check_unfolded(expr)


def _check_unfolded(expr: Expr) -> None:
    match expr:
        case ListOf(items=items):
            check_mixture("a list literal", tuple(item.type for item in items), expr.span)
        case MapOf(values=values):
            check_mixture("a map literal", tuple(value.type for value in values), expr.span)
        case Choose(then=then, otherwise=otherwise):
            check_mixture("a conditional", (then.type, otherwise.type), expr.span)
        case Apply(operation="concat_list", operands=operands):
            check_mixture("`+`", tuple(operand.type for operand in operands), expr.span)
        case Apply(operation=operation, operands=operands) if operation in _COMPARISONS:
            if _mixed(tuple(operand.type for operand in operands)) and not any(
                isinstance(operand, Constant) and _small(operand.value) for operand in operands
            ):
                raise Unsupported("a comparison of int and number over literals", expr.span)
        case Apply(operation=operation):
            if operation in _ARITHMETIC:
                sign = _ARITHMETIC[operation][0]
                raise Unsupported(f"`{sign}` on numbers in a macro over literals", expr.span)
            if operation in ("int_of_number", "string_of_number"):
                name = operation.partition("_")[0]
                raise Unsupported(f"`{name}` of a number in a macro over literals", expr.span)


def check_mixture(what: str, types: tuple[Type, ...], span: Span) -> None:
    """Raise `Unsupported` where literals mix int and number, which CEL keeps apart."""
    if _mixed(types):
        raise Unsupported(
            f"{what} that mixes int and number literals", span, hint="write `1.0` instead of `1`"
        )


def check_folded(
    operation: str, operands: tuple[Expr, ...], values: tuple[Any, ...], result: Any, span: Span
) -> None:
    """Raise where an operation on constants gives another result in CEL than `result`."""
    types = tuple(operand.type for operand in operands)
    if operation in _ARITHMETIC:
        sign, function = _ARITHMETIC[operation]
        check_mixture(f"`{sign}`", types, span)
        _check_arithmetic(function, values, result, span)
    elif operation == "concat_list":
        check_mixture("`+`", types, span)
    elif operation in _COMPARISONS and any(_holds_number(type_) for type_ in types):
        left, right = (_as_doubles(value) for value in values)
        if _COMPARISONS[operation](left, right) is not result:
            raise Unsupported("a comparison of numbers that doubles cannot tell apart", span)
    elif operation == "int_of_number" and abs(values[0]) > _INT_EDGE:
        raise BadConstant("the number is at or beyond the bounds of 64-bit integers", span)
    elif operation == "string_of_number":
        _check_string(values[0], span)
    elif operation == "mod_int" and values == (INT_MIN, -1):
        raise Unsupported("the remainder of the least integer by -1", span)
    elif operation in _DURATIONS and abs(result) > _MAX_NANOSECONDS_US:
        raise BadConstant("a constant duration longer than 292 years", span)


def _check_arithmetic(
    function: Callable[..., float], values: tuple[Any, ...], result: Any, span: Span
) -> None:
    try:
        double = function(*(float(value) for value in values))
    except OverflowError:
        double = math.inf
    if math.isfinite(double) and result in (Fraction(double), Fraction(repr(double))):
        return
    exact = decimal_text(result)
    shown = f"`{exact}`" if exact is not None and len(exact) < 30 else "another number"
    raise Unsupported(
        f"arithmetic on literals that doubles round (to `{double!r}`, exactly it is {shown})",
        span,
        hint="write the result as one literal, or start from a value that is not a literal",
    )


def _check_string(value: Any, span: Span) -> None:
    plain = value.denominator != 1 and Fraction(1, 10_000) <= abs(value) < 1_000_000
    if not plain or decimal_text(value) != repr(float(value)):
        raise Unsupported("`string` of a number literal that engines write differently", span)


def _mixed(types: tuple[Type, ...]) -> bool:
    kinds = {type(kind) for type_ in types for kind in _kinds(type_)}
    return {IntType, NumberType} <= kinds


def _kinds(type_: Type) -> tuple[Type, ...]:
    bare = strip_null(type_)
    match bare:
        case ListType(item=inner) | MapType(value=inner):
            return _kinds(inner)
    return (bare,)


def _holds_number(type_: Type) -> bool:
    return any(isinstance(kind, NumberType) for kind in _kinds(type_))


def _small(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(_small(item) for item in value)
    return isinstance(value, int | Fraction) and -_EXACT_INTEGERS < value < _EXACT_INTEGERS


def _as_doubles(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_as_doubles(item) for item in value)
    if isinstance(value, dict):
        return {key: _as_doubles(item) for key, item in value.items()}
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        return value
    return float(value)
