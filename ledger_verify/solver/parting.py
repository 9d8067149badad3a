"""Records of which parts are stale, in worlds before deployment.

Whether a part is stale is a function of the keys of the record, and of the map entries on the way
to it. A stale part has no value; where the way to it leaves what was observed - an absent field or
entry, null - the first step that is not there has none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from ledger_verify.lang.types import MapType, RecordType, StringType, Type, strip_null
from ledger_verify.policy.parts import Entries, Parts, fields_apart, parts_of_records
from ledger_verify.policy.tools import Tool
from ledger_verify.solver.logic import Bool, Term, conjoin, disjoin, implies, negate
from ledger_verify.solver.merging import as_map
from ledger_verify.solver.names import root, step
from ledger_verify.solver.shapes import MapShape, RecordShape, Scalar, Sym, as_record
from ledger_verify.solver.symbols import Symbols

Way = tuple[str | Sym | Entries, ...]
"""Steps to a part; `Entries.ONE` is some entry that nothing looked at."""
Looked = dict[tuple[object, ...], list[Sym]]
"""The keys of maps that were looked up in one record, by the flags of the map."""


@dataclass
class Parting:
    """What of the records at one pattern can be stale while the rest is not.

    `label` makes the names of symbols unique to a state.
    """

    symbols: Symbols
    pattern: str
    record: Type
    tools: Iterable[Tool]
    label: Callable[[str], str]
    parts: Parts = field(init=False)
    apart: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.parts = parts_of_records(self.tools, self.pattern, self.record)
        self.apart = fields_apart(self.tools, self.pattern, self.record)

    def stale_field(self, name: str, terms: tuple[Term, ...]) -> Bool:
        """Whether a field of an observed record counts as stale, in part or as a whole."""
        if name not in self.apart:
            return False
        return self._flag(f"{step(self.apart[name])}?apart", terms)

    def _flag(self, name: str, terms: tuple[Term, ...]) -> Bool:
        return self.symbols.flag(self.label(f"{root(self.pattern)}{name}"), terms)

    def _text(self, name: str, terms: tuple[Term, ...]) -> Term:
        return self.symbols.text(self.label(f"{root(self.pattern)}{name}"), terms)

    def partly(self, terms: tuple[Term, ...]) -> Bool:
        """Whether some part of the record is stale."""
        return self._below(self.parts, "", terms)

    def tie(self, terms: tuple[Term, ...]) -> None:
        """State what the parts of one record have to do with `stale_field`."""
        for name, part in self.parts.below.items():
            if isinstance(name, str):
                apart = self.stale_field(name, terms)
                stale = self._some(part, place_below("", name), terms)
                self.symbols.facts += [implies(stale, apart), implies(apart, stale)]

    def seen(self, record: Sym, type_: Type, terms: tuple[Term, ...], looked: Looked) -> Sym:
        """The record as the interpreter sees it, without its stale parts."""
        if not self.parts.below:
            return record
        return _Seen(self, looked).place(True, record, type_, self.parts, "", terms)[1]

    def ways(
        self, terms: tuple[Term, ...], looked: Looked, is_true: Callable[[Bool], bool]
    ) -> Iterator[Way]:
        """What is stale of one record in a model."""
        yield from self._ways(self.parts, "", terms, (), looked, is_true)

    def _ways(
        self, parts: Parts, name: str, terms: tuple[Term, ...], way: Way, looked: Looked,
        is_true: Callable[[Bool], bool],
    ) -> Iterator[Way]:  # fmt: skip
        if parts.ends and is_true(self.stale_at(name, terms)):
            yield way
            return
        for below, inner in parts.below.items():
            inside = place_below(name, below)
            if below is not Entries.ONE:
                yield from self._ways(inner, inside, terms, (*way, below), looked, is_true)
                continue
            found = [
                one
                for key in looked.get(_place(inside, terms), ())
                for one in self._ways(
                    inner, inside, self._with_key(terms, key), (*way, key), looked, is_true
                )
            ]
            yield from found
            if not found and is_true(self._some_entry(inside, terms)):
                yield (*way, Entries.ONE)

    def stale_at(self, name: str, terms: tuple[Term, ...]) -> Bool:
        """Whether the place of that name is stale; `terms` are all keys on the way to it."""
        return self._flag(f"{name}?stale", terms)

    def _some_entry(self, inside: str, terms: tuple[Term, ...]) -> Bool:
        return self._flag(f"{inside}?some", terms)

    def _with_key(self, terms: tuple[Term, ...], key: Sym) -> tuple[Term, ...]:
        return (*terms, self.symbols.term(key, StringType()))

    def _some(self, parts: Parts, name: str, terms: tuple[Term, ...]) -> Bool:
        """Whether the place, or a part below it, is stale."""
        below = self._below(parts, name, terms)
        return disjoin((self.stale_at(name, terms), below)) if parts.ends else below

    def _below(self, parts: Parts, name: str, terms: tuple[Term, ...]) -> Bool:
        """Whether a part below the place is stale."""
        return disjoin(
            self._some_entry(place_below(name, below), terms)
            if below is Entries.ONE
            else self._some(inner, place_below(name, below), terms)
            for below, inner in parts.below.items()
        )


def _place(inside: str, terms: tuple[Term, ...]) -> tuple[object, ...]:
    # the ids stay theirs: the flags of the record keep the terms alive
    return (inside, *(term.get_id() for term in terms))


def place_below(name: str, below: str | Entries) -> str:
    """How the flags of a place below the one of that name are called."""
    return f"{name}{step(below)}" if isinstance(below, str) else f"{name}{{{below.value}}}"


@dataclass
class _Seen:
    """One record without its stale parts; `name` and `terms` of a place say how its flags are
    called.
    """

    of: Parting
    looked: Looked

    def place(
        self, present: Bool, value: Sym, type_: Type, parts: Parts, name: str,
        terms: tuple[Term, ...],
    ) -> tuple[Bool, Sym]:  # fmt: skip
        """Whether something is at the place as far as can be told, and what."""
        below = self.of._below(parts, name, terms)
        gap = conjoin((disjoin((negate(present), value.null)), below))
        if parts.ends:
            gap = disjoin((self.of.stale_at(name, terms), gap))
        shape = value.shape
        if parts.below and value.null is not True and value.gap is not True:
            match strip_null(type_):
                case RecordType() as record:
                    shape = self._record(value, record, parts, name, terms, below)
                case MapType() as map_type:
                    shape = self._map(value, map_type, parts, name, terms, below)
        return disjoin((present, gap)), Sym(shape, value.null, disjoin((value.gap, gap)))

    def _record(
        self, value: Sym, type_: RecordType, parts: Parts, name: str, terms: tuple[Term, ...],
        hollow: Bool,
    ) -> RecordShape:  # fmt: skip
        shape = as_record(value.shape, type_)

        def make(field_name: str) -> tuple[Bool, Sym]:
            present, inner = shape.get(field_name)
            part = parts.below.get(field_name)
            if part is None:
                return present, inner
            declared = type_.by_name[field_name].type
            return self.place(present, inner, declared, part, place_below(name, field_name), terms)

        return RecordShape(type_, make, hollow=hollow)

    def _map(
        self, value: Sym, type_: MapType, parts: Parts, name: str, terms: tuple[Term, ...],
        hollow: Bool,
    ) -> MapShape:  # fmt: skip
        of, facts = self.of, self.of.symbols.facts
        shape, there = as_map(of.symbols, value.shape, type_), negate(value.null)
        each, one = parts.below.get(Entries.EACH), parts.below.get(Entries.ONE)
        each_name, one_name = place_below(name, Entries.EACH), place_below(name, Entries.ONE)
        keys_lost = of._flag(f"{name}?keys lost", terms)
        looked = self.looked.setdefault(_place(one_name, terms), [])

        def lookup(key: Sym) -> tuple[Bool, Sym]:
            present, entry = shape.get(key)
            if each is not None:
                _, seen = self.place(True, entry, type_.value, each, each_name, terms)
                entry = Sym(seen.shape, seen.null, conjoin((present, seen.gap)))
            if one is not None:
                looked.append(key)
                named = of._with_key(terms, key)
                present, entry = self.place(present, entry, type_.value, one, one_name, named)
                some = of._some(one, one_name, named)
                facts.append(implies(some, of._some_entry(one_name, terms)))
            facts.append(implies(conjoin((there, present, entry.gap)), keys_lost))
            return present, entry

        seen = MapShape(lookup, shape.keys, lost=keys_lost, hollow=hollow)
        # where some entry is said to be stale, there is one
        present, entry = seen.get(self._key(f"{name}?lost key", terms))
        facts.append(implies(conjoin((there, keys_lost)), conjoin((present, entry.gap))))
        if one is not None:
            key = self._key(f"{name}?stale key", terms)
            seen.get(key)
            some = of._some(one, one_name, of._with_key(terms, key))
            facts.append(implies(of._some_entry(one_name, terms), some))
        if each is not None:
            witness, _ = shape.get(self._key(f"{name}?touched key", terms))
            some = of._some(each, each_name, terms)
            facts.append(implies(conjoin((there, some)), witness))
        return seen

    def _key(self, name: str, terms: tuple[Term, ...]) -> Sym:
        return Sym(Scalar(self.of._text(name, terms)))
