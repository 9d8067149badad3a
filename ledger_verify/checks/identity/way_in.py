"""A way in, step by step through the real gate: reads of the agent's choice, then the call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ledger_verify.checks.identity.comparisons import Comparison
from ledger_verify.evaluate.kleene import Scope, evaluate
from ledger_verify.gate.gate import Gate
from ledger_verify.gate.session import Session
from ledger_verify.lang.environment import KEY
from ledger_verify.lang.errors import InputError
from ledger_verify.lang.typed import Expr, FieldOf, Variable
from ledger_verify.lang.types import Type
from ledger_verify.ledger.paths import parse_path
from ledger_verify.policy.case import Case
from ledger_verify.policy.tools import Observation, Tool, ToolKind
from ledger_verify.schema.coerce import Misfit, coercer
from ledger_verify.schema.render import to_json
from ledger_verify.schema.sample import sample

Reads = Sequence[tuple[Tool, Observation]]


def way_in(gate: Gate, case: Case, found: Comparison, choosing: Reads) -> list[str] | None:
    """The calls of a session that begins with nothing read, as text; None if it does not end in
    ALLOW.

    The records are those of the case; the one that tells the identity is read last, by one of the
    reads that choose it. The user says what the case says, but not whose record it is.
    """
    return _WayIn(gate, case, found, choosing).steps()


class _WayIn:
    def __init__(self, gate: Gate, case: Case, found: Comparison, choosing: Reads) -> None:
        self.domain, self.case, self.found = gate.domain, case, found
        self.choosing = choosing
        self.session: Session = gate.session(clock_us=case.now_us, facts=case.facts)

    def steps(self) -> list[str] | None:
        for call in self.case.history:
            self.session.recall(call)
        places = [(*parse_path(path, self.domain), path) for path in self.case.ledger]
        for message in self.case.heard:
            self.session.heard(message)
        told = []
        for pattern, keys, path in sorted(places, key=lambda place: place[0] == self.found.pattern):
            record = self.case.ledger[path]
            last = pattern == self.found.pattern
            reads = self.choosing if last else list(self._reads(pattern))
            step = next(filter(None, (self._read(r, keys, path, record) for r in reads)), None)
            if step is not None:
                told.append(step)
            elif last:
                return None
            else:  # how it comes to be read is no matter of the identity
                self.session.record(path, record)
        if any(str(self._owner()) in message for message in self.case.heard):
            return None
        verdict = self.session.check(self.case.tool, self.case.arguments)
        if not verdict.allowed:
            return None
        return [*told, f"{_call(self.case.tool, self.case.arguments)}: ALLOW"]

    def _reads(self, pattern: str) -> Iterator[tuple[Tool, Observation]]:
        for tool in self.domain.tools.values():
            if tool.kind is ToolKind.READ and not tool.by_user:
                yield from ((tool, o) for o in tool.observes if o.pattern == pattern)

    def _read(
        self, read: tuple[Tool, Observation], keys: tuple[Any, ...], path: str, record: Any
    ) -> str | None:
        """Make one read, of which the record is the result; None if that does not show it."""
        tool, observation = read
        arguments = self._arguments(tool, observation, keys, record)
        if not self.session.check(tool.name, arguments).allowed:
            return None
        result = _result(observation, record)
        if observation.text is None:
            self.session.observe(tool.name, arguments, result)
        elif self._applies(tool, observation, arguments):
            self.session.record(path, record)
        spec = self.domain.ledger[observation.pattern]
        try:
            wanted = coercer(spec.record, self.domain.zone)(record)
        except Misfit:
            return None
        if self.session.ledger.lookup(observation.pattern, keys) != wanted:
            return None
        return f"{_call(tool.name, arguments)} shows `{path}`"

    def _applies(self, tool: Tool, observation: Observation, arguments: Mapping[str, Any]) -> bool:
        """Whether a prose result, which is not spelled out here, would be taken for a record."""
        try:
            bound = coercer(tool.arguments, self.domain.zone)(arguments)
        except InputError:
            return False
        when = observation.when
        scope = Scope(self.session.ledger, {"args": bound})
        return when is None or evaluate(when, scope) is True

    def _arguments(
        self, tool: Tool, observation: Observation, keys: tuple[Any, ...], record: Any
    ) -> dict[str, Any]:
        """What the agent says, having read the other records."""
        given = {
            name: key
            for index, key in enumerate(keys)
            if (name := observation.argument_of_key(index)) is not None
        }
        fields = record if isinstance(record, dict) else {}
        for field_name, value in observation.additions:
            argument = _argument(value)
            if argument is not None and field_name in fields:
                given.setdefault(argument, fields[field_name])
        return {
            name: self._json(given[name], field.type)
            if name in given
            else fields[name]
            if name in fields
            else self._chosen(name, field.type)
            for name, field in tool.arguments.fields
            if name in given or not field.optional
        }

    def _json(self, value: Any, type_: Type) -> Any:
        try:
            return to_json(value, type_, self.domain.zone)
        except (TypeError, AttributeError):
            return value

    def _chosen(self, name: str, type_: Type) -> Any:
        """The owner where that fits, since the agent has read it; else anything."""
        owner = self._owner()
        zone = self.domain.zone
        try:
            coercer(type_, zone)(owner)
        except Misfit:
            return to_json(sample(type_, name, self.case.now_us, zone), type_, zone)
        return owner

    def _owner(self) -> Any:
        bound = coercer(self.domain.tools[self.case.tool].arguments, self.domain.zone)(
            self.case.arguments
        )
        names = {"args": bound, "now": self.case.now_us, "call": {"tool": self.case.tool}}
        value = evaluate(self.found.owner, Scope(self.session.ledger, names))
        return value if isinstance(value, str | int) else None


def _argument(expr: Expr) -> str | None:
    match expr:
        case FieldOf(of=Variable(name="args"), field_name=name):
            return name
    return None


def _result(observation: Observation, record: Any) -> Any:
    """A result in which the record stands where the observation looks for it."""
    result = record
    for step in reversed(observation.source):
        result = [result] if step == KEY else {step: result}
    return result


def _call(tool: str, arguments: Mapping[str, Any]) -> str:
    return f"{tool}({', '.join(f'{name}={value}' for name, value in arguments.items())})"
