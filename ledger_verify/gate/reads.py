"""From missing evidence to the reads that bring it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ledger_verify.evaluate.kleene import Failure, evaluate
from ledger_verify.gate.proposal import Proposal
from ledger_verify.gate.verdict import MissingRead, ReadCall
from ledger_verify.lang.typed import Expr, Read, parts
from ledger_verify.lang.types import RecordType, Type, join, strip_null
from ledger_verify.ledger.paths import path_text
from ledger_verify.policy.evidence import MissingPath, Unknown
from ledger_verify.policy.tools import Observation, Tool
from ledger_verify.schema.render import to_json


@dataclass(frozen=True)
class ReadPlanner:
    """Plans reads for one proposed call."""

    proposal: Proposal

    def plan(self, missing: Iterable[MissingPath]) -> list[MissingRead]:
        """One read a record; a read that yields another one's argument comes first."""
        records = dict.fromkeys((path.pattern, path.keys) for path in missing)
        order = self._evaluation_order()
        domain = self.proposal.domain
        ranked = sorted(
            records,
            key=lambda r: (
                order.index(r[0]) if r[0] in order else len(order),
                None in r[1],
                path_text(domain, r[0], r[1]),
            ),
        )
        return [
            MissingRead(path_text(domain, pattern, keys), self._read_for(pattern, keys))
            for pattern, keys in ranked
        ]

    def _evaluation_order(self) -> list[str]:
        """Patterns as evaluation meets them: those that keys depend on before those they key."""
        order: dict[str, None] = {}

        def visit(expr: Expr) -> None:
            for part in parts(expr):
                visit(part)
            if isinstance(expr, Read):
                order[expr.pattern] = None

        for rule in self.proposal.rules:
            visit(rule.holds)
        return list(order)

    def _read_for(self, pattern: str, keys: tuple[Any, ...]) -> ReadCall | None:
        candidates = [
            self._call(tool, observation, keys)
            for tool in self.proposal.read_tools
            for observation in tool.observes
            if observation.pattern == pattern
        ]
        if not candidates:
            return None
        return min(candidates, key=lambda call: sum(v is None for v in call.arguments.values()))

    def _call(self, tool: Tool, observation: Observation, keys: tuple[Any, ...]) -> ReadCall:
        given: dict[str, Any] = {}
        untold = set(tool.asks)
        for index, key in enumerate(keys):
            name = observation.argument_of_key(index) or self._namesake(tool, observation, index)
            if name is None:
                continue
            if key is not None:
                given[name] = self._json(key, tool.arguments.by_name[name].type)
            else:  # another read has to tell it
                untold.add(name)
        arguments = {
            name: given[name]
            if name in given
            else None
            if name in untold
            else self._found(name, field.type)
            for name, field in tool.arguments.fields
            if name in given or not field.optional
        }
        return ReadCall(tool.name, arguments)

    def _namesake(self, tool: Tool, observation: Observation, index: int) -> str | None:
        """The argument that is called like the field of the record that the key is."""
        name = observation.field_of_key(index)
        argument = None if name is None else tool.arguments.by_name.get(name)
        if argument is None:
            return None
        key_type = self.proposal.domain.ledger[observation.pattern].keys[index]
        return name if join(argument.type, key_type) is not None else None

    def _found(self, name: str, type_: Type) -> Any:
        """A value of that name in the call, or in a record that the call is about."""
        proposal = self.proposal
        own = proposal.tool.arguments.by_name.get(name)
        value = proposal.arguments.get(name)
        if own is not None and join(own.type, type_) is not None and _is_told(value):
            return self._json(value, own.type)
        for touch in proposal.tool.touches:
            record_type = strip_null(proposal.domain.ledger[touch.pattern].record)
            if not isinstance(record_type, RecordType) or touch.each is not None:
                continue
            declared = record_type.by_name.get(name)
            if declared is None or join(declared.type, type_) is None:
                continue
            keys = tuple(None if k is None else evaluate(k, proposal.scope) for k in touch.keys)
            if not all(map(_is_told, keys)):
                continue
            record = proposal.ledger.lookup(touch.pattern, keys)
            value = record.get(name) if isinstance(record, dict) else None
            if _is_told(value):
                return self._json(value, declared.type)
        return None

    def _json(self, value: Any, type_: Type) -> Any:
        return to_json(value, type_, self.proposal.domain.zone)


def _is_told(value: Any) -> bool:
    return value is not None and not isinstance(value, Unknown | Failure)
