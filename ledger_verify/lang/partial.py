"""Which expressions can lack a value although all that they read was observed."""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.lang.typed import (
    And,
    Apply,
    Choose,
    Constant,
    Expr,
    FieldOf,
    Fold,
    FoldKind,
    HasField,
    ListOf,
    Or,
    Read,
    distinct,
)
from ledger_verify.lang.types import NULL, ListType, NullableType, RecordType, Type, strip_null

TOTAL = frozenset(
    {
        "not", "eq", "ne", "lt", "le", "gt", "ge", "neg_num", "add_num", "sub_num", "mul_num",
        "time_between", "concat_string", "concat_list", "size", "in_list", "in_map", "keys",
        "starts_with", "ends_with", "contains", "matches", "int_of_time", "string_of_int",
        "string_of_bool", "string_of_time", "string_of_duration", "duration_part", "sum_num",
        "distinct",
    }
)  # fmt: skip
"""Operations that have a value on all operands other than null."""

BOUNDED = frozenset(
    {
        "neg_int", "add_int", "sub_int", "mul_int", "neg_duration", "add_duration", "sub_duration",
        "add_time", "sub_time", "time_of_int", "time_part", "sum_int", "sum_duration",
        "int_of_number", "string_of_number",
    }
)  # fmt: skip
"""Operations that lack a value only where the result is out of bounds: beyond 64 bits, beyond the
calendar, or a decimal without end."""

PARTIAL = frozenset(
    {
        "div_int", "mod_int", "div_num", "item_at", "value_at", "min", "max", "int_of_string",
        "time_of_string", "duration_of_string",
    }
)  # fmt: skip
"""Operations that lack a value on ordinary operands."""


def may_lack_value(expr: Expr) -> bool:
    """Whether the expression may be an ERROR in some case that fits the schema.

    False only if it never is: what the schema says of fields, lists and null is taken into account,
    guards such as `has(...)` are not.
    """
    return any(_is_absent(part) or _is_out_of_bounds(part) for part in distinct(expr))


def absent_parts(expr: Expr) -> tuple[Expr, ...]:
    """What the value depends on and may be absent: one of these parts lacks its value iff the
    expression does, results out of bounds apart.
    """
    return tuple(dict.fromkeys(_absent_parts(expr)))


def _absent_parts(expr: Expr) -> Iterator[Expr]:
    if not any(map(_is_absent, distinct(expr))):
        return
    match expr:
        case Apply(operands=operands) if not _is_absent(expr):
            for operand in operands:
                yield from _absent_parts(operand)
        case Choose(condition=condition, then=then, otherwise=otherwise) if not _is_absent(expr):
            yield from _absent_parts(condition)
            nothing = Constant(None, NULL)
            for part in _absent_parts(then):
                type_ = NullableType(strip_null(part.type))
                yield Choose(condition, part, nothing, type_, part.span)
            for part in _absent_parts(otherwise):
                type_ = NullableType(strip_null(part.type))
                yield Choose(condition, nothing, part, type_, part.span)
        case _:
            yield expr


def _is_absent(expr: Expr) -> bool:
    """Whether the node itself may lack a value, its parts having one within bounds."""
    match expr:
        case Read(keys=keys):
            return any(_nullable(key.type) for key in keys)
        case FieldOf(of=of, field_name=name):
            record = strip_null(of.type)
            assert isinstance(record, RecordType)
            return _nullable(of.type) or record.by_name[name].optional
        case HasField(of=of):
            return _nullable(of.type)
        case And(operands=operands) | Or(operands=operands):
            return any(_nullable(operand.type) for operand in operands)
        case Choose(condition=condition):
            return _nullable(condition.type)
        case Fold(kind=kind, range=range_, body=body, condition=condition):
            conditions = [] if condition is None else [condition]
            if kind is not FoldKind.MAP:
                conditions.append(body)
            return any(_nullable(part.type) for part in (range_, *conditions))
        case Apply():
            return _takes_null(expr) or _fails(expr)
    return False


def _is_out_of_bounds(expr: Expr) -> bool:
    if not isinstance(expr, Apply):
        return False
    return expr.operation in BOUNDED or (expr.operation == "div_int" and _divides_by(expr, -1))


def _takes_null(expr: Apply) -> bool:
    """Whether null may be an operand of an operation that has no value on it."""
    match expr.operation:
        case "eq" | "ne":
            return False
        case "in_list":
            return _nullable(expr.operands[1].type)
        case "sum_int" | "sum_num" | "sum_duration" | "min" | "max":
            (values,) = expr.operands
            type_ = strip_null(values.type)
            assert isinstance(type_, ListType)
            return _nullable(values.type) or _nullable(type_.item)
    return any(_nullable(operand.type) for operand in expr.operands)


def _fails(expr: Apply) -> bool:
    if expr.operation not in PARTIAL:
        return False
    match expr.operation, expr.operands:
        case (("div_int" | "mod_int" | "div_num"), (_, Constant(value=divisor))):
            return bool(divisor == 0)
        case (("min" | "max"), (values,)):
            return _least_size(values) < 1
        case "item_at", (values, Constant(value=int() as index)):
            return not 0 <= index < _least_size(values)
    return True


def _least_size(values: Expr) -> int:
    match values:
        case Constant(value=tuple() as items) | ListOf(items=items):
            return len(items)
    type_ = strip_null(values.type)
    return type_.min_items if isinstance(type_, ListType) else 0


def _divides_by(expr: Apply, number: int) -> bool:
    divisor = expr.operands[1]
    return not isinstance(divisor, Constant) or divisor.value == number


def _nullable(type_: Type) -> bool:
    return isinstance(type_, NullableType) or type_ == NULL
