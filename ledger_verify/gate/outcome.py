"""What the end of a call says of whether it happened."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from ledger_verify.ledger.observe import Drift
from ledger_verify.ledger.outcomes import Outcome, answer_of
from ledger_verify.policy.evidence import Unknown, unknown_call
from ledger_verify.policy.text_shape import TextShape
from ledger_verify.policy.tools import Tool
from ledger_verify.schema.coerce import Misfit


class End(Enum):
    """How a call ended: it returned, it is known not to have happened, or nobody knows."""

    RETURNED = "returned"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Effect:
    """Whether a call did what it was for; `ok` is `Unknown` where its result cannot be read.

    `nothing` tells that it surely did not. `groups` are those of the declared form of its text.
    """

    ok: bool | Unknown = False
    nothing: bool = False
    groups: dict[str, str] | None = None
    drifts: tuple[Drift, ...] = ()


def end_of(tool: Tool | None, result: Any, error: bool | None) -> tuple[End, Any]:
    """How a call that was answered ended, and its result without its wrapping.

    `error` is what the caller says of it, None where the result speaks for itself: then a form
    that the tool declares for its results decides, or else the usual signs. The tool is None for
    one that the domain does not know.
    """
    if error:
        return End.FAILED, result
    answer = answer_of(result)
    if error is False or _has_form(tool, answer.content):
        return End.RETURNED, answer.content
    match answer.outcome:
        case Outcome.SUCCEEDED:
            return End.RETURNED, answer.content
        case Outcome.FAILED:
            return End.FAILED, answer.content
        case Outcome.UNKNOWN:
            return End.UNKNOWN, answer.content


def _has_form(tool: Tool | None, content: Any) -> bool:
    """Whether the content is of a form that the tool declares for its results."""
    if tool is None:
        return False
    shapes = [tool.result, *(seen.text for seen in tool.observes if not seen.source)]
    return any(shape is not None and _reads(shape, content) for shape in shapes)


def _reads(shape: TextShape, content: Any) -> bool:
    try:
        shape.read(content)
    except Misfit:
        return False
    return True


def outcome_of(tool: Tool, end: End, result: Any) -> Effect:
    """What is known of a call of the tool that ended so, with this result."""
    if end is End.FAILED:
        return Effect(nothing=True)
    if end is End.UNKNOWN:
        return Effect(ok=unknown_call(tool.name, awaited=False))
    if tool.result is None:
        return Effect(ok=True)
    try:
        found = tool.result.read(result)
    except Misfit as misfit:
        unknown = unknown_call(tool.name, awaited=False)
        return Effect(ok=unknown, drifts=(Drift(tool.name, "result", misfit.message),))
    return Effect(ok=True, groups=found[0]) if found else Effect(nothing=True)
