"""The records of which one query speaks, and lists of all that are in the ledger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from ledger_verify.lang.typed import Records
from ledger_verify.lang.types import FieldType, ListType, RecordType
from ledger_verify.policy.domain import Domain
from ledger_verify.solver.logic import Bool, Term, conjoin, disjoin, implies, negate, same
from ledger_verify.solver.parting import Looked
from ledger_verify.solver.shapes import ListShape, RecordShape, Slot, Sym, as_list
from ledger_verify.solver.symbols import Symbols


@dataclass
class Instance:
    """A record of the ledger that the query speaks of, its keys possibly symbolic.

    `record` is what it is, stale or not. It is `observed` unless it is wholly stale, `partly` where
    a part of it is stale; a wholly stale one may still be `listed`.
    """

    pattern: str
    keys: tuple[Sym, ...]
    record: Sym
    observed: Bool = True
    terms: tuple[Term, ...] = ()
    assumed: bool = False
    partly: Bool = False
    listed: list[Bool] = field(default_factory=list)
    looked: Looked = field(default_factory=dict)

    @property
    def fresh(self) -> Bool:
        """Whether all of it is observed and not stale."""
        return conjoin((self.observed, negate(self.partly)))


class Instances(Protocol):
    """A world as far as lists of its records need it."""

    domain: Domain
    symbols: Symbols
    fresh: bool
    instances: dict[tuple[object, ...], Instance]

    def instance(self, pattern: str, keys: tuple[Sym, ...]) -> Instance:
        """The record as a function of its keys."""

    def label(self, name: str) -> str:
        """The name of a symbol for what is observed."""


@dataclass
class Listings:
    """The records in the ledger of one world, by pattern.

    They stand under different keys, and whatever is observed is among them, or beyond the slots.
    One that is wholly stale is among them, too, unless nothing in the world is stale.
    """

    world: Instances
    _keys: dict[str, Sym] = field(default_factory=dict)

    def records(self, expr: Records, value: Callable[[Instance], Sym]) -> Sym:
        """What `value` makes of the records at the pattern, in some order."""
        if expr.pattern not in self._keys:
            self._keys[expr.pattern] = self._listed(expr)
            for instance in list(self.world.instances.values()):
                self.place(instance)
        keys = as_list(self._keys[expr.pattern].shape)
        slots = tuple(Slot(s.active, value(self._instance(expr.pattern, s))) for s in keys.slots)
        return Sym(ListShape(slots, keys.tail, keys.length))

    def place(self, instance: Instance) -> None:
        """State that an observed record stands in the list of its pattern, if that is asked for."""
        listed = self._keys.get(instance.pattern)
        if listed is None or instance.listed:
            return
        keys = as_list(listed.shape)
        here = [
            conjoin((slot.active, *map(same, instance.terms, other.terms)))
            for slot in keys.slots
            for other in (self._instance(instance.pattern, slot),)
        ]
        beyond: Bool = keys.tail > 0 if keys.has_tail else False
        self.world.symbols.facts.append(implies(instance.observed, disjoin([*here, beyond])))

    def _listed(self, expr: Records) -> Sym:
        """The keys of the records."""
        types = self.world.domain.ledger[expr.pattern].keys
        fields = tuple((str(i), FieldType(type_)) for i, type_ in enumerate(types))
        name = self.world.label(f"records({expr.pattern})")
        listed = self.world.symbols.make(ListType(RecordType("keys", fields)), name)
        terms: list[tuple[Term, ...]] = []
        for slot in as_list(listed.shape).slots:
            instance = self._instance(expr.pattern, slot)
            instance.listed.append(slot.active)
            distinct = [
                disjoin(negate(same(a, b)) for a, b in zip(instance.terms, other, strict=True))
                for other in terms
            ]
            here = instance.observed if self.world.fresh else True
            self.world.symbols.facts.append(implies(slot.active, conjoin([here, *distinct])))
            terms.append(instance.terms)
        return listed

    def _instance(self, pattern: str, slot: Slot) -> Instance:
        shape, types = slot.value.shape, self.world.domain.ledger[pattern].keys
        assert isinstance(shape, RecordShape)
        keys = tuple(shape.get(str(i))[1] for i in range(len(types)))
        return self.world.instance(pattern, keys)
