"""LangChain and LangGraph messages: their models as JSON, `{type, data}`, and serialised ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ledger_verify.conversation.formats.anthropic import block_parts
from ledger_verify.conversation.formats.common import (
    TEXTS,
    call_named,
    flag_in,
    id_in,
    objects_of,
    role_in,
    unknown_part,
)
from ledger_verify.conversation.formats.responses import provider_call
from ledger_verify.conversation.parts import AGENT, PROVIDER, AnswerPart, CallPart, Part, TextPart
from ledger_verify.source.cursor import Cursor

NAME = "langchain"
_ROLES = {"human": "user", "ai": "assistant", "system": "system", "developer": "system"}
_SILENT = frozenset(
    {"image", "image_url", "audio", "input_audio", "file", "video", "document", "thinking",
     "redacted_thinking", "reasoning", "reasoning_content", "text-plain"}
)  # fmt: skip
_LISTED_ELSEWHERE = frozenset({"tool_call_chunk", "input_json_delta"})
_ANTHROPICS = ("tool_result", "server_tool_use", "mcp_tool_use")
_CALLS = frozenset({"tool_use", "tool_call", "function_call"})


def fits(message: Mapping[str, Any]) -> bool:
    """Whether it is a message of LangChain's, in one of the three forms."""
    if message.get("lc") is not None:
        return isinstance(message.get("kwargs"), Mapping)
    kind = _kind(message.get("type"))
    known = kind in _ROLES or kind in ("tool", "function", "chat", "remove")
    return known and ("content" in message or isinstance(message.get("data"), Mapping))


def _kind(type_: Any) -> str:
    """`ai` for `AIMessage` and `AIMessageChunk`."""
    text = type_ if isinstance(type_, str) else ""
    return text.removesuffix("Chunk").removesuffix("Message").lower()


def parts(message: Cursor) -> Iterator[Part]:
    """The parts of one message; raises `InputError`."""
    kind = _kind(message.value.get("type"))
    if message.value.get("lc") is not None:
        name = message.value.get("id")
        kind = _kind(name[-1]) if isinstance(name, list) and name else ""
        message = message.get("kwargs").as_object("`kwargs`")
    elif message.has("data"):
        message = message.get("data").as_object("`data`")
    match kind:
        case "tool":
            id_, name = id_in(message, "tool_call_id"), message.value.get("name")
            yield AnswerPart(id_, name, _answered(message), _failed(message))
        case "function":
            yield AnswerPart(None, message.get("name").text("`name`"), message.value.get("content"))
        case "remove":
            raise message.error(
                "a message that removes others changes the conversation: give what is left of it"
            )
        case "chat":
            role = role_in(message)
            if role in ("tool", "function"):
                raise message.error("an answer without the id of its call")
            yield from _content(message.get("content"), role, set())
        case _ if kind in _ROLES:
            calls = list(_calls(message)) or list(_as_openai_has_them(message))
            yield from _content(message.get("content"), _ROLES[kind], {call.id for call in calls})
            yield from calls
        case _:
            raise message.error(f"unknown kind of message `{kind}`")


def _failed(message: Cursor) -> bool | None:
    artifact = message.value.get("artifact")
    if isinstance(artifact, Mapping) and flag_in(artifact):
        return True
    status = message.value.get("status")
    # `success` is what a message says that nobody gave a status, so the content may tell otherwise
    return None if status in (None, "success") else True


def _answered(message: Cursor) -> Any:
    """The content of an answer; in a list of parts a text stands for a part of type `text`."""
    content = message.value.get("content")
    if not isinstance(content, list):
        return content
    return [{"type": "text", "text": part} if isinstance(part, str) else part for part in content]


def _calls(message: Cursor) -> Iterator[CallPart]:
    for call in _listed(message, "tool_calls"):
        yield call_named(call, id_in(call, "id"), call.value.get("args"), AGENT)
    wrong = message.value.get("invalid_tool_calls")
    for call in (
        message.get("invalid_tool_calls").as_list("`invalid_tool_calls`").items() if wrong else ()
    ):
        # never run by the framework, but answered, and the model believes that it called
        call.as_object("a tool call")
        name = call.value.get("name")
        yield CallPart(id_in(call, "id"), str(name or "?"), call.value.get("args"), AGENT)


def _as_openai_has_them(message: Cursor) -> Iterator[CallPart]:
    """Calls that nobody took out of what the provider wrote."""
    if not message.has("additional_kwargs"):
        return
    more = message.get("additional_kwargs").as_object("`additional_kwargs`")
    for call in _listed(more, "tool_calls"):
        function = call.get("function").as_object("`function`")
        yield call_named(function, id_in(call, "id"), function.value.get("arguments"), AGENT)
    if more.has("function_call"):
        call = more.get("function_call").as_object("`function_call`")
        yield call_named(call, None, call.value.get("arguments"), AGENT)


def _listed(message: Cursor, key: str) -> Iterator[Cursor]:
    if message.value.get(key):
        for call in message.get(key).as_list(f"`{key}`").items():
            yield call.as_object("a tool call")


def _content(content: Cursor, role: str, listed: set[str | None]) -> Iterator[Part]:
    """Texts; calls in the content stand in `tool_calls` as a rule, and count once."""
    if isinstance(content.value, str):
        if content.value:
            yield TextPart(role, content.value)
        return
    for part in objects_of(content, "`content`"):
        kind = part.value.get("type")
        if kind in TEXTS or (kind is None and isinstance(part.value.get("text"), str)):
            yield TextPart(role, part.get("text").text("`text`"))
        elif kind in _CALLS:
            id_ = id_in(part, "call_id" if kind == "function_call" else "id")
            if id_ not in listed:
                keys = ("input", "args", "arguments")
                arguments = next((part.value[key] for key in keys if key in part.value), None)
                yield call_named(part, id_, arguments, AGENT)
        elif kind == "server_tool_call":
            yield call_named(part, id_in(part, "id"), part.value.get("args"), PROVIDER)
        elif kind == "server_tool_result":
            content, failed = part.value.get("output"), flag_in(part.value)
            yield AnswerPart(id_in(part, "tool_call_id"), None, content, failed)
        elif kind in _ANTHROPICS or (isinstance(kind, str) and kind.endswith("_tool_result")):
            yield from block_parts(part)
        elif isinstance(kind, str) and kind.endswith("_call"):
            yield from provider_call(part)
        elif kind not in _SILENT and kind not in _LISTED_ELSEWHERE:
            raise unknown_part(part, kind)
