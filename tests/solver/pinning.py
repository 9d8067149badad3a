"""Demanding of symbolic values that they be given plain ones.

Only what an encoding has touched so far is pinned; the rest has no part in it.
"""

from __future__ import annotations

from typing import Any

from ledger_verify.lang.types import ListType, MapType, RecordType, StringType, Type, strip_null
from ledger_verify.solver.logic import Bool, as_term, conjoin, disjoin, implies, negate
from ledger_verify.solver.shapes import Known, ListShape, MapShape, RecordShape, Scalar, Sym
from ledger_verify.solver.symbols import Symbols


def pin(symbols: Symbols, sym: Sym, value: Any, type_: Type) -> Bool:
    """The condition under which the symbolic value is the plain one."""
    if value is None:
        return sym.null
    bare = strip_null(type_)
    match sym.shape:
        case Known(value=known):
            inner: Bool = known == value
        case Scalar(term=term):
            inner = as_term(term == symbols.literal(value, bare))
        case RecordShape(fields=fields):
            assert isinstance(bare, RecordType)
            inner = conjoin(
                conjoin((present, pin(symbols, part, value[name], bare.by_name[name].type)))
                if name in value
                else negate(present)
                for name, (present, part) in list(fields.items())
            )
        case ListShape():
            assert isinstance(bare, ListType)
            inner = _pin_list(symbols, sym.shape, value, bare.item)
        case MapShape():
            assert isinstance(bare, MapType)
            inner = _pin_map(symbols, sym.shape, value, bare)
    return conjoin((negate(sym.null), inner))


def _pin_list(symbols: Symbols, shape: ListShape, value: tuple[Any, ...], item: Type) -> Bool:
    assert shape.dense
    pinned = [
        pin(symbols, slot.value, part, item) for slot, part in zip(shape.slots, value, strict=False)
    ]
    length: Bool = shape.length == len(value)
    return conjoin([length, *pinned])


def _pin_map(symbols: Symbols, shape: MapShape, value: dict[str, Any], type_: MapType) -> Bool:
    conditions: list[Bool] = []
    for key, present, part in list(shape.touched):
        term = symbols.term(key, StringType())
        heres = [(as_term(term == symbols.literal(k, StringType())), v) for k, v in value.items()]
        conditions += [
            implies(here, conjoin((present, pin(symbols, part, inner, type_.value))))
            for here, inner in heres
        ]
        conditions.append(implies(present, disjoin(here for here, _ in heres)))
    if shape.listed is not None:
        conditions.append(_pin_keys(symbols, shape.listed, tuple(value)))
    return conjoin(conditions)


def _pin_keys(symbols: Symbols, listed: ListShape, keys: tuple[str, ...]) -> Bool:
    if listed.dense and not all(isinstance(s.value.shape, Known) for s in listed.slots):
        return _pin_list(symbols, listed, keys, StringType())
    length: Bool = listed.length == len(keys)
    here = [
        implies(s.active, s.value.shape.value in keys)
        for s in listed.slots
        if isinstance(s.value.shape, Known)
    ]
    return conjoin([length, *here])
