"""JSON Schema to types.

Keywords that bound values become bounds of the types; keywords without a meaning here (`title`,
`description`, `default`, `examples`) are passed over; all others are refused, so that nothing a
schema demands is silently dropped.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ledger_verify.lang import regex
from ledger_verify.lang.errors import InputError, near_match
from ledger_verify.lang.literals import INT_MAX, INT_MIN
from ledger_verify.lang.operations import whole
from ledger_verify.lang.types import (
    BOOL,
    NULL,
    FieldType,
    IntType,
    ListType,
    MapType,
    NullableType,
    NumberType,
    RecordType,
    StringType,
    TimestampType,
    Type,
)
from ledger_verify.schema.contradictions import contradiction
from ledger_verify.schema.unions import merge

Path = tuple[str | int, ...]

_NOTES = frozenset(
    {
        "$comment", "$defs", "$id", "$schema", "default", "definitions", "deprecated",
        "description", "discriminator", "example", "examples", "format", "nullable", "readOnly",
        "title", "writeOnly",
    }
)  # fmt: skip
_KEYWORDS: Mapping[str, frozenset[str]] = {
    "string": frozenset({"enum", "const", "pattern", "minLength", "maxLength"}),
    "integer": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}),
    "number": frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}),
    "boolean": frozenset(),
    "null": frozenset(),
    "array": frozenset({"items", "minItems", "maxItems"}),
    "object": frozenset(
        {"properties", "required", "additionalProperties", "minProperties", "maxProperties"}
    ),
}


class SchemaError(InputError):
    """A schema that cannot be used; `path` leads to the keyword from the schema's root."""

    def __init__(self, message: str, path: Path, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.path = path


def type_from_schema(
    schema: Any,
    definitions: Mapping[str, Any],
    name: str = "value",
    path: Path = (),
    *,
    closed: bool = False,
) -> Type:
    """The type that a JSON Schema describes; `definitions` are the targets of its `$ref`s.

    `name` is shown for records without a name of their own. In a `closed` type objects have no
    fields but those that are declared, unless `additionalProperties: true` says so outright; in
    an open one they may, unless `additionalProperties: false` says so. Raises `SchemaError`.
    """
    return _Reader(definitions, closed).read(schema, name, path, ())


class _Reader:
    def __init__(self, definitions: Mapping[str, Any], closed: bool) -> None:
        self._definitions = definitions
        self._closed = closed

    def read(self, schema: Any, name: str, path: Path, inside: tuple[str, ...]) -> Type:
        if not isinstance(schema, Mapping):
            raise SchemaError("expected a JSON Schema (a mapping)", path)
        for keyword in ("$ref", "anyOf", "oneOf", "allOf"):
            if keyword in schema and schema.get("additionalProperties") is False:
                return _without_others(self._read(schema, name, path, inside))
        return self._read(schema, name, path, inside)

    def _read(
        self, schema: Mapping[str, Any], name: str, path: Path, inside: tuple[str, ...]
    ) -> Type:
        if "$ref" in schema:
            return self._reference(schema, path, inside)
        for union in ("anyOf", "oneOf"):
            if union in schema:
                return self._union(schema[union], name, (*path, union), inside)
        if "allOf" in schema:
            members = schema["allOf"]
            if isinstance(members, list) and len(members) == 1:
                return self.read(members[0], name, (*path, "allOf", 0), inside)
            raise SchemaError("`allOf` of several schemas is not supported", (*path, "allOf"))
        kind = schema.get("type", _guess_kind(schema))
        if isinstance(kind, list):
            options = [_option(schema, option) for option in kind]
            return self._union(options, name, path, inside)
        if kind not in _KEYWORDS:
            what = "has no `type`" if kind is None else f"has the unknown type `{kind}`"
            raise SchemaError(f"schema {what}", path, hint=near_match(str(kind), _KEYWORDS))
        unknown = [key for key in schema if key not in _NOTES | _KEYWORDS[kind] | {"type"}]
        if unknown and not str(unknown[0]).startswith("x-"):
            raise SchemaError(
                f"keyword `{unknown[0]}` is not supported for type `{kind}`",
                (*path, unknown[0]),
                hint=near_match(str(unknown[0]), _KEYWORDS[kind]),
            )
        read = self._plain(kind, schema, name, path, inside)
        return NullableType(read) if schema.get("nullable") is True else read

    def _reference(self, schema: Mapping[str, Any], path: Path, inside: tuple[str, ...]) -> Type:
        target = str(schema["$ref"])
        name = target.rsplit("/", 1)[-1]
        if name not in self._definitions or not target.startswith("#/"):
            hint = near_match(name, self._definitions)
            raise SchemaError(f"`$ref` to unknown type `{target}`", (*path, "$ref"), hint=hint)
        if name in inside:
            raise SchemaError(f"type `{name}` contains itself", (*path, "$ref"))
        return self.read(self._definitions[name], name, ("$defs", name), (*inside, name))

    def _union(self, options: Any, name: str, path: Path, inside: tuple[str, ...]) -> Type:
        if not isinstance(options, list) or not options:
            raise SchemaError("expected a list of schemas", path)
        numbered = list(enumerate(options))
        declared = [(i, option) for i, option in numbered if not _is_free_form(option)] or numbered
        types = [self.read(option, name, (*path, i), inside) for i, option in declared]
        others = [type_ for type_ in types if type_ != NULL]
        if not others:
            return NULL
        merged = merge(others, name)
        if self._closed and isinstance(merged, RecordType) and any(map(_is_open, options)):
            merged = replace(merged, closed=False)
        if merged is None:
            shown = ", ".join(str(type_) for type_ in others)
            raise SchemaError(f"a union of {shown} is not supported", path)
        return NullableType(merged) if len(others) < len(types) else merged

    def _plain(
        self, kind: str, schema: Mapping[str, Any], name: str, path: Path, inside: tuple[str, ...]
    ) -> Type:
        made = self._made(kind, schema, name, path, inside)
        problem = contradiction(made)
        if problem is not None:
            raise SchemaError(f"nothing fits: {problem}", path)
        return made

    def _made(
        self, kind: str, schema: Mapping[str, Any], name: str, path: Path, inside: tuple[str, ...]
    ) -> Type:
        match kind:
            case "string":
                return _string(schema, path)
            case "integer":
                return _integer(schema, path)
            case "number":
                return _number(schema, path)
            case "boolean":
                return BOOL
            case "null":
                return NULL
            case "array":
                item = self.read(schema.get("items"), f"{name} item", (*path, "items"), inside)
                return ListType(
                    item, _count(schema, "minItems", path) or 0, _count(schema, "maxItems", path)
                )
        return self._object(schema, name, path, inside)

    def _object(
        self, schema: Mapping[str, Any], name: str, path: Path, inside: tuple[str, ...]
    ) -> Type:
        properties = schema.get("properties", {})
        required = schema.get("required", [])
        rest = schema.get("additionalProperties", not self._closed)
        if not isinstance(properties, Mapping) or not isinstance(required, list):
            raise SchemaError("`properties` must be a mapping and `required` a list", path)
        if not properties and isinstance(rest, Mapping):
            value = self.read(rest, f"{name} value", (*path, "additionalProperties"), inside)
            sizes = (_count(schema, "minProperties", path), _count(schema, "maxProperties", path))
            return MapType(value, sizes[0] or 0, sizes[1])
        for wanted in required:
            if wanted not in properties:
                hint = near_match(str(wanted), properties)
                raise SchemaError(
                    f"`required` names unknown `{wanted}`", (*path, "required"), hint=hint
                )
        for keyword in ("minProperties", "maxProperties"):
            if keyword in schema:
                raise SchemaError(
                    f"`{keyword}` beside `properties` is not supported", (*path, keyword)
                )
        title = str(schema.get("title") or name)
        fields = tuple(
            (
                str(key),
                FieldType(
                    self.read(value, str(key), (*path, "properties", key), inside),
                    optional=key not in required,
                ),
            )
            for key, value in properties.items()
        )
        return RecordType(
            name if inside and name == inside[-1] else title,
            fields,
            # a schema for further fields declares none of them, and no rule could read them
            closed=rest is not True if self._closed else rest is False,
        )


def _option(schema: Mapping[str, Any], kind: Any) -> dict[str, Any]:
    """A schema of several types, cut to one of them; null among the `enum` goes with `null`."""
    if kind == "null":
        return {"type": "null"}
    cut = {**schema, "type": kind}
    if isinstance(schema.get("enum"), list):
        cut["enum"] = [value for value in schema["enum"] if value is not None]
    return cut


def _guess_kind(schema: Mapping[str, Any]) -> str | None:
    if "properties" in schema or "additionalProperties" in schema:
        return "object"
    if "items" in schema:
        return "array"
    if "enum" in schema or "const" in schema:
        return "string"
    return None


def _is_free_form(schema: Any) -> bool:
    """An object of which nothing is said: next to a declared record it only loosens it."""
    return (
        isinstance(schema, Mapping)
        and schema.get("type") == "object"
        and "properties" not in schema
        and schema.get("additionalProperties", True) is True
    )


def _is_open(schema: Any) -> bool:
    """An object of which anything is said to be allowed."""
    return _is_free_form(schema) and schema.get("additionalProperties") is True


def _without_others(type_: Type) -> Type:
    """The same type without fields that are not declared."""
    match type_:
        case NullableType(of=of):
            return NullableType(_without_others(of))
        case RecordType():
            return replace(type_, closed=True)
    return type_


def _string(schema: Mapping[str, Any], path: Path) -> Type:
    match schema.get("format"):
        case "date":
            return TimestampType(date=True)
        case "date-time":
            return TimestampType()
    enum = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if enum is not None and not (enum and all(isinstance(option, str) for option in enum)):
        raise SchemaError("`enum` must list strings", (*path, "enum"))
    pattern = schema.get("pattern")
    if pattern is not None:
        _check_pattern(pattern, (*path, "pattern"))
    low, high = _count(schema, "minLength", path), _count(schema, "maxLength", path)
    return StringType(tuple(enum) if enum is not None else None, pattern, low, high)


def _check_pattern(pattern: Any, path: Path) -> None:
    try:
        regex.compiled(str(pattern))
    except ValueError as problem:
        raise SchemaError(str(problem), path) from None


def _integer(schema: Mapping[str, Any], path: Path) -> Type:
    low, high = _bound(schema, "minimum", path), _bound(schema, "maximum", path)
    above, below = (
        _bound(schema, "exclusiveMinimum", path),
        _bound(schema, "exclusiveMaximum", path),
    )
    lows = [math.ceil(low)] if low is not None else []
    lows += [math.floor(above) + 1] if above is not None else []
    highs = [math.floor(high)] if high is not None else []
    highs += [math.ceil(below) - 1] if below is not None else []
    minimum, maximum = max(lows, default=None), min(highs, default=None)
    return IntType(
        None if minimum is None else max(minimum, INT_MIN),
        None if maximum is None else min(maximum, INT_MAX),
    )


def _number(schema: Mapping[str, Any], path: Path) -> Type:
    return NumberType(
        _bound(schema, "minimum", path),
        _bound(schema, "maximum", path),
        _bound(schema, "exclusiveMinimum", path),
        _bound(schema, "exclusiveMaximum", path),
    )


def _bound(schema: Mapping[str, Any], keyword: str, path: Path) -> Fraction | int | None:
    value = schema.get(keyword)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise SchemaError(f"`{keyword}` must be a number", (*path, keyword))
    return whole(Fraction(str(value)))


def _count(schema: Mapping[str, Any], keyword: str, path: Path) -> int | None:
    value = schema.get(keyword)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise SchemaError(f"`{keyword}` must be a whole number from 0", (*path, keyword))
    return value
