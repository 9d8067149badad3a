"""Models of static questions as cases: a ledger and a call that a person can read."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ledger_verify.lang.environment import SESSION, LedgerPattern, earlier_calls
from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.said import spoken
from ledger_verify.lang.types import StringType
from ledger_verify.ledger.paths import path_text
from ledger_verify.policy.case import Case, EarlierCall
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.own_keys import own_keys
from ledger_verify.policy.parts import Entries
from ledger_verify.policy.tools import Tool
from ledger_verify.schema.render import to_json
from ledger_verify.solver.decode import ABSENT, Decoder, combine, singular
from ledger_verify.solver.equality import equal
from ledger_verify.solver.instances import Instance
from ledger_verify.solver.logic import Bool, conjoin, implies, negate
from ledger_verify.solver.query import Query
from ledger_verify.solver.shapes import RecordShape, Scalar, Sym
from ledger_verify.solver.symbols import Symbols
from ledger_verify.solver.worlds import LedgerWorld

Keys = tuple[Any, ...]
PlainWay = tuple[str | Entries, ...]
_SUFFIXES = ("_id", "_number", "_code", "_name")


@dataclass(frozen=True)
class Example:
    """What makes a case out of the models of one question.

    With `asks` the user said all that the tool asks for; without, the model tells what was said.
    """

    domain: Domain
    tool: Tool
    world: LedgerWorld
    query: Query
    now_us: int
    asks: bool = True

    def case(self, model: Any, *, pleasant: bool = True) -> Case:
        """The case that the model stands for, or a more pleasant one."""
        if pleasant:
            model = self.query.improve(self._wishes(), model)
        now = self.world.names["now"].shape
        now_us = model.eval(now.term, True).as_long() if isinstance(now, Scalar) else self.now_us
        decoder = Decoder(model, self.world.symbols, now_us)
        partial, ways = self._records(decoder)
        fields = self.tool.arguments
        arguments = decoder.complete(
            decoder.value(self.world.names["args"], fields, "args"), fields, "args"
        )
        zone = self.domain.zone
        ledger = {}
        for (pattern, keys), value in partial.items():
            spec = self.domain.ledger[pattern]
            whole = decoder.complete(value, spec.record, key_name(self.domain, spec, 0))
            ledger[path_text(self.domain, pattern, keys)] = to_json(whole, spec.record, zone)
        stale = tuple(self._stale(ways, ledger))
        proposed = to_json(arguments, fields, zone)
        history = self._earlier_calls(decoder)
        heard = messages_of(self.world.symbols, decoder, self.domain)
        heard |= asked_of(self.tool, proposed) if self.asks else {}
        facts = session_facts(self.domain, self.world.names, decoder)
        return Case(
            self.tool.name, proposed, ledger, now_us,
            history=history, heard=tuple(heard), facts=facts, stale=stale,
        )  # fmt: skip

    def _stale(
        self, ways: Mapping[tuple[str, Keys], Iterable[PlainWay]], ledger: Mapping[str, Any]
    ) -> Iterator[str]:
        """The paths of what is stale."""
        for (pattern, keys), some in ways.items():
            record = ledger[path_text(self.domain, pattern, keys)]
            for way in filter(lambda way: not _is_told(way, some), some):
                for within in concrete(way, record):
                    yield path_text(self.domain, pattern, keys, within)

    def _earlier_calls(self, decoder: Decoder) -> tuple[EarlierCall, ...]:
        calls = []
        for name, sym in self.world.histories.items():
            own = name.partition(".")[2]
            type_ = earlier_calls(own or None, self.domain.tools[own].arguments if own else None)
            for call in decoder.complete(decoder.value(sym, type_, "call"), type_, "call"):
                tool = self.domain.tools.get(own or call["tool"])
                if tool is None:  # a name that no tool has
                    continue
                bound = decoder.complete(call.get("args", ABSENT), tool.arguments, "args")
                raw = to_json(bound, tool.arguments, self.domain.zone)
                calls.append(EarlierCall(tool.name, raw, call["ok"], call["verdict"], call["time"]))
        return tuple(sorted(calls, key=lambda call: call.time_us))

    def _records(
        self, decoder: Decoder
    ) -> tuple[dict[tuple[str, Keys], Any], dict[tuple[str, Keys], dict[PlainWay, None]]]:
        """The records in the ledger as far as the query touched them, and what of them is stale."""
        partial: dict[tuple[str, Keys], Any] = {}
        ways: dict[tuple[str, Keys], dict[PlainWay, None]] = {}
        # those of a list stand in its order
        for instance in sorted(self.world.instances.values(), key=lambda i: not i.listed):
            spec = self.domain.ledger[instance.pattern]
            try:
                keys = tuple(
                    decoder.value(key, type_, key_name(self.domain, spec, i))
                    for i, (key, type_) in enumerate(zip(instance.keys, spec.keys, strict=True))
                )
            except NoValue:  # the key of an inactive slot, of which nothing was demanded
                continue
            if None in keys or ABSENT in keys:
                continue
            observed = decoder.truth(instance.observed)
            # of a list, what stands in a slot counts, and nothing else has the keys of slots
            if not (any(map(decoder.truth, instance.listed)) if instance.listed else observed):
                continue
            stale = ways.setdefault((instance.pattern, keys), {})
            if not observed:
                stale[()] = None
            elif not self.world.fresh:
                stale |= dict.fromkeys(self._ways(decoder, instance))
            value = decoder.value(instance.record, spec.record, key_name(self.domain, spec, 0))
            known = partial.get((instance.pattern, keys), ABSENT)
            partial[instance.pattern, keys] = combine(known, value)
        for (pattern, keys), value in partial.items():
            name_by_keys(value, own_keys(self.domain, self.domain.ledger[pattern]), keys)
        return partial, ways

    def _ways(self, decoder: Decoder, instance: Instance) -> Iterator[PlainWay]:
        """What of an observed record is stale."""
        parting = self.world.parting(instance.pattern)
        if not self.world.strict:
            apart = {name: parting.stale_field(name, instance.terms) for name in parting.apart}
            yield from ((name,) for name, stale in apart.items() if decoder.truth(stale))
            return
        for way in parting.ways(instance.terms, instance.looked, decoder.truth):
            yield tuple(
                decoder.value(step, StringType(), "key") if isinstance(step, Sym) else step
                for step in way
            )

    def _wishes(self) -> list[Bool]:
        wishes = self.world.symbols.wishes
        made = [] if wishes is None else wishes.all(self.world.symbols.texts)
        instances = self.world.instances.values()
        fresh = [negate(instance.partly) for instance in instances]
        return [*fresh, *(knows_its_keys(self.world, i) for i in instances), *made]


def _is_told(way: PlainWay, others: Iterable[PlainWay]) -> bool:
    """Whether the entry that nothing looked at is one that another look at the record found."""
    if Entries.ONE not in way:
        return False
    at = way.index(Entries.ONE)
    return any(o[:at] == way[:at] and isinstance(o[at], str) for o in others if len(o) > at)


def concrete(way: PlainWay, record: Any) -> Iterator[tuple[str, ...]]:
    """The steps that a way stands for in a record, as JSON."""
    value, steps = record, list[str]()
    for number, step in enumerate(way):
        if isinstance(step, str):
            steps.append(step)
            value = value.get(step) if isinstance(value, Mapping) else None
            continue
        entries = value if isinstance(value, Mapping) else {}
        if step is Entries.EACH and entries:
            for key, inner in entries.items():
                for rest in concrete(way[number + 1 :], inner):
                    yield (*steps, key, *rest)
            return
        if step is Entries.ONE:  # one that nothing looks at
            names = (f"other_{n}" for n in itertools.count(1))
            steps.append(next(name for name in names if name not in entries))
        break
    yield tuple(steps)


def messages_of(symbols: Symbols, decoder: Decoder, domain: Domain) -> dict[str, None]:
    """What the user must have said in the model, each value a message."""
    out: dict[str, None] = {}
    for statement in symbols.statements:
        if not decoder.truth(statement.said):
            continue
        try:
            value = decoder.value(statement.value, statement.type, "value")
            if value is not None and value is not ABSENT:
                out |= dict.fromkeys(spoken(to_json(value, statement.type, domain.zone)))
        except NoValue:  # a part of an item that is not there
            continue
    return out


def asked_of(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, None]:
    """What the user must have said for a call of the tool, whatever its rules are."""
    return dict.fromkeys(text for name in tool.asks for text in spoken(arguments.get(name)))


def session_facts(domain: Domain, names: Mapping[str, Sym], decoder: Decoder) -> dict[str, Any]:
    """The facts of the session as JSON; what the query left open of them is made up."""
    if domain.session is None:
        return {}
    found = decoder.value(names[SESSION], domain.session, SESSION)
    whole = decoder.complete(found, domain.session, SESSION)
    facts: dict[str, Any] = to_json(whole, domain.session, domain.zone)
    return facts


def knows_its_keys(world: LedgerWorld, instance: Instance) -> Bool:
    """The fields of a record that repeat its keys do so."""
    spec, shape = world.domain.ledger[instance.pattern], instance.record.shape
    if not isinstance(shape, RecordShape):
        return True
    return conjoin(
        implies(present, equal(world.symbols, value, key, shape.type.by_name[name].type, t))
        for name, key, t in zip(own_keys(world.domain, spec), instance.keys, spec.keys, strict=True)
        if name in shape.fields
        for present, value in (shape.fields[name],)
    )


def name_by_keys(value: Any, names: tuple[str, ...], keys: Keys) -> None:
    """Fill in the fields that repeat keys where the query left them open."""
    for name, key in zip(names, keys, strict=True):
        if name and isinstance(value, dict) and name not in value:
            value[name] = key


def key_name(domain: Domain, spec: LedgerPattern, index: int) -> str:
    """What a made-up key is called: after its field, or after the pattern's words."""
    name = own_keys(domain, spec)[index] if index < len(spec.keys) else ""
    if name:
        return next((name.removesuffix(s) for s in _SUFFIXES if name.endswith(s)), name)
    words = [segment for segment in spec.segments if segment != "*"]
    return singular(words[min(index, len(words) - 1)])
