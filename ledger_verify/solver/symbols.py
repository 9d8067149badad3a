"""Typed symbolic constants, and what their schema says of them.

A field of a keyed record is an uninterpreted function of the keys, so equal keys give equal
records. Lists have slots up to a bound and a tail; maps are functions of their keys.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any

import z3

from ledger_verify.lang import times
from ledger_verify.lang.literals import INT_MAX, INT_MIN
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
from ledger_verify.solver.regexes import to_z3_regex
from ledger_verify.solver.shapes import (
    NOTHING,
    Known,
    ListShape,
    MapShape,
    RecordShape,
    Scalar,
    Slot,
    Sym,
    known,
)
from ledger_verify.solver.texts import Texts
from ledger_verify.solver.zones import DAY_US, one_of_offsets

_MONTH_US = 30 * DAY_US


@dataclass
class Symbols:
    """Makes symbols for one query and collects the facts about them.

    `facts` hold in every completion; `bounds` say that no list goes beyond its slots, which only
    bounded queries assume. `scope` is the number of slots where a schema sets no `maxItems`.
    `wishes` would make an example pleasant to read: short lists, small numbers, recent times;
    they are made only if `wishing`.
    """

    texts: Texts
    zone: tzinfo
    scope: int = 4
    wishing: bool = False
    facts: list[Bool] = field(default_factory=list)
    bounds: list[Bool] = field(default_factory=list)
    wishes: list[Bool] = field(default_factory=list)
    now_us: int = 0
    constants: dict[str, Term] = field(default_factory=dict)
    functions: dict[str, tuple[Any, type]] = field(default_factory=dict)
    _numerals: dict[int, Term] = field(default_factory=dict)

    def unconstrained(self, sort: Any, hint: str) -> Term:
        """A new constant of which nothing is known; only such names hold a `!`."""
        name = f"{hint}!{len(self.constants)}"
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
        self.facts.append(implies(when, self._bounds_of(type_, term)))
        if self.wishing:
            self.wishes.append(implies(when, self._wish(type_, term)))
        return Sym(Scalar(term))

    def _wish(self, type_: Type, term: Term) -> Bool:
        match type_:
            case IntType():
                return z3.And(term >= 0, term <= 9)
            case NumberType():
                return z3.And(z3.IsInt(term), term >= 0, term <= 999)
            case TimestampType(date=date):
                near = z3.And(term >= self.now_us - _MONTH_US, term <= self.now_us + _MONTH_US)
                return near if date else z3.And(near, term % (60 * times.SECOND_US) == 0)
        return True

    def flag(self, name: str) -> Bool:
        """A condition of that name."""
        return self._apply(name, z3.BoolSort(), ())

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
        bound = self.scope if type_.max_items is None else min(type_.max_items, 2 * self.scope)
        length = self._apply(f"{name}?length", z3.IntSort(), keys)
        limits = [length >= type_.min_items]
        closed = type_.max_items is not None and type_.max_items <= bound
        if type_.max_items is not None:
            limits.append(length <= type_.max_items)
        self.facts.append(implies(when, conjoin(limits)))
        if self.wishing:
            least = max(1, type_.min_items)
            self.wishes += [implies(when, length <= least), implies(when, length <= 2)]
        if not closed:
            self.bounds.append(implies(when, length <= bound))
        slots = tuple(
            Slot(there, self.make(type_.item, f"{name}#{i}", keys, conjoin((when, there))))
            for i, there in enumerate(length > i for i in range(bound))
        )
        tail = 0 if closed else z3.If(length > bound, length - bound, 0)
        return ListShape(slots, tail, length)

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

    def _bounds_of(self, type_: Type, term: Term) -> Bool:
        match type_:
            case IntType(minimum=low, maximum=high):
                return z3.And(
                    term >= (INT_MIN if low is None else low),
                    term <= (INT_MAX if high is None else high),
                )
            case NumberType():
                return _number_bounds(type_, term)
            case StringType():
                return self._text_bounds(type_, term)
            case TimestampType(date=date):
                in_range = z3.And(term >= times.TIMESTAMP_MIN_US, term <= times.TIMESTAMP_MAX_US)
                return z3.And(in_range, self._starts_day(term)) if date else in_range
            case DurationType():
                return z3.And(term >= -times.DURATION_MAX_US, term <= times.DURATION_MAX_US)
        return True

    def _text_bounds(self, type_: StringType, term: Term) -> Bool:
        if type_.enum is not None:
            return disjoin(same(term, self.texts.literal(option)) for option in type_.enum)
        if not self.texts.structured:
            return True
        limits: list[Bool] = []
        if type_.pattern is not None:
            regex = to_z3_regex(type_.pattern)
            if regex is not None:
                limits.append(z3.InRe(term, regex))
        if type_.min_length is not None:
            limits.append(z3.Length(term) >= type_.min_length)
        if type_.max_length is not None:
            limits.append(z3.Length(term) <= type_.max_length)
        return conjoin(limits)

    def _starts_day(self, term: Term) -> Bool:
        """The moment is a whole day since 1970, shifted by an offset that the zone has used.

        Which offset holds on which day is left open: that only adds completions.
        """
        day = self.unconstrained(z3.IntSort(), "day")
        return one_of_offsets(self.zone, term, lambda offset: term == DAY_US * day - offset)


def _number_bounds(type_: NumberType, term: Term) -> Bool:
    limits: list[Bool] = []
    if type_.minimum is not None:
        limits.append(term >= z3.RealVal(str(type_.minimum)))
    if type_.maximum is not None:
        limits.append(term <= z3.RealVal(str(type_.maximum)))
    if type_.exclusive_minimum is not None:
        limits.append(term > z3.RealVal(str(type_.exclusive_minimum)))
    if type_.exclusive_maximum is not None:
        limits.append(term < z3.RealVal(str(type_.exclusive_maximum)))
    return conjoin(limits)


def is_open(name: str) -> bool:
    """Whether a symbol stands for what the encoding says nothing of."""
    return "!" in name


def root(pattern: str) -> str:
    """How the names of the symbols of a pattern's records begin."""
    return f"<{pattern}>"


def partial_root(pattern: str, keys: tuple[Any, ...]) -> str:
    """How those of an observed record with stale parts begin."""
    return f"{root(pattern)}{list(keys)!r}"


def step(name: str) -> str:
    """How a field shows in the names of symbols: never so that two different places share one."""
    return f".{name}" if name.isidentifier() else f".{name!r}"


