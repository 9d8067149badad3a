"""OpenAI chat messages, with the older `function_call`; also those of tau-bench and tau2-bench."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ledger_verify.conversation.formats.common import (
    TEXTS,
    call_named,
    flag_in,
    id_in,
    is_unfinished,
    objects_of,
    role_in,
    unknown_part,
)
from ledger_verify.conversation.parts import AGENT, USER, AnswerPart, CallPart, Part, TextPart
from ledger_verify.source.cursor import Cursor, described, shortened

NAME = "chat"
_ANSWERS = ("tool", "function")
_SILENT = frozenset(
    {"image_url", "input_audio", "file", "audio", "video", "thinking", "redacted_thinking",
     "reasoning", "image", "document", "search_result", "container_upload", "compaction"}
)  # fmt: skip
_SAYS = ("content", "tool_calls", "function_call", "refusal", "audio", "reasoning_content")


def fits(message: Mapping[str, Any]) -> bool:
    """Whether it is a message with a `role`; what no other format claims is one of these."""
    return "role" in message


def parts(message: Cursor) -> Iterator[Part]:
    """The parts of one message; raises `InputError`."""
    role = role_in(message)
    if role in _ANSWERS:
        yield from _answers(message, role)
        return
    if not any(key in message.value for key in _SAYS):
        raise message.error(f"a message that says nothing: {described(message.value)}")
    text = "".join(_texts(message.get("content")))
    if message.has("refusal"):
        text += message.get("refusal").text("`refusal`")
    if text:
        yield TextPart(role, text)
    by = USER if role == USER else AGENT
    if message.has("tool_calls"):
        for call in message.get("tool_calls").as_list("`tool_calls`").items():
            yield _call(call.as_object("a tool call"), by)
    if message.has("function_call"):
        call = message.get("function_call").as_object("`function_call`")
        yield call_named(call, None, call.value.get("arguments"), by)


def _call(call: Cursor, by: str) -> CallPart:
    by = _requestor(call) or by
    id_ = id_in(call, "id")
    if call.has("custom"):
        custom = call.get("custom").as_object("`custom`")
        name = custom.get("name").text("the `name` of a tool call")
        return CallPart(id_, name, {"input": custom.value.get("input")}, by)
    inner = call.get("function").as_object("`function`") if call.has("function") else call
    return call_named(inner, id_, inner.value.get("arguments"), by)


def _answers(message: Cursor, role: str) -> Iterator[AnswerPart]:
    if message.has("tool_messages"):  # tau2 may hold the answers to several calls in one message
        for part in message.get("tool_messages").as_list("`tool_messages`").items():
            yield _answer(part.as_object("an answer"), "tool")
        return
    yield _answer(message, role)


def _answer(message: Cursor, role: str) -> AnswerPart:
    name = message.get("name").text("`name`") if message.has("name") else None
    key = "tool_call_id" if message.has("tool_call_id") else "id"
    id_ = None if role == "function" and name is not None else id_in(message, key)
    return AnswerPart(
        id_,
        name,
        message.value.get("content"),
        flag_in(message.value),
        _requestor(message),
        is_unfinished(message.value),
    )


def _texts(content: Cursor) -> Iterator[str]:
    if content.value is None:
        return
    if isinstance(content.value, str):
        yield content.value
        return
    for part in objects_of(content, "`content`"):
        kind = part.value.get("type")
        if kind in TEXTS:
            yield part.get("text").text("`text`")
        elif kind == "refusal":
            yield part.get("refusal").text("`refusal`")
        elif kind not in _SILENT:
            raise unknown_part(part, kind)


def _requestor(of: Cursor) -> str | None:
    if not of.has("requestor"):
        return None
    requestor = of.get("requestor").text("`requestor`")
    if requestor not in (AGENT, USER):
        raise of.get("requestor").error(
            f"`requestor` must be `{AGENT}` or `{USER}`, found `{shortened(requestor)}`"
        )
    return requestor
