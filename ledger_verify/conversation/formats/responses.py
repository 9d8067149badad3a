"""Items of OpenAI's Responses API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ledger_verify.conversation.formats.common import (
    TEXTS,
    arguments_of,
    call_named,
    flag_in,
    id_in,
    is_unfinished,
    objects_of,
    role_in,
    unknown_part,
)
from ledger_verify.conversation.parts import AGENT, PROVIDER, AnswerPart, CallPart, Part, TextPart
from ledger_verify.source.cursor import Cursor

NAME = "responses"
_CALL, _CUSTOM = "function_call", "custom_tool_call"
_OUTPUTS = ("function_call_output", "custom_tool_call_output")
_RUN_BY_THE_HOST = {
    "computer_call": "action", "local_shell_call": "action", "shell_call": "action",
    "apply_patch_call": "operation", "tool_search_call": "arguments",
}  # fmt: skip
"""Calls of tools that the provider knows and the host runs, with the name of their arguments."""
_SILENT = frozenset(
    {"reasoning", "compaction", "compaction_trigger", "item_reference", "mcp_list_tools",
     "mcp_approval_request", "mcp_approval_response", "additional_tools", "configuration_update",
     "program", "program_output"}
)  # fmt: skip
_SILENT_CONTENT = frozenset({"input_image", "input_file", "input_audio", "reasoning_text"})


def fits(message: Mapping[str, Any]) -> bool:
    """Whether it is an item: of a type of its own, or a message whose content is."""
    kind = message.get("type")
    if kind == "message":
        content = message.get("content")
        own = (*TEXTS[1:], "refusal", *_SILENT_CONTENT)
        return isinstance(content, list) and any(
            isinstance(part, Mapping) and part.get("type") in own for part in content
        )
    return kind in (_CALL, *_OUTPUTS, *_SILENT) or _is_call(kind) or _is_output(kind)


def _is_call(kind: Any) -> bool:
    return isinstance(kind, str) and kind.endswith("_call")


def _is_output(kind: Any) -> bool:
    return kind == "tool_search_output" or (isinstance(kind, str) and kind.endswith("_call_output"))


def parts(message: Cursor) -> Iterator[Part]:
    """The parts of one item; raises `InputError`."""
    kind = message.value.get("type")
    if kind is None or kind == "message":
        yield from _message(message)
    elif kind == _CALL:
        yield call_named(message, id_in(message, "call_id"), message.value.get("arguments"), AGENT)
    elif kind == _CUSTOM:
        name = message.get("name").text("the `name` of a tool call")
        yield CallPart(id_in(message, "call_id"), name, {"input": message.value.get("input")})
    elif _is_output(kind):
        yield _output(message)
    elif kind == "mcp_call":
        yield from _mcp_call(message)
    elif kind in _RUN_BY_THE_HOST:
        if message.value.get("execution") == "server":
            yield from provider_call(message)
            return
        arguments = message.value.get(_RUN_BY_THE_HOST[kind])
        id_ = id_in(message, "call_id")
        yield CallPart(id_, kind.removesuffix("_call"), arguments_of(arguments))
    elif _is_call(kind):
        yield from provider_call(message)
    elif kind not in _SILENT:
        raise unknown_part(message, kind)


def _message(message: Cursor) -> Iterator[TextPart]:
    role = role_in(message)
    content = message.get("content")
    if isinstance(content.value, str):
        yield TextPart(role, content.value)
        return
    for part in objects_of(content, "`content`"):
        kind = part.value.get("type")
        if kind in TEXTS:
            yield TextPart(role, part.get("text").text("`text`"))
        elif kind == "refusal":
            yield TextPart(role, part.get("refusal").text("`refusal`"))
        elif kind not in _SILENT_CONTENT:
            raise unknown_part(part, kind)


def _mcp_call(item: Cursor) -> Iterator[Part]:
    """A call that the provider made of a server's tool, with its answer."""
    id_ = id_in(item, "id")
    yield call_named(item, id_, item.value.get("arguments"), PROVIDER)
    failed = flag_in(item.value)
    if failed or item.value.get("output") is not None:
        error = item.value.get("error")
        content = item.value.get("output") if error is None else error
        yield AnswerPart(id_, None, content, failed, unfinished=is_unfinished(item.value))


def _output(item: Cursor) -> AnswerPart:
    """What a call is answered with; a local shell's names the call by `id`."""
    id_ = id_in(item, "id" if item.value.get("type") == "local_shell_call_output" else "call_id")
    content = item.value.get("output", item.value.get("tools"))
    return AnswerPart(id_, None, content, flag_in(item.value), None, is_unfinished(item.value))


def provider_call(item: Cursor) -> Iterator[Part]:
    """A call of a tool of the provider's own, such as `web_search`."""
    name = str(item.value.get("type")).removesuffix("_call")
    id_ = str(item.value.get("call_id") or item.value.get("id") or name)
    yield CallPart(id_, name, item.value.get("action") or {}, PROVIDER)
    if item.value.get("status") in ("completed", "failed"):
        yield AnswerPart(id_, name, None, item.value["status"] == "failed")
