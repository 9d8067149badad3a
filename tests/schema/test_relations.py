"""Types compared: which values fit both, which fit one."""

from __future__ import annotations

from typing import Any

import pytest

from ledger_verify.lang.types import RecordType, Type
from ledger_verify.schema.json_schema import type_from_schema
from ledger_verify.schema.relations import (
    has_forms,
    has_times,
    joined,
    same_values,
    undeclared,
    within,
)


def typed(schema: Any) -> Type:
    return type_from_schema(schema, {})


def record(*required: str, closed: bool = False, **fields: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": fields, "required": list(required)}
    return {**schema, "additionalProperties": False} if closed else schema


INT, TEXT = {"type": "integer"}, {"type": "string"}
SMALL = {"type": "integer", "minimum": 1, "maximum": 5}


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        (SMALL, INT),
        (SMALL, {"type": "integer", "minimum": 0}),
        (SMALL, {"type": "number", "exclusiveMinimum": 0, "maximum": 5}),
        ({"type": "number", "exclusiveMinimum": 1}, {"type": "number", "minimum": 1}),
        ({"enum": ["a"]}, {"enum": ["a", "b"]}),
        ({"enum": ["aa", "ab"]}, {"type": "string", "pattern": "^a", "minLength": 2}),
        ({"type": "string", "minLength": 3}, TEXT),
        (INT, {"type": ["integer", "null"]}),
        (
            {"type": "array", "items": SMALL, "minItems": 1, "maxItems": 2},
            {"type": "array", "items": INT, "maxItems": 3},
        ),
        (record("a", a=INT), record(a=INT)),
        (record("a", a=SMALL, b=TEXT), record(a=INT)),
        (record("a", a=INT, closed=True), record("a", a=INT, b=TEXT)),
        (record("a", a=INT, closed=True), record("a", a=INT, b=TEXT, closed=True)),
    ],
)
def test_strictly_within(inner: Any, outer: Any) -> None:
    assert within(typed(inner), typed(outer))
    assert not within(typed(outer), typed(inner))
    assert same_values(typed(inner), typed(inner))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (INT, TEXT),
        (INT, {"type": "boolean"}),
        ({"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}),
        ({"type": "string", "format": "date"}, TEXT),
        ({"type": "string", "pattern": "^a"}, {"type": "string", "pattern": "^b"}),
        ({"type": "number", "minimum": 1}, {"type": "number", "maximum": 1}),
        ({"type": "number", "minimum": 1}, {"type": "number", "exclusiveMinimum": 1, "maximum": 2}),
        # an open record may hold anything under a name that it does not declare
        (record(a=INT), record(a=INT, b=INT)),
        (record(a=INT), record(a=INT, closed=True)),
    ],
)
def test_not_within(one: Any, other: Any) -> None:
    assert not within(typed(one), typed(other))
    assert not same_values(typed(one), typed(other))


def test_a_joined_record_has_what_an_open_one_may_hold() -> None:
    own, other = typed(record("a", a=SMALL)), typed(record("a", "b", a=INT, b=TEXT))
    both = joined(own, other)
    assert isinstance(both, RecordType)
    assert both.by_name["a"].type == typed(SMALL)
    assert both.by_name["b"].optional
    assert list(undeclared(own, other)) == ["b"]
    closed = typed(record("a", a=SMALL, closed=True))
    assert joined(closed, other) == closed
    assert list(undeclared(closed, other)) == []


def test_what_types_hold() -> None:
    dated = typed(record(a={"type": "array", "items": {"type": "string", "format": "date"}}))
    assert has_times(dated)
    assert not has_times(typed(record(a=INT)))
    assert has_forms(typed(record(a={"type": "string", "maxLength": 3})))
    assert not has_forms(typed(record(a={"enum": ["x"]})))
