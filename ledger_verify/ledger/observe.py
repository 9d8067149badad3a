"""From tool results to records: what a successful read observed, what a write made stale."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.typed import Expr, FieldOf, Variable, walk
from ledger_verify.lang.types import RecordType, strip_null
from ledger_verify.ledger.attempts import Attempt, Frozen, frozen, quote, quote_failure
from ledger_verify.ledger.entries import Mark
from ledger_verify.ledger.fields import declared
from ledger_verify.ledger.found import Found, Keys, is_text, records_in, words_of
from ledger_verify.ledger.given import Given
from ledger_verify.ledger.listing import conclude
from ledger_verify.ledger.misfits import Drift, Kept
from ledger_verify.ledger.newcomers import Newcomer, newcomers
from ledger_verify.ledger.outcomes import Outcomes
from ledger_verify.ledger.own_key import of_another, wrong_key
from ledger_verify.ledger.pages import Turn
from ledger_verify.ledger.paths import path_text
from ledger_verify.ledger.results import parse_result
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Observation, Tool, Touch
from ledger_verify.schema.coerce import Coerce, Misfit, coercer
from ledger_verify.schema.render import to_json

Evaluate = Callable[[Expr, Mapping[str, Any], Ledger], Any]


class Observer(Given):
    """Turns the tool results of one domain into changes of a ledger.

    `evaluate(expr, names, ledger)` gives the value of an expression or raises `NoValue`.
    """

    def __init__(self, domain: Domain, evaluate: Evaluate) -> None:
        super().__init__(domain)
        self._evaluate = evaluate
        self._by_result: dict[int, bool] = {}
        self._of_fields: dict[tuple[int, str], Coerce] = {}
        nothing = Ledger(domain.ledger)
        self.outcomes = Outcomes(
            lambda expr, names: evaluate(expr, names, nothing),
            domain.zone,
            {tool.name: declared(domain, tool) for tool in domain.tools.values()},
        )

    def read(
        self, ledger: Ledger, tool: Tool, arguments: Mapping[str, Any], result: Any
    ) -> list[Drift]:
        """Store what the result of a successful read shows; returns what did not fit.

        `result` is JSON, or text that holds JSON. `arguments` are typed values. A record that was
        read anew but does not fit, that is the record of another key, or that one result shows
        twice with different values, is not stored: it is rejected, and what was known of it becomes
        stale.
        """
        # which observations apply is asked before any of them changes the ledger
        applying = [o for o in tool.observes if self._applies(o, arguments, ledger)]
        others = frozenset(o.pattern for o in tool.observes if o not in applying)
        ledger.try_read(Attempt(tool.name, arguments, quote(result), passed_over=others))
        source = frozen(tool.name, arguments)
        for pattern in {observation.pattern for observation in applying}:
            ledger.doubtful.made_good(pattern, source, wholly=False)
        for observation in self._undecided(tool, arguments, ledger):
            ledger.doubt(observation.pattern, None, source)
        return self._show(ledger, tool, arguments, applying, result, source)

    def wrote(
        self,
        ledger: Ledger,
        tool: Tool,
        arguments: Mapping[str, Any],
        result: Any,
        groups: dict[str, str] | None,
        held: Iterable[Mark] = (),
    ) -> list[Drift]:
        """Take note of a write that is known to have succeeded; returns what did not fit.

        What it touched is stale, then what its result shows is fresh. What does not fit stays
        stale. For `groups` and `held` see `write`.
        """
        applying = [o for o in tool.observes if self._applies(o, arguments, ledger)]
        undecided = list(self._undecided(tool, arguments, ledger))
        self._write(ledger, tool, arguments, groups, held)
        for observation in undecided:
            ledger.doubt(observation.pattern, None, None)
        return self._show(ledger, tool, arguments, applying, result, None)

    def _show(
        self,
        ledger: Ledger,
        tool: Tool,
        arguments: Mapping[str, Any],
        applying: list[Observation],
        result: Any,
        source: Frozen | None,
    ) -> list[Drift]:
        """Store the records in the result of a call that succeeded; `source` is a read's call."""
        drifts: list[Drift] = []
        seen: list[Found] = []
        others = False
        misfits: dict[str, bool] = {observation.pattern: False for observation in applying}
        for observation in applying:
            found = Found(observation)
            seen.append(found)
            record_type = self._domain.ledger[observation.pattern].record
            parsed = parse_result(result, as_text=is_text(record_type, observation))
            try:
                for raw in records_in(parsed, observation, record_type):
                    self._record(found, arguments, raw, ledger)
            except Misfit as misfit:
                keys_ = self._keys_alone(observation, arguments, None, ledger)
                found.keep_out(keys_, words_of(misfit))
            if ledger.rejected:
                ledger.retry(observation.pattern, tool.name, arguments)
            kept = Kept(ledger, tool, arguments, observation.pattern, source)
            of_others: list[tuple[Keys, Callable[[], str]]] = []
            for keys, value in found.records.items():
                reason = of_another(
                    self._domain, ledger, tool, arguments, observation.pattern, value
                )
                if reason is None:
                    ledger.put(observation.pattern, keys, value)
                else:
                    of_others.append((keys, reason))
            if of_others:
                others = True
                drifts += kept.refuse(of_others)
            if found.misfits:
                misfits[observation.pattern] = True
                drifts += kept.keep_out(found.misfits)
        if source is not None and any(o.complete or o.more for o in applying):
            domain, values = self._domain, lambda e, names: self._evaluate(e, names, ledger)
            turn = Turn(ledger, tool, arguments, result, values, domain.zone)
            told = conclude(
                turn, seen, lambda e, names: self._value(e, names, ledger), fits=not others
            )
            drifts += [Drift(tool.name, pattern, problem) for pattern, problem in told]
        for pattern, misfit_found in misfits.items():
            if source is not None and not misfit_found:
                ledger.doubtful.made_good(pattern, source, wholly=True)
        return drifts

    def failed(
        self,
        ledger: Ledger,
        tool: Tool,
        arguments: Mapping[str, Any],
        answer: Any,
        *,
        heard: bool = True,
    ) -> None:
        """Take note of a read that showed nothing; `heard` tells whether it answered at all."""
        before = ledger.tried.get(frozen(tool.name, arguments))
        times = 0 if heard else 1 + (before.interrupted if before else 0)
        ledger.try_read(Attempt(tool.name, arguments, quote_failure(answer), True, times))

    def _applies(
        self, observation: Observation, arguments: Mapping[str, Any], ledger: Ledger
    ) -> bool:
        when = observation.when
        return when is None or self._value(when, {"args": arguments}, ledger) is True

    def _undecided(
        self, tool: Tool, arguments: Mapping[str, Any], ledger: Ledger
    ) -> Iterator[Observation]:
        """The observations of which it is not known whether they apply."""
        for observation in tool.observes:
            when = observation.when
            if when is not None and self._value(when, {"args": arguments}, ledger) is None:
                yield observation

    def _record(self, found: Found, arguments: Mapping[str, Any], raw: Any, ledger: Ledger) -> None:
        observation = found.observation
        try:
            if observation.additions and isinstance(raw, Mapping):
                raw = {**self._additions(observation, arguments, ledger), **raw}
            value = self._coercers[observation.pattern](raw)
            names, where = {"args": arguments, "item": value}, observation.where
            if where is not None and self._evaluate(where, names, ledger) is not True:
                return
            keys = tuple(self._evaluate(key, names, ledger) for key in observation.keys)
        except Misfit as misfit:
            found.keep_out(self._keys_alone(observation, arguments, raw, ledger), words_of(misfit))
        except NoValue as problem:
            why = problem.reason
            found.keep_out(None, lambda: f"its path cannot be told: {why}")
        else:
            if None in keys:
                found.keep_out(None, lambda: "its path cannot be told: null as a key")
                return
            domain, pattern = self._domain, observation.pattern
            wrong = wrong_key(domain, pattern, keys, value)
            if wrong is not None:
                found.keep_out(keys, wrong)
            else:
                found.add(keys, value, lambda: path_text(domain, pattern, keys))

    def _keys_alone(
        self, observation: Observation, arguments: Mapping[str, Any], raw: Any, ledger: Ledger
    ) -> Keys | None:
        """The keys of a record that does not fit, None for each that cannot be told.

        None if nothing says which records of the pattern it might be.
        """
        record = strip_null(self._domain.ledger[observation.pattern].record)
        keys: list[Any | None] = []
        for index, key in enumerate(observation.keys):
            name = observation.field_of_key(index)
            if name is None:
                keys.append(self._value(key, {"args": arguments}, ledger))
                continue
            try:
                assert isinstance(record, RecordType)
                keys.append(self._field(record, name)(raw[name]))
            except (Misfit, KeyError, TypeError):
                keys.append(None)
        told = not keys or any(key is not None for key in keys)
        return tuple(keys) if told else None

    def _field(self, record: RecordType, name: str) -> Coerce:
        """The coercer of one field."""
        made = self._of_fields.get((id(record), name))
        if made is None:
            made = coercer(record.by_name[name].type, self._domain.zone)
            self._of_fields[id(record), name] = made
        return made

    def _additions(
        self, observation: Observation, arguments: Mapping[str, Any], ledger: Ledger
    ) -> dict[str, Any]:
        out = {}
        for name, expr in observation.additions:
            try:
                value = self._evaluate(expr, {"args": arguments}, ledger)
            except NoValue:
                continue
            out[name] = to_json(value, strip_null(expr.type), self._domain.zone)
        return out

    def marks(
        self,
        ledger: Ledger,
        tool: Tool,
        arguments: Mapping[str, Any],
        result: dict[str, str] | None = None,
    ) -> list[Mark]:
        """What a write touches, on the ledger as it is; `result` has the groups of its form.

        What cannot be told, for want of a result or a record, stands for all that it could be.
        """
        names: dict[str, Any] = {"args": arguments}
        if result is not None:
            names["result"] = result
        return [
            self._mark(tool.name, touch, each, ledger)
            for touch in tool.touches
            for each in self._each(touch, names, ledger)
        ]

    def newcomers(self, ledger: Ledger, tool: Tool, arguments: Mapping[str, Any]) -> list[Newcomer]:
        """The records that a write may make and show."""
        return newcomers(tool, lambda key: self._value(key, {"args": arguments}, ledger))

    def write(
        self,
        ledger: Ledger,
        tool: Tool,
        arguments: Mapping[str, Any],
        result: dict[str, str] | None = None,
        held: Iterable[Mark] = (),
    ) -> None:
        """Mark as stale what a write touched; `result` are the groups of its declared form.

        What it made is in doubt, since nothing showed it. `held` are the marks that were made when
        the call was allowed, by the ledger as it was then; the result may tell better than those
        what was touched.
        """
        self._write(ledger, tool, arguments, result, held)
        for one in self.newcomers(ledger, tool, arguments):
            ledger.doubt(one.pattern, one.keys, None)

    def _write(
        self,
        ledger: Ledger,
        tool: Tool,
        arguments: Mapping[str, Any],
        result: dict[str, str] | None,
        held: Iterable[Mark],
    ) -> None:
        ledger.change()
        known = {id(mark.touch) for mark in held if not self._reads_result(mark.touch)}
        fresh = self.marks(ledger, tool, arguments, result) if self._is_more(tool, known) else ()
        marks = [*(mark for mark in held if id(mark.touch) in known)]
        marks += [mark for mark in fresh if id(mark.touch) not in known]
        for mark in marks:
            ledger.alter(mark.touch.pattern, mark.keys, mark.within)

    def _is_more(self, tool: Tool, known: set[int]) -> bool:
        return any(id(touch) not in known for touch in tool.touches)

    def _reads_result(self, touch: Touch) -> bool:
        """Whether the result of the call tells what it touched."""
        if id(touch) not in self._by_result:
            parts = [*touch.keys, *touch.within, touch.each]
            self._by_result[id(touch)] = any(
                isinstance(inner, Variable) and inner.name == "result"
                for part in parts
                if isinstance(part, Expr)
                for inner in walk(part)
            )
        return self._by_result[id(touch)]

    def _each(
        self, touch: Touch, names: dict[str, Any], ledger: Ledger
    ) -> Iterator[dict[str, Any]]:
        items = None if touch.each is None else self._value(touch.each, names, ledger)
        if items is None:
            yield names
            return
        for item in items:
            yield {**names, "item": item}

    def _mark(self, tool: str, touch: Touch, names: Mapping[str, Any], ledger: Ledger) -> Mark:
        keys = tuple(None if k is None else self._value(k, names, ledger) for k in touch.keys)
        within: list[str] = []
        for step in touch.within:
            value = step if isinstance(step, str) else self._value(step, names, ledger)
            if value is None:
                break
            within.append(value)
        return Mark(tool, touch, keys, tuple(within))

    def _value(self, expr: Expr, names: Mapping[str, Any], ledger: Ledger) -> Any:
        match expr:
            case FieldOf(of=Variable(name="args"), field_name=name):  # nearly all are
                return names["args"].get(name)
        try:
            return self._evaluate(expr, names, ledger)
        except (NoValue, KeyError):
            return None
