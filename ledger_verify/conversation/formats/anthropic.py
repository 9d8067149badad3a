"""Anthropic messages: content is a list of blocks, and answers stand in messages of the user."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ledger_verify.conversation.formats.common import (
    call_named,
    flag_in,
    id_in,
    objects_of,
    role_in,
    unknown_part,
)
from ledger_verify.conversation.parts import AGENT, PROVIDER, AnswerPart, Part, TextPart
from ledger_verify.source.cursor import Cursor

NAME = "anthropic"
_CALLS = {"tool_use": AGENT, "server_tool_use": PROVIDER, "mcp_tool_use": PROVIDER}
_SILENT = frozenset(
    {"image", "document", "thinking", "redacted_thinking", "search_result", "container_upload",
     "compaction"}
)  # fmt: skip


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
    role = role_in(message)
    content = message.get("content")
    if isinstance(content.value, str):
        yield TextPart(role, content.value)
        return
    for block in objects_of(content, "`content`"):
        kind = block.value.get("type")
        if kind == "text":
            yield TextPart(role, block.get("text").text("`text`"))
        elif _is_own(block.value):
            yield from block_parts(block)
        elif kind not in _SILENT:
            raise unknown_part(block, kind)


def block_parts(block: Cursor) -> Iterator[Part]:
    """What a block says that calls a tool or answers a call; raises `InputError`."""
    kind = block.value.get("type")
    if kind in _CALLS:
        yield call_named(block, id_in(block, "id"), block.value.get("input"), _CALLS[kind])
    elif _answers(kind):
        failed, content = flag_in(block.value), block.value.get("content")
        yield AnswerPart(id_in(block, "tool_use_id"), None, content, failed)
