"""Typed expressions: what the interpreter, the compiler and the solver read.

The type checker makes them; names, overloads, `let`s and macros are resolved. Two nodes are equal
when they mean the same, so that equal sub-expressions can share one evaluation or encoding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from ledger_verify.lang.errors import NOWHERE, Span
from ledger_verify.lang.types import BOOL, STRING, ListType, MapType, Type


@dataclass(frozen=True)
class Constant:
    """A value known at load time."""

    value: Any
    type: Type
    span: Span = field(default=NOWHERE, compare=False)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Constant)
            and self.type == other.type
            and type(self.value) is type(other.value)
            and self.value == other.value
        )

    def __hash__(self) -> int:
        return hash((self.type, self.value))


@dataclass(frozen=True)
class Variable:
    """A name bound from outside (`args`, `now`, `call.tool`) or by a macro (then numbered)."""

    name: str
    type: Type
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def is_history(self) -> bool:
        """Whether it is `history` or `history.tool`; variables of macros have a `#` in them."""
        return self.name == "history" or (self.name.startswith("history.") and "#" not in self.name)

    @property
    def is_heard(self) -> bool:
        """Whether it is `HEARD`."""
        return self.name == HEARD.name


HEARD = Variable("heard", ListType(STRING))
"""The messages of the user so far, oldest first; only `stated` reads them."""


@dataclass(frozen=True)
class Read:
    """The ledger record at `pattern` with its `*` segments filled in by `keys`."""

    pattern: str
    keys: tuple[Expr, ...]
    type: Type
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Observed:
    """Whether the ledger holds a fresh observation of the record (or of its one field)."""

    read: Read
    field_name: str | None
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def type(self) -> Type:
        return BOOL


@dataclass(frozen=True)
class Records:
    """The records observed at the pattern, in the order of first observation.

    Which ones there are is always known; a stale one is among them, its value unknown.
    """

    pattern: str
    type: ListType
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class FieldOf:
    """A field of a record; no value if the record lacks it."""

    of: Expr
    field_name: str
    type: Type
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class HasField:
    """`has(of.field)`: whether the record has the field."""

    of: Expr
    field_name: str
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def type(self) -> Type:
        return BOOL


@dataclass(frozen=True)
class Apply:
    """A strict operation of `operations.OPERATIONS` on its operands."""

    operation: str
    operands: tuple[Expr, ...]
    type: Type
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class And:
    """Conjunction; false absorbs operands without a value."""

    operands: tuple[Expr, ...]
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def type(self) -> Type:
        return BOOL


@dataclass(frozen=True)
class Or:
    """Disjunction; true absorbs operands without a value."""

    operands: tuple[Expr, ...]
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def type(self) -> Type:
        return BOOL


@dataclass(frozen=True)
class Choose:
    """`condition ? then : otherwise`; only the chosen branch is evaluated."""

    condition: Expr
    then: Expr
    otherwise: Expr
    type: Type
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class ListOf:
    """A list literal."""

    items: tuple[Expr, ...]
    type: ListType
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class MapOf:
    """A map literal: its keys, which are constants in order, and their values."""

    keys: tuple[str, ...]
    values: tuple[Expr, ...]
    type: MapType
    span: Span = field(default=NOWHERE, compare=False)


class FoldKind(Enum):
    """What a macro makes of its range."""

    ALL = "all"
    EXISTS = "exists"
    EXISTS_ONE = "exists_one"
    FILTER = "filter"
    MAP = "map"


@dataclass(frozen=True)
class Fold:
    """A macro: `body` for each item of `range` that meets `condition` (only `map` has one).

    `index`, where there is one, is the variable for the position of the item in the range.
    """

    kind: FoldKind
    variable: Variable
    range: Expr
    body: Expr
    condition: Expr | None
    type: Type
    span: Span = field(default=NOWHERE, compare=False)
    index: Variable | None = None

    @property
    def variables(self) -> tuple[Variable, ...]:
        """What the macro binds: its variable, and that for the position if it has one."""
        return (self.variable,) if self.index is None else (self.variable, self.index)


Expr = (
    Constant
    | Variable
    | Read
    | Observed
    | Records
    | FieldOf
    | HasField
    | Apply
    | And
    | Or
    | Choose
    | ListOf
    | MapOf
    | Fold
)


def parts(expr: Expr) -> tuple[Expr, ...]:
    """The direct sub-expressions, in order of evaluation."""
    match expr:
        case Constant() | Variable() | Records():
            return ()
        case Read(keys=keys):
            return keys
        case Observed(read=read):
            return read.keys
        case FieldOf(of=of) | HasField(of=of):
            return (of,)
        case Apply(operands=operands) | And(operands=operands) | Or(operands=operands):
            return operands
        case Choose(condition=condition, then=then, otherwise=otherwise):
            return (condition, then, otherwise)
        case ListOf(items=items) | MapOf(values=items):
            return items
        case Fold(range=range_, condition=condition, body=body):
            return (range_, body) if condition is None else (range_, condition, body)


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and everything below it, parents first."""
    pending = [expr]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(reversed(parts(current)))


def distinct(expr: Expr) -> Iterator[Expr]:
    """Like `walk`, but an expression that `let`s share comes once."""
    seen: set[int] = set()
    pending = [expr]
    while pending:
        current = pending.pop()
        if id(current) not in seen:
            seen.add(id(current))
            yield current
            pending.extend(reversed(parts(current)))


def measure(expr: Expr) -> tuple[int, int]:
    """The levels of the expression, and its nodes with shared ones counted at every use."""
    known: dict[int, tuple[int, int]] = {}

    def visit(current: Expr) -> tuple[int, int]:
        if id(current) not in known:
            below = [visit(part) for part in parts(current)]
            levels = 1 + max((depth for depth, _ in below), default=0)
            known[id(current)] = levels, 1 + sum(size for _, size in below)
        return known[id(current)]

    return visit(expr)
