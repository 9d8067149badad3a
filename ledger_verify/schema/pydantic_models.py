"""Pydantic models as a source of types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from ledger_verify.lang.errors import InputError


def definitions_of(models: Mapping[str, type[BaseModel]]) -> dict[str, Any]:
    """JSON Schema `$defs` of the models under the given names, and of all that they refer to.

    Raises `InputError` if two different types would get the same name.
    """
    definitions: dict[str, Any] = {}
    for name, model in models.items():
        schema = model.model_json_schema(ref_template="#/$defs/{model}")
        found = {**schema.pop("$defs", {}), name: schema}
        for key, definition in found.items():
            if key in definitions and definitions[key] != definition:
                raise InputError(f"two different models are named `{key}`")
            definitions[key] = definition
    return definitions
