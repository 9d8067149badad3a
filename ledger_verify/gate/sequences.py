"""Replaying a sequence of calls: each through the gate, and what it does to the records.

The records are known in full here. The agent reads those that it needs just before each call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Any

from ledger_verify.evaluate.kleene import Failure, Scope, Truth, evaluate, truth
from ledger_verify.gate.cases import (
    broken_at,
    keeps_assumptions,
    parts_of,
    replay_found,
    without,
)
from ledger_verify.gate.gate import Gate
from ledger_verify.lang.errors import InputError
from ledger_verify.lang.typed import Expr
from ledger_verify.lang.types import ListType, MapType, TimestampType, Type, strip_null
from ledger_verify.ledger.paths import parse_path, path_text
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.case import Case, EarlierCall, Sequence, SequenceCall
from ledger_verify.policy.effects import type_at
from ledger_verify.policy.evidence import Unknown
from ledger_verify.policy.rules import Always, Assumption
from ledger_verify.policy.session_facts import typed_facts
from ledger_verify.policy.tools import Effect, ToolKind
from ledger_verify.schema.coerce import Misfit, coercer
from ledger_verify.schema.render import to_json

_Place = tuple[str, tuple[Any, ...], tuple[str, ...]]
_ABSENT = object()


@dataclass(frozen=True)
class Changed:
    """A part of a record after a call, as JSON; `declared` by an effect, or only supposed."""

    path: str
    there: bool
    value: Any
    declared: bool


@dataclass(frozen=True)
class Replayed:
    """A sequence that the gate allows and that breaks an invariant.

    `changes` has those of each call. `broken` are the records, by path and as they are at the end,
    of which the invariant is not true; none where it speaks of no pattern.
    """

    sequence: Sequence
    changes: tuple[tuple[Changed, ...], ...]
    broken: Mapping[str, Any]


class _Impossible(Exception):
    """The sequence is not one of this domain."""


def replay_sequence(gate: Gate, always: Always, sequence: Sequence) -> Replayed | None:
    """The sequence up to the call that breaks the invariant.

    None if it does not fit the schema or the assumptions, if the gate refuses a call that is said
    to be allowed or the other way round, or if the invariant holds throughout.
    """
    try:
        return _Replay(gate, always).run(sequence)
    except (_Impossible, InputError):
        return None


class _Replay:
    def __init__(self, gate: Gate, always: Always) -> None:
        self.gate, self.domain, self.always = gate, gate.domain, always
        self.world = Ledger(gate.domain.ledger)
        self.facts: Mapping[str, Any] = {}
        self.history: list[EarlierCall] = []
        self.heard: tuple[str, ...] = ()

    def run(self, sequence: Sequence) -> Replayed | None:
        self.heard = sequence.heard
        domain, self.facts = self.domain, sequence.facts
        self.world.facts = typed_facts(self.facts, domain.session, domain.name, domain.zone)
        for path, raw in sequence.ledger.items():
            pattern, keys = parse_path(path, self.domain)
            spec = self.domain.ledger[pattern]
            self.world.put(pattern, keys, coercer(spec.record, self.domain.zone)(raw))
        start = self.always.initially
        if not keeps_assumptions(self.domain, self.world):
            return None
        if start is not None and not self._is_true(start):
            return None
        calls: list[SequenceCall] = []
        changes: list[tuple[Changed, ...]] = []
        for call in (None, *sequence.calls):
            if call is not None:
                calls.append(self._judged(call))
                changes.append(tuple(self._make(calls[-1])))
            broken = broken_at(self.always.always, self.world)
            if broken and (call is not None or start is not None):
                done = replace(sequence, calls=tuple(calls))
                return Replayed(
                    done, tuple(changes), dict(self._shown(place) for place in broken if place[0])
                )
            if broken or not keeps_assumptions(self.domain, self.world) or not self._fits():
                return None
        return None

    def _is_true(self, statement: Assumption) -> bool:
        """Whether a statement is true of all records, with what it reads among them."""
        scope, variable = Scope(self.world), statement.variable
        if variable is None:
            return truth(statement.body, scope) is Truth.TRUE
        return all(
            truth(statement.body, scope.bind(variable.name, self.world.lookup(pattern, keys)))
            is Truth.TRUE
            for pattern, keys, _ in self.world.records()
            if pattern == statement.pattern
        )

    def _fits(self) -> bool:
        """Whether all records are such as the schema allows."""
        for pattern, _, entry in self.world.records():
            record = self.domain.ledger[pattern].record
            try:
                coercer(record, self.domain.zone)(to_json(entry.value, record, self.domain.zone))
            except Misfit:
                return False
        return True

    def _judged(self, call: SequenceCall) -> SequenceCall:
        """The call with the gate's verdict; of a refusal it may be another than was said."""
        tool = self.domain.tools[call.tool]
        if tool.by_user or (tool.kind is not ToolKind.WRITE and call.verdict == "UNCHECKED"):
            return call
        case = Case(
            call.tool,
            call.arguments,
            dict(self._observed(call.observed)),
            call.now_us,
            history=tuple(c for c in self.history if c.tool in self.domain.remembered),
            heard=self.heard,
            facts=self.facts,
        )
        verdict = replay_found(self.gate, case)
        if verdict is None or verdict.allowed is not (call.verdict == "ALLOW"):
            raise _Impossible
        unread = () if verdict.allowed else tuple(missing.path for missing in verdict.missing)
        return replace(call, verdict=verdict.decision.value, unread=unread)

    def _shown(self, place: tuple[str, tuple[Any, ...]]) -> tuple[str, Any]:
        value, record = self.world.lookup(*place), self.domain.ledger[place[0]].record
        return path_text(self.domain, *place), to_json(value, record, self.domain.zone)

    def _make(self, call: SequenceCall) -> Iterator[Changed]:
        """Change the records if the call took effect, and remember it."""
        tool = self.domain.tools[call.tool]
        bound = coercer(tool.arguments, self.domain.zone)(call.arguments)
        after: dict[_Place, tuple[Any, bool]] = {}
        if call.done:
            for part in call.supposed:
                pattern, keys = parse_path(part.path, self.domain)
                value = _ABSENT
                if part.there:
                    value = self._coerced(pattern, part.within, part.value)
                after[pattern, keys, part.within] = value, False
            names = {"args": bound, "now": call.now_us, "call": {"tool": tool.name}}
            for effect in tool.effects:
                place, value = self._effect(effect, Scope(self.world, names))
                after[place] = value, True
        new = [(place, *entry) for place, entry in after.items() if self._is_new(place, *entry)]
        for place, (value, _) in after.items():
            self._put(place, value)
        self.history.append(
            EarlierCall(call.tool, call.arguments, call.ok, call.verdict, call.now_us)
        )
        if call.tool in self.domain.remembered:
            self.world.history.add(call.tool, bound, call.verdict, call.now_us, ok=call.ok)
        for place, value, declared in new:
            yield self._changed(place, value, declared)

    def _observed(self, paths: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        for path in paths:
            pattern, keys = parse_path(path, self.domain)
            if self.world.observed(pattern, keys, None):
                value = self.world.lookup(pattern, keys)
                record = self.domain.ledger[pattern].record
                yield path, to_json(value, record, self.domain.zone)

    def _effect(self, effect: Effect, scope: Scope) -> tuple[_Place, Any]:
        keys = tuple(_value(key, scope) for key in effect.keys)
        within = tuple(s if isinstance(s, str) else _value(s, scope) for s in effect.within)
        value = _value(effect.value, scope, null=True)
        if None in keys or None in within or not _days_only(value, effect.type, self.domain.zone):
            raise _Impossible
        return (effect.pattern, keys, within), value

    def _coerced(self, pattern: str, steps: tuple[str, ...], raw: Any) -> Any:
        type_ = type_at(self.domain.ledger[pattern].record, steps)
        try:
            return coercer(type_, self.domain.zone)(raw)
        except Misfit:
            raise _Impossible from None

    def _put(self, place: _Place, value: Any) -> None:
        pattern, keys, steps = place
        if not self.world.observed(pattern, keys, None):
            if steps:
                raise _Impossible
            self.world.put(pattern, keys, value)
            return
        self.world.put(pattern, keys, _with(self.world.lookup(pattern, keys), steps, value))

    def _is_new(self, place: _Place, value: Any, declared: bool) -> bool:
        """Whether there is something to tell of: what stays is told only of an effect."""
        if declared or not self.world.observed(place[0], place[1], None):
            return True
        here = self.world.lookup(place[0], place[1])
        for step in place[2]:
            here = here.get(step, _ABSENT) if isinstance(here, Mapping) else _ABSENT
        return bool(here != value)

    def _changed(self, place: _Place, value: Any, declared: bool) -> Changed:
        type_ = type_at(self.domain.ledger[place[0]].record, place[2])
        there = value is not _ABSENT
        raw = to_json(value, type_, self.domain.zone) if there else None
        return Changed(path_text(self.domain, *place), there, raw, declared)


def _value(expr: Expr, scope: Scope, *, null: bool = False) -> Any:
    value = evaluate(expr, scope)
    if isinstance(value, Unknown | Failure) or (value is None and not null):
        raise _Impossible
    return value


def _days_only(value: Any, type_: Type, zone: tzinfo) -> bool:
    """Whether no time of day stands where the type has a date, which could not tell it."""
    match strip_null(type_), value:
        case TimestampType(date=True) as date, int():
            try:
                return bool(coercer(date, zone)(to_json(value, date, zone)) == value)
            except Misfit:
                return False
        case ListType(item=item), tuple():
            return all(_days_only(element, item, zone) for element in value)
        case MapType(value=inner), Mapping():
            return all(_days_only(element, inner, zone) for element in value.values())
    return True


def _with(value: Any, steps: tuple[str, ...], new: Any) -> Any:
    """A copy with another value at the steps, or without what is there."""
    if not steps:
        return new
    if not isinstance(value, Mapping):
        raise _Impossible
    step, rest = steps[0], steps[1:]
    if not rest and new is _ABSENT:
        return {key: inner for key, inner in value.items() if key != step}
    if rest and step not in value:
        raise _Impossible
    return {**value, step: _with(value.get(step), rest, new)}


def prune_sequence(gate: Gate, always: Always, found: Replayed) -> Replayed:
    """The sequence without the calls, suppositions, records and parts that it does not need."""
    for call in found.sequence.calls:
        rest = tuple(c for c in found.sequence.calls if c is not call)
        found = replay_sequence(gate, always, replace(found.sequence, calls=rest)) or found
    for guess in [guess for call in found.sequence.calls for guess in call.supposed]:
        calls = tuple(
            replace(call, supposed=tuple(other for other in call.supposed if other is not guess))
            for call in found.sequence.calls
        )
        found = replay_sequence(gate, always, replace(found.sequence, calls=calls)) or found
    for text in found.sequence.heard:
        fewer = tuple(other for other in found.sequence.heard if other != text)
        found = replay_sequence(gate, always, replace(found.sequence, heard=fewer)) or found
    for path in list(found.sequence.ledger):
        smaller = {p: record for p, record in found.sequence.ledger.items() if p != path}
        found = replay_sequence(gate, always, replace(found.sequence, ledger=smaller)) or found
    for path in found.sequence.ledger:
        for part in list(parts_of(found.sequence.ledger[path])):
            ledger = found.sequence.ledger
            smaller = {**ledger, path: without(ledger[path], part)}
            found = replay_sequence(gate, always, replace(found.sequence, ledger=smaller)) or found
    for part in list(parts_of(dict(found.sequence.facts))):
        facts = without(dict(found.sequence.facts), part)
        found = replay_sequence(gate, always, replace(found.sequence, facts=facts)) or found
    return found
