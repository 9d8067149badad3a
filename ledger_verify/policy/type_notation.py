"""The short notation for types in `domain.yaml`: `string`, `date`, `Name[]`, `number?`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ledger_verify.lang.errors import near_match
from ledger_verify.lang.types import ListType, NullableType, Type
from ledger_verify.policy.yaml_file import DataPath, YamlFile
from ledger_verify.schema.json_schema import SchemaError, type_from_schema

_SHORT: Mapping[str, Mapping[str, str]] = {
    "string": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
    "datetime": {"type": "string", "format": "date-time"},
}


def read_type(
    notation: Any, definitions: Mapping[str, Any], name: str, file: YamlFile, path: DataPath
) -> Type:
    """The type that a notation stands for.

    It is a short name (`string`, `integer`, `number`, `boolean`, `date`, `datetime`), the name of
    a `$defs` type, either with `[]` for a list or `?` for "or null" behind it, or an inline JSON
    Schema. Raises `InputError` with the place.
    """
    if isinstance(notation, str):
        if notation.endswith("[]"):
            return ListType(read_type(notation[:-2], definitions, name, file, path))
        if notation.endswith("?"):
            return NullableType(read_type(notation[:-1], definitions, name, file, path))
        if notation not in _SHORT and notation not in definitions:
            hint = near_match(notation, [*_SHORT, *definitions])
            raise file.error(f"unknown type `{notation}`", path, hint=hint)
        schema: Any = _SHORT.get(notation) or {"$ref": f"#/$defs/{notation}"}
    else:
        schema = notation
    try:
        return type_from_schema(schema, definitions, name)
    except SchemaError as problem:
        deeper = (*path, *problem.path) if not isinstance(notation, str) else path
        raise file.error(problem.message, deeper, hint=problem.hint) from None
