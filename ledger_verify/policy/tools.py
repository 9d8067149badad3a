"""Tools: their arguments, what a read observes, and what a write touches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from ledger_verify.lang.typed import Expr, FieldOf, Variable
from ledger_verify.lang.types import RecordType


class ToolKind(Enum):
    """Observes state, changes the environment, or does neither."""

    READ = "read"
    WRITE = "write"
    NEUTRAL = "neutral"


@dataclass(frozen=True)
class Observation:
    """Records that a read yields.

    `source` leads from the result to them: names step into objects, `*` over the items of a list.
    `keys` are expressions over `args` and `item` (the record), `additions` over `args` fill in
    fields that the record lacks. Records for which `where` is not true are passed over.
    """

    pattern: str
    source: tuple[str, ...]
    keys: tuple[Expr, ...]
    additions: tuple[tuple[str, Expr], ...] = ()
    where: Expr | None = None

    def argument_of_key(self, index: int) -> str | None:
        """The argument that the key is, if it is simply one."""
        match self.keys[index]:
            case FieldOf(of=Variable(name="args"), field_name=name):
                return name
            case _:
                return None

    def field_of_key(self, index: int) -> str | None:
        """The field of the record that the key is, if it is simply one."""
        match self.keys[index]:
            case FieldOf(of=Variable(name="item"), field_name=name):
                return name
            case _:
                return None


@dataclass(frozen=True)
class Touch:
    """Records, or the part of them at the steps `within`, that a successful write makes stale.

    A key is None for all records of the pattern. With `each`, an expression over `args` for a
    list, keys and steps may read its `item`.
    """

    pattern: str
    keys: tuple[Expr | None, ...]
    within: tuple[str | Expr, ...] = ()
    each: Expr | None = None


@dataclass(frozen=True)
class Tool:
    """A tool of the domain. Arguments that are not `free` are what a call is about."""

    name: str
    kind: ToolKind
    arguments: RecordType
    observes: tuple[Observation, ...] = ()
    touches: tuple[Touch, ...] = ()
    fixed: frozenset[str] = frozenset()
    description: str = ""

    @property
    def free(self) -> tuple[str, ...]:
        """The names of the arguments that a repair may change."""
        return tuple(name for name, _ in self.arguments.fields if name not in self.fixed)


Tools = Mapping[str, Tool]
