"""The syntax tree: what was written, with positions and without types."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from ledger_verify.lang.errors import NOWHERE, Span

LiteralValue = bool | int | Fraction | str | None


@dataclass(frozen=True)
class Node:
    """Any syntax node. Two nodes are equal when they say the same, wherever they stand."""

    span: Span = field(default=NOWHERE, compare=False, kw_only=True)


@dataclass(frozen=True)
class Literal(Node):
    """A constant. `Fraction` stands for literals with a point or exponent, `None` for null."""

    value: LiteralValue

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Literal)
            and type(self.value) is type(other.value)
            and self.value == other.value
        )

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


@dataclass(frozen=True)
class Name(Node):
    """A bare identifier."""

    name: str


@dataclass(frozen=True)
class Select(Node):
    """`of.field`."""

    of: Node
    field_name: str


@dataclass(frozen=True)
class Index(Node):
    """`of[key]`."""

    of: Node
    key: Node


@dataclass(frozen=True)
class Call(Node):
    """`function(arguments)`, or `target.function(arguments)` with a target."""

    function: str
    arguments: tuple[Node, ...]
    target: Node | None = None


@dataclass(frozen=True)
class Unary(Node):
    """`!operand` or `-operand`."""

    operator: str
    operand: Node


@dataclass(frozen=True)
class Binary(Node):
    """`left operator right` for arithmetic, comparison, `in`, `&&` and `||`."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Conditional(Node):
    """`condition ? then : otherwise`."""

    condition: Node
    then: Node
    otherwise: Node


@dataclass(frozen=True)
class ListLiteral(Node):
    """`[items]`."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class MapLiteral(Node):
    """`{key: value}`; the entries in the order in which they are written."""

    entries: tuple[tuple[Node, Node], ...]


def children(node: Node) -> tuple[Node, ...]:
    """The direct sub-expressions of a node, in the order in which they are written."""
    match node:
        case Select(of=of):
            return (of,)
        case Index(of=of, key=key):
            return (of, key)
        case Call(target=target, arguments=arguments):
            return arguments if target is None else (target, *arguments)
        case Unary(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return (left, right)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return (condition, then, otherwise)
        case ListLiteral(items=items):
            return items
        case MapLiteral(entries=entries):
            return tuple(part for entry in entries for part in entry)
        case _:
            return ()
