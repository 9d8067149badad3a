"""Symbolic values: what an expression encodes to.

A `Sym` is a shape with two conditions: `null` when the value is null, `gap` when there is no
value (ERROR, or evidence that no tool can bring). A shape is `Known` (a plain value, nothing
symbolic in it), a scalar term, or a record, list or map with symbolic parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ledger_verify.lang.types import ListType, MapType, RecordType, Type, strip_null
from ledger_verify.solver.logic import Bool, Term, conjoin, disjoin, identical


@dataclass(frozen=True)
class Known:
    """A value that is known now."""

    value: Any


@dataclass(frozen=True)
class Scalar:
    """A term: Bool, Int (int, timestamp, duration), Real (number) or the sort of texts."""

    term: Term


@dataclass(frozen=True)
class Sym:
    """A symbolic value of a type."""

    shape: Shape
    null: Bool = False
    gap: Bool = False


@dataclass
class RecordShape:
    """A record whose fields are made on first use; a field is (present, value).

    It is `hollow` where some part of it, however deep, has no value.
    """

    type: RecordType
    make: Callable[[str], tuple[Bool, Sym]]
    fields: dict[str, tuple[Bool, Sym]] = field(default_factory=dict)
    hollow: Bool = False

    def get(self, name: str) -> tuple[Bool, Sym]:
        """Whether the field is there, and its value if so."""
        if name not in self.fields:
            self.fields[name] = self.make(name)
        return self.fields[name]


@dataclass(frozen=True)
class Slot:
    """A possible item of a list; it counts only where `active`."""

    active: Bool
    value: Sym


Predicate = Callable[[Sym], tuple[Bool, Bool]]
"""An item to a condition on it, and whether that has a gap."""


@dataclass(frozen=True)
class Use:
    """A predicate that was asked of the items of a tail, and symbols for what became of that."""

    predicate: Predicate
    decided: Bool
    gap: Bool


@dataclass
class Tail:
    """The items of one list beyond its slots; `draw` makes a symbol for one of them.

    They stand at the positions from `first` until before `length`. `places` are those of drawn
    items, by the id of the item; `named` is the name of the function from positions to items.
    """

    draw: Callable[[], Sym]
    first: Term
    length: Term
    uses: list[Use] = field(default_factory=list)
    items: list[Sym] = field(default_factory=list)
    busy: bool = False
    places: dict[int, tuple[Sym, Sym]] = field(default_factory=dict)
    named: str | None = None


@dataclass(frozen=True)
class ListShape:
    """The active slots in order, then `tail` further items of which nothing is known.

    `tail` is 0 or an Int term that is at least 0. `length` is a term or a plain int. In a `dense`
    list the active slots are the first ones; a filter leaves it thin. `source` may be what the
    items of the tail are drawn from.
    """

    slots: tuple[Slot, ...]
    tail: Term
    length: Term
    dense: bool = True
    source: Tail | None = None

    @property
    def has_tail(self) -> bool:
        """Whether there may be more items than slots."""
        return not isinstance(self.tail, int)


@dataclass
class MapShape:
    """A map by its lookup; `list_keys` is asked only where keys are ranged over or counted.

    `lost` tells that an entry has no value, nor is it known whether it is there. It is `hollow`
    where some part of it, however deep, has no value.
    """

    lookup: Callable[[Sym], tuple[Bool, Sym]]
    list_keys: Callable[[], ListShape]
    touched: list[tuple[Sym, Bool, Sym]] = field(default_factory=list)
    listed: ListShape | None = None
    lost: Bool = False
    hollow: Bool = False

    def get(self, key: Sym) -> tuple[Bool, Sym]:
        """Whether the key is there, and its value if so."""
        for known, present, value in self.touched:
            if known is key or same_plain(known, key):
                return present, value
        present, value = self.lookup(key)
        self.touched.append((key, present, value))
        return present, value

    def keys(self) -> ListShape:
        """The keys as a list without repetitions."""
        if self.listed is None:
            self.listed = self.list_keys()
        return self.listed


Shape = Known | Scalar | RecordShape | ListShape | MapShape

NOTHING = Sym(Known(None), gap=True)
"""No value at all."""


def known(value: Any) -> Sym:
    """A plain value as a symbolic one."""
    return Sym(Known(value), null=value is None)


def is_hollow(sym: Sym) -> Bool:
    """Whether some part of the value has none."""
    match sym.shape:
        case RecordShape(hollow=hollow) | MapShape(hollow=hollow):
            return hollow
        case ListShape(slots=slots):
            return disjoin(conjoin((slot.active, is_hollow(slot.value))) for slot in slots)
    return False


def same_plain(left: Sym, right: Sym) -> bool:
    """Whether both are the same plain value or the same term."""
    match left.shape, right.shape:
        case Known(value=a), Known(value=b):
            return type(a) is type(b) and bool(a == b)
        case Scalar(term=a), Scalar(term=b):
            return identical(a, b)
    return False


def as_record(shape: Shape, type_: Type) -> RecordShape:
    """The shape as a record; a known record gives known fields."""
    if isinstance(shape, RecordShape):
        return shape
    record_type = strip_null(type_)
    assert isinstance(record_type, RecordType)
    assert isinstance(shape, Known)
    values: Mapping[str, Any] = shape.value or {}

    def make(name: str) -> tuple[Bool, Sym]:
        return (True, known(values[name])) if name in values else (False, NOTHING)

    return RecordShape(record_type, make)


def as_list(shape: Shape, most: int | None = None) -> ListShape:
    """The shape as a list; of a plain one with at most so many slots, None for all."""
    if isinstance(shape, ListShape):
        return shape
    assert isinstance(shape, Known)
    items = shape.value or ()
    return ListShape(tuple(Slot(True, known(item)) for item in items[:most]), 0, len(items))


def list_sym(items: ListShape, gap: Bool = False) -> Sym:
    """A list as a symbolic value: a plain one where all of it is known."""
    kept = [slot for slot in items.slots if slot.active is not False]
    if items.has_tail or any(slot.active is not True for slot in kept):
        return Sym(items, gap=gap)
    values = []
    for slot in kept:
        if not isinstance(slot.value.shape, Known) or slot.value.null is not (
            slot.value.shape.value is None
        ):
            return Sym(replace(items, slots=tuple(kept)), gap=gap)
        values.append(slot.value.shape.value)
    return Sym(Known(tuple(values)), gap=gap)


def item_type(type_: Type) -> Type:
    """The type of the items of a list type, or of the values of a map type."""
    match strip_null(type_):
        case ListType(item=item):
            return item
        case MapType(value=value):
            return value
    raise AssertionError(type_)
