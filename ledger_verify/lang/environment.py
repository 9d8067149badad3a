"""What an expression may refer to: names with types, `let`s, and the paths of the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ledger_verify.lang.typed import Expr, Variable
from ledger_verify.lang.types import (
    BOOL,
    TIMESTAMP,
    FieldType,
    ListType,
    RecordType,
    StringType,
    Type,
)

KEY = "*"
SESSION = "session"
"""The name under which expressions read the facts of the session."""


@dataclass(frozen=True)
class LedgerPattern:
    """A kind of canonical path, such as `flights.*.*`: types of its keys and of its record.

    `key_fields` has for each key the field of the record that repeats it, or None where none is
    declared; no record stands under another key than its own. Of a path without keys, `identity`
    is the field that tells whose record it is, if one is declared.
    """

    text: str
    keys: tuple[Type, ...]
    record: Type
    key_fields: tuple[str | None, ...] = ()
    identity: str | None = None

    @property
    def segments(self) -> tuple[str, ...]:
        """The pattern split at its dots; a `*` segment is a key."""
        return tuple(self.text.split("."))


@dataclass(frozen=True)
class Environment:
    """The scope in which an expression is checked.

    `names` are bound from outside, `lets` stand for expressions, `timezone` is the IANA name that
    time accessors use where none is given. `history` has the argument types of tools whose earlier
    calls may be read. `depth` counts the macros around the expression. With `heard`, what the user
    said may be asked for.
    """

    names: Mapping[str, Type] = field(default_factory=dict)
    lets: Mapping[str, Expr] = field(default_factory=dict)
    ledger: Mapping[str, LedgerPattern] = field(default_factory=dict)
    timezone: str = "UTC"
    history: Mapping[str, RecordType] = field(default_factory=dict)
    depth: int = 0
    heard: bool = False

    def known_names(self) -> list[str]:
        """All names that an expression may start with."""
        special = [n for n, there in (("ledger", self.ledger), ("history", self.history)) if there]
        return [*self.lets, *self.names, *special]

    def with_lets(self, lets: Mapping[str, Expr]) -> Environment:
        """The scope with more `let`s, which hide names that were there."""
        return replace(self, lets={**self.lets, **lets})

    def inside_macro(self, name: str, item: Type) -> tuple[Environment, Variable]:
        """The scope of a macro's body, and its variable.

        Numbering variables by depth makes equal macros equal expressions, and keeps the
        variables of nested macros apart.
        """
        variable = Variable(f"{name}#{self.depth}", item)
        inner = replace(self, lets={**self.lets, name: variable}, depth=self.depth + 1)
        return inner, variable


def rule_environment(
    arguments: RecordType,
    ledger: Mapping[str, LedgerPattern],
    timezone: str,
    history: Mapping[str, RecordType] | None = None,
    tools: tuple[str, ...] | None = None,
    session: RecordType | None = None,
) -> Environment:
    """The names that a rule sees for calls of one tool.

    `history` has all tools' arguments, `session` the facts that the domain declares, if any.
    `tools` are those that `call.tool` can be, where they are known.
    """
    call = RecordType("call", (("tool", FieldType(StringType(enum=tools))),))
    names: dict[str, Type] = {"args": arguments, "call": call, "now": TIMESTAMP}
    names |= session_names(session)
    return Environment(
        names=names, ledger=ledger, timezone=timezone, history=history or {}, heard=True
    )


def session_names(session: RecordType | None) -> dict[str, Type]:
    """`session` with the facts of the session; nothing where the domain declares none."""
    return {} if session is None else {SESSION: session}


VERDICTS = ("ALLOW", "REVISE", "BLOCK", "UNCHECKED")
"""What `verdict` of an earlier call can be; UNCHECKED ran without asking the gate."""


def earlier_calls(
    tool: str | None, arguments: RecordType | None, tools: Iterable[str] | None = None
) -> ListType:
    """The type of `history` (tool None), or of `history.tool`: earlier calls, oldest first.

    `tools` are those whose calls there can be in `history`, where they are known.
    """
    known = None if tools is None else tuple(tools)
    fields: dict[str, Type] = {} if tool else {"tool": StringType(enum=known)}
    if arguments is not None:
        fields["args"] = arguments
    fields |= {"ok": BOOL, "verdict": StringType(enum=VERDICTS), "time": TIMESTAMP}
    name = f"earlier call of {tool}" if tool else "earlier call"
    return ListType(RecordType(name, tuple((k, FieldType(t)) for k, t in fields.items())))
