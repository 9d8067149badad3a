"""Lists of tools in the shapes that they come in: OpenAI, MCP, OpenAPI, agent and user tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ledger_verify.cli.scaffold.entries import (
    NEUTRAL,
    READ,
    WRITE,
    Argument,
    Kind,
    ToolEntry,
)
from ledger_verify.cli.scaffold.kinds import kind_of
from ledger_verify.cli.scaffold.openapi import operations
from ledger_verify.lang.errors import near_match
from ledger_verify.policy.yaml_file import read_yaml
from ledger_verify.source.cursor import Cursor, described, listed
from ledger_verify.source.json_file import STDIN, read_json

_EXPECTED = (
    "expected a list of functions, an MCP `tools/list` result (`tools`), "
    "an OpenAPI 3 file (`openapi`) or `agent_tools`"
)
_GIVEN_KINDS = {"read": READ, "write": WRITE, "neutral": NEUTRAL, "generic": NEUTRAL}
_SCHEMA_KEYS = ("parameters", "inputSchema", "input_schema")


def read_tools(path: str) -> tuple[ToolEntry, ...]:
    """The tools of a JSON or YAML file; raises `InputError` with the place of what is wrong."""
    is_yaml = path != STDIN and Path(path).suffix in (".yaml", ".yml")
    root = Cursor.root(read_yaml(Path(path)) if is_yaml else read_json(path))
    entries: dict[str, ToolEntry] = {}
    for cursor, entry in _entries(root):
        if entry.name in entries:
            raise cursor.error(f"tool `{entry.name}` is listed twice")
        entries[entry.name] = entry
    if not entries:
        raise root.error("there are no tools in this file")
    return tuple(entries.values())


def _entries(root: Cursor) -> Iterator[tuple[Cursor, ToolEntry]]:
    if isinstance(root.value, list):
        yield from _listed(root)
        return
    if not isinstance(root.value, dict):
        raise root.error(f"{_EXPECTED}; found {described(root.value)}")
    if root.has("openapi"):
        yield from operations(root)
    elif root.has("swagger"):
        raise root.get("swagger").error(
            "this is OpenAPI 2, expected OpenAPI 3", hint="convert it, or list the tools instead"
        )
    elif root.has("agent_tools"):
        yield from _listed(root.get("agent_tools"))
        if root.has("user_tools"):
            yield from _listed(root.get("user_tools"), by_user=True)
    elif root.has("tools") or root.has("functions"):
        yield from _listed(root.get("tools" if root.has("tools") else "functions"))
    elif root.has("result") and isinstance(root.get("result").value, dict):
        yield from _entries(root.get("result"))
    else:
        keys = ("tools", "openapi", "agent_tools", "functions")
        hint = next(filter(None, (_typo(str(key), keys) for key in root.value)), None)
        raise root.error(f"{_EXPECTED}; found {described(root.value)}", hint=hint)


def _typo(key: str, known: tuple[str, ...]) -> str | None:
    hint = near_match(key, known)
    return hint if hint is not None and hint.startswith("did you mean") else None


def _listed(tools: Cursor, by_user: bool = False) -> Iterator[tuple[Cursor, ToolEntry]]:
    for item in tools.as_list("the tools").items():
        yield item, _entry(item.as_object("a tool"), by_user)


def _entry(item: Cursor, by_user: bool) -> ToolEntry:
    kind_of_tool = item.value.get("type", "function")
    if kind_of_tool != "function" and "name" not in item.value:
        raise item.get("type").error(f"a tool of type `{kind_of_tool}` has no name and no schema")
    inner = item.get("function").as_object("`function`") if item.has("function") else item
    if not inner.has("name"):
        found = listed(list(map(str, inner.value)))
        raise inner.error(f"a tool needs a `name`; this has {found or 'nothing'}")
    name = inner.get("name").text("the `name` of a tool")
    if not name:
        raise inner.get("name").error("a tool needs a `name`; this is empty")
    inner = inner.named(f"tool `{name}`")
    arguments, definitions = _arguments(inner)
    return ToolEntry(
        name,
        _kind(inner, name, by_user),
        str(inner.value.get("description") or ""),
        arguments,
        definitions,
        _output(inner),
        by_user,
    )


def _output(inner: Cursor) -> Any:
    schema = inner.value.get("outputSchema")
    if not isinstance(schema, dict):
        return None
    return {key: value for key, value in schema.items() if key not in ("$defs", "definitions")}


def _kind(inner: Cursor, name: str, by_user: bool) -> Kind:
    if not inner.has("kind"):
        told = str(inner.value.get("description") or "")
        kind = kind_of(name, told, inner.value.get("annotations"))
    else:
        given = inner.get("kind").text("`kind`")
        if given == "think":
            kind = Kind(NEUTRAL)
        elif given in _GIVEN_KINDS:
            kind = Kind(_GIVEN_KINDS[given])
        else:
            hint = near_match(given, _GIVEN_KINDS)
            raise inner.get("kind").error(f"unknown kind `{given}`", hint=hint)
    if by_user and kind.kind == READ:  # the agent does not see what the person reads
        return Kind(NEUTRAL, kind.guess)
    return kind


def _arguments(inner: Cursor) -> tuple[dict[str, Argument], dict[str, Any]]:
    """The arguments in the tool's JSON Schema, and the definitions that it refers to."""
    given = [key for key in _SCHEMA_KEYS if inner.has(key)]
    if not given:
        return {}, {}
    schema = inner.get(given[0]).as_object(f"`{given[0]}`")
    definitions: dict[str, Any] = {}
    for source in (inner.value.get("outputSchema"), schema.value):
        for key in ("definitions", "$defs"):
            if isinstance(source, dict) and isinstance(source.get(key), dict):
                definitions |= source[key]
    return arguments_of(schema, definitions), definitions


def arguments_of(schema: Cursor, definitions: Mapping[str, Any]) -> dict[str, Argument]:
    """The properties of an object's JSON Schema as arguments."""
    target = schema.value
    if "$ref" in target:
        target = definitions.get(str(target["$ref"]).rsplit("/", 1)[-1], target)
    kind = target.get("type", "object")
    if kind != "object":
        raise schema.error(f"the arguments of a tool are an object, not `{kind}`")
    properties, required = target.get("properties"), target.get("required")
    properties = {} if properties is None else properties
    required = [] if required is None else required
    if not isinstance(properties, dict):
        raise schema.get("properties").error("`properties` must be an object")
    if not isinstance(required, list):
        raise schema.get("required").error("`required` must be a list of names")
    return {
        str(name): Argument(part, name in required, description_of(part))
        for name, part in properties.items()
    }


def description_of(schema: Any) -> str:
    """What a schema says of itself, on one line."""
    told = schema.get("description") if isinstance(schema, Mapping) else None
    return " ".join(told.split()) if isinstance(told, str) else ""
