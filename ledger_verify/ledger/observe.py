"""From tool results to records: what a successful read observed, what a write made stale."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ledger_verify.lang.environment import KEY
from ledger_verify.lang.errors import InputError
from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.typed import Expr
from ledger_verify.lang.types import StringType, Type, strip_null
from ledger_verify.ledger.paths import parse_path, path_text
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Observation, Tool, Touch
from ledger_verify.schema.coerce import Coerce, Misfit, coercer
from ledger_verify.schema.render import to_json

Evaluate = Callable[[Expr, Mapping[str, Any]], Any]


@dataclass(frozen=True)
class Drift:
    """A part of a tool's result that was kept out of the ledger, and why."""

    tool: str
    pattern: str
    reason: str


class Observer:
    """Turns the tool results of one domain into changes of a ledger.

    `evaluate(expr, names)` gives the value of an expression or raises `NoValue`.
    """

    def __init__(self, domain: Domain, evaluate: Evaluate) -> None:
        self._domain = domain
        self._evaluate = evaluate
        self._coercers: dict[str, Coerce] = {
            pattern.text: coercer(pattern.record, domain.zone) for pattern in domain.ledger.values()
        }

    def read(
        self, ledger: Ledger, tool: Tool, arguments: Mapping[str, Any], result: Any
    ) -> list[Drift]:
        """Store what the result of a successful read shows; returns what did not fit.

        `result` is JSON, or text that holds JSON. `arguments` are typed values.
        """
        drifts: list[Drift] = []
        for observation in tool.observes:
            record_type = self._domain.ledger[observation.pattern].record
            parsed = parse_result(result, as_text=_is_text(record_type, observation))
            try:
                found = list(_follow(parsed, observation.source, "result"))
            except Misfit as misfit:
                drifts.append(Drift(tool.name, observation.pattern, misfit.message))
                continue
            for raw in found:
                reason = self._store(ledger, observation, arguments, raw)
                if reason is not None:
                    drifts.append(Drift(tool.name, observation.pattern, reason))
        return drifts

    def _store(
        self, ledger: Ledger, observation: Observation, arguments: Mapping[str, Any], raw: Any
    ) -> str | None:
        try:
            if observation.additions and isinstance(raw, Mapping):
                raw = {**self._additions(observation, arguments), **raw}
            value = self._coercers[observation.pattern](raw)
            names = {"args": arguments, "item": value}
            if observation.where is not None and self._evaluate(observation.where, names) is not True:
                return None
            keys = tuple(self._evaluate(key, names) for key in observation.keys)
        except Misfit as misfit:
            return misfit.message
        except NoValue as problem:
            return f"its path cannot be told: {problem.reason}"
        if None in keys:
            return "its path cannot be told: null as a key"
        ledger.put(observation.pattern, keys, value, raw)
        return None

    def _additions(
        self, observation: Observation, arguments: Mapping[str, Any]
    ) -> dict[str, Any]:
        out = {}
        for name, expr in observation.additions:
            try:
                value = self._evaluate(expr, {"args": arguments})
            except NoValue:
                continue
            out[name] = to_json(value, strip_null(expr.type), self._domain.zone)
        return out

    def write(self, ledger: Ledger, tool: Tool, arguments: Mapping[str, Any]) -> None:
        """Mark as stale what a successful write touched."""
        for touch in tool.touches:
            for names in self._each(touch, arguments):
                self._touch(ledger, touch, names)

    def _each(self, touch: Touch, arguments: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        if touch.each is None:
            yield {"args": arguments}
            return
        items = self._value(touch.each, {"args": arguments})
        if items is None:
            yield {"args": arguments}
            return
        for item in items:
            yield {"args": arguments, "item": item}

    def _touch(self, ledger: Ledger, touch: Touch, names: Mapping[str, Any]) -> None:
        # a key or step that cannot be told stands for all of them: rather too much stale
        keys = tuple(None if key is None else self._value(key, names) for key in touch.keys)
        within: list[str] = []
        for step in touch.within:
            value = step if isinstance(step, str) else self._value(step, names)
            if value is None:
                break
            within.append(value)
        ledger.touch(touch.pattern, keys, tuple(within))

    def _value(self, expr: Expr, names: Mapping[str, Any]) -> Any:
        try:
            return self._evaluate(expr, names)
        except (NoValue, KeyError):
            return None

    def record(self, ledger: Ledger, path: str, raw: Any) -> None:
        """Store a record under its canonical path, as in a ledger file; raises `InputError`."""
        pattern, keys = parse_path(path, self._domain)
        try:
            value = self._coercers[pattern](raw)
        except Misfit as misfit:
            raise InputError(f"`{path}`: {misfit.message}") from None
        ledger.put(pattern, keys, value, raw)

    def path(self, pattern: str, keys: tuple[Any, ...], within: tuple[str, ...] = ()) -> str:
        """The canonical path of a record, or of a part of it."""
        return path_text(self._domain, pattern, keys, within)


def parse_result(result: Any, *, as_text: bool = False) -> Any:
    """The JSON that a tool's result holds; text that is not JSON stays text.

    With `as_text` a text result is never taken for JSON, so that an identifier such as `12` stays
    what it is.
    """
    if not isinstance(result, str) or as_text:
        return result
    try:
        return json.loads(result, parse_float=Decimal)
    except (ValueError, RecursionError):
        return result


def _is_text(type_: Type, observation: Observation) -> bool:
    return isinstance(strip_null(type_), StringType) and not observation.source


def _follow(value: Any, steps: tuple[str, ...], place: str) -> Iterator[Any]:
    if not steps:
        yield value
        return
    step, rest = steps[0], steps[1:]
    if step == KEY:
        if not isinstance(value, list | tuple):
            raise Misfit(f"a list at `{place}`", value)
        for item in value:
            yield from _follow(item, rest, f"{place}[*]")
        return
    if not isinstance(value, Mapping) or step not in value:
        raise Misfit(f"an object with `{step}` at `{place}`", value)
    yield from _follow(value[step], rest, f"{place}.{step}")
