"""Which expressions can lack a value although all that they read was observed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
    MapOf,
    Observed,
    Or,
    Read,
    parts,
)
from ledger_verify.lang.types import (
    BOOL,
    NULL,
    ListType,
    NullableType,
    RecordType,
    StringType,
    Type,
    strip_null,
)

Facts = frozenset[Expr]
"""Tests of presence, `has(...)` and `... in map`, that are true."""

_NO_FACTS: Facts = frozenset()

TOTAL = frozenset(
    {
        "not", "eq", "ne", "lt", "le", "gt", "ge", "neg_num", "add_num", "sub_num", "mul_num",
        "time_between", "concat_string", "concat_list", "size", "in_list", "in_map", "keys",
        "starts_with", "ends_with", "contains", "matches", "trim", "lower_ascii", "upper_ascii",
        "normalize", "int_of_time", "string_of_int",
        "string_of_bool", "string_of_time", "string_of_duration", "duration_part", "sum_num",
        "distinct", "stated_text", "stated_number", "stated_day",
    }
)  # fmt: skip
"""Operations that have a value on all operands other than null."""

BOUNDED = frozenset(
    {
        "neg_int", "add_int", "sub_int", "mul_int", "neg_duration", "add_duration", "sub_duration",
        "add_time", "sub_time", "time_of_int", "time_part", "days_between", "sum_int",
        "sum_duration", "int_of_number", "string_of_number",
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

    False only if it never is. What the schema says of fields, lists and null is taken into account,
    and tests such as `has(r.f) && r.f > 0` or `k in m ? m[k] : 0`.
    """
    return _lacks(expr, _NO_FACTS, bounds=True)


def absent_parts(expr: Expr) -> tuple[Expr, ...]:
    """What the value depends on and may be absent: one of these parts lacks its value iff the
    expression does, results out of bounds apart.
    """
    return tuple(dict.fromkeys(_absent_parts(expr, _NO_FACTS)))


def _lacks(expr: Expr, facts: Facts, *, bounds: bool) -> bool:
    """Whether a value may be missing where the facts are true, or (with `bounds`) out of bounds."""
    if _is_absent(expr) and not _is_tested(expr, facts):
        return True
    if bounds and _is_out_of_bounds(expr):
        return True
    return any(_lacks(part, known, bounds=bounds) for part, known in _within(expr, facts))


def _within(expr: Expr, facts: Facts) -> Iterator[tuple[Expr, Facts]]:
    """The parts of an expression, each with what is known where its value matters."""
    match expr:
        case And(operands=operands) | Or(operands=operands):
            told = _told if isinstance(expr, And) else _told_by_its_failure
            for operand in operands:
                others = [told(other) for other in operands if other is not operand]
                yield operand, facts.union(*others)
        case Choose(condition=condition, then=then, otherwise=otherwise):
            yield condition, facts
            yield then, facts | _told(condition)
            yield otherwise, facts | _told_by_its_failure(condition)
        case Fold(range=range_, condition=condition, body=body):
            yield range_, facts
            of_items = facts | _told_of_items(expr)
            if condition is None:
                yield body, of_items
            else:
                yield condition, of_items
                yield body, of_items | _told(condition)
        case Observed():
            return  # whatever its keys are, it is true or false
        case _:
            for part in parts(expr):
                yield part, facts


def _told(predicate: Expr) -> Facts:
    """The tests of presence that are true where the predicate is."""
    match predicate:
        case HasField() | Apply(operation="in_map"):
            return frozenset({predicate})
        case And(operands=operands):
            return _NO_FACTS.union(*map(_told, operands))
        case Apply(operation="not", operands=(negated,)):
            return _told_by_its_failure(negated)
    return _NO_FACTS


def _told_by_its_failure(predicate: Expr) -> Facts:
    """The tests of presence that are true where the predicate is false."""
    match predicate:
        case Or(operands=operands):
            return _NO_FACTS.union(*map(_told_by_its_failure, operands))
        case Apply(operation="not", operands=(negated,)):
            return _told(negated)
    return _NO_FACTS


def _told_of_items(fold: Fold) -> Facts:
    """What is known of the items of a range that was filtered, by the name that the fold uses."""
    match fold.range:
        case Apply(operation="keys", operands=(entries,)):
            return frozenset({Apply("in_map", (fold.variable, entries), BOOL)})
        case Fold(kind=FoldKind.FILTER, variable=variable, body=body) if variable == fold.variable:
            return _told(body) | _told_of_items(fold.range)
    return _NO_FACTS


def _is_tested(expr: Expr, facts: Facts) -> bool:
    match expr:
        case FieldOf(of=of, field_name=name):
            return HasField(of, name) in facts
        case Apply(operation="value_at", operands=(values, key)):
            return Apply("in_map", (key, values), BOOL) in facts
    return False


def _absent_parts(expr: Expr, facts: Facts) -> Iterator[Expr]:
    if not _lacks(expr, facts, bounds=False):
        return
    if _is_absent(expr) and not _is_tested(expr, facts):
        yield expr
        return
    match expr:
        case Choose(condition=condition, then=then, otherwise=otherwise):
            yield from _absent_parts(condition, facts)
            for part in _absent_parts(then, facts | _told(condition)):
                yield Choose(condition, part, _NULL, _or_null(part.type), part.span)
            for part in _absent_parts(otherwise, facts | _told_by_its_failure(condition)):
                yield Choose(condition, _NULL, part, _or_null(part.type), part.span)
        case Fold(kind=(FoldKind.MAP | FoldKind.FILTER), range=range_):
            yield from _absent_parts(range_, facts)
            yield from _absent_in_items(expr, facts)
        case And() | Or() | Fold():
            yield expr
        case _:
            for part in parts(expr):
                yield from _absent_parts(part, facts)


_NULL = Constant(None, NULL)


def _or_null(type_: Type) -> Type:
    return NullableType(strip_null(type_))


def _absent_in_items(fold: Fold, facts: Facts) -> Iterator[Expr]:
    """A predicate that lacks a value iff something does that is made of some item of the range."""
    condition, range_ = fold.condition, fold.range
    facts = facts | _told_of_items(fold)
    there: list[Expr] = []
    if condition is not None:
        there += map(_is_there, _absent_parts(condition, facts))
        facts = facts | _told(condition)
    for part in map(_is_there, _absent_parts(fold.body, facts)):
        there.append(part if condition is None else _if(condition, part))
    while isinstance(range_, Fold) and range_.kind is FoldKind.FILTER:
        if range_.variable != fold.variable or fold.index is not None:
            break  # under another name, or at another position
        # what the filter drops does not matter
        there = [_if(range_.body, part) for part in there]
        range_ = range_.range
    if there:
        body = there[0] if len(there) == 1 else And(tuple(there))
        yield Fold(FoldKind.ALL, fold.variable, range_, body, None, BOOL, fold.span, fold.index)


def _is_there(expr: Expr) -> Expr:
    """Equal to itself, or without a value."""
    return Apply("eq", (expr, expr), BOOL, expr.span)


def _if(condition: Expr, predicate: Expr) -> Expr:
    return Choose(condition, predicate, Constant(True, BOOL), BOOL, predicate.span)


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
        case "value_at", (Constant(value=dict() as keys) | MapOf(keys=keys), key):
            return not _is_among(key, keys)
    return True


def _is_among(key: Expr, keys: Iterable[str]) -> bool:
    """Whether a text is always one of these."""
    if isinstance(key, Constant):
        return key.value in set(keys)
    texts = strip_null(key.type)
    options = texts.enum if isinstance(texts, StringType) else None
    return options is not None and set(options) <= set(keys)


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
