"""What a call makes of a record: a value at one place of it, everything else as it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import z3

from ledger_verify.lang.types import MapType, RecordType, StringType, Type, strip_null
from ledger_verify.solver.logic import Bool, Term, choose, conjoin, disjoin, implies, negate, same
from ledger_verify.solver.merging import as_map, merge
from ledger_verify.solver.names import step as step_name
from ledger_verify.solver.shapes import (
    NOTHING,
    Known,
    ListShape,
    MapShape,
    RecordShape,
    Slot,
    Sym,
    as_record,
    same_plain,
)
from ledger_verify.solver.symbols import Symbols


@dataclass(frozen=True)
class Change:
    """Where `when` holds, the place at `keys` and `within` gets the value.

    A key is None for any key; a `value` of None is anything that fits the schema. `name` is
    unique. `lost` says when a key, a step or the value has none itself.
    """

    name: str
    when: Bool
    pattern: str
    keys: tuple[Sym | None, ...]
    within: tuple[str | Sym, ...]
    value: Sym | None
    lost: Bool = False


@dataclass(frozen=True)
class Changer:
    """Applies one change to the record with the keys `terms`.

    Where the place is not there, or the value has none, what is there afterwards may be anything;
    with `definite` that does not occur.
    """

    symbols: Symbols
    change: Change
    terms: tuple[Term, ...]
    here: Bool
    definite: bool

    def apply(self, record: Sym, type_: Type) -> Sym:
        """The record after the call, where the change applies to it."""
        _, value = self._put(True, record, type_, self.change.within, "", self.terms, False)
        return value

    def _put(
        self, present: Bool, old: Sym, type_: Type, steps: tuple[str | Sym, ...], name: str,
        terms: tuple[Term, ...], optional: bool,
    ) -> tuple[Bool, Sym]:  # fmt: skip
        """What is at a place afterwards, and whether it is there."""
        value = self.change.value
        if not steps and value is None:
            return self._anything(type_, name, terms, optional)
        if not steps:
            assert value is not None
            lost, there, new = self.change.lost, True, Sym(value.shape, value.null)
        else:
            lost = disjoin((negate(present), old.null, old.gap))
            there, new = present, self._step(old, type_, steps, name, terms)
        if lost is False:
            return there, new
        if self.definite:
            self.symbols.facts.append(implies(self.here, negate(lost)))
            return there, new
        some, anything = self._anything(type_, name, terms, optional)
        return choose(lost, some, there), merge(self.symbols, lost, anything, new, type_)

    def _anything(
        self, type_: Type, name: str, terms: tuple[Term, ...], optional: bool
    ) -> tuple[Bool, Sym]:
        full = f"{self.change.name}{name}"
        present = self.symbols.flag(f"{full}?there", terms) if optional else True
        return present, self.symbols.make(type_, full, terms, present)

    def _step(
        self, old: Sym, type_: Type, steps: tuple[str | Sym, ...], name: str,
        terms: tuple[Term, ...],
    ) -> Sym:  # fmt: skip
        if old.null is True or old.gap is True:
            return old
        match strip_null(type_):
            case RecordType() as record:
                shape: RecordShape | MapShape = self._record(old, record, steps, name, terms)
            case MapType() as map_type:
                shape = self._map(old, map_type, steps, name, terms)
            case _:
                raise AssertionError(type_)
        return Sym(shape, old.null, old.gap)

    def _record(
        self, old: Sym, type_: RecordType, steps: tuple[str | Sym, ...], name: str,
        terms: tuple[Term, ...],
    ) -> RecordShape:  # fmt: skip
        shape = as_record(old.shape, type_)
        changed = steps[0]
        assert isinstance(changed, str)

        def make(field: str) -> tuple[Bool, Sym]:
            present, inner = shape.get(field)
            if field != changed:
                return present, inner
            spec = type_.by_name[field]
            below = f"{name}{step_name(field)}"
            return self._put(present, inner, spec.type, steps[1:], below, terms, spec.optional)

        return RecordShape(type_, make)

    def _map(
        self, old: Sym, type_: MapType, steps: tuple[str | Sym, ...], name: str,
        terms: tuple[Term, ...],
    ) -> MapShape:  # fmt: skip
        symbols, shape = self.symbols, as_map(self.symbols, old.shape, type_)
        key = Sym(Known(steps[0])) if isinstance(steps[0], str) else steps[0]
        key = Sym(key.shape)
        present, inner = shape.get(key)
        inside = (*terms, symbols.term(key, StringType()))
        there, new = self._put(present, inner, type_.value, steps[1:], f"{name}{{}}", inside, True)

        def is_it(other: Sym) -> Bool:
            if same_plain(other, key):
                return True
            if isinstance(other.shape, Known) and isinstance(key.shape, Known):
                return False
            return same(symbols.term(other, StringType()), symbols.term(key, StringType()))

        def lookup(other: Sym) -> tuple[Bool, Sym]:
            here = is_it(other)
            if here is True:
                return there, new
            had, was = shape.get(other)
            return choose(here, there, had), merge(symbols, here, new, was, type_.value)

        return MapShape(
            lookup,
            lambda: self._keys(shape.keys(), key, is_it, present, there),
            lost=shape.lost,
        )

    def _keys(
        self, old: ListShape, key: Sym, is_it: Callable[[Sym], Bool], had: Bool, has: Bool
    ) -> ListShape:
        """The keys of a map after one of them may have come or gone."""
        if had is True and has is True:
            return old
        gone, new = conjoin((had, negate(has))), conjoin((has, negate(had)))
        slots = [
            Slot(conjoin((s.active, negate(conjoin((gone, is_it(s.value)))))), s.value)
            for s in old.slots
        ]
        length = old.length + _one_if(new) - _one_if(gone)
        tail, source = old.tail, old.source
        if old.has_tail and gone is not False:
            # whether it is one of the tail that went is open
            left = self.symbols.unconstrained(z3.IntSort(), "tail_left")
            self.symbols.facts.append(z3.And(left >= 0, left <= old.tail, left >= old.tail - 1))
            tail, source = choose(gone, left, old.tail), None
        return ListShape((*slots, Slot(new, key)), tail, length, dense=False, source=source)


def _one_if(condition: Bool) -> Term:
    if isinstance(condition, bool):
        return int(condition)
    return z3.If(condition, 1, 0)


def value_or_lost(sym: Sym) -> tuple[Sym, Bool]:
    """A value without its gap, and the gap."""
    return (NOTHING, True) if sym.gap is True else (Sym(sym.shape, sym.null), sym.gap)
