"""Types of expressions, with the bounds that a schema puts on their values.

Bounds (enum, minimum, pattern, ...) do not take part in type checking; the coercion of observed
records checks them and the solver assumes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property


@dataclass(frozen=True)
class BoolType:
    """`true` and `false`."""

    def __str__(self) -> str:
        return "bool"


@dataclass(frozen=True)
class IntType:
    """Integers of 64 bits; arithmetic that leaves them has no value."""

    minimum: int | None = None
    maximum: int | None = None

    def __str__(self) -> str:
        return "int"


@dataclass(frozen=True)
class NumberType:
    """Exact decimals and fractions. Values are `int` when whole and `Fraction` otherwise.

    With `text` the JSON may also be a decimal as a string, as pydantic writes one.
    """

    minimum: Fraction | int | None = None
    maximum: Fraction | int | None = None
    exclusive_minimum: Fraction | int | None = None
    exclusive_maximum: Fraction | int | None = None
    text: bool = False

    def __str__(self) -> str:
        return "number"


@dataclass(frozen=True)
class StringType:
    """Strings; `enum` lists the only values that the schema allows."""

    enum: tuple[str, ...] | None = None
    pattern: str | None = None
    min_length: int | None = None
    max_length: int | None = None

    def __str__(self) -> str:
        return "string"


@dataclass(frozen=True)
class TimestampType:
    """Moments as integer microseconds since 1970 UTC; `date` ones are starts of days."""

    date: bool = False

    def __str__(self) -> str:
        return "timestamp"


@dataclass(frozen=True)
class DurationType:
    """Lengths of time as integer microseconds."""

    def __str__(self) -> str:
        return "duration"


@dataclass(frozen=True)
class NullType:
    """The type of `null`."""

    def __str__(self) -> str:
        return "null"


@dataclass(frozen=True)
class UnsettledType:
    """The item type of the empty list literal: fits every type."""

    def __str__(self) -> str:
        return "anything"


@dataclass(frozen=True)
class NullableType:
    """A value of type `of`, or null. Using null where a value is needed has no value."""

    of: Type

    def __str__(self) -> str:
        return f"{self.of} or null"


@dataclass(frozen=True)
class ListType:
    """Lists; values are tuples."""

    item: Type
    min_items: int = 0
    max_items: int | None = None

    def __str__(self) -> str:
        return f"list({self.item})"


@dataclass(frozen=True)
class MapType:
    """Maps from strings to values of one type; macros range over the keys."""

    value: Type
    min_size: int = 0
    max_size: int | None = None

    def __str__(self) -> str:
        return f"map(string, {self.value})"


@dataclass(frozen=True)
class FieldType:
    """A field of a record; an optional one may be absent, which is not the same as null."""

    type: Type
    optional: bool = False


@dataclass(frozen=True)
class RecordType:
    """Records with declared fields; values are dicts that may lack optional fields.

    JSON with other fields does not fit a `closed` one, as what reaches a tool; from others, as
    what a read shows, further fields are left out.
    """

    name: str
    fields: tuple[tuple[str, FieldType], ...]
    closed: bool = field(default=False, compare=False)

    @cached_property
    def by_name(self) -> Mapping[str, FieldType]:
        """The fields by their names."""
        return dict(self.fields)

    def __str__(self) -> str:
        return self.name


Type = (
    BoolType
    | IntType
    | NumberType
    | StringType
    | TimestampType
    | DurationType
    | NullType
    | UnsettledType
    | NullableType
    | ListType
    | MapType
    | RecordType
)

BOOL = BoolType()
INT = IntType()
NUMBER = NumberType()
STRING = StringType()
TIMESTAMP = TimestampType()
DURATION = DurationType()
NULL = NullType()
UNSETTLED = UnsettledType()


def strip_null(type_: Type) -> Type:
    """The type without the possibility of null."""
    return type_.of if isinstance(type_, NullableType) else type_


def join(left: Type, right: Type) -> Type | None:
    """The type that holds the values of both, bounds dropped where they differ; None if none does.

    `int` joins with `number`, null with everything, and of two enums all values remain.
    """
    if left == right:
        return left
    match left, right:
        case UnsettledType(), other:
            return other
        case other, UnsettledType():
            return other
        case NullType(), NullableType():
            return right
        case NullableType(), NullType():
            return left
        case NullType(), other:
            return NullableType(other)
        case other, NullType():
            return NullableType(other)
        case (NullableType(), _) | (_, NullableType()):
            inner = join(strip_null(left), strip_null(right))
            return None if inner is None else NullableType(inner)
        case IntType(), IntType():
            return INT
        case ((IntType() | NumberType()), (IntType() | NumberType())):
            return NUMBER
        case StringType(enum=tuple() as these), StringType(enum=tuple() as those):
            return StringType(enum=tuple(dict.fromkeys((*these, *those))))
        case StringType(), StringType():
            return STRING
        case TimestampType(), TimestampType():
            return TIMESTAMP
        case ListType(), ListType():
            item = join(left.item, right.item)
            return None if item is None else ListType(item)
        case MapType(), MapType():
            value = join(left.value, right.value)
            return None if value is None else MapType(value)
        case _:
            return None
