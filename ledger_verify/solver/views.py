"""One ledger and call as each of two domains sees them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ledger_verify.lang.environment import SESSION, LedgerPattern, earlier_calls
from ledger_verify.lang.typed import Observed, Read, Records, Variable
from ledger_verify.lang.types import ListType, RecordType, Type
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Assumption
from ledger_verify.policy.session_facts import joined_facts, shared_facts
from ledger_verify.schema.relations import joined, same_values, undeclared
from ledger_verify.solver.encode import Encoder
from ledger_verify.solver.equality import count_active
from ledger_verify.solver.instances import Instance
from ledger_verify.solver.keyed import stands_under_its_keys
from ledger_verify.solver.logic import Bool, Term, conjoin, disjoin, negate
from ledger_verify.solver.merging import merge
from ledger_verify.solver.refit import Fitted, Refit
from ledger_verify.solver.shapes import ListShape, Slot, Sym, as_list, known
from ledger_verify.solver.study import Study


def common_domain(own: Domain, other: Domain, assumptions: tuple[Assumption, ...]) -> Domain:
    """The domain in which both are seen: calls and records that fit `own`.

    Its open records may also hold what only `other` declares. Paths, tools and facts of the session
    that `own` lacks are those of `other`. The clock is pinned where both pin the same moment.
    """
    ledger: dict[str, LedgerPattern] = dict(other.ledger)
    for pattern, spec in own.ledger.items():
        twin = other.ledger.get(pattern)
        record = spec.record if twin is None else joined(spec.record, twin.record)
        ledger[pattern] = replace(spec, record=record)
    tools = {**other.tools, **own.tools}
    for name, tool in own.tools.items():
        if name in other.tools:
            twin_tool = other.tools[name]
            arguments = joined(tool.arguments, twin_tool.arguments)
            assert isinstance(arguments, RecordType)
            # what either version of a write can make stale may be so
            touches = tuple(dict.fromkeys((*tool.touches, *twin_tool.touches)))
            tools[name] = replace(tool, arguments=arguments, touches=touches)
    return replace(
        own,
        session=joined_facts(own.session, other.session),
        clock_us=own.clock_us if own.clock_us == other.clock_us else None,
        tools=tools,
        ledger=ledger,
        rules=(),
        assumptions=assumptions,
        invariants=(),
    )


@dataclass
class View:
    """What one domain sees of the study's world, for calls of the tool `name`.

    A record that does not fit the domain's schema is no evidence there, so it has no value.
    `stand_ins` are values, by pattern, of records that are not evidence there or not observed.
    `theirs` is the domain by whose types the world was made. `arguments_fit` is whether the call,
    and the facts of the session, fit the domain at all.
    """

    study: Study
    domain: Domain
    theirs: Domain
    name: str
    refit: Refit
    stand_ins: Mapping[str, Any] = field(default_factory=dict)
    arguments_fit: Bool = True
    encoder: Encoder = field(init=False)
    _names: dict[str, Sym] = field(default_factory=dict)
    _fitted: dict[int, tuple[Sym, Fitted]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        world = self.study.world
        self.encoder = Encoder(self.study.symbols, self)
        pinned = self.domain.clock_us
        self._names |= world.names
        if pinned is not None:
            self._names["now"] = known(pinned)
        tool = self.domain.tools.get(self.name)
        if tool is not None:
            args, self.arguments_fit = self._seen(
                world.names["args"],
                world.domain.tools[self.name].arguments,
                self.theirs.tools[self.name].arguments,
                tool.arguments,
                "",
            )
            self._names["args"] = args
        if self.domain.session is not None:
            facts, fit = self._facts(self.domain.session)
            self._names[SESSION] = facts
            self.arguments_fit = conjoin((self.arguments_fit, fit))

    def _facts(self, own: RecordType) -> Fitted:
        """The facts that this domain declares, and whether it would open the session at all."""
        world, made_by = self.study.world, self.theirs.session
        assert world.domain.session is not None
        facts, fits = self.refit.refit(world.names[SESSION], world.domain.session, own, SESSION)
        # a fact that only one of both declares is what that one says
        for name, theirs, ours in shared_facts(made_by, own):
            for place in undeclared(theirs.type, ours.type, f"{SESSION}.{name}"):
                told = f"only one schema says what `{place}` may hold"
                fits = conjoin((fits, self.refit.open(told)))
        return facts, fits

    def _seen(self, sym: Sym, given: Type, theirs: Type, own: Type, name: str) -> Fitted:
        value, fits = self.refit.refit(sym, given, own, name)
        unchecked = list(undeclared(theirs, own))
        if unchecked:
            listed = ", ".join(f"`{field}`" for field in unchecked)
            fits = conjoin((fits, self.refit.open(f"only one schema says what {listed} may hold")))
        return value, fits

    def variable(self, expr: Variable) -> Sym:
        """The value of `args`, `now`, `call` or a part of the history."""
        if expr.is_heard:
            return self.study.world.variable(expr)
        if not expr.is_history:
            return self._names[expr.name]
        if expr.name not in self._names:
            self._names[expr.name] = self._history(expr)
        return self._names[expr.name]

    def _history(self, expr: Variable) -> Sym:
        tool = expr.name.partition(".")[2]
        given = _history_type(self.study.world.domain, tool)
        calls = self.study.world.variable(replace(expr, type=given))
        theirs = self.theirs if tool in self.theirs.tools else self.domain
        own = _history_type(self.domain, tool)
        seen, fits = self._seen(calls, given, _history_type(theirs, tool), own, expr.name)
        # one call that cannot be read, and nothing is known of the history; no case shows that
        unread: Bool = False
        if not self.study.world.strict:
            unread = self.study.symbols.flag(f"{expr.name}?unread")
        return Sym(seen.shape, seen.null, disjoin((seen.gap, negate(fits), unread)))

    def read(self, expr: Read, keys: tuple[Sym, ...]) -> Sym:
        """The record at the path; no value where it does not fit this domain's schema."""
        instance = self.study.world.instance(expr.pattern, keys)
        record, fits = self._record(instance)
        if expr.pattern in self.stand_ins:
            other = known(self.stand_ins[expr.pattern])
            there = self.study.world.observed(Observed(expr, None), keys)
            evidence = conjoin((fits, there))
            return merge(self.study.symbols, evidence, record, other, expr.type)
        return Sym(record.shape, record.null, disjoin((record.gap, negate(fits))))

    def _record(self, instance: Instance) -> Fitted:
        pattern, record = instance.pattern, instance.record
        # a record of the world keeps its shape, and its id is taken as long as it is kept
        place = id(record.shape)
        if place not in self._fitted:
            own_key = self._own_key(instance)
            given = self.study.world.domain.ledger[pattern].record
            own = self.domain.ledger[pattern].record
            theirs = self.theirs.ledger.get(pattern, self.domain.ledger[pattern]).record
            value, fits = self._seen(record, given, theirs, own, pattern)
            self._fitted[place] = record, (value, conjoin((fits, own_key)))
        _, (value, fits) = self._fitted[place]
        whole = Sym(value.shape, record.null, disjoin((record.gap, value.gap)))
        own = self.domain.ledger[pattern].record
        return self.study.world.seen(instance, whole, own), fits

    def _own_key(self, instance: Instance) -> Bool:
        """Whether this domain takes the record for the one of its keys."""
        spec, world = self.domain.ledger[instance.pattern], self.study.world
        if spec.key_fields == world.domain.ledger[instance.pattern].key_fields:
            return True
        return stands_under_its_keys(world.symbols, spec, instance.record, instance.keys)

    def observed(self, expr: Observed, keys: tuple[Sym, ...]) -> Bool:
        """Whether the record, or its field, counts as observed."""
        world = self.study.world
        instance = world.instance(expr.read.pattern, keys)
        return conjoin((world.observed(expr, keys), self._record(instance)[1]))

    def records(self, expr: Records) -> Sym:
        """The records observed at the pattern, without those that do not fit the schema."""
        fitting: list[Bool] = []

        def value(instance: Instance) -> Sym:
            record, fits = self._record(instance)
            fitting.append(fits)
            return record

        listed = self.study.world.list_records(expr, value)
        own, pattern = self.domain.ledger[expr.pattern].record, expr.pattern
        theirs = self.theirs.ledger.get(pattern, self.domain.ledger[pattern]).record
        alike = self.domain.ledger[pattern].key_fields == (
            self.study.world.domain.ledger[pattern].key_fields
        )
        if alike and same_values(own, theirs) and not list(undeclared(theirs, own)):
            return listed
        shape = as_list(listed.shape)
        slots = [
            Slot(conjoin((slot.active, fits)), slot.value)
            for slot, fits in zip(shape.slots, fitting, strict=True)
        ]
        # how many of those beyond the slots fit is open
        exact = self.refit.open(f"not all of the records at `{pattern}` need fit one schema")
        gap = negate(exact)
        kept = ListShape(tuple(slots), shape.tail, _count(slots, shape), dense=False)
        return Sym(kept, listed.null, disjoin((listed.gap, gap)))


def _history_type(domain: Domain, tool: str) -> ListType:
    return earlier_calls(tool or None, domain.tools[tool].arguments if tool else None)


def _count(slots: list[Slot], shape: ListShape) -> Term:
    return count_active([slot.active for slot in slots]) + shape.tail
