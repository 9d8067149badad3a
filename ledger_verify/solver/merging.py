"""If-then-else over symbolic values, and known maps as symbolic ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import z3

from ledger_verify.lang.types import (
    ListType,
    MapType,
    NumberType,
    RecordType,
    StringType,
    Type,
    strip_null,
)
from ledger_verify.policy.evidence import Unknown
from ledger_verify.solver.logic import Bool, Term, choose, conjoin, disjoin, same
from ledger_verify.solver.names import step
from ledger_verify.solver.shapes import (
    NOTHING,
    Known,
    ListShape,
    MapShape,
    RecordShape,
    Scalar,
    Shape,
    Slot,
    Sym,
    Tail,
    as_list,
    as_record,
    known,
    same_plain,
)
from ledger_verify.solver.symbols import Symbols

Missing = Callable[[Type, str], Sym]


def merge(symbols: Symbols, condition: Bool, then: Sym, otherwise: Sym, type_: Type) -> Sym:
    """If-then-else over symbolic values of a type."""
    if isinstance(condition, bool):
        return then if condition else otherwise
    gap = choose(condition, then.gap, otherwise.gap)
    null = choose(condition, then.null, otherwise.null)
    # where one side has no value (or is null) its shape does not matter
    if then.gap is True or then.null is True:
        return Sym(otherwise.shape, null, gap)
    if otherwise.gap is True or otherwise.null is True:
        return Sym(then.shape, null, gap)
    return Sym(_merge_shapes(symbols, condition, then, otherwise, strip_null(type_)), null, gap)


def _merge_shapes(
    symbols: Symbols, condition: z3.BoolRef, then: Sym, otherwise: Sym, type_: Type
) -> Shape:
    match type_:
        case RecordType():
            return _merge_records(symbols, condition, then, otherwise, type_)
        case ListType():
            left, right = as_list(then.shape), as_list(otherwise.shape)
            return merge_lists(symbols, condition, left, right, type_.item)
        case MapType():
            return _merge_maps(symbols, condition, then, otherwise, type_)
    if same_plain(then, otherwise):
        return then.shape
    left_term, right_term = symbols.term(then, type_), symbols.term(otherwise, type_)
    if isinstance(type_, NumberType):
        left_term, right_term = as_real(left_term), as_real(right_term)
    return Scalar(choose(condition, left_term, right_term))


def as_real(term: Term) -> Term:
    """A number term, whole ones widened."""
    return z3.ToReal(term) if z3.is_int(term) else term


def _merge_records(
    symbols: Symbols, condition: z3.BoolRef, then: Sym, otherwise: Sym, type_: RecordType
) -> RecordShape:
    left, right = as_record(then.shape, type_), as_record(otherwise.shape, type_)

    def make(name: str) -> tuple[Bool, Sym]:
        (p, a), (q, b) = left.get(name), right.get(name)
        return choose(condition, p, q), merge(symbols, condition, a, b, type_.by_name[name].type)

    return RecordShape(type_, make, hollow=choose(condition, left.hollow, right.hollow))


def merge_lists(
    symbols: Symbols, condition: z3.BoolRef, left: ListShape, right: ListShape, item: Type
) -> ListShape:
    """If-then-else over lists, slot by slot."""
    absent = Slot(False, NOTHING)
    slots = []
    for i in range(max(len(left.slots), len(right.slots))):
        a = left.slots[i] if i < len(left.slots) else absent
        b = right.slots[i] if i < len(right.slots) else absent
        active = choose(condition, a.active, b.active)
        slots.append(Slot(active, merge(symbols, condition, a.value, b.value, item)))
    tail = _choose_int(condition, left.tail, right.tail)
    length = _choose_int(condition, left.length, right.length)
    dense = left.dense and right.dense
    return ListShape(tuple(slots), tail, length, dense, _common_source(left, right))


def _common_source(left: ListShape, right: ListShape) -> Tail | None:
    """What the items of either tail are drawn from, if it is one and the same."""
    if not right.has_tail:
        return left.source
    if not left.has_tail or left.source is right.source:
        return right.source
    return None


def _choose_int(condition: z3.BoolRef, then: Term, otherwise: Term) -> Term:
    if isinstance(then, int) and isinstance(otherwise, int) and then == otherwise:
        return then
    to_term = [z3.IntVal(x) if isinstance(x, int) else x for x in (then, otherwise)]
    return choose(condition, *to_term)


def _merge_maps(
    symbols: Symbols, condition: z3.BoolRef, then: Sym, otherwise: Sym, type_: MapType
) -> MapShape:
    left, right = as_map(symbols, then.shape, type_), as_map(symbols, otherwise.shape, type_)

    def lookup(key: Sym) -> tuple[Bool, Sym]:
        (p, a), (q, b) = left.get(key), right.get(key)
        return choose(condition, p, q), merge(symbols, condition, a, b, type_.value)

    def list_keys() -> ListShape:
        return merge_lists(symbols, condition, left.keys(), right.keys(), StringType())

    lost = choose(condition, left.lost, right.lost)
    hollow = choose(condition, left.hollow, right.hollow)
    return MapShape(lookup, list_keys, lost=lost, hollow=hollow)


def as_map(symbols: Symbols, shape: Shape, type_: MapType) -> MapShape:
    """The shape as a map."""
    if isinstance(shape, MapShape):
        return shape
    assert isinstance(shape, Known)
    return observed_map(symbols, shape.value or {}, type_, "known", symbols.make)


def observed_map(
    symbols: Symbols, value: dict[str, Any], type_: MapType, name: str, missing: Missing
) -> MapShape:
    """An observed map; entries that are stale may be gone, the others are as observed."""
    entries: list[Entry] = []
    for key, inner in value.items():
        stale = isinstance(inner, Unknown)
        place = f"{name}[{key!r}]"
        entry = lift(symbols, inner, type_.value, place, missing)
        # what cannot be known, not even whether it is there, has no value
        present: Bool = symbols.flag(f"{place}?there") if stale and entry is not NOTHING else True
        entries.append((key, present, entry))
    return map_of_entries(symbols, entries, type_.value)


Entry = tuple[str, Bool, Sym]
"""A key, whether it is there, and its value."""


def map_of_entries(symbols: Symbols, entries: Sequence[Entry], value_type: Type) -> MapShape:
    """A map of which all keys that it may have are known."""

    def lookup(key: Sym) -> tuple[Bool, Sym]:
        if isinstance(key.shape, Known):
            found = [(p, sym) for text, p, sym in entries if text == key.shape.value]
            return found[0] if found else (False, NOTHING)
        present: Bool = False
        result = NOTHING
        for text, there, sym in entries:
            here = same(symbols.term(key, StringType()), symbols.texts.literal(text))
            present = disjoin((conjoin((here, there)), present))
            result = merge(symbols, here, sym, result, value_type)
        return present, Sym(result.shape, result.null, conjoin((present, result.gap)))

    def list_keys() -> ListShape:
        return _keys_in_some_order(symbols, [(text, there) for text, there, _ in entries])

    return MapShape(lookup, list_keys, lost=any(entry is NOTHING for _, _, entry in entries))


def _keys_in_some_order(symbols: Symbols, keys: list[tuple[str, Bool]]) -> ListShape:
    """The keys that are there: those that may be gone may also be back at another place."""
    sure = [known(text) for text, there in keys if there is True]
    unsure = [
        (known(text), there, symbols.unconstrained(z3.IntSort(), "place"))
        for text, there in keys
        if there is not True
    ]
    slots: list[Slot] = []
    for position in range(len(sure) + 1):
        slots += [Slot(conjoin((there, p == position)), key) for key, there, p in unsure]
        slots += [Slot(True, key) for key in sure[position : position + 1]]
    for _, _, place in unsure:
        symbols.facts.append(z3.And(place >= 0, place <= len(sure)))
    counts = [z3.If(there, 1, 0) for _, there, _ in unsure]
    length = z3.Sum([*counts, len(sure)]) if counts else len(sure)
    return ListShape(tuple(slots), 0, length, dense=not unsure)


def lift(symbols: Symbols, value: Any, type_: Type, name: str, missing: Missing) -> Sym:
    """An observed value in which `missing(type, name)` stands for stale parts (`Unknown`)."""
    if isinstance(value, Unknown):
        return missing(type_, name)
    if not has_stale_part(value):
        return known(value)
    assert isinstance(value, dict)
    bare = strip_null(type_)
    if isinstance(bare, MapType):
        return Sym(observed_map(symbols, value, bare, name, missing))
    assert isinstance(bare, RecordType)
    record_type = bare

    def make(field_name: str) -> tuple[Bool, Sym]:
        if field_name not in value:
            return False, NOTHING
        path = f"{name}{step(field_name)}"
        declared = record_type.by_name[field_name]
        inner = lift(symbols, value[field_name], declared.type, path, missing)
        present: Bool = True
        if isinstance(value[field_name], Unknown) and declared.optional and inner is not NOTHING:
            present = symbols.flag(f"{path}?there")
        return present, inner

    return Sym(RecordShape(record_type, make))


def has_stale_part(value: Any) -> bool:
    """Whether a part of an observed value is stale."""
    if isinstance(value, Unknown):
        return True
    return isinstance(value, dict) and any(has_stale_part(inner) for inner in value.values())
