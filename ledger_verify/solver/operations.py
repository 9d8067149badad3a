"""The strict operations on symbolic values; on plain ones they are those of the language.

Where no exact term exists, the result is an unconstrained function of the operands. That only
adds completions: what is proved stays true, and a counterexample is replayed before it counts. A
lesson tells what the function really is at the operands of a model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import z3

from ledger_verify.lang import times
from ledger_verify.lang.literals import INT_MAX, INT_MIN
from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.operations import NULL_TOLERANT, apply
from ledger_verify.lang.partial import BOUNDED, TOTAL
from ledger_verify.lang.regex_parse import parse
from ledger_verify.lang.types import (
    BOOL,
    BoolType,
    DurationType,
    IntType,
    MapType,
    NumberType,
    StringType,
    TimestampType,
    Type,
    strip_null,
)
from ledger_verify.solver import list_operations, time_operations
from ledger_verify.solver.casing import cased, found_in, in_form, part_tree
from ledger_verify.solver.equality import equal
from ledger_verify.solver.lessons import of_operation
from ledger_verify.solver.logic import Bool, Term, choose, conjoin, disjoin, negate
from ledger_verify.solver.merging import as_map, as_real
from ledger_verify.solver.regexes import to_z3_regex
from ledger_verify.solver.shapes import (
    NOTHING,
    Known,
    ListShape,
    MapShape,
    Scalar,
    Sym,
    as_list,
    known,
)
from ledger_verify.solver.stated import stated
from ledger_verify.solver.symbols import Symbols
from ledger_verify.solver.trimming import trimmed
from ledger_verify.solver.truths import bool_sym

Types = Sequence[Type]


def apply_symbolic(
    symbols: Symbols, operation: str, operands: list[Sym], types: Types, result: Type
) -> Sym:
    """The operation on symbolic operands; `types` are theirs, `result` is its own."""
    gap = disjoin(operand.gap for operand in operands)
    if operation not in NULL_TOLERANT:
        gap = disjoin([gap, *(operand.null for operand in operands)])
    elif operation == "in_list":
        gap = disjoin((gap, operands[1].null))
    if gap is True:
        return NOTHING
    if all(isinstance(operand.shape, Known) for operand in operands) and not _may_be_null(operands):
        folded = _fold(operation, operands)
        return Sym(folded.shape, folded.null, disjoin((gap, folded.gap)))
    bare = [strip_null(type_) for type_ in types]
    value = _symbolic(symbols, operation, operands, bare, strip_null(result))
    return Sym(value.shape, value.null, disjoin((gap, value.gap)))


def _may_be_null(operands: list[Sym]) -> bool:
    return any(not isinstance(operand.null, bool) for operand in operands)


def _fold(operation: str, operands: list[Sym]) -> Sym:
    try:
        values = tuple(o.shape.value for o in operands if isinstance(o.shape, Known))
        return known(apply(operation, values))
    except NoValue:
        return NOTHING


def _symbolic(
    symbols: Symbols, operation: str, operands: list[Sym], types: list[Type], result: Type
) -> Sym:
    match operation:
        case "eq" | "ne":
            alike = equal(symbols, operands[0], operands[1], types[0], types[1])
            return bool_sym(alike if operation == "eq" else negate(alike))
        case "lt" | "le" | "gt" | "ge":
            return _compare(symbols, operation, operands, types)
        case "size" if isinstance(types[0], StringType):
            return Sym(Scalar(z3.Length(symbols.term(operands[0], types[0]))))
        case "size" if isinstance(types[0], MapType):
            counted = as_map(symbols, operands[0].shape, types[0])
            return replace(_int(counted.keys().length), gap=counted.lost)
        case "size":
            return _int(as_list(operands[0].shape).length)
        case "in_map" | "value_at" | "keys":
            return _on_map(symbols, operation, operands, types)
        case "in_list" | "item_at" | "distinct" | "concat_list" | "min" | "max":
            return list_operations.apply_to_lists(symbols, operation, operands, types, result)
        case "sum_int" | "sum_num" | "sum_duration":
            return _ranged(
                symbols, result, *list_operations.total(symbols, operands[0], types[0], result)
            )
        case "stated_text" | "stated_number" | "stated_day":
            return stated(symbols, operation, operands, types[0])
        case "time_part":
            return time_operations.time_part(symbols, operands)
        case "days_between":
            return time_operations.days_between(symbols, operands)
    if operation in _TEXT:
        return _TEXT[operation](symbols, operands)
    terms = [symbols.term(operand, type_) for operand, type_ in zip(operands, types, strict=True)]
    if operation in _ARITHMETIC:
        return _arithmetic(symbols, operation, terms, result)
    if operation == "not":
        return bool_sym(z3.Not(terms[0]))
    if operation == "duration_part":
        return time_operations.duration_part(operands, terms[0])
    if operation == "string_of_bool":
        options = (symbols.texts.literal(text) for text in ("true", "false"))
        return Sym(Scalar(choose(terms[0], *options)))
    return _opaque(symbols, operation, terms, result)


def _int(value: Term) -> Sym:
    return known(value) if isinstance(value, int) else Sym(Scalar(value))


def _compare(symbols: Symbols, operation: str, operands: list[Sym], types: list[Type]) -> Sym:
    left, right = (symbols.term(o, t) for o, t in zip(operands, types, strict=True))
    if isinstance(types[0], BoolType):
        left, right = z3.If(left, 1, 0), z3.If(right, 1, 0)
    elif isinstance(types[0], NumberType) or isinstance(types[1], NumberType):
        left, right = as_real(left), as_real(right)
    if isinstance(types[0], StringType) and not symbols.texts.structured:
        return bool_sym(symbols.unconstrained(z3.BoolSort(), "text_order"))
    compare: dict[str, Callable[[], Any]] = {
        "lt": lambda: left < right,
        "le": lambda: left <= right,
        "gt": lambda: right < left,
        "ge": lambda: right <= left,
    }
    return Sym(Scalar(compare[operation]()))


def _on_map(symbols: Symbols, operation: str, operands: list[Sym], types: list[Type]) -> Sym:
    if operation == "keys":
        assert isinstance(types[0], MapType)
        shape = as_map(symbols, operands[0].shape, types[0])
        listed: ListShape = shape.keys()
        return Sym(listed, gap=shape.lost)
    key, container, type_ = (
        (operands[0], operands[1], types[1])
        if operation == "in_map"
        else (operands[1], operands[0], types[0])
    )
    assert isinstance(type_, MapType)
    map_shape: MapShape = as_map(symbols, container.shape, type_)
    present, value = map_shape.get(Sym(key.shape))
    if operation == "in_map":
        return replace(bool_sym(present), gap=conjoin((present, value.gap)))
    return Sym(value.shape, value.null, disjoin((value.gap, negate(present))))


def _quotient(left: Term, right: Term) -> Term:
    """Integer division towards zero."""
    return z3.If(left >= 0, left / right, -((-left) / right))


_ARITHMETIC: dict[str, Callable[..., Term]] = {
    "neg_int": lambda a: -a,
    "add_int": lambda a, b: a + b,
    "sub_int": lambda a, b: a - b,
    "mul_int": lambda a, b: a * b,
    "div_int": _quotient,
    "mod_int": lambda a, b: a - b * _quotient(a, b),
    "neg_num": lambda a: -as_real(a),
    "add_num": lambda a, b: as_real(a) + as_real(b),
    "sub_num": lambda a, b: as_real(a) - as_real(b),
    "mul_num": lambda a, b: as_real(a) * as_real(b),
    "div_num": lambda a, b: as_real(a) / as_real(b),
    "neg_duration": lambda a: -a,
    "add_duration": lambda a, b: a + b,
    "sub_duration": lambda a, b: a - b,
    "add_time": lambda a, b: a + b,
    "sub_time": lambda a, b: a - b,
    "time_between": lambda a, b: a - b,
    "int_of_number": lambda a: z3.If(as_real(a) >= 0, z3.ToInt(as_real(a)), -z3.ToInt(-as_real(a))),
    "int_of_time": lambda a: a / times.SECOND_US,
    "time_of_int": lambda a: a * times.SECOND_US,
}
_DIVISIONS = frozenset({"div_int", "mod_int", "div_num"})


def _arithmetic(symbols: Symbols, operation: str, terms: list[Term], result: Type) -> Sym:
    value = _ARITHMETIC[operation](*terms)
    gap: Bool = terms[1] == 0 if operation in _DIVISIONS else False
    return _ranged(symbols, result, value, gap)


def _ranged(symbols: Symbols, result: Type, value: Term, gap: Bool) -> Sym:
    """The value of an operation; outside the range of its type it has none."""
    match result:
        case NumberType():
            return Sym(Scalar(value), gap=gap)
        case IntType():
            low, high = INT_MIN, INT_MAX
        case TimestampType():
            low, high = times.TIMESTAMP_MIN_US, times.TIMESTAMP_MAX_US
        case _:
            low, high = -times.DURATION_MAX_US, times.DURATION_MAX_US
    if isinstance(value, int):
        return known(value) if low <= value <= high else NOTHING
    if not symbols.ranged:
        return Sym(Scalar(value), gap=gap)
    return Sym(Scalar(value), gap=disjoin((gap, value < low, value > high)))


def _opaque(symbols: Symbols, operation: str, terms: list[Term], result: Type) -> Sym:
    """An unconstrained function of the operands, which may also have no value if it is partial."""
    sorts = [term.sort() for term in terms]
    value = z3.Function(f"op:{operation}", *sorts, symbols.sort_of(result))(*terms)
    gap: Bool = operation not in TOTAL and (symbols.ranged or operation not in BOUNDED)
    if gap:
        gap = z3.Function(f"op:{operation}?gap", *sorts, z3.BoolSort())(*terms)
    symbols.lessons.append(of_operation(symbols, operation, terms, value, gap, result))
    if isinstance(result, IntType | TimestampType | DurationType):
        return _ranged(symbols, result, value, gap)
    return Sym(Scalar(value), gap=gap)


def _texts(symbols: Symbols, operands: list[Sym]) -> list[Term]:
    return [symbols.term(operand, StringType()) for operand in operands]


def _affix(
    operation: str, test: Callable[[Term, Term], Any]
) -> Callable[[Symbols, list[Sym]], Sym]:
    def encode(symbols: Symbols, operands: list[Sym]) -> Sym:
        if not symbols.texts.structured:
            return bool_sym(symbols.unconstrained(z3.BoolSort(), "text_test"))
        text, part = _texts(symbols, operands)
        shape = operands[1].shape
        if text.ast.value in symbols.cased and isinstance(shape, Known):
            is_long = symbols.texts.is_long(shape.value)
            tree = None if is_long else part_tree(operation, shape.value)
            found = None if tree is None else found_in(symbols, text, tree)
            if found is not None:
                return Sym(Scalar(found))
        return Sym(Scalar(test(text, part)))

    return encode


def _concat(symbols: Symbols, operands: list[Sym]) -> Sym:
    terms = _texts(symbols, operands)
    if not symbols.texts.structured:
        return _opaque(symbols, "concat_string", terms, StringType())
    return Sym(Scalar(z3.Concat(*terms)))


def _matches(symbols: Symbols, operands: list[Sym]) -> Sym:
    pattern = operands[1].shape
    assert isinstance(pattern, Known), "patterns are literals"
    text = symbols.term(operands[0], StringType())
    tree = parse(pattern.value) if symbols.texts.structured else None
    found = None if tree is None else found_in(symbols, text, tree)
    if found is None:
        test = z3.Function(f"matches:{pattern.value!r}", text.sort(), z3.BoolSort())(text)
        symbols.lessons.append(
            of_operation(symbols, "matches", [text], test, False, BOOL, (pattern.value,))
        )
        return Sym(Scalar(test))
    return Sym(Scalar(found))


def _int_of_string(symbols: Symbols, operands: list[Sym]) -> Sym:
    """An unconstrained number, which there is if the text is one."""
    (text,) = _texts(symbols, operands)
    number = _opaque(symbols, "int_of_string", [text], IntType())
    digits = to_z3_regex("^[-+]?[0-9]+$") if symbols.texts.structured else None
    if digits is None or symbols.ranged:
        return number
    return replace(number, gap=z3.Not(z3.InRe(text, digits)))


def _trim(symbols: Symbols, operands: list[Sym]) -> Sym:
    (text,) = _texts(symbols, operands)
    if not symbols.texts.structured:
        return _opaque(symbols, "trim", [text], StringType())
    return Sym(Scalar(trimmed(symbols, text)))


def _cased(operation: str) -> Callable[[Symbols, list[Sym]], Sym]:
    def encode(symbols: Symbols, operands: list[Sym]) -> Sym:
        (text,) = _texts(symbols, operands)
        return Sym(Scalar(cased(symbols, operation, text)))

    return encode


def _normalize(symbols: Symbols, operands: list[Sym]) -> Sym:
    form = operands[1].shape
    assert isinstance(form, Known), "forms are literals"
    return Sym(Scalar(in_form(symbols, symbols.term(operands[0], StringType()), form.value)))


_TEXT: dict[str, Callable[[Symbols, list[Sym]], Sym]] = {
    "starts_with": _affix("starts_with", lambda text, part: z3.PrefixOf(part, text)),
    "ends_with": _affix("ends_with", lambda text, part: z3.SuffixOf(part, text)),
    "contains": _affix("contains", lambda text, part: z3.Contains(text, part)),
    "lower_ascii": _cased("lower_ascii"),
    "upper_ascii": _cased("upper_ascii"),
    "normalize": _normalize,
    "concat_string": _concat,
    "matches": _matches,
    "trim": _trim,
    "int_of_string": _int_of_string,
}
