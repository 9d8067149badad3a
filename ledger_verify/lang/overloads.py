"""Which operation an operator, function or method stands for, by the types of its operands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ledger_verify.lang.types import (
    BOOL,
    DURATION,
    INT,
    NUMBER,
    STRING,
    TIMESTAMP,
    BoolType,
    DurationType,
    IntType,
    ListType,
    MapType,
    NumberType,
    StringType,
    TimestampType,
    Type,
    UnsettledType,
    strip_null,
)


@dataclass(frozen=True)
class Overload:
    """One signature. `operation` None means that the operand itself is the result."""

    operands: tuple[str, ...]
    operation: str | None
    result: Type


def _table(*rows: tuple[str, str | None, Type]) -> tuple[Overload, ...]:
    return tuple(
        Overload(tuple(names.split()), operation, result) for names, operation, result in rows
    )


_KINDS: Mapping[type, frozenset[str]] = {
    BoolType: frozenset({"bool"}),
    IntType: frozenset({"int", "number"}),
    NumberType: frozenset({"number"}),
    StringType: frozenset({"string"}),
    TimestampType: frozenset({"timestamp"}),
    DurationType: frozenset({"duration"}),
    ListType: frozenset({"list"}),
    MapType: frozenset({"map"}),
}


def fits(type_: Type, kind: str) -> bool:
    """Whether values of the type can stand where `kind` is asked for.

    `int` can for `number`, and the items of an empty list literal for anything.
    """
    bare = strip_null(type_)
    return isinstance(bare, UnsettledType) or kind in _KINDS.get(type(bare), frozenset())


def resolve(overloads: tuple[Overload, ...], types: tuple[Type, ...]) -> Overload | None:
    """The first overload that the operand types fit, or None."""
    for overload in overloads:
        if len(overload.operands) == len(types) and all(
            fits(type_, kind) for type_, kind in zip(types, overload.operands, strict=True)
        ):
            return overload
    return None


OPERATORS: Mapping[str, tuple[Overload, ...]] = {
    "+": _table(
        ("int int", "add_int", INT),
        ("number number", "add_num", NUMBER),
        ("string string", "concat_string", STRING),
        ("duration duration", "add_duration", DURATION),
        ("timestamp duration", "add_time", TIMESTAMP),
        ("duration timestamp", "add_time", TIMESTAMP),
    ),
    "-": _table(
        ("int", "neg_int", INT),
        ("number", "neg_num", NUMBER),
        ("duration", "neg_duration", DURATION),
        ("int int", "sub_int", INT),
        ("number number", "sub_num", NUMBER),
        ("duration duration", "sub_duration", DURATION),
        ("timestamp duration", "sub_time", TIMESTAMP),
        ("timestamp timestamp", "time_between", DURATION),
    ),
    "*": _table(("int int", "mul_int", INT), ("number number", "mul_num", NUMBER)),
    "/": _table(("int int", "div_int", INT), ("number number", "div_num", NUMBER)),
    "%": _table(("int int", "mod_int", INT)),
    "!": _table(("bool", "not", BOOL)),
}

COMPARISONS: Mapping[str, str] = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
ORDERED = ("int", "number", "string", "timestamp", "duration", "bool")

FUNCTIONS: Mapping[str, tuple[Overload, ...]] = {
    "size": _table(("string", "size", INT), ("list", "size", INT), ("map", "size", INT)),
    "int": _table(
        ("int", None, INT),
        ("number", "int_of_number", INT),
        ("string", "int_of_string", INT),
        ("timestamp", "int_of_time", INT),
    ),
    "string": _table(
        ("string", None, STRING),
        ("int", "string_of_int", STRING),
        ("number", "string_of_number", STRING),
        ("bool", "string_of_bool", STRING),
        ("timestamp", "string_of_time", STRING),
        ("duration", "string_of_duration", STRING),
    ),
    "timestamp": _table(
        ("timestamp", None, TIMESTAMP),
        ("string", "time_of_string", TIMESTAMP),
        ("int", "time_of_int", TIMESTAMP),
    ),
    "duration": _table(("duration", None, DURATION), ("string", "duration_of_string", DURATION)),
}

METHODS: Mapping[str, tuple[Overload, ...]] = {
    "size": FUNCTIONS["size"],
    "startsWith": _table(("string string", "starts_with", BOOL)),
    "endsWith": _table(("string string", "ends_with", BOOL)),
    "contains": _table(("string string", "contains", BOOL)),
    "matches": _table(("string string", "matches", BOOL)),
    "trim": _table(("string", "trim", STRING)),
    "lowerAscii": _table(("string", "lower_ascii", STRING)),
    "upperAscii": _table(("string", "upper_ascii", STRING)),
    "normalize": _table(("string string", "normalize", STRING)),
}

_LEFT_OUT_TYPES = frozenset(
    {"bool", "bytes", "double", "dyn", "list", "map", "null_type", "type", "uint"}
)
TYPE_NAMES = _LEFT_OUT_TYPES | {"int", "string"}
LEFT_OUT_FUNCTIONS = _LEFT_OUT_TYPES | {"cidr", "ip", "isCIDR", "isIP"}
LEFT_OUT_METHODS = frozenset(
    {
        "charAt", "first", "flatten", "format", "hasValue", "indexOf", "join",
        "last", "lastIndexOf", "optFlatMap", "optMap", "or", "orValue", "quote",
        "replace", "reverse", "slice", "sort", "sortBy", "split", "substring",
        "value",
    }
)  # fmt: skip
LEFT_OUT_NAMESPACES = frozenset(
    {"base64", "cel", "google", "lists", "math", "optional", "proto", "regex", "sets", "strings"}
)
"""What CEL and its extension libraries have and the language leaves out, to be refused by name."""
