"""Models of sequences as plain values: records at the start, then calls."""

from __future__ import annotations

from typing import Any

from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.types import STRING, MapType, RecordType, StringType, Type, strip_null
from ledger_verify.ledger.paths import path_text
from ledger_verify.policy.case import Sequence, SequenceCall, Supposed
from ledger_verify.policy.own_keys import own_keys
from ledger_verify.schema.render import to_json
from ledger_verify.solver.decode import ABSENT, Decoder, combine
from ledger_verify.solver.examples import (
    asked_of,
    key_name,
    knows_its_keys,
    messages_of,
    name_by_keys,
    session_facts,
)
from ledger_verify.solver.instances import Instance
from ledger_verify.solver.query import Query
from ledger_verify.solver.shapes import Known, Scalar, Sym
from ledger_verify.solver.study import example_now_us
from ledger_verify.solver.unrolling import MadeCall, Unrolling

_Place = tuple[str, tuple[Any, ...]]


def sequence_of(unrolling: Unrolling, query: Query, model: Any) -> Sequence:
    """The sequence that the most pleasant model found stands for."""
    symbols, start = unrolling.symbols, unrolling.states[0]
    wishes = [] if symbols.wishes is None else symbols.wishes.all(symbols.texts)
    named = [knows_its_keys(start, instance) for instance in start.instances.values()]
    model = query.improve([*named, *wishes], model)
    return _Reading(unrolling, Decoder(model, symbols, example_now_us(unrolling.domain))).read()


class _Reading:
    """One model, read as a sequence."""

    def __init__(self, unrolling: Unrolling, decoder: Decoder) -> None:
        self.unrolling, self.decoder, self.domain = unrolling, decoder, unrolling.domain

    def read(self) -> Sequence:
        """The start, and all calls."""
        partial: dict[_Place, Any] = {}
        observed: list[str] = []
        for instance in self.unrolling.states[0].instances.values():
            place = self._place(instance)
            if place is None:
                continue
            spec = self.domain.ledger[instance.pattern]
            name = key_name(self.domain, spec, 0)
            value = self.decoder.value(instance.record, spec.record, name)
            partial[place] = combine(partial.get(place, ABSENT), value)
            path = path_text(self.domain, *place)
            if self.decoder.truth(instance.observed) and path not in observed:
                observed.append(path)
        ledger = {}
        for (pattern, keys), value in partial.items():
            spec = self.domain.ledger[pattern]
            name_by_keys(value, own_keys(self.domain, spec), keys)
            whole = self.decoder.complete(value, spec.record, key_name(self.domain, spec, 0))
            path = path_text(self.domain, pattern, keys)
            ledger[path] = to_json(whole, spec.record, self.domain.zone)
        calls = [
            self._call(index, call, tuple(observed))
            for index, call in enumerate(self.unrolling.calls)
        ]
        heard = messages_of(self.unrolling.symbols, self.decoder, self.domain)
        for call in calls:
            heard |= asked_of(self.domain.tools[call.tool], call.arguments)
        facts = session_facts(self.domain, self.unrolling.session, self.decoder)
        return Sequence(ledger, tuple(calls), tuple(heard), facts)

    def _place(self, instance: Instance) -> _Place | None:
        """Where the record is; None for one of which nothing was demanded."""
        spec = self.domain.ledger[instance.pattern]
        try:
            keys = tuple(
                self.decoder.value(key, type_, key_name(self.domain, spec, i))
                for i, (key, type_) in enumerate(zip(instance.keys, spec.keys, strict=True))
            )
        except NoValue:
            return None
        return None if None in keys or ABSENT in keys else (instance.pattern, keys)

    def _call(self, index: int, call: MadeCall, observed: tuple[str, ...]) -> SequenceCall:
        decoder, past = self.decoder, call.past
        (name,) = (n for n, (here, _) in past.chosen.items() if decoder.truth(here))
        tool = self.domain.tools[name]
        fields = tool.arguments
        bound = decoder.complete(
            decoder.value(past.chosen[name][1], fields, "args"), fields, "args"
        )
        now = past.now.shape
        return SequenceCall(
            name,
            to_json(bound, fields, self.domain.zone),
            now.value if isinstance(now, Known) else self._number(now),
            decoder.value(past.verdict, STRING, "verdict"),
            decoder.truth(past.ok),
            decoder.truth(call.done),
            observed,
            tuple(self._supposed(index)),
        )

    def _number(self, shape: Any) -> int:
        assert isinstance(shape, Scalar)
        return int(self.decoder.model.eval(shape.term, True).as_long())

    def _supposed(self, index: int) -> list[Supposed]:
        """What the call left where it declares no effect, as far as the query looked there."""
        out: list[Supposed] = []
        state = self.unrolling.states[index + 1]
        for change, keys, here in state.applied:
            if change.value is not None or not self.decoder.truth(here):
                continue
            spec = self.domain.ledger[change.pattern]
            place = self._place(Instance(change.pattern, keys, Sym(Known(None))))
            if place is None:
                continue
            record = state.instance(change.pattern, keys).record
            value = self.decoder.value(record, spec.record, key_name(self.domain, spec, 0))
            steps = [s if isinstance(s, str) else self._text(s) for s in change.within]
            path = path_text(self.domain, *place)
            out += self._parts(path, value, spec.record, steps, ())
        return out

    def _text(self, sym: Sym) -> str:
        return str(self.decoder.value(sym, StringType(), "key"))

    def _parts(
        self, path: str, value: Any, type_: Type, steps: list[str], within: tuple[str, ...]
    ) -> list[Supposed]:
        """The value at the steps; of a record that was touched as a whole, each field."""
        bare = strip_null(type_)
        if value is ABSENT:
            return [Supposed(path, within, False, None)] if not steps and within else []
        if value is not None and isinstance(bare, RecordType) and (steps or not within):
            names = steps[:1] or list(value)
            return [
                part
                for name in names
                if name in value
                for part in self._parts(
                    path, value[name], bare.by_name[name].type, steps[1:], (*within, name)
                )
            ]
        if steps and isinstance(bare, MapType) and value is not None:
            inner = value.get(steps[0], ABSENT)
            return self._parts(path, inner, bare.value, steps[1:], (*within, steps[0]))
        if steps:
            return []
        whole = self.decoder.complete(value, type_, within[-1] if within else "value")
        return [Supposed(path, within, True, to_json(whole, type_, self.domain.zone))]
