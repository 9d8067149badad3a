"""Types from JSON Schema and pydantic models."""

import enum
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from ledger_verify.lang.errors import InputError
from ledger_verify.lang.types import (
    BOOL,
    INT,
    NULL,
    NUMBER,
    STRING,
    TIMESTAMP,
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
from ledger_verify.schema.json_schema import SchemaError, type_from_schema
from ledger_verify.schema.pydantic_models import definitions_of

DEFINITIONS = {
    "A": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
    "B": {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "string"}},
          "required": ["x", "y"]},
    "Loop": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Loop"}}},
}  # fmt: skip
A = RecordType("A", (("x", FieldType(INT)),))


@pytest.mark.parametrize(
    ("schema", "type_"),
    [
        ({"type": "boolean"}, BOOL),
        ({"type": "null"}, NULL),
        ({"type": "integer"}, INT),
        ({"type": "integer", "minimum": 0.5, "exclusiveMaximum": 10}, IntType(1, 9)),
        ({"type": "number"}, NUMBER),
        ({"type": "number", "minimum": 0.1}, NumberType(minimum=Fraction(1, 10))),
        ({"type": "number", "exclusiveMinimum": 0}, NumberType(exclusive_minimum=0)),
        ({"type": "string", "title": "Id", "description": "an id", "x-note": 1}, STRING),
        ({"type": "string", "enum": ["a", "b"]}, StringType(enum=("a", "b"))),
        ({"enum": ["a"]}, StringType(enum=("a",))),
        ({"const": "a"}, StringType(enum=("a",))),
        ({"type": "string", "pattern": "^a", "maxLength": 3},
         StringType(pattern="^a", max_length=3)),
        ({"type": "string", "format": "date"}, TimestampType(date=True)),
        ({"type": "string", "format": "date-time"}, TIMESTAMP),
        ({"type": ["string", "null"]}, NullableType(STRING)),
        ({"type": ["string", "null"], "enum": ["a", None]}, NullableType(StringType(enum=("a",)))),
        ({"type": "string", "nullable": True}, NullableType(STRING)),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, NullableType(INT)),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, NUMBER),
        ({"oneOf": [{"enum": ["a"]}, {"enum": ["b"]}]}, StringType(enum=("a", "b"))),
        ({"allOf": [{"$ref": "#/$defs/A"}]}, A),
        ({"$ref": "#/$defs/A"}, A),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2},
         ListType(INT, 1, 2)),
        ({"type": "object", "additionalProperties": {"type": "number"}}, MapType(NUMBER)),
        ({"anyOf": [{"$ref": "#/$defs/A"}, {"type": "object"}]}, A),
        ({"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]},
         RecordType("value", (("x", FieldType(INT)), ("y", FieldType(STRING, optional=True))))),
    ],
)  # fmt: skip
def test_types(schema: Any, type_: Type) -> None:
    assert type_from_schema(schema, DEFINITIONS) == type_


@pytest.mark.parametrize(
    ("schema", "message", "path"),
    [
        ("string", "expected a JSON Schema", ()),
        ({}, "schema has no `type`", ()),
        ({"type": "strnig"}, "unknown type `strnig`", ()),
        ({"type": "string", "minLenght": 1}, "keyword `minLenght` is not", ("minLenght",)),
        ({"type": "integer", "multipleOf": 2}, "`multipleOf` is not supported", ("multipleOf",)),
        ({"type": "string", "enum": [1]}, "`enum` must list strings", ("enum",)),
        ({"type": "string", "pattern": "(?=a)"}, "regular expression", ("pattern",)),
        ({"type": "integer", "minimum": "0"}, "`minimum` must be a number", ("minimum",)),
        ({"type": "array", "items": {"type": "integer"}, "maxItems": -1}, "whole number",
         ("maxItems",)),
        ({"type": "array"}, "expected a JSON Schema", ("items",)),
        ({"$ref": "#/$defs/C"}, "unknown type `#/$defs/C`", ("$ref",)),
        ({"$ref": "#/$defs/Loop"}, "contains itself", ("properties", "next", "$ref")),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "a union of int", ("anyOf",)),
        ({"anyOf": []}, "expected a list of schemas", ("anyOf",)),
        ({"allOf": [{}, {}]}, "`allOf` of several schemas", ("allOf",)),
        ({"type": "object", "properties": {}, "required": ["a"]}, "unknown `a`", ("required",)),
        ({"type": "object", "properties": {"a": {"type": "integer"}}, "maxProperties": 1},
         "`maxProperties` beside `properties`", ("maxProperties",)),
    ],
)  # fmt: skip
def test_refused(schema: Any, message: str, path: tuple[str | int, ...]) -> None:
    with pytest.raises(SchemaError) as caught:
        type_from_schema(schema, DEFINITIONS)
    assert message in caught.value.message
    assert caught.value.path[-len(path) :] == path if path else True


class Kind(enum.StrEnum):
    one = "one"
    two = "two"


class Line(BaseModel):
    price: Decimal
    discount: Decimal | None = None
    kind: Kind
    when: datetime
    day: date
    color: Literal["red", "blue"]
    count: Annotated[int, Field(ge=1, lt=5)]
    tags: list[str] = []
    by_size: dict[str, int]


class Order(BaseModel):
    lines: list[Line]


def test_pydantic_models() -> None:
    definitions = definitions_of({"Order": Order})
    order = type_from_schema({"$ref": "#/$defs/Order"}, definitions)
    assert isinstance(order, RecordType)
    lines = order.by_name["lines"].type
    assert isinstance(lines, ListType)
    assert isinstance(lines.item, RecordType)
    assert {name: field.type for name, field in lines.item.fields} == {
        "price": NumberType(text=True),
        "discount": NullableType(NumberType(text=True)),
        "kind": StringType(enum=("one", "two")),
        "when": TIMESTAMP,
        "day": TimestampType(date=True),
        "color": StringType(enum=("red", "blue")),
        "count": IntType(1, 4),
        "tags": ListType(STRING),
        "by_size": MapType(INT),
    }


def test_models_of_one_name_are_refused() -> None:
    class Inner(BaseModel):
        a: int

    class Outer(BaseModel):
        inner: Inner

    with pytest.raises(InputError, match="two different models are named `Inner`"):
        definitions_of({"Inner": Line, "Outer": Outer})
