"""What stands for the ledger and the call: the gaps of an observed ledger, or nothing known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import z3

from ledger_verify.lang.typed import Expr, Observed, Read, walk
from ledger_verify.lang.types import Type
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.evidence import Evidence, MissingPath, Unknown
from ledger_verify.policy.rules import Assumption
from ledger_verify.solver.encode import Encoder
from ledger_verify.solver.logic import Bool, Term, conjoin, disjoin, negate, same
from ledger_verify.solver.merging import lift, merge
from ledger_verify.solver.shapes import NOTHING, Known, Sym, known
from ledger_verify.solver.symbols import Symbols
from ledger_verify.solver.texts import Texts, needs_string_theory

_MAX_ASSUMPTION_DEPTH = 2


class ObservedLedger(Evidence, Protocol):
    """Evidence that can also list what it holds."""

    def records(self) -> Iterable[tuple[str, tuple[Any, ...], Any]]:
        """All entries: pattern, keys, entry."""


@dataclass
class Instance:
    """A record of the ledger that the query speaks of, its keys possibly symbolic."""

    pattern: str
    keys: tuple[Sym, ...]
    record: Sym
    observed: Bool = True


@dataclass
class LedgerWorld:
    """A completion of a ledger: what is observed is as it is, the rest is symbolic.

    Without `evidence` nothing is observed, and `observed(...)` is a free predicate. `readable`
    says which patterns could still be read; with None all are. What is missing and cannot be
    read has no value. The records of `primed`, a missing path, get symbols of their own.
    """

    domain: Domain
    symbols: Symbols
    names: Mapping[str, Sym]
    evidence: ObservedLedger | None = None
    readable: frozenset[str] | None = None
    strict: bool = False
    primed: MissingPath | None = None
    instances: dict[tuple[Any, ...], Instance] = field(default_factory=dict)
    _depth: int = 0
    _general: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.encoder = Encoder(self.symbols, self)

    def variable(self, name: str) -> Sym:
        """The value of `args`, `now` or `call`."""
        return self.names[name]

    def read(self, expr: Read, keys: tuple[Sym, ...]) -> Sym:
        """The record at the path."""
        type_ = self.domain.ledger[expr.pattern].record
        if self.evidence is None:
            instance = self._instance(expr.pattern, keys, type_)
            gap = negate(instance.observed) if self.strict else False
            return Sym(instance.record.shape, instance.record.null, disjoin((instance.record.gap, gap)))
        if all(isinstance(key.shape, Known) for key in keys):
            plain = tuple(key.shape.value for key in keys if isinstance(key.shape, Known))
            return self._observed_record(self.evidence, expr.pattern, plain, keys, type_)
        result = self._missing(expr.pattern, keys, type_)
        for pattern, known_keys, _ in self.evidence.records():
            if pattern == expr.pattern:
                here = self._same_keys(keys, known_keys, pattern)
                syms = tuple(known(key) for key in known_keys)
                there = self._observed_record(self.evidence, pattern, known_keys, syms, type_)
                result = merge(self.symbols, here, there, result, type_)
        return result

    def _observed_record(
        self, evidence: Evidence, pattern: str, plain: tuple[Any, ...], keys: tuple[Sym, ...], type_: Type
    ) -> Sym:  # fmt: skip
        value = evidence.lookup(pattern, plain)
        if isinstance(value, Unknown):
            return self._missing(pattern, keys, type_)
        if not self._has_stale(value):
            return known(value)
        cached = self.instances.get(("partial", pattern, plain))
        if cached is None:
            record = lift(self.symbols, value, type_, f"{pattern}{list(plain)}", self._stale(pattern))
            cached = self.instances["partial", pattern, plain] = Instance(pattern, keys, record)
            self._assume(pattern, record)
        return cached.record

    def _has_stale(self, value: Any) -> bool:
        return isinstance(value, Unknown) or (
            isinstance(value, dict) and any(self._has_stale(inner) for inner in value.values())
        )

    def _stale(self, pattern: str) -> Callable[[Type, str], Sym]:
        if self.readable is not None and pattern not in self.readable:
            return lambda type_, name: NOTHING
        mark = "'" if self.primed is not None and self.primed.pattern == pattern and self.primed.within else ""
        return lambda type_, name: self.symbols.make(type_, name + mark)

    def _missing(self, pattern: str, keys: tuple[Sym, ...], type_: Type) -> Sym:
        if self.readable is not None and pattern not in self.readable:
            return NOTHING
        return self._instance(pattern, keys, type_).record

    def _instance(self, pattern: str, keys: tuple[Sym, ...], type_: Type) -> Instance:
        key_types = self.domain.ledger[pattern].keys
        terms = tuple(self.symbols.term(k, t) for k, t in zip(keys, key_types, strict=True))
        mark = "'" if self._is_primed(pattern, keys) else ""
        cache_key = (pattern, mark, *(term.get_id() for term in terms))
        if cache_key not in self.instances:
            record = self.symbols.make(type_, pattern + mark, terms)
            observed: Bool = True
            if self.evidence is None:
                observed = self._observed_term(pattern, terms)
            self.instances[cache_key] = Instance(pattern, keys, record, observed)
            self._assume(pattern, record)
        return self.instances[cache_key]

    def _is_primed(self, pattern: str, keys: tuple[Sym, ...]) -> bool:
        if self.primed is None or self.primed.pattern != pattern or self.primed.within:
            return False
        if not self.primed.determined:
            return not all(isinstance(key.shape, Known) for key in keys)
        return all(
            isinstance(key.shape, Known) and key.shape.value == wanted
            for key, wanted in zip(keys, self.primed.keys, strict=True)
        )

    def _same_keys(self, keys: tuple[Sym, ...], plain: tuple[Any, ...], pattern: str) -> Bool:
        types = self.domain.ledger[pattern].keys
        return conjoin(
            key.shape.value == value
            if isinstance(key.shape, Known)
            else same(self.symbols.term(key, type_), self.symbols.literal(value, type_))
            for key, value, type_ in zip(keys, plain, types, strict=True)
        )

    def observed(self, expr: Observed, keys: tuple[Sym, ...]) -> Bool:
        """Whether the record counts as observed.

        Over an observed ledger a key that is not known yet names no observed record.
        """
        pattern = expr.read.pattern
        if self.evidence is not None:
            if not all(isinstance(key.shape, Known) for key in keys):
                return False
            plain = tuple(key.shape.value for key in keys if isinstance(key.shape, Known))
            return self.evidence.observed(pattern, plain, expr.field_name)
        types = self.domain.ledger[pattern].keys
        terms = tuple(self.symbols.term(k, t) for k, t in zip(keys, types, strict=True))
        self._instance(pattern, keys, self.domain.ledger[pattern].record)
        return self._observed_term(pattern, terms)

    def _observed_term(self, pattern: str, keys: tuple[Term, ...]) -> Bool:
        name = f"{pattern}?observed"
        if not keys:
            return z3.Const(name, z3.BoolSort())  # type: ignore[no-any-return]
        function = z3.Function(name, *(key.sort() for key in keys), z3.BoolSort())
        return function(*keys)  # type: ignore[no-any-return]

    def _assume(self, pattern: str, record: Sym) -> None:
        """State what the domain assumes of a record that the query may choose."""
        if self._depth >= _MAX_ASSUMPTION_DEPTH:
            return
        self._depth += 1
        try:
            for index, assumption in enumerate(self.domain.assumptions):
                if assumption.pattern == pattern and assumption.variable is not None:
                    bound = {assumption.variable.name: record}
                    self.symbols.facts.append(self.encoder.holds(assumption.body, bound))
                elif assumption.pattern is None and index not in self._general and reads(assumption, pattern):
                    self._general.add(index)
                    self.symbols.facts.append(self.encoder.holds(assumption.body))
        finally:
            self._depth -= 1


def reads(assumption: Assumption, pattern: str) -> bool:
    """Whether the assumption speaks of records of the pattern."""
    return any(isinstance(e, Read) and e.pattern == pattern for e in walk(assumption.body))


def symbols_for(domain: Domain, predicates: Iterable[Expr], scope: int) -> Symbols:
    """Symbols for a query over the predicates and the domain's assumptions."""
    bodies = [assumption.body for assumption in domain.assumptions]
    structured = needs_string_theory([*predicates, *bodies])
    return Symbols(Texts(structured=structured), domain.zone, scope)
