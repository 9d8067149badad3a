"""Equality of symbolic values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from ledger_verify.lang.types import (
    BoolType,
    ListType,
    MapType,
    NullType,
    RecordType,
    Type,
    UnsettledType,
    strip_null,
)
from ledger_verify.solver.casing import is_literal
from ledger_verify.solver.logic import Bool, Term, as_term, conjoin, disjoin, implies, negate, same
from ledger_verify.solver.merging import as_map, merge
from ledger_verify.solver.shapes import (
    NOTHING,
    Known,
    ListShape,
    Scalar,
    Slot,
    Sym,
    as_list,
    as_record,
    known,
)
from ledger_verify.solver.symbols import Symbols


def equal(symbols: Symbols, left: Sym, right: Sym, left_type: Type, right_type: Type) -> Bool:
    """Whether two values (both without a gap) are equal; null equals only null."""
    both_null = conjoin((left.null, right.null))
    if left.null is True or right.null is True:
        return both_null
    alike = _equal_values(symbols, left, right, strip_null(left_type), strip_null(right_type))
    neither = conjoin((negate(left.null), negate(right.null)))
    return disjoin((both_null, conjoin((neither, alike))))


def _equal_values(symbols: Symbols, left: Sym, right: Sym, ltype: Type, rtype: Type) -> Bool:
    if left.shape is right.shape:
        return True
    if isinstance(left.shape, Known) and isinstance(right.shape, Known):
        return bool(left.shape.value == right.shape.value)
    match ltype, rtype:
        case RecordType(), RecordType():
            return _equal_records(symbols, left, right, ltype, rtype)
        case ((ListType() | UnsettledType()), (ListType() | UnsettledType())):
            return _equal_lists(symbols, left, right, ltype, rtype)
        case MapType(), MapType():
            return _equal_maps(symbols, left, right, ltype, rtype)
        case (NullType(), _) | (_, NullType()):
            return False
    if isinstance(ltype, BoolType):
        return equal_bools(_bool(left), _bool(right))
    if symbols.cased:
        for one, other, type_ in ((left, right, rtype), (right, left, ltype)):
            if isinstance(one.shape, Known) and isinstance(one.shape.value, str):
                return is_literal(symbols, symbols.term(other, type_), one.shape.value)
    return terms_equal(symbols.term(left, ltype), symbols.term(right, rtype))


def _bool(sym: Sym) -> Bool:
    if isinstance(sym.shape, Known):
        return bool(sym.shape.value)
    assert isinstance(sym.shape, Scalar)
    return sym.shape.term


def equal_bools(left: Bool, right: Bool) -> Bool:
    """If and only if."""
    if isinstance(left, bool):
        return right if left else negate(right)
    if isinstance(right, bool):
        return left if right else negate(left)
    return same(as_term(left), as_term(right))


def terms_equal(left: Term, right: Term) -> Bool:
    """Equality of scalar terms, whole numbers widened where needed."""
    return same(_widen(left, right), _widen(right, left))


def _widen(term: Term, other: Term) -> Term:
    if z3.is_int(term) and z3.is_real(other) and not z3.is_int(other):
        return z3.ToReal(term)
    return term


def _equal_records(
    symbols: Symbols, left: Sym, right: Sym, ltype: RecordType, rtype: RecordType
) -> Bool:
    a, b = as_record(left.shape, ltype), as_record(right.shape, rtype)
    checks: list[Bool] = []
    for name in dict.fromkeys((*ltype.by_name, *rtype.by_name)):
        if name not in ltype.by_name or name not in rtype.by_name:
            shape = a if name in ltype.by_name else b
            checks.append(negate(shape.get(name)[0]))
            continue
        (p, x), (q, y) = a.get(name), b.get(name)
        checks.append(equal_bools(p, q))
        alike = equal(symbols, x, y, ltype.by_name[name].type, rtype.by_name[name].type)
        checks.append(implies(conjoin((p, q)), alike))
    return conjoin(checks)


def _equal_maps(symbols: Symbols, left: Sym, right: Sym, ltype: MapType, rtype: MapType) -> Bool:
    """As many keys in both, and each of the left ones stands for the same value in the right."""
    a, b = as_map(symbols, left.shape, ltype), as_map(symbols, right.shape, rtype)
    keys, others = a.keys(), b.keys()
    checks: list[Bool] = [keys.length == others.length]
    for slot in keys.slots:
        (_, x), (there, y) = a.get(slot.value), b.get(slot.value)
        alike = conjoin((there, equal(symbols, x, y, ltype.value, rtype.value)))
        checks.append(implies(slot.active, alike))
    if keys.has_tail:
        beyond = symbols.unconstrained(z3.BoolSort(), "map_tails_equal")
        checks.append(disjoin((keys.tail == 0, beyond)))
    return conjoin(checks)


def _equal_lists(symbols: Symbols, left: Sym, right: Sym, ltype: Type, rtype: Type) -> Bool:
    # of a long plain list no more items are looked at than the other has slots
    drawn = [len(s.slots) for s in (left.shape, right.shape) if isinstance(s, ListShape)]
    most = min(drawn, default=None)
    a, b = as_list(left.shape, most), as_list(right.shape, most)
    litem = ltype.item if isinstance(ltype, ListType) else UnsettledType()
    ritem = rtype.item if isinstance(rtype, ListType) else UnsettledType()
    checks: list[Bool] = [a.length == b.length]
    thin = not (a.dense and b.dense)
    a, b = densify(symbols, a, litem), densify(symbols, b, ritem)
    for x, y in zip(a.slots, b.slots, strict=False):
        alike = equal(symbols, x.value, y.value, litem, ritem)
        checks.append(implies(conjoin((x.active, y.active)), alike))
    if not a.has_tail and not b.has_tail:
        return conjoin(checks)
    # what lies beyond the slots may differ; in a thin list it may also lie between them
    open_end = symbols.unconstrained(z3.BoolSort(), "tails_equal")
    if thin:
        no_tail = conjoin(shape.tail == 0 for shape in (a, b) if shape.has_tail)
        precise = conjoin((no_tail, *checks))
        return disjoin((precise, conjoin((negate(no_tail), checks[0], open_end))))
    beyond = min(len(a.slots), len(b.slots))
    return conjoin([*checks, disjoin((a.length <= beyond, open_end))])


def densify(symbols: Symbols, items: ListShape, item: Type) -> ListShape:
    """The same list with the active slots first (leaving aside where a tail stands)."""
    if items.dense:
        return items
    positions = [count_active([s.active for s in items.slots[:i]]) for i in range(len(items.slots))]
    slots = []
    for k in range(len(items.slots)):
        value, present = NOTHING, []
        for slot, position in zip(items.slots[k:], positions[k:], strict=True):
            here = conjoin((slot.active, position == k))
            present.append(here)
            value = merge(symbols, here, slot.value, value, item)
        slots.append(Slot(disjoin(present), Sym(value.shape, value.null)))
    return ListShape(tuple(slots), items.tail, items.length)


def count_active(flags: Sequence[Bool]) -> Term:
    """How many of the conditions hold: an int, or an Int term."""
    sure = sum(flag is True for flag in flags)
    unsure = [z3.If(flag, 1, 0) for flag in flags if not isinstance(flag, bool)]
    return z3.Sum([*unsure, z3.IntVal(sure)]) if unsure else sure


def is_value(sym: Sym, value: Any, type_: Type, symbols: Symbols) -> Bool:
    """Whether a symbolic value is the given plain one."""
    return equal(symbols, sym, known(value), type_, type_)
