"""Which conditions stay as they are, whatever the agent reads, calls or says."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ledger_verify.checks.evidence.model import EvidenceModel
from ledger_verify.checks.evidence.stale import touched_part
from ledger_verify.checks.evidence.uses import Fields
from ledger_verify.lang.environment import SESSION
from ledger_verify.lang.typed import (
    And,
    Expr,
    FieldOf,
    HasField,
    Observed,
    Read,
    Records,
    Variable,
    distinct,
    parts,
)
from ledger_verify.policy.rules import Rule
from ledger_verify.policy.tools import Tool


@dataclass(frozen=True)
class Lasting:
    """Tells of conditions on calls of `tool` whether anything can change them.

    A condition lasts if it reads nothing but records that no other tool touches and that the call
    itself names: not the present, not earlier calls, and no argument except as the key by which
    the call names what it is about.
    """

    model: EvidenceModel
    tool: Tool

    def conditions(self, rule: Rule) -> tuple[Expr, ...]:
        """The parts of the requirement that last once they are FALSE; none if the guard may
        change.
        """
        if rule.when is not None and not self.lasts(rule.when):
            return ()
        return tuple(part for part in conditions(rule.require) if self.lasts(part))

    def lasts(self, expr: Expr) -> bool:
        """Whether the condition stays as it is."""
        match expr:
            case Variable(name=name):
                return "#" in name or name in ("call", SESSION)
            case Records() | Observed():
                return False
            case (
                FieldOf(of=Read() as read, field_name=name)
                | HasField(of=Read() as read, field_name=name)
            ):
                return self._stays(read, frozenset({name}))
            case Read():
                return self._stays(expr, None)
        return all(map(self.lasts, parts(expr)))

    def _stays(self, read: Read, fields: Fields) -> bool:
        """Whether the record that the call names keeps what was read of it."""
        if self._touched_elsewhere(read.pattern, fields) or not self._names_it(read):
            return False
        return all(self._is_named(key) or self.lasts(key) for key in read.keys)

    def _names_it(self, read: Read) -> bool:
        """Whether another read cannot put another record into the place of this one."""
        if read.keys:
            return True
        return all(not sight.tool.arguments.fields for sight in self.model.sights[read.pattern])

    def _is_named(self, key: Expr) -> bool:
        match key:
            case FieldOf(of=Variable(name="args"), field_name=name):
                return name in self._about
        return False

    @cached_property
    def _about(self) -> frozenset[str]:
        """The arguments by which the call names what it is about."""
        return frozenset(
            part.field_name
            for touch in self.tool.touches
            for key in touch.keys
            if key is not None
            for part in distinct(key)
            if isinstance(part, FieldOf) and part.of == Variable("args", self.tool.arguments)
        )

    def _touched_elsewhere(self, pattern: str, fields: Fields) -> bool:
        """Whether another tool may change it, or a call of this one on another record."""
        for name, sights in self.model.results.items():
            if name != self.tool.name and any(sight.pattern == pattern for sight in sights):
                return True
        for tool in self.model.domain.tools.values():
            for touch in tool.touches:
                own = tool is self.tool and touch.each is None and None not in touch.keys
                if touch.pattern == pattern and not own:
                    part = touched_part(self.model.domain, touch)
                    if part is None or fields is None or part & fields:
                        return True
        return False


def conditions(expr: Expr) -> tuple[Expr, ...]:
    """The conditions that must all hold for the expression to hold."""
    if isinstance(expr, And):
        return tuple(part for operand in expr.operands for part in conditions(operand))
    return (expr,)
