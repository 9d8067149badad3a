"""The operations of an OpenAPI 3 file as tools."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ledger_verify.cli.scaffold.entries import Argument, ToolEntry
from ledger_verify.cli.scaffold.kinds import kind_of_method
from ledger_verify.source.cursor import Cursor

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_PLACES = ("path", "query")


def operations(root: Cursor) -> Iterator[tuple[Cursor, ToolEntry]]:
    """Every operation with its place; raises `InputError` for what is malformed.

    A tool is named after the `operationId`, or else the method and the path. Parameters of the
    path and the query, and the fields of a JSON body, are its arguments.
    """
    version = str(root.value["openapi"])
    if not version.startswith("3."):
        raise root.get("openapi").error(f"this is OpenAPI {version}, expected OpenAPI 3")
    components = root.value.get("components")
    definitions = components.get("schemas") if isinstance(components, dict) else None
    for path, item in root.get("paths").as_object("`paths`").value.items():
        here = root.get("paths").get(path)
        if not isinstance(item, dict):
            raise here.error("a path must be an object of operations")
        here = _resolved(root, here)
        for method in _METHODS:
            if here.has(method):
                operation = here.get(method).as_object("an operation")
                yield operation, _entry(root, here, operation, method, path, definitions or {})


def _entry(
    root: Cursor, shared: Cursor, operation: Cursor, method: str, path: str,
    definitions: dict[str, Any],
) -> ToolEntry:  # fmt: skip
    name = operation.value.get("operationId") or _name_of(method, path)
    operation = operation.named(f"`{method.upper()} {path}`")
    arguments: dict[str, Argument] = {}
    remarks: list[str] = []
    for source in (shared, operation):
        if source.has("parameters"):
            for item in source.get("parameters").as_list("`parameters`").items():
                _parameter(_resolved(root, item).as_object("a parameter"), arguments, remarks)
    if operation.has("requestBody"):
        _body(root, _resolved(root, operation.get("requestBody")), arguments, definitions)
    said = [str(operation.value.get(key) or "") for key in ("summary", "description")]
    return ToolEntry(
        str(name),
        kind_of_method(method, str(operation.value.get("operationId") or ""), ". ".join(said)),
        said[0] or said[1],
        arguments,
        definitions,
        _answer(root, operation),
        remarks=tuple(remarks),
    )


def _name_of(method: str, path: str) -> str:
    words = re.split(r"\W+", path)
    return "_".join([method, *filter(None, words)])


def _resolved(root: Cursor, part: Cursor) -> Cursor:
    """What a `$ref` to a component stands for; parts without one are themselves."""
    seen = 0
    while isinstance(part.value, dict) and isinstance(part.value.get("$ref"), str):
        target = root
        reference: str = part.value["$ref"]
        for step in reference.removeprefix("#/").split("/"):
            step = step.replace("~1", "/").replace("~0", "~")
            if not (reference.startswith("#/") and isinstance(target.value, dict)):
                raise part.error(f"`$ref` to `{reference}` leads nowhere in this file")
            target = target.get(step)
        seen += 1
        if target.value is None or seen > 20:
            raise part.error(f"`$ref` to `{reference}` leads nowhere in this file")
        part = target
    return part


def _parameter(item: Cursor, arguments: dict[str, Argument], remarks: list[str]) -> None:
    name, place = item.get("name").text("the `name` of a parameter"), item.value.get("in")
    if place not in _PLACES:
        remarks.append(f"{place} parameter `{name}`")
        return
    schema = item.value.get("schema")
    if schema is None:
        schema = _json_schema(item.value.get("content"))
    required = item.value.get("required") is True
    arguments[name] = Argument(schema, required, _told(item.value, schema))


def _body(
    root: Cursor, body: Cursor, arguments: dict[str, Argument], definitions: dict[str, Any]
) -> None:
    schema = _json_schema(body.as_object("`requestBody`").value.get("content"))
    fields = schema
    if isinstance(schema, dict) and "$ref" in schema:
        fields = definitions.get(str(schema["$ref"]).rsplit("/", 1)[-1])
    needed = body.value.get("required") is True
    if not isinstance(fields, dict) or not isinstance(fields.get("properties"), dict):
        arguments["body"] = Argument(schema, needed, _told(body.value, schema))
        return
    required = fields.get("required") or []
    for name, part in fields["properties"].items():
        key = f"body_{name}" if name in arguments else name
        arguments[key] = Argument(part, needed and name in required, _told({}, part))


def _answer(root: Cursor, operation: Cursor) -> Any:
    """The schema of a successful response, if there is one."""
    responses = operation.value.get("responses")
    for status in ("200", "201", "2XX", "default") if isinstance(responses, dict) else ():
        if isinstance(responses.get(status), dict):
            part = _resolved(root, operation.get("responses").get(status))
            return _json_schema(part.value.get("content") if isinstance(part.value, dict) else None)
    return None


def _json_schema(content: Any) -> Any:
    """The schema of the JSON form of a body, else of its first form."""
    if not isinstance(content, dict) or not content:
        return None
    named = [form for kind, form in content.items() if "json" in str(kind)]
    form = (named or list(content.values()))[0]
    return form.get("schema") if isinstance(form, dict) else None


def _told(*sources: Any) -> str:
    for source in sources:
        told = source.get("description") if isinstance(source, dict) else None
        if isinstance(told, str) and told.strip():
            return " ".join(told.split())
    return ""
