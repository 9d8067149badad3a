"""What several formats of messages share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ledger_verify.conversation.parts import CallPart
from ledger_verify.lang.errors import InputError
from ledger_verify.source.cursor import Cursor, described, shortened
from ledger_verify.source.json_file import parse_value

TEXTS = ("text", "input_text", "output_text")
"""Types of parts that are text, in the formats that name them."""


def arguments_of(raw: Any) -> Any:
    """Arguments as JSON, from JSON or from text that holds JSON; numbers exact.

    Malformed text stays text, which fits no tool; none at all are an empty object.
    """
    if raw is None:
        return {}
    if not isinstance(raw, str):
        return raw
    if not raw.strip():
        return {}
    try:
        return parse_value(raw)
    except ValueError:
        return raw


def call_named(call: Cursor, id_: str | None, arguments: Any, by: str) -> CallPart:
    """The call whose `name` stands in an object; raises `InputError` where there is none."""
    name = call.get("name").text("the `name` of a tool call")
    if not name:
        raise call.get("name").error("a tool call has an empty `name`")
    return CallPart(id_, name, arguments_of(arguments), by)


def id_in(of: Cursor, key: str) -> str:
    """The id that stands there; raises `InputError` for none, since answers are paired by it."""
    value = of.value.get(key)
    if value is None or value == "":
        raise of.error(f"there is no `{key}`, so calls and answers cannot be told apart")
    return str(value)


def objects_of(content: Cursor, what: str) -> Iterator[Cursor]:
    """The parts of a list, which must be objects or texts; a text is a part of type `text`."""
    for part in content.as_list(what).items():
        if isinstance(part.value, str):
            yield Cursor(part.file, part.path, {"type": "text", "text": part.value}, part.context)
        else:
            yield part.as_object("a part of the content")


def unknown_part(part: Cursor, kind: object) -> InputError:
    """The error for a part of a type that the format is not known to have."""
    shown = shortened(str(kind)) if isinstance(kind, str) else described(part.value)
    return part.error(f"unknown content `{shown}`: whether it calls or answers a tool is not known")


def is_object_with(value: Any, *keys: str) -> bool:
    """Whether the value is an object that has one of the keys, and not null there."""
    return isinstance(value, Mapping) and any(value.get(key) is not None for key in keys)
