"""What stands for the ledger and the call: the gaps of an observed ledger, or nothing known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import z3

from ledger_verify.lang.typed import Expr, Observed, Read, Records, Variable, walk
from ledger_verify.lang.types import Type
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.evidence import Evidence, Reach, Unknown, Unlisted
from ledger_verify.policy.rules import Assumption
from ledger_verify.solver.encode import Encoder
from ledger_verify.solver.instances import Instance, Listings
from ledger_verify.solver.keyed import keys_fit, keys_formed, with_own_keys
from ledger_verify.solver.logic import Bool, Term, conjoin, disjoin, implies, negate, same
from ledger_verify.solver.merging import has_stale_part, lift, merge
from ledger_verify.solver.names import partial_root, root, step
from ledger_verify.solver.parting import Parting
from ledger_verify.solver.past import any_earlier_calls, earlier_calls
from ledger_verify.solver.shapes import (
    NOTHING,
    Known,
    ListShape,
    Slot,
    Sym,
    as_list,
    known,
)
from ledger_verify.solver.stated import any_messages
from ledger_verify.solver.symbols import Symbols
from ledger_verify.solver.texts import Texts, needs_string_theory
from ledger_verify.solver.unlisted import gone, unlisted, within

_MAX_ASSUMPTION_DEPTH = 2


class ObservedLedger(Evidence, Protocol):
    """Evidence that can also list what it holds."""

    def records(self) -> Iterable[tuple[str, tuple[Any, ...], Any]]:
        """All entries: pattern, keys, entry."""

    def listings(self, pattern: str) -> Iterable[Any]:
        """What reads that showed all of the pattern, or of a part of it, say (a `Listing` each)."""


@dataclass
class LedgerWorld:
    """A completion of a ledger: what is observed is as it is, the rest is symbolic.

    Without `evidence` nothing is known of what is observed: `observed(...)` is a free predicate of
    a record, and of each part that a write can make stale while the rest is not. With `fresh`,
    nothing that is observed is stale. `reach` says what could still be read; with None all can.
    What is missing and cannot be read has no value; in a `strict` world without evidence that is
    all that is not observed, or stale. In a `hopeful` world the reads may be made: what is not
    observed so far may be.
    """

    domain: Domain
    symbols: Symbols
    names: Mapping[str, Sym]
    evidence: ObservedLedger | None = None
    reach: Reach | None = None
    hopeful: bool = False
    strict: bool = False
    fresh: bool = False
    instances: dict[tuple[Any, ...], Instance] = field(default_factory=dict)
    histories: dict[str, Sym] = field(default_factory=dict)
    _partings: dict[str, Parting] = field(default_factory=dict)
    _listings: Listings = field(init=False, repr=False)
    _seen: dict[tuple[int, int], tuple[Instance, Sym, Sym]] = field(default_factory=dict)
    _depth: int = 0
    _general: set[int] = field(default_factory=set)
    _numbers: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.encoder = Encoder(self.symbols, self)
        self._listings = Listings(self)

    def variable(self, expr: Variable) -> Sym:
        """The value of `args`, `now`, `call` or a part of the history."""
        if expr.is_heard:
            if self.evidence is not None:
                return known(self.evidence.messages())
            return any_messages(self.symbols, self.label("heard"))
        if not expr.is_history:
            return self.names[expr.name]
        if self.evidence is not None:
            reach = self.reach if self._depth == 0 else None
            calls = self.evidence.earlier_calls(expr.name)
            known_ones = earlier_calls(self.symbols, calls, expr.type, reach, self._numbers)
            if known_ones.gap is True or not self._may_grow(expr.name):
                return known_ones
            slots = as_list(known_ones.shape).slots
            return self._with_more(slots, f"{expr.name}?more", dense=True)
        if expr.name not in self.histories:
            self.histories[expr.name] = any_earlier_calls(self.symbols, expr, self.names["now"])
        return self.histories[expr.name]

    def _may_grow(self, name: str) -> bool:
        """Whether reads that may be made add to a history, or to the records of a pattern."""
        if not self.hopeful or self.reach is None:
            return False
        of_all = name == "history" and any(each.startswith("history.") for each in self.reach.calls)
        return of_all or name in self.reach.calls

    def records(self, expr: Records) -> Sym:
        """The list of records observed at the pattern."""
        if self.evidence is None:
            return self.list_records(expr, lambda instance: self.seen(instance, instance.record))
        slots = []
        for pattern, keys, _ in self.evidence.records():
            if pattern == expr.pattern:
                syms = tuple(known(key) for key in keys)
                record = self._observed_record(self.evidence, pattern, keys, syms)
                slots.append(Slot(True, record))
        more = self.evidence.observed_records(expr.pattern)
        if not isinstance(more, Unknown):
            if not self._may_grow(expr.pattern):
                return Sym(ListShape(tuple(slots), 0, len(slots)))
        elif self.reach is not None and not self.reach.all_of(more.missing) and self._depth == 0:
            return NOTHING
        # some result may have shown others, which stand anywhere among those that are known
        return self._with_more(tuple(slots), f"{root(expr.pattern)}?more", dense=False)

    def _with_more(self, slots: tuple[Slot, ...], name: str, *, dense: bool) -> Sym:
        """A list of these items and of others, of which nothing is known."""
        tail = self.symbols.count(name)
        return Sym(ListShape(slots, tail, tail + len(slots), dense=dense))

    def list_records(self, expr: Records, value: Callable[[Instance], Sym]) -> Sym:
        """What `value` makes of the records in the ledger, in some order."""
        return self._listings.records(expr, value)

    def read(self, expr: Read, keys: tuple[Sym, ...]) -> Sym:
        """The record at the path."""
        pattern, type_ = expr.pattern, self.domain.ledger[expr.pattern].record
        if self.evidence is None:
            instance = self.instance(pattern, keys)
            return self.seen(instance, instance.record)
        plain = plain_keys(keys)
        if plain is not None:
            return self._observed_record(self.evidence, pattern, plain, keys)
        result = unlisted(self, self.evidence, pattern, keys, self._missing(pattern, keys))
        for other, known_keys, _ in self.evidence.records():
            if other == pattern:
                here = within(self, pattern, keys, known_keys)
                syms = tuple(known(key) for key in known_keys)
                there = self._observed_record(self.evidence, pattern, known_keys, syms)
                result = merge(self.symbols, here, there, result, type_)
        for other, lost_keys in () if self.reach is None else self.reach.lost:
            if other == pattern and None not in lost_keys and self._is_lost(pattern, lost_keys):
                here = within(self, pattern, keys, lost_keys)
                result = merge(self.symbols, here, NOTHING, result, type_)
        return result

    def seen(self, instance: Instance, record: Sym, type_: Type | None = None) -> Sym:
        """The record of an instance as the rules see it; of a given type, if it was refitted."""
        if not self.strict:
            return record
        place = (id(instance), id(record.shape))
        if place not in self._seen:
            seen = record
            if not self.fresh:
                spec = self.domain.ledger[instance.pattern]
                parting = self.parting(instance.pattern)
                seen = parting.seen(record, type_ or spec.record, instance.terms, instance.looked)
            # the ids stay theirs as long as what they are of is kept
            self._seen[place] = instance, record, seen
        seen = self._seen[place][2]
        return Sym(seen.shape, record.null, disjoin((seen.gap, negate(instance.observed))))

    def parting(self, pattern: str) -> Parting:
        """What of the records at the pattern can be stale while the rest is not."""
        if pattern not in self._partings:
            record, tools = self.domain.ledger[pattern].record, self.domain.tools.values()
            self._partings[pattern] = Parting(self.symbols, pattern, record, tools, self.label)
        return self._partings[pattern]

    def _observed_record(
        self, evidence: Evidence, pattern: str, plain: tuple[Any, ...], keys: tuple[Sym, ...]
    ) -> Sym:
        value = evidence.lookup(pattern, plain)
        if isinstance(value, Unlisted):
            found, type_ = self._missing(pattern, keys, plain), self.domain.ledger[pattern].record
            return merge(self.symbols, gone(self, value.statements), NOTHING, found, type_)
        if isinstance(value, Unknown):
            return self._missing(pattern, keys, plain)
        if not has_stale_part(value):
            return known(value)
        lost = self._is_lost(pattern, plain)
        place = ("partial", pattern, lost, plain)
        if place not in self.instances:
            name = partial_root(pattern, plain)
            missing = _no_value if lost else self.symbols.make
            type_ = self.domain.ledger[pattern].record
            record = lift(self.symbols, value, type_, name, missing)
            self.instances[place] = Instance(pattern, keys, record)
        if not lost:
            self._assume(self.instances[place])
        return self.instances[place].record

    def _is_lost(self, pattern: str, plain: tuple[Any, ...] = ()) -> bool:
        """Whether what is missing there has no value; assumptions speak of it all the same."""
        return self.reach is not None and not self.reach.has(pattern, plain) and self._depth == 0

    def _missing(self, pattern: str, keys: tuple[Sym, ...], plain: tuple[Any, ...] = ()) -> Sym:
        if self._is_lost(pattern, plain):
            return NOTHING
        return self.instance(pattern, keys).record

    def instance(self, pattern: str, keys: tuple[Sym, ...]) -> Instance:
        """The record as a function of its keys."""
        terms = self._terms(pattern, keys)
        # ids of terms are unique as long as the terms live, and the instance keeps them alive
        place = (pattern, *(term.get_id() for term in terms))
        if place not in self.instances:
            spec = self.domain.ledger[pattern]
            plain = self._record(pattern, keys, terms)
            record = with_own_keys(spec, plain, keys, terms)
            made = Instance(pattern, keys, record, terms=terms)
            self.instances[place] = made
            if self.evidence is None:
                made.observed = self._observed_term(pattern, terms)
                fit = keys_fit(self.symbols, spec, terms)
                formed = keys_formed(self.symbols, spec, plain, keys)
                self.symbols.facts.append(implies(made.observed, conjoin((fit, formed))))
                made.record = Sym(record.shape, record.null, disjoin((record.gap, negate(fit))))
                if self.strict and not self.fresh:
                    parting = self.parting(pattern)
                    made.partly = parting.partly(terms)
                    parting.tie(terms)
                self._listings.place(made)
        self._assume(self.instances[place])
        return self.instances[place]

    def _record(self, pattern: str, keys: tuple[Sym, ...], terms: tuple[Term, ...]) -> Sym:
        """The record of these keys where nothing is known of it."""
        return self.symbols.make(self.domain.ledger[pattern].record, root(pattern), terms)

    def label(self, name: str) -> str:
        """The name of a symbol for what is observed."""
        return name

    def _terms(self, pattern: str, keys: tuple[Sym, ...]) -> tuple[Term, ...]:
        types = self.domain.ledger[pattern].keys
        return tuple(self.symbols.term(k, t) for k, t in zip(keys, types, strict=True))

    def is_at(self, pattern: str, terms: Sequence[Term], plain: tuple[Any, ...]) -> Bool:
        """Whether the terms are the plain keys of a record."""
        types = self.domain.ledger[pattern].keys
        return conjoin(
            same(term, self.symbols.literal(value, type_))
            for term, value, type_ in zip(terms, plain, types, strict=True)
        )

    def observed(self, expr: Observed, keys: tuple[Sym, ...]) -> Bool:
        """Whether the record counts as observed.

        Over an observed ledger a key that is not known yet names no observed record.
        """
        pattern = expr.read.pattern
        if self.evidence is not None:
            plain = plain_keys(keys)
            answer: Any = False
            if plain is not None:
                answer = self.evidence.observed(pattern, plain, expr.field_name)
            if plain is not None and isinstance(answer, Unknown):
                of = "" if expr.field_name is None else step(expr.field_name)
                return self.symbols.flag(f"{partial_root(pattern, plain)}{of}?observed")
            if answer or not self.hopeful or self._is_lost(pattern, plain or ()):
                return bool(answer)
            named = self.symbols.flag(f"{root(pattern)}?observed", self._terms(pattern, keys))
            found = None if plain is None else self.evidence.lookup(pattern, plain)
            there = not isinstance(found, Unlisted) or negate(gone(self, found.statements))
            return conjoin((named, there))
        instance = self.instance(pattern, keys)
        if self.fresh or expr.field_name is None:
            return instance.observed
        stale = self.parting(pattern).stale_field(expr.field_name, instance.terms)
        return conjoin((instance.observed, negate(stale)))

    def _observed_term(self, pattern: str, keys: tuple[Term, ...]) -> Bool:
        name = self.label(f"{root(pattern)}?observed")
        if not keys:
            return z3.Const(name, z3.BoolSort())
        return z3.Function(name, *(key.sort() for key in keys), z3.BoolSort())(*keys)

    def _assume(self, instance: Instance) -> None:
        """State what the domain assumes of a record that the query may choose."""
        if instance.assumed or self._depth >= _MAX_ASSUMPTION_DEPTH:
            return
        instance.assumed = True
        self._depth += 1
        try:
            for index, (assumption, when) in enumerate(self._assumptions()):
                if assumption.variable is not None and assumption.pattern == instance.pattern:
                    bound = {assumption.variable.name: instance.record}
                    fact = self.encoder.holds(assumption.body, bound)
                    self.symbols.facts.append(implies(when, fact))
                elif (
                    assumption.pattern is None
                    and index not in self._general
                    and reads(assumption, instance.pattern)
                ):
                    self._general.add(index)
                    self.symbols.facts.append(implies(when, self.encoder.holds(assumption.body)))
        finally:
            self._depth -= 1

    def _assumptions(self) -> Sequence[tuple[Assumption, Bool]]:
        """What holds of the records, each with the condition under which it does."""
        return [(assumption, True) for assumption in self.domain.assumptions]


def plain_keys(keys: tuple[Sym, ...]) -> tuple[Any, ...] | None:
    """The keys as plain values, if all are known."""
    values = tuple(key.shape.value for key in keys if isinstance(key.shape, Known))
    return values if len(values) == len(keys) else None


def _no_value(type_: Type, name: str) -> Sym:
    """What stands for a stale part that no tool can bring."""
    return NOTHING


def reads(assumption: Assumption, pattern: str) -> bool:
    """Whether the assumption speaks of records of the pattern."""
    return any(isinstance(e, Read) and e.pattern == pattern for e in walk(assumption.body))


def symbols_for(
    domain: Domain, predicates: Iterable[Expr], scope: int, *, structured: bool = False
) -> Symbols:
    """Symbols for a query over the predicates and the domain's assumptions."""
    bodies = [assumption.body for assumption in domain.assumptions]
    seen = [each for tool in domain.tools.values() for each in tool.observes]
    bodies += [each.complete for each in seen if each.complete is not None]
    structured = structured or needs_string_theory([*predicates, *bodies])
    return Symbols(Texts(structured=structured), domain.zone, scope)
