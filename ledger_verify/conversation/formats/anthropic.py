"""Anthropic messages: content is a list of blocks, and answers stand in messages of the user."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ledger_verify.conversation.formats.common import (
    call_named,
    id_in,
    objects_of,
    unknown_part,
)
from ledger_verify.conversation.parts import AGENT, PROVIDER, AnswerPart, Part, TextPart
from ledger_verify.source.cursor import Cursor

NAME = "anthropic"
_CALLS = {"tool_use": AGENT, "server_tool_use": PROVIDER, "mcp_tool_use": PROVIDER}
_SILENT = frozenset(
    {"image", "document", "thinking", "redacted_thinking", "search_result", "container_upload"}
)


def fits(message: Mapping[str, Any]) -> bool:
    """Whether a block of the content calls a tool, or answers a call."""
    content = message.get("content")
    return "role" in message and isinstance(content, list) and any(map(_is_own, content))


def _is_own(block: Any) -> bool:
    kind = block.get("type") if isinstance(block, Mapping) else None
    return kind in _CALLS or _answers(kind) or kind in ("thinking", "redacted_thinking")


def _answers(kind: Any) -> bool:
    """Results of tools end so: `tool_result`, `mcp_tool_result`, `web_search_tool_result`."""
    return isinstance(kind, str) and (kind == "tool_result" or kind.endswith("_tool_result"))


def parts(message: Cursor) -> Iterator[Part]:
    """The parts of one message; raises `InputError`."""
    role = message.get("role").text("`role`")
    content = message.get("content")
    if isinstance(content.value, str):
        yield TextPart(role, content.value)
        return
    for block in objects_of(content, "`content`"):
        kind = block.value.get("type")
        if kind == "text":
            yield TextPart(role, block.get("text").text("`text`"))
        elif kind in _CALLS:
            yield call_named(block, id_in(block, "id"), block.value.get("input"), _CALLS[kind])
        elif _answers(kind):
            flag = block.value.get("is_error")
            yield AnswerPart(
                id_in(block, "tool_use_id"),
                None,
                block.value.get("content"),
                None if flag is None else bool(flag),
            )
        elif kind not in _SILENT:
            raise unknown_part(block, kind)
