"""What bears on an invariant over sequences: which tools, which of their rules, which fields.

A tool outside changes nothing that the tools and rules inside, or the invariant, read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ledger_verify.lang.typed import Expr
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.footprint import (
    Field,
    field_changed,
    fields_of,
    fields_read,
    histories_read,
    overlap,
    within,
)
from ledger_verify.policy.rules import Always, Assumption, Rule
from ledger_verify.policy.tools import Effect, Tool, ToolKind, Touch


@dataclass(frozen=True)
class Cone:
    """The part of a domain that bears on one invariant.

    Calls of `remembered` tools are kept in the history. `assumptions` are all that bear on the
    fields, if only by way of each other, and all that they read is among the fields.
    """

    fields: frozenset[Field]
    tools: tuple[Tool, ...]
    rules: Mapping[str, tuple[Rule, ...]]
    remembered: frozenset[str]
    assumptions: tuple[Assumption, ...]

    def changes(self, tool: Tool) -> bool:
        """Whether the tool may change one of the fields."""
        return bool(self.touches(tool))

    def effects(self, tool: Tool) -> tuple[Effect, ...]:
        """The tool's effects on the fields."""
        return tuple(e for e in tool.effects if overlap([field_changed(e)], self.fields))

    def touches(self, tool: Tool) -> tuple[Touch, ...]:
        """What the tool touches of the fields."""
        return tuple(t for t in tool.touches if overlap([field_changed(t)], self.fields))


def cone_of(domain: Domain, always: Always, *, whole: bool, concrete: bool = False) -> Cone:
    """The part of the domain that bears on the invariant.

    With `whole` it has all rules of its tools, and what they read. Without, it has only the rules
    that read nothing but what the invariant needs anyway: that allows more calls, so what is
    proved there holds. With `concrete` it has all effects of its tools, as real calls do.

    Both have every assumption that shares a field with them, and what that reads: the gate may
    allow a call by it, of records that were not read, so it matters which effects may break it.
    """
    statements = [always.always, *([always.initially] if always.initially else [])]
    fields = frozenset[Field]().union(*map(fields_of, statements))
    remembered = histories_read(always.always.body)
    while True:
        known = fields, remembered
        tools = [tool for tool in domain.tools.values() if _bears(tool, domain, *known)]
        for tool in tools:
            fields = fields.union(*map(fields_read, _read_by_changes(tool, fields)))
            if whole:
                holds = [rule.holds for rule in domain.rules_by_tool[tool.name]]
                fields = fields.union(*map(fields_read, holds))
                remembered = remembered.union(*map(histories_read, holds))
        read = [fields_of(assumption) for assumption in domain.assumptions]
        fields = fields.union(*(more for more in read if overlap(more, fields)))
        if (fields, remembered) == known:
            break
    if concrete:
        effects = [effect for tool in tools for effect in tool.effects]
        fields = fields.union(map(field_changed, effects))
        for tool in tools:
            fields = fields.union(*map(fields_read, _read_by_changes(tool, fields)))
    names = frozenset(tool.name for tool in tools)
    rules = {
        tool.name: tuple(
            rule
            for rule in domain.rules_by_tool[tool.name]
            if whole
            or (within(fields_read(rule.holds), fields) and histories_read(rule.holds) <= names)
        )
        for tool in tools
    }
    used = [rule.holds for some in rules.values() for rule in some]
    remembered = remembered.union(*map(histories_read, used))
    return Cone(
        fields,
        tuple(tools),
        rules,
        names if "" in remembered else remembered,
        tuple(a for a in domain.assumptions if within(fields_of(a), fields)),
    )


def _bears(tool: Tool, domain: Domain, fields: Iterable[Field], remembered: frozenset[str]) -> bool:
    """Whether a call of the tool can make a difference."""
    if "" in remembered or tool.name in remembered:
        return True
    never_allowed = not tool.by_user and not domain.rules_by_tool[tool.name]
    if tool.kind is ToolKind.WRITE and never_allowed:
        return False
    return overlap(map(field_changed, tool.touches), fields)


def _read_by_changes(tool: Tool, fields: frozenset[Field]) -> Iterator[Expr]:
    """The expressions that say what the tool makes of the fields."""
    for effect in tool.effects:
        if overlap([field_changed(effect)], fields):
            yield effect.value
            yield from effect.keys
            yield from (step for step in effect.within if not isinstance(step, str))
    for touch in tool.touches:
        if overlap([field_changed(touch)], fields):
            yield from (key for key in touch.keys if key is not None)
            yield from (step for step in touch.within if not isinstance(step, str))
