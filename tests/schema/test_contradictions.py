"""A schema that no value can meet is refused, wherever it stands."""

from typing import Any

import pytest

from ledger_verify.schema.json_schema import SchemaError, type_from_schema

IMPOSSIBLE = {
    "an integer": {"type": "integer", "minimum": 5, "maximum": 1},
    "no whole number between": {"type": "integer", "minimum": 1.2, "maximum": 1.8},
    "a number": {"type": "number", "minimum": 5, "maximum": 1},
    "an open end": {"type": "number", "minimum": 1, "exclusiveMaximum": 1},
    "two open ends": {"type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 1},
    "a length": {"type": "string", "minLength": 3, "maxLength": 2},
    "an enum against a pattern": {"enum": ["b"], "pattern": "^a$"},
    "an enum against a length": {"type": "string", "enum": ["b"], "minLength": 2},
    "a list": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 1},
    "a map": {
        "type": "object", "additionalProperties": {"type": "string"},
        "minProperties": 2, "maxProperties": 1,
    },
}  # fmt: skip
POSSIBLE = {
    "one integer": {"type": "integer", "minimum": 1, "maximum": 1},
    "one number": {"type": "number", "minimum": 1, "maximum": 1},
    "between open ends": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.1},
    "one length": {"type": "string", "minLength": 2, "maxLength": 2},
    "one of the enum": {"enum": ["a", "b"], "pattern": "^a$"},
    "one size": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 1},
}


@pytest.mark.parametrize("schema", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_what_nothing_fits_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(SchemaError, match="nothing fits: no "):
        type_from_schema(schema, {}, "x")
    with pytest.raises(SchemaError, match="nothing fits: no ") as caught:
        type_from_schema({"type": "object", "properties": {"a": schema}}, {}, "x")
    assert caught.value.path[:2] == ("properties", "a")


@pytest.mark.parametrize("schema", POSSIBLE.values(), ids=POSSIBLE)
def test_what_something_fits_is_taken(schema: dict[str, Any]) -> None:
    assert type_from_schema(schema, {}, "x")
