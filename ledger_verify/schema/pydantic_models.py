"""Pydantic models as a source of types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from ledger_verify.lang.errors import InputError


class _ExactNumbers(GenerateJsonSchema):
    """A `Decimal` is a number, or a decimal as text; pydantic has too odd a pattern for that."""

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonSchemaValue:
        written = super().decimal_schema(schema)
        numbers = [o for o in written.get("anyOf", []) if o.get("type") == "number"]
        text = {"type": "string", "pattern": r"^[+-]?\d+(\.\d+)?$"}
        return {"anyOf": [numbers[0], text]} if numbers else written


def definitions_of(models: Mapping[str, type[BaseModel]]) -> dict[str, Any]:
    """JSON Schema `$defs` of the models under the given names, and of all that they refer to.

    Raises `InputError` if two different types would get the same name.
    """
    definitions: dict[str, Any] = {}
    for name, model in models.items():
        schema = model.model_json_schema(
            ref_template="#/$defs/{model}", schema_generator=_ExactNumbers
        )
        found = {**schema.pop("$defs", {}), name: schema}
        for key, definition in found.items():
            if key in definitions and definitions[key] != definition:
                raise InputError(f"two different models are named `{key}`")
            definitions[key] = definition
    return definitions
