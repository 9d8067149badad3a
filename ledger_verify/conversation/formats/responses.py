"""Items of OpenAI's Responses API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ledger_verify.conversation.formats.common import (
    TEXTS,
    call_named,
    id_in,
    objects_of,
    unknown_part,
)
from ledger_verify.conversation.parts import AGENT, PROVIDER, AnswerPart, CallPart, Part, TextPart
from ledger_verify.source.cursor import Cursor

NAME = "responses"
_CALL, _CUSTOM = "function_call", "custom_tool_call"
_OUTPUTS = ("function_call_output", "custom_tool_call_output")
_SILENT = frozenset({"reasoning", "compaction", "item_reference", "mcp_list_tools"})
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
    return isinstance(kind, str) and kind.endswith("_call_output")


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
        yield AnswerPart(id_in(message, "call_id"), None, message.value.get("output"))
    elif kind == "mcp_call":
        yield from _mcp_call(message)
    elif _is_call(kind):
        yield from _provider_call(message, kind.removesuffix("_call"))
    elif kind not in _SILENT:
        raise unknown_part(message, kind)


def _message(message: Cursor) -> Iterator[TextPart]:
    role = message.get("role").text("`role`")
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
    failed = item.value.get("error") is not None
    if failed or item.value.get("output") is not None:
        content = item.value.get("error") if failed else item.value.get("output")
        yield AnswerPart(id_, None, content, failed or None)


def _provider_call(item: Cursor, name: str) -> Iterator[Part]:
    """A call of a tool of the provider's own, such as `web_search`."""
    id_ = str(item.value.get("call_id") or item.value.get("id") or name)
    yield CallPart(id_, name, item.value.get("action") or {}, PROVIDER)
    if item.value.get("status") in ("completed", "failed"):
        yield AnswerPart(id_, name, None, item.value["status"] == "failed")
