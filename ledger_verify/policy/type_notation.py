"""Types in `domain.yaml`: a short notation (`string`, `Name[]`, `number?`) or a JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ledger_verify.lang.errors import InputError, near_match, nearest
from ledger_verify.lang.types import FieldType, ListType, NullableType, Type
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

_NO_SCHEMA = "there is no `schema.yaml`; types are declared there"


def record_schema(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a record whose fields are written like the arguments of a tool."""
    return {
        "type": "object",
        "required": [name for name in fields if not name.endswith("?")],
        "properties": {name.removesuffix("?"): _schema_of(type_) for name, type_ in fields.items()},
    }


def _schema_of(notation: Any) -> Any:
    if not isinstance(notation, str):
        return notation
    if notation.endswith("[]"):
        return {"type": "array", "items": _schema_of(notation[:-2])}
    if notation.endswith("?"):
        return {"anyOf": [_schema_of(notation[:-1]), {"type": "null"}]}
    return _SHORT.get(notation) or {"$ref": f"#/$defs/{notation}"}


@dataclass(frozen=True)
class TypeReader:
    """Reads types for `file`, a `domain.yaml`.

    `definitions` are the `$defs` of `schema`, the file that an error in one of them belongs to.
    """

    file: YamlFile
    schema: YamlFile | None
    definitions: Mapping[str, Any]

    def check_definitions(self) -> None:
        """Read every definition, used or not; raises `InputError` with the place."""
        assert self.schema is not None or not self.definitions
        for name in self.definitions:
            if name in _SHORT and self.schema is not None:
                place = self.schema.locate_key(("$defs", name))
                raise InputError(f"`{name}` is a type already", location=place)
            self._schema({"$ref": f"#/$defs/{name}"}, name, ())

    def read(self, notation: Any, name: str, path: DataPath, *, closed: bool = False) -> Type:
        """The type that the notation at `path` stands for.

        It is a short name (`string`, `integer`, `number`, `boolean`, `date`, `datetime`), the
        name of a `$defs` type, either with `[]` for a list or `?` for "or null" behind it, or an
        inline JSON Schema. A `closed` one has no fields but those that are declared, at any depth,
        as what reaches a tool; see `type_from_schema`. Raises `InputError` with the place.
        """
        if not isinstance(notation, str):
            return self._schema(notation, name, path, closed)
        if notation.endswith("[]"):
            return ListType(self.read(notation[:-2], name, path, closed=closed))
        if notation.endswith("?"):
            return NullableType(self.read(notation[:-1], name, path, closed=closed))
        if notation in _SHORT:
            return self._schema(_SHORT[notation], name, path)
        if notation in self.definitions:
            return self._schema({"$ref": f"#/$defs/{notation}"}, name, path, closed)
        hint = near_match(notation, [*_SHORT, *self.definitions])
        if self.schema is None and notation[:1].islower() and nearest(notation, _SHORT):
            hint = f"{hint} {_NO_SCHEMA}"
        elif self.schema is None:
            hint = _NO_SCHEMA
        raise self.file.error(f"unknown type `{notation}`", path, hint=hint)

    def fields(
        self, notations: Mapping[str, Any], what: str, path: DataPath
    ) -> tuple[tuple[str, FieldType], ...]:
        """The fields below `path`, each `what`; a `?` behind a name makes it optional.

        Objects in them are closed. Raises `InputError` with the place.
        """
        fields: dict[str, FieldType] = {}
        for key, notation in notations.items():
            place = (*path, key)
            name, optional = key.removesuffix("?"), key.endswith("?")
            if name in fields or not name:
                where = self.file.locate_key(place)
                if not name:
                    raise InputError(f"{what} needs a name", location=where)
                first = next(key for key in notations if key.removesuffix("?") == name)
                hint = f"the first is at {self.file.locate_key((*path, first))}"
                raise InputError(f"`{name}` is given twice", location=where, hint=hint)
            type_ = self.read(notation, name, place, closed=True)
            fields[name] = FieldType(type_, optional)
        return tuple(fields.items())

    def _schema(self, schema: Any, name: str, path: DataPath, closed: bool = False) -> Type:
        try:
            return type_from_schema(schema, self.definitions, name, closed=closed)
        except SchemaError as problem:
            # a path through `$defs` leads on in the schema file, any other one in the schema here
            file, place = self.file, (*path, *problem.path)
            if self.schema is not None and problem.path[:1] == ("$defs",):
                file, place = self.schema, problem.path
            where = file.locate_key(place)
            hint = problem.hint
            if self.schema is None and problem.path[-1:] == ("$ref",) and not self.definitions:
                hint = _NO_SCHEMA
            raise InputError(problem.message, location=where, hint=hint) from None
