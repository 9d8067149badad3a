"""Whether a call succeeded, failed, or nobody knows, by what it was answered with.

Signs of failure are a flag of the format or of an MCP result, an object with `error` or
`success: false`, and a text that begins with an error word. Signs that nobody knows are an answer
that speaks of a time-out or a lost connection, and signs that contradict each other. What the
domain declares of a tool's results (`result`, `failed`) counts beside them, and what the caller
says outright before all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import tzinfo
from enum import Enum
from typing import Any

from ledger_verify.ledger.failing import NotTold, Values, says_failed
from ledger_verify.policy.text_shape import TextShape
from ledger_verify.policy.tools import Tool
from ledger_verify.schema.coerce import Misfit
from ledger_verify.source.json_file import parse_value

TEXT_TYPES = ("text", "input_text", "output_text")
_ERROR = re.compile(
    r"\W{0,4}(?:(?i:error|exception|failed|failure|fatal|traceback)\b"
    r"|(?:\w+\.)*[A-Z]\w*(?:Error|Exception)\b)"
)
_LOST = (
    r"tim(?:ed|ing)[ -]?out|time-?outs?\b|\w*timeout\w*|deadline exceeded"
    r"|(?:connection|stream|socket|transport)(?: was| has been| is)?"
    r" (?:reset|closed|aborted|lost|dropped|broken|interrupted|terminated)"
    r"|connection(?:reset|aborted)\w*|broken ?pipe\w*|server disconnected|remote end closed"
    r"|no response|incomplete ?read\w*|unexpected (?:eof|end of file)"
    r"|bad gateway|service unavailable|gateway time|\b50[234]\b"
    r"|cancell?ed|interrupted|outcome (?:is )?unknown"
)
_LOST_ANYWHERE = re.compile(_LOST, re.IGNORECASE)
_LOST_AT_ONCE = re.compile(
    r"\W{0,4}(?:[\w.]+ ){0,3}?(?:tim(?:ed|ing)[ -]?out|[\w.]*timeout\b|deadline exceeded"
    r"|connection(?: was)? (?:reset|closed|aborted|lost))",
    re.IGNORECASE,
)
_FALSE_IF_FAILED = ("success", "succeeded", "ok")
_TRUE_IF_FAILED = ("isError", "is_error")
_LOOKED_AT = 2_000
"""Characters of a text in which signs are looked for."""


class Outcome(Enum):
    """What became of a call."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Answer:
    """What a call was answered with: its outcome, and the content without its wrapping.

    `content` is JSON, or text; of an MCP result it is the structured content, or the text of its
    parts. `reason` says why the outcome is not known, where the domain's own expression has no
    value on the content.
    """

    outcome: Outcome
    content: Any
    reason: str | None = None


@dataclass(frozen=True)
class Outcomes:
    """Tells what became of the calls of one domain; `values` evaluates its expressions."""

    values: Values
    zone: tzinfo

    def of(
        self,
        tool: Tool | None,
        arguments: Mapping[str, Any] | None,
        raw: Any,
        *,
        told: bool | None = None,
        flagged: bool | None = None,
    ) -> Answer:
        """What the answer `raw` to a call says of it.

        `told` is whether it failed as the caller says outright, `flagged` what a flag of the
        message's format says; None for nothing. The tool is None for one that the domain does not
        know, `arguments` are typed values, None where they do not fit.
        """
        if told:
            return Answer(Outcome.FAILED, raw)
        found = answer_of(raw, flagged)
        if told is False:
            return replace(found, outcome=Outcome.SUCCEEDED)
        has_form = tool is not None and _has_form(tool, found.content)
        if has_form:
            found = replace(found, outcome=Outcome.SUCCEEDED)
        if tool is None or tool.failed is None:
            return found
        try:
            failed = says_failed(tool, arguments, found.content, self.values, self.zone)
        except NotTold as problem:
            if found.outcome is not Outcome.SUCCEEDED:
                return found
            reason = f"whether the call failed is not known: {problem.args[0]}"
            return replace(found, outcome=Outcome.UNKNOWN, reason=reason)
        if not failed:
            return found
        return replace(found, outcome=Outcome.FAILED) if has_form else answer_of(raw, True)


def _has_form(tool: Tool, content: Any) -> bool:
    """Whether the content is of a form that the tool declares for its results."""
    shapes = [tool.result, *(seen.text for seen in tool.observes if not seen.source)]
    return any(shape is not None and _reads(shape, content) for shape in shapes)


def _reads(shape: TextShape, content: Any) -> bool:
    try:
        shape.read(content)
    except Misfit:
        return False
    return True


def answer_of(raw: Any, failed: bool | None = None) -> Answer:
    """The answer that `raw` is by its signs; `failed` is what a flag says of it."""
    flags = [] if failed is None else [failed]
    content, own = _unwrapped(raw)
    if own is not None:
        flags.append(own is Outcome.FAILED)
    parsed = _object_in(content)
    said = [content] if isinstance(content, str) and parsed is None else []
    signs: list[bool] = []
    if parsed is not None:
        signs = list(_signs(parsed))
        said += [str(parsed[key]) for key in ("error", "message") if key in parsed]
    elif isinstance(content, str):
        signs = [True] if _ERROR.match(content[:_LOOKED_AT]) and not _is_list(content) else []
    elif isinstance(content, list):
        said += [part["text"] for part in content if _is_text(part)]
    bad = any(signs) or any(flags)
    if own is Outcome.UNKNOWN or (bad and _speaks_of_loss(said)) or _begins_with_loss(content):
        return Answer(Outcome.UNKNOWN, content)
    if not bad:
        return Answer(Outcome.SUCCEEDED, content)
    contradicted = bool(signs) and flags != [] and not any(flags)
    return Answer(Outcome.UNKNOWN if contradicted else Outcome.FAILED, content)


def _unwrapped(raw: Any) -> tuple[Any, Outcome | None]:
    """The content inside a list of texts or an MCP result, and what that says of itself."""
    parsed = _object_in(raw)
    if parsed is None or not _is_mcp(parsed):
        return _joined(raw), None
    flag = parsed.get("isError", parsed.get("is_error"))
    unfinished = parsed.get("resultType", parsed.get("result_type")) == "input_required"
    structured = parsed.get("structuredContent", parsed.get("structured_content"))
    content = _joined(parsed["content"]) if structured is None else structured
    if unfinished:
        return content, Outcome.UNKNOWN
    return content, Outcome.FAILED if flag else Outcome.SUCCEEDED


def _object_in(value: Any) -> Mapping[str, Any] | None:
    """The object that a value is, or that its text spells."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        try:
            value = parse_value(value)
        except ValueError:
            return None
    return value if isinstance(value, Mapping) else None


def _is_list(text: str) -> bool:
    """Whether the text spells a list, which has no error word of its own."""
    try:
        return isinstance(parse_value(text), list)
    except ValueError:
        return False


def _is_mcp(value: Mapping[str, Any]) -> bool:
    parts = value.get("content")
    marks = ("isError", "is_error", "structuredContent", "structured_content", "resultType")
    return (
        isinstance(parts, list)
        and any(mark in value for mark in marks)
        and all(isinstance(part, Mapping) and isinstance(part.get("type"), str) for part in parts)
    )


def _joined(content: Any) -> Any:
    """The text of a list of nothing but texts."""
    if isinstance(content, list) and content and all(map(_is_text, content)):
        return "\n".join(part["text"] for part in content)
    return content


def _is_text(part: Any) -> bool:
    return (
        isinstance(part, Mapping)
        and part.get("type") in TEXT_TYPES
        and isinstance(part.get("text"), str)
    )


def _signs(value: Mapping[str, Any]) -> Iterator[bool]:
    """For each sign in an object, whether it means failure."""
    error = value.get("error")
    if error is not None:
        yield error not in (False, "", [], {}, 0)
    for key in _FALSE_IF_FAILED:
        if isinstance(value.get(key), bool):
            yield not value[key]
    for key in _TRUE_IF_FAILED:
        if isinstance(value.get(key), bool):
            yield value[key]


def _speaks_of_loss(said: list[str]) -> bool:
    return any(_LOST_ANYWHERE.search(text[:_LOOKED_AT]) for text in said)


def _begins_with_loss(content: Any) -> bool:
    return isinstance(content, str) and _LOST_AT_ONCE.match(content[:_LOOKED_AT]) is not None
