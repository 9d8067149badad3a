"""JSON Schemas of tools to types that a domain can have; what has no counterpart is noted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from ledger_verify.policy.yaml_file import yaml_inline
from ledger_verify.schema.json_schema import SchemaError, type_from_schema

_SIMPLE = frozenset({"string", "integer", "number", "boolean"})
_SHORT = {"date": "date", "date-time": "datetime"}
_TAKEN = _SIMPLE | {"date", "datetime"}
_KEPT_FORMATS = frozenset(_SHORT)
_UNSAID = frozenset(
    {
        "$comment", "$defs", "$id", "$schema", "default", "definitions", "deprecated",
        "description", "discriminator", "example", "examples", "externalDocs", "readOnly", "title",
        "writeOnly", "xml",
    }
)  # fmt: skip
_MAX_CHANGES = 1000
# problems of a schema as a whole; all others are about the keyword at the end of their path
_ABOUT_SCHEMAS = ("schema has", "expected a JSON Schema", "`properties` must be")


@dataclass
class TypeBook:
    """The named types of a domain as they come together, and remarks on what was changed."""

    types: dict[str, Any] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    _given: dict[str, Any] = field(default_factory=dict)
    _taken: list[Any] = field(default_factory=list)

    @property
    def used(self) -> dict[str, Any]:
        """The named types that some schema still refers to, after what was simplified."""
        found: set[str] = set()
        pending: list[Any] = list(self._taken)
        while pending:
            match pending.pop():
                case {"$ref": str(target)} if (name := target.rsplit("/", 1)[-1]) not in found:
                    found.add(name)
                    pending.append(self.types[name])
                case dict(parts):
                    pending += parts.values()
                case list(parts):
                    pending += parts
        return {name: schema for name, schema in self.types.items() if name in found}

    def notation(self, schema: Any, definitions: Mapping[str, Any], owner: str, name: str) -> str:
        """The type of argument `name` of tool `owner` as `domain.yaml` writes it."""
        taken = self.take(schema, definitions, owner, name)
        return _short(taken) or yaml_inline(taken)

    def take(self, schema: Any, definitions: Mapping[str, Any], owner: str, name: str) -> Any:
        """The schema in a form that can be loaded; its definitions join the types."""
        box = {"schema": self._adopt(schema, definitions, owner)}
        for _ in range(_MAX_CHANGES):
            try:
                type_from_schema(box["schema"], self.types, name)
                self._taken.append(box["schema"])
                return box["schema"]
            except SchemaError as problem:
                place = ".".join(map(str, problem.path))
                where = f"`{owner}`, `{name}`{f' at `{place}`' if place else ''}"
                self.remarks.append(f"{where}: {problem.message}; it was simplified")
                self._loosen(box, problem)
        return {"type": "string"}

    def named(self, schema: Any, wanted: str) -> str:
        """The name of a taken schema: its own, or else the wanted one, made unique."""
        if "$ref" in schema:
            return str(schema["$ref"]).rsplit("/", 1)[-1]
        while wanted in self.types:
            wanted = f"{wanted}Result"
        self.types[wanted] = schema
        self._taken.append({"$ref": f"#/$defs/{wanted}"})
        return wanted

    def _adopt(self, schema: Any, definitions: Mapping[str, Any], owner: str) -> Any:
        """A copy without notes, whose references lead to the types of this book."""
        if schema is None or schema is True or schema == {}:
            self.remarks.append(f"`{owner}`: a schema that says nothing was taken for a text")
            return {"type": "string"}
        if not isinstance(schema, Mapping):
            return _plain(schema)
        if "$ref" in schema:
            name = str(schema["$ref"]).rsplit("/", 1)[-1]
            if name not in definitions:
                return {"$ref": str(schema["$ref"])}
            return {"$ref": f"#/$defs/{self._named(name, definitions, owner)}"}
        out: dict[str, Any] = {}
        for key, value in schema.items():
            if key in _UNSAID or str(key).startswith("x-") or value is None:
                continue
            if key == "properties" and isinstance(value, Mapping):
                out[key] = {k: self._adopt(v, definitions, owner) for k, v in value.items()}
            elif key in ("anyOf", "oneOf", "allOf") and isinstance(value, list):
                out[key] = [self._adopt(option, definitions, owner) for option in value]
            elif key == "items" or (key == "additionalProperties" and isinstance(value, Mapping)):
                out[key] = self._adopt(value, definitions, owner)
            elif key != "format" or value in _KEPT_FORMATS:
                out[key] = _plain(value)
        return _simpler(out)

    def _named(self, name: str, definitions: Mapping[str, Any], owner: str) -> str:
        """The name that a definition has in this book, where another one may have taken its own."""
        given = definitions[name]
        own = re.sub(r"\W+", "_", name).strip("_") or "Type"
        prefixed = f"{re.sub(r'[^A-Za-z0-9]+', '_', owner)}_{own}"
        for candidate in (own, prefixed, *(f"{prefixed}_{n}" for n in range(2, _MAX_CHANGES))):
            if candidate in self._given and self._given[candidate] == given:
                return candidate
            if candidate not in self._given and candidate not in _TAKEN:
                own = candidate
                break
        self._given[own] = given
        self.types[own] = {}  # keeps its place in the order while what it contains is read
        self.types[own] = self._adopt(given, definitions, owner)
        return own

    def _loosen(self, box: dict[str, Any], problem: SchemaError) -> None:
        """Change the part that the problem is about into something that can be loaded."""
        in_types = problem.path[:1] == ("$defs",)
        holder: Any = self.types if in_types else box
        steps = problem.path[1:] if in_types else ("schema", *problem.path)
        keyword = None if problem.message.startswith(_ABOUT_SCHEMAS) else steps[-1]
        *above, last = steps if keyword is None else steps[:-1]
        for step in above:
            holder = holder[step]
        if keyword is not None and not isinstance(holder[last], dict):
            keyword = None
        simpler = {"type": "string"} if keyword is None else _loosened(holder[last], str(keyword))
        unchanged = keyword is not None and simpler == holder[last]
        holder[last] = {"type": "string"} if unchanged else simpler


def _plain(value: Any) -> Any:
    """A copy without numbers that YAML cannot write."""
    match value:
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case list():
            return [_plain(item) for item in value]
        case Mapping():
            return {str(key): _plain(item) for key, item in value.items()}
    return value


def _loosened(node: dict[str, Any], keyword: str) -> dict[str, Any]:
    rest = {key: value for key, value in node.items() if key != keyword}
    match keyword:
        case "$ref":
            return {"type": "object"}
        case "anyOf" | "oneOf":
            options = node[keyword] if isinstance(node[keyword], list) else []
            others = [option for option in options if option != {"type": "null"}]
            first = others[0] if others else {"type": "string"}
            return {"anyOf": [first, {"type": "null"}]} if len(others) < len(options) else first
        case "allOf":
            return _all_of(node[keyword])
        case "required":
            known = node.get("properties", {})
            kept = [name for name in node["required"] if name in known]
            return {**rest, "required": kept}
        case "enum" if node.get("type") in ("integer", "number"):
            return rest
        case "enum":
            rest.pop("const", None)
            return {**rest, "type": "string"}
    return rest or {"type": "string"}


def _all_of(members: Any) -> dict[str, Any]:
    """One object with the fields of all; other combinations become the first of them."""
    parts = (
        [part for part in members if isinstance(part, dict)] if isinstance(members, list) else []
    )
    if not parts or any("properties" not in part for part in parts):
        return parts[0] if parts else {"type": "object"}
    properties: dict[str, Any] = {}
    required: list[str] = []
    for part in parts:
        properties |= part["properties"]
        required += [name for name in part.get("required", []) if name not in required]
    return {"type": "object", "properties": properties, "required": required}


def _simpler(schema: dict[str, Any]) -> dict[str, Any]:
    """Lists of types as unions, and unions without options that say nothing."""
    kinds = schema.get("type")
    if isinstance(kinds, list):
        base = {key: value for key, value in schema.items() if key != "type"}
        options = [_of_kind(base, kind) for kind in kinds]
        schema = options[0] if len(options) == 1 else {"anyOf": options}
    for union in ("anyOf", "oneOf"):
        options = schema.get(union, [])
        told = [o for o in options if o != {"type": "object"}] if isinstance(options, list) else []
        if len(told) > 0 and len(told) < len(options):
            schema = told[0] if len(told) == 1 else {**schema, union: told}
    if not schema:
        return {"type": "string"}
    if "enum" in schema and schema.get("type") == "string":
        return {key: value for key, value in schema.items() if key != "type"}
    return {"type": schema["type"], **schema} if "type" in schema else schema


def _of_kind(base: dict[str, Any], kind: Any) -> dict[str, Any]:
    if kind == "null":
        return {"type": "null"}
    option = {"type": kind, **base}
    if isinstance(option.get("enum"), list):
        option["enum"] = [value for value in option["enum"] if value is not None]
    return option


def _short(schema: Any) -> str | None:
    """The short notation of a type, if it has one."""
    if not isinstance(schema, dict):
        return None
    match schema:
        case {"$ref": str(target)}:
            return target.rsplit("/", 1)[-1]
        case {"type": "string", "format": str(form), **rest} if form in _SHORT and not rest:
            return _SHORT[form]
        case {"type": str(kind), **rest} if kind in _SIMPLE and not rest:
            return kind
        case {"type": "array", "items": item, **rest} if not rest and _short(item):
            return f"{_short(item)}[]"
        case {"anyOf": [item, {"type": "null"}], **rest} if not rest and _short(item):
            return f"{_short(item)}?"
    return None
