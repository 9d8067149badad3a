"""Typed symbolic constants, and what their schema says of them.

A field of a keyed record is an uninterpreted function of the keys, so equal keys give equal
records. Lists have slots up to a bound and a tail; maps are functions of their keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any

import z3

from ledger_verify.lang.deadline import NO_DEADLINE, Deadline
from ledger_verify.lang.times import TIMESTAMP_MAX_US, TIMESTAMP_MIN_US
from ledger_verify.lang.types import (
    BoolType,
    DurationType,
    IntType,
    ListType,
    MapType,
    NullableType,
    NullType,
    NumberType,
    RecordType,
    StringType,
    TimestampType,
    Type,
    UnsettledType,
    strip_null,
)
from ledger_verify.solver.bounds import scalar_bounds, text_bounds
from ledger_verify.solver.lessons import Lesson, of_offset
from ledger_verify.solver.logic import (
    Bool,
    Term,
    application,
    conjoin,
    disjoin,
    implies,
    negate,
    same,
)
from ledger_verify.solver.names import step, without_positions
from ledger_verify.solver.origins import Origins
from ledger_verify.solver.shapes import (
    NOTHING,
    Known,
    ListShape,
    MapShape,
    RecordShape,
    Scalar,
    Slot,
    Sym,
    Tail,
    known,
)
from ledger_verify.solver.stated import Statement
from ledger_verify.solver.texts import Texts
from ledger_verify.solver.wishes import Wishes
from ledger_verify.solver.zones import DAY_US, offsets_around, one_of_offsets, zone_offsets


@dataclass
class Symbols:
    """Makes symbols for one query and collects the facts about them.

    `facts` hold in every completion; `bounds` say that no list goes beyond its slots, which only
    bounded queries assume. `scope` is the number of slots where a schema sets no `maxItems`.
    `wishes` collects what would make an example pleasant to read. `sizes` asks for more slots in
    lists by their names. With `drawing`, predicates over the tail of one list know of each other.
    For a year before and after `around_us` the offsets of time zones are exact. Without `ranged`,
    results beyond the bounds of their type count as values. `lessons` tell what a model gets wrong
    of what is encoded only roughly; all is exact of the times where `near` holds. `statements` are
    those about what was said, `heard` has known messages by the name of the predicate that tells
    what texts are in them. Past the `deadline` no more terms are made.
    """

    texts: Texts
    zone: tzinfo
    scope: int = 4
    facts: list[Bool] = field(default_factory=list)
    bounds: list[Bool] = field(default_factory=list)
    wishes: Wishes | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)
    drawing: bool = False
    around_us: int | None = None
    ranged: bool = True
    lessons: list[Lesson] = field(default_factory=list)
    near: list[Bool] = field(default_factory=list)
    _drawn: int = 0
    constants: dict[str, Term] = field(default_factory=dict)
    functions: dict[str, tuple[Any, type]] = field(default_factory=dict)
    trimmed: dict[int, tuple[Term, Term]] = field(default_factory=dict)
    """Texts and what `trim` makes of them, by the numbers of the texts."""
    cased: dict[int, tuple[str, Term, Term]] = field(default_factory=dict)
    """How texts in one case were made, of which text, and they themselves, by their numbers."""
    days: dict[int, tuple[Term, Term]] = field(default_factory=dict)
    """Starts of days and the numbers of the dates that they start, by the numbers of the former."""
    statements: list[Statement] = field(default_factory=list)
    heard: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    deadline: Deadline = NO_DEADLINE
    left_open: list[Bool] = field(default_factory=list)
    """Conditions that say whether values fit a type, where the solver cannot tell."""
    origins: dict[str, Origins] = field(default_factory=dict)
    """What unconstrained symbols are functions of, by their names."""
    _numerals: dict[int, Term] = field(default_factory=dict)
    _speaking_of: Origins = None

    @contextmanager
    def speaking_of(self, origins: Origins) -> Iterator[None]:
        """What is left open inside is a function of these, the call and the present."""
        outside, self._speaking_of = self._speaking_of, origins
        try:
            yield
        finally:
            self._speaking_of = outside

    def learn_offset(self, zone: tzinfo, moment: Term, meets: Callable[[int], Bool]) -> None:
        """Have the offset of a zone at a moment, of which `meets` speaks, learnt from models."""
        self.lessons.append(of_offset(zone, moment, meets))
        if self.around_us is not None:
            known = offsets_around(zone, self.around_us)
            self.near.append(conjoin((moment >= known[0][0], moment < known[-1][1])))

    def unconstrained(self, sort: Any, hint: str) -> Term:
        """A new constant of which nothing is known; only such names hold a `!`."""
        name = f"{hint}!{len(self.constants)}"
        self.origins[name] = self._speaking_of
        return self.constants.setdefault(name, z3.Const(name, sort))

    def sort_of(self, type_: Type) -> Any:
        """The z3 sort of a scalar type."""
        match type_:
            case BoolType():
                return z3.BoolSort()
            case NumberType():
                return z3.RealSort()
            case IntType() | TimestampType() | DurationType():
                return z3.IntSort()
            case StringType():
                return self.texts.sort
        raise AssertionError(type_)

    def literal(self, value: Any, type_: Type) -> Term:
        """A plain scalar as a term."""
        self.deadline.check()
        match type_:
            case NullableType(of=of):
                return self.literal(value, of)
            case BoolType():
                return z3.BoolVal(value)
            case NumberType():
                return z3.RealVal(str(value))
            case IntType() | TimestampType() | DurationType():
                if value not in self._numerals:
                    self._numerals[value] = z3.IntVal(value)
                return self._numerals[value]
            case StringType():
                return self.texts.literal(value)
        raise AssertionError(type_)

    def make(self, type_: Type, name: str, keys: tuple[Term, ...] = (), when: Bool = True) -> Sym:
        """A symbol of the type under a unique name, a function of `keys`.

        The schema's bounds become facts; `when` is the condition under which it exists at all.
        """
        self.deadline.check()
        match type_:
            case NullableType(of=of):
                null = self._apply(f"{name}?null", z3.BoolSort(), keys)
                inner = self.make(of, name, keys, conjoin((when, negate(null))))
                return Sym(inner.shape, null=null)
            case NullType():
                return known(None)
            case RecordType():
                return Sym(RecordShape(type_, self._field_maker(type_, name, keys, when)))
            case ListType():
                return Sym(self._list(type_, name, keys, when))
            case MapType():
                return Sym(self._map(type_, name, keys, when))
            case UnsettledType():
                return NOTHING
        term = self._apply(name, self.sort_of(type_), keys)
        self.facts.append(implies(when, self._bounds(type_, term)))
        if self.wishes is not None:
            self.wishes.of_scalar(type_, term, when)
        return Sym(Scalar(term))

    def flag(self, name: str, keys: tuple[Term, ...] = ()) -> Bool:
        """A condition of that name, which may depend on keys."""
        return self._apply(name, z3.BoolSort(), keys)

    def count(self, name: str) -> Term:
        """A number of that name, at least 0."""
        if name not in self.constants:
            self.facts.append(self._apply(name, z3.IntSort(), ()) >= 0)
        return self.constants[name]

    def text(self, name: str, keys: tuple[Term, ...] = ()) -> Term:
        """Some text of that name, which may depend on keys."""
        return self._apply(name, self.texts.sort, keys)

    def _apply(self, name: str, sort: Any, keys: tuple[Term, ...]) -> Term:
        if not keys:
            if name not in self.constants:
                self.constants[name] = z3.Const(name, sort)
            return self.constants[name]
        if name not in self.functions:
            function = z3.Function(name, *(key.sort() for key in keys), sort)
            self.functions[name] = function, type(z3.Const("like", sort))
        function, kind = self.functions[name]
        return application(function, keys, kind)

    def _field_maker(
        self, type_: RecordType, name: str, keys: tuple[Term, ...], when: Bool
    ) -> Callable[[str], tuple[Bool, Sym]]:
        def make(field_name: str) -> tuple[Bool, Sym]:
            declared = type_.by_name[field_name]
            path = f"{name}{step(field_name)}"
            present: Bool = True
            if declared.optional:
                present = self._apply(f"{path}?there", z3.BoolSort(), keys)
            return present, self.make(declared.type, path, keys, conjoin((when, present)))

        return make

    def _list(self, type_: ListType, name: str, keys: tuple[Term, ...], when: Bool) -> ListShape:
        bound = self.sizes.get(without_positions(name), 0)
        if type_.max_items is None:
            bound = max(bound, self.scope)
        else:
            bound = min(type_.max_items, max(bound, 2 * self.scope))
        length = self._apply(f"{name}?length", z3.IntSort(), keys)
        limits = [length >= type_.min_items]
        closed = type_.max_items is not None and type_.max_items <= bound
        if type_.max_items is not None:
            limits.append(length <= type_.max_items)
        self.facts.append(implies(when, conjoin(limits)))
        if self.wishes is not None:
            self.wishes.of_length(type_.min_items, length, when)
        if not closed:
            self.bounds.append(implies(when, length <= bound))
        slots = tuple(
            Slot(there, self.make(type_.item, f"{name}#{i}", keys, conjoin((when, there))))
            for i, there in enumerate(length > i for i in range(bound))
        )
        tail = 0 if closed else z3.If(length > bound, length - bound, 0)
        beyond = conjoin((when, length > bound))
        source = Tail(lambda: self._item_beyond(type_.item, beyond), bound, length)
        return ListShape(slots, tail, length, source=source if self.drawing else None)

    def _item_beyond(self, type_: Type, when: Bool) -> Sym:
        """Some item of a tail, with symbols that nothing else has."""
        self._drawn += 1
        return self.make(type_, f"item!{self._drawn}", when=when)

    def _map(self, type_: MapType, name: str, keys: tuple[Term, ...], when: Bool) -> MapShape:
        def lookup(key: Sym) -> tuple[Bool, Sym]:
            term = self.term(key, StringType())
            present = self._apply(f"{name}?has", z3.BoolSort(), (*keys, term))
            value = self.make(type_.value, f"{name}{{}}", (*keys, term), conjoin((when, present)))
            if shape.listed is not None:
                self._link_key(shape.listed, term, present)
            return present, value

        def list_keys() -> ListShape:
            spec = ListType(StringType(), type_.min_size, type_.max_size)
            listed = self._list(spec, f"{name}?keys", keys, when)
            terms = [self.term(slot.value, StringType()) for slot in listed.slots]
            for i, slot in enumerate(listed.slots):
                present = self._apply(f"{name}?has", z3.BoolSort(), (*keys, terms[i]))
                self.facts.append(implies(slot.active, present))
                self.facts += [implies(slot.active, terms[i] != terms[j]) for j in range(i)]
            for key, present, _ in shape.touched:
                self._link_key(listed, self.term(key, StringType()), present)
            if listed.source is not None:
                draw = listed.source.draw

                def draw_key() -> Sym:
                    key = draw()
                    term = self.term(key, StringType())
                    there = self._apply(f"{name}?has", z3.BoolSort(), (*keys, term))
                    self.facts.append(implies(listed.tail > 0, there))
                    return key

                listed.source.draw = draw_key
            return listed

        shape = MapShape(lookup, list_keys)
        return shape

    def _link_key(self, listed: ListShape, key: Term, present: Bool) -> None:
        """A key that is there stands in a slot, or beyond them."""
        places = [
            conjoin((slot.active, same(self.term(slot.value, StringType()), key)))
            for slot in listed.slots
        ]
        beyond: Bool = False if isinstance(listed.tail, int) else listed.tail > 0
        self.facts.append(implies(present, disjoin([*places, beyond])))

    def term(self, sym: Sym, type_: Type) -> Term:
        """The term of a scalar symbol."""
        match sym.shape:
            case Scalar(term=term):
                return term
            case Known(value=None):
                return self.unconstrained(self.sort_of(strip_null(type_)), "null")
            case Known(value=value):
                return self.literal(value, type_)
        raise AssertionError(sym)

    def _told(self, day: Term) -> Bool:
        """In models that become cases, days keep away from the ends of the calendar, where not
        every zone can tell them.
        """
        if self.wishes is None:
            return True
        ends = TIMESTAMP_MIN_US + 3 * DAY_US, TIMESTAMP_MAX_US - 3 * DAY_US
        return z3.And(day >= ends[0], day <= ends[1])

    def _bounds(self, type_: Type, term: Term) -> Bool:
        """What the schema says of a scalar."""
        match type_:
            case StringType():
                return text_bounds(type_, term, self.texts)
            case TimestampType(date=True):
                # which offset holds on which day may be left open: that only adds completions
                if term.ast.value not in self.days:
                    self.days[term.ast.value] = term, self.unconstrained(z3.IntSort(), "day")
                day = self.days[term.ast.value][1]
                around = () if self.around_us is None else offsets_around(self.zone, self.around_us)

                def starts_by(offset: int) -> Bool:
                    return term == DAY_US * day - offset

                starts = one_of_offsets(self.zone, term, starts_by, around)
                if len(zone_offsets(self.zone)[0]) > 1:
                    self.learn_offset(self.zone, term, starts_by)
                return conjoin((scalar_bounds(type_, term), starts, self._told(term)))
        return scalar_bounds(type_, term)
