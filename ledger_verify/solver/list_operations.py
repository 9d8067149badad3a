"""The strict operations on symbolic lists."""

from __future__ import annotations

from dataclasses import replace

import z3

from ledger_verify.lang.types import ListType, NumberType, Type, UnsettledType, strip_null
from ledger_verify.solver.equality import count_active, equal
from ledger_verify.solver.logic import Bool, Term, choose, conjoin, disjoin, negate
from ledger_verify.solver.merging import as_real, merge
from ledger_verify.solver.shapes import (
    NOTHING,
    Known,
    ListShape,
    Scalar,
    Slot,
    Sym,
    as_list,
    list_sym,
)
from ledger_verify.solver.symbols import Symbols


def apply_to_lists(
    symbols: Symbols, operation: str, operands: list[Sym], types: list[Type], result: Type
) -> Sym:
    """`in_list`, `item_at`, `distinct`, `concat_list`, `min` and `max`."""
    match operation:
        case "in_list":
            return _contains(symbols, operands, types)
        case "item_at":
            return _item_at(symbols, operands, types)
        case "distinct":
            return _distinct(symbols, as_list(operands[0].shape), _item(types[0]))
        case "concat_list":
            return _concat(symbols, as_list(operands[0].shape), as_list(operands[1].shape))
    return _extreme(symbols, operation, as_list(operands[0].shape), _item(types[0]))


def _item(type_: Type) -> Type:
    bare = strip_null(type_)
    return bare.item if isinstance(bare, ListType) else UnsettledType()


def _contains(symbols: Symbols, operands: list[Sym], types: list[Type]) -> Sym:
    items = as_list(operands[1].shape)
    found = [
        conjoin((slot.active, equal(symbols, operands[0], slot.value, types[0], _item(types[1]))))
        for slot in items.slots
        if slot.active is not False
    ]
    if items.has_tail:
        beyond = symbols.unconstrained(z3.BoolSort(), "in_tail")
        found.append(conjoin((items.tail > 0, beyond)))
    value = disjoin(found)
    return Sym(Known(value)) if isinstance(value, bool) else Sym(Scalar(value))


def _positions(items: ListShape) -> list[Term]:
    """For each slot how many active ones stand before it."""
    if items.dense:
        return list(range(len(items.slots)))
    return [count_active([s.active for s in items.slots[:i]]) for i in range(len(items.slots))]


def _item_at(symbols: Symbols, operands: list[Sym], types: list[Type]) -> Sym:
    items, item_type = as_list(operands[0].shape), _item(types[0])
    index = symbols.term(operands[1], types[1])
    beyond = NOTHING
    if items.has_tail and not isinstance(item_type, UnsettledType):
        beyond = symbols.make(item_type, _beyond(symbols, items), (index,))
    result = beyond
    for slot, position in zip(items.slots, _positions(items), strict=True):
        here = conjoin((slot.active, index == position))
        if items.has_tail and not items.dense:  # the tail may stand between the slots
            here = conjoin((here, items.tail == 0))
        result = merge(symbols, here, slot.value, result, item_type)
    outside = z3.Or(index < 0, index >= items.length)
    return Sym(result.shape, result.null, disjoin((outside, result.gap)))


def _beyond(symbols: Symbols, items: ListShape) -> str:
    """The name of the items beyond the slots, as a function of their index."""
    tail = items.source if items.dense else None
    if tail is not None and tail.named is not None:
        return tail.named
    name = str(symbols.unconstrained(z3.IntSort(), "beyond"))
    if tail is not None:
        tail.named = name
    return name


def _distinct(symbols: Symbols, items: ListShape, item_type: Type) -> Sym:
    if items.has_tail and not items.dense:
        return _distinct_around(symbols, items, item_type)
    slots: list[Slot] = []
    for slot in items.slots:
        repeated = disjoin(
            conjoin((old.active, equal(symbols, slot.value, old.value, item_type, item_type)))
            for old in slots
        )
        slots.append(Slot(conjoin((slot.active, negate(repeated))), slot.value))
    tail: Term = 0
    if items.has_tail:
        tail = symbols.unconstrained(z3.IntSort(), "distinct_tail")
        symbols.facts.append(z3.And(tail >= 0, tail <= items.tail))
    count = count_active([slot.active for slot in slots])
    return list_sym(ListShape(tuple(slots), tail, count + tail, dense=False))


def _distinct_around(symbols: Symbols, items: ListShape, item_type: Type) -> Sym:
    """`distinct` of a list whose tail may stand between the slots and hold what they hold.

    Where the tail is not empty, nothing is known of the result but that it is not longer.
    """
    kept = as_list(_distinct(symbols, replace(items, tail=0), item_type).shape)
    some = symbols.unconstrained(z3.IntSort(), "distinct_tail")
    no_tail = items.tail == 0
    symbols.facts.append(disjoin((no_tail, z3.And(some >= 1, some <= items.length))))
    slots = tuple(Slot(conjoin((no_tail, slot.active)), slot.value) for slot in kept.slots)
    tail, length = z3.If(no_tail, 0, some), z3.If(no_tail, kept.length, some)
    return Sym(ListShape(slots, tail, length, dense=False))


def _concat(symbols: Symbols, left: ListShape, right: ListShape) -> Sym:
    if not left.has_tail:
        length = left.length + right.length
        dense = right.dense and isinstance(left.length, int) and left.dense
        return list_sym(ListShape((*left.slots, *right.slots), right.tail, length, dense))
    # the left tail comes before the right slots: where those stand is open, that they are
    # there is not
    tail = left.tail + right.tail
    slots = (*left.slots, *right.slots)
    return Sym(ListShape(slots, tail, left.length + right.length, dense=False))


def total(symbols: Symbols, operand: Sym, type_: Type, result: Type) -> tuple[Term, Bool]:
    """The sum of a list, and where it has none (a null among the items)."""
    items, item_type = as_list(operand.shape), _item(type_)
    real = isinstance(result, NumberType)
    terms: list[Term] = []
    gaps: list[Bool] = []
    for slot in items.slots:
        if slot.active is False:
            continue
        gaps.append(conjoin((slot.active, slot.value.null)))
        if slot.value.null is True:
            continue
        term = symbols.term(slot.value, strip_null(item_type))
        term = as_real(term) if real else term
        zero = z3.RealVal(0) if real else z3.IntVal(0)
        terms.append(term if slot.active is True else z3.If(slot.active, term, zero))
    if items.has_tail:
        rest = symbols.unconstrained(z3.RealSort() if real else z3.IntSort(), "sum_tail")
        gap = symbols.unconstrained(z3.BoolSort(), "sum_tail_gap")
        terms.append(z3.If(items.tail > 0, rest, z3.RealVal(0) if real else z3.IntVal(0)))
        gaps.append(conjoin((items.tail > 0, gap)))
    if not terms:
        return (z3.RealVal(0) if real else z3.IntVal(0)), disjoin(gaps)
    return z3.Sum(terms) if len(terms) > 1 else terms[0], disjoin(gaps)


def _extreme(symbols: Symbols, operation: str, items: ListShape, item_type: Type) -> Sym:
    bare = strip_null(item_type)
    if isinstance(bare, UnsettledType):
        return NOTHING
    best: Term | None = None
    found: Bool = False
    gaps: list[Bool] = []
    candidates = [
        (slot.active, symbols.term(slot.value, bare), slot.value.null)
        for slot in items.slots
        if slot.active is not False
    ]
    if items.has_tail:
        beyond = symbols.unconstrained(symbols.sort_of(bare), "extreme_tail")
        gap = symbols.unconstrained(z3.BoolSort(), "extreme_tail_gap")
        candidates.append((items.tail > 0, beyond, gap))
    for active, term, null in candidates:
        gaps.append(conjoin((active, null)))
        if best is None:
            best, found = term, active
            continue
        better = term < best if operation == "min" else term > best
        take = conjoin((active, disjoin((negate(found), better))))
        best, found = choose(take, term, best), disjoin((found, active))
    if best is None:
        return NOTHING
    return Sym(Scalar(best), gap=disjoin([negate(found), *gaps]))
