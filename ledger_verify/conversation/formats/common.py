"""What several formats of messages share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ledger_verify.conversation.parts import CallPart
from ledger_verify.lang.errors import InputError, near_match
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


_FAILED = frozenset({"error", "errored", "failed", "failure"})
_UNFINISHED = frozenset({"in_progress", "incomplete", "pending", "running", "interrupted"})
_ROLES = {
    **dict.fromkeys(("user", "assistant", "system", "tool", "function"), None),
    **{"developer": "system", "human": "user", "ai": "assistant", "model": "assistant"},
}


def role_in(of: Cursor) -> str:
    """The `role`, `system` for all whose words are instructions; raises `InputError`.

    Whether a role that is not known says something, or answers a call, cannot be told.
    """
    role = of.get("role").text("`role`")
    if role not in _ROLES:
        hint = near_match(role, _ROLES)
        raise of.get("role").error(f"unknown role `{shortened(role)}`", hint=hint)
    return _ROLES[role] or role


def flag_in(of: Mapping[str, Any]) -> bool | None:
    """What the flags of an answer say of whether its call failed, in whatever format."""
    found = [_truth(of[key]) for key in ("error", "is_error", "isError") if of.get(key) is not None]
    found += [not _truth(of[key]) for key in ("success", "ok") if isinstance(of.get(key), bool)]
    status = of.get("status")
    if isinstance(status, str) and status.lower() in (*_FAILED, "success"):
        found.append(status.lower() != "success")
    return any(found) if found else None


def is_unfinished(of: Mapping[str, Any]) -> bool:
    """Whether an answer says that there is more to come, or should have been."""
    status = of.get("status")
    return isinstance(status, str) and status.lower() in _UNFINISHED


def _truth(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().lower() not in ("", "false", "none", "null", "no", "0")
    return bool(value)


def is_object_with(value: Any, *keys: str) -> bool:
    """Whether the value is an object that has one of the keys, and not null there."""
    return isinstance(value, Mapping) and any(value.get(key) is not None for key in keys)
