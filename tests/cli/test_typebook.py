"""Whatever JSON Schema a tool has, `init` makes a type of it that loads."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ledger_verify.cli.scaffold.typebook import TypeBook
from ledger_verify.schema.json_schema import type_from_schema

_ODD: list[Any] = [
    {}, None, True, False, 5, "x", [],
    {"type": "string"}, {"type": "any"}, {"type": ["string", "null"]}, {"type": "array"},
    {"type": ["object", "array"]}, {"enum": ["a"]}, {"enum": [1]}, {"enum": [None, "a"]},
    {"enum": []}, {"const": "a"}, {"const": 1}, {"const": None}, {"type": "integer", "enum": [1]},
    {"type": "string", "pattern": "(?<=x)", "format": "email"}, {"type": "string", "pattern": "["},
    {"type": "number", "minimum": "x"}, {"type": "number", "multipleOf": 0.1, "minimum": 0.5},
    {"type": "integer", "exclusiveMinimum": True}, {"type": "string", "minLength": -1},
    {"$ref": "#/$defs/A"}, {"$ref": "#/definitions/B"}, {"$ref": "https://x.org/y"},
]  # fmt: skip


def _larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, max_size=3)
    required = st.sampled_from([["a"], ["lost"], "a", None])
    return st.one_of(
        st.builds(
            lambda a, b, r, rest: {
                "type": "object",
                "properties": {"a": a, "items": b},
                "required": r,
                "additionalProperties": rest,
            },
            inner, inner, required, st.sampled_from([True, False, {}]),
        ),
        st.builds(lambda x: {"additionalProperties": x, "minProperties": 1}, inner),
        st.builds(lambda x: {"type": "array", "items": x, "uniqueItems": True}, inner),
        st.builds(lambda xs: {"anyOf": xs}, some),
        st.builds(lambda x: {"oneOf": [x, {"type": "null"}], "description": "x"}, inner),
        st.builds(lambda xs: {"allOf": xs}, some),
        st.builds(lambda x: {"not": x, "if": {}, "properties": {"x": x}}, inner),
    )  # fmt: skip


SCHEMAS = st.recursive(st.sampled_from(_ODD), _larger, max_leaves=8)


@given(schema=SCHEMAS, first=SCHEMAS, second=SCHEMAS)
def test_every_schema_becomes_a_type(schema: Any, first: Any, second: Any) -> None:
    book = TypeBook()
    notation = book.notation(schema, {"A": first, "B": second}, "tool", "argument")
    assert "\n" not in notation
    for name in book.used:
        type_from_schema({"$ref": f"#/$defs/{name}"}, book.used)
    assert len(book.remarks) < 100
