"""Whether a call succeeded, failed, or nobody knows, by what it was answered with.

Signs of failure are a flag of the format or of an MCP result, an object with `error` or
`success: false`, and a text that begins with an error word. Signs that nobody knows are an answer
that speaks of a time-out or a lost connection, one that merely reads like a failure, and signs
that contradict each other. What the domain declares of a tool's results (`result`, `failed`) counts
beside them, and what the caller says outright before all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import tzinfo
from enum import Enum
from typing import Any

from ledger_verify.ledger.failing import NotTold, Values, says_failed
from ledger_verify.ledger.fields import Declared
from ledger_verify.ledger.text_signs import Sign, speaks_of_loss
from ledger_verify.ledger.wrapping import texts_in, unwrapped
from ledger_verify.policy.text_shape import TextShape
from ledger_verify.policy.tools import Tool
from ledger_verify.schema.coerce import Misfit

NOTHING = Declared()


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
    """Tells what became of the calls of one domain; `values` evaluates its expressions.

    `declared` is what it declares of what each tool returns.
    """

    values: Values
    zone: tzinfo
    declared: Mapping[str, Declared]

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
        declared = NOTHING if tool is None else self.declared.get(tool.name, NOTHING)

        def has_form(content: Any) -> bool:
            is_value = isinstance(content, str) and content in declared.texts
            return is_value or _has_form(tool, content)

        found = answer_of(raw, flagged, declared, has_form)
        if told is False:
            return replace(found, outcome=Outcome.SUCCEEDED)
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
        return answer_of(raw, True, declared, has_form)


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


def answer_of(
    raw: Any,
    failed: bool | None = None,
    declared: Declared = NOTHING,
    has_form: Callable[[Any], bool] = lambda _: False,
) -> Answer:
    """The answer that `raw` is by its signs; `failed` is what a flag says of it.

    Names that are `declared` fields of what the tool returns are no signs. A content that
    `has_form`, the one that is declared for it, has none at all; flags count beside it.
    """
    content, signs = unwrapped(raw, declared)
    if has_form(content):
        signs &= {Sign.FLAGGED}
    if failed is not None:
        signs.add(Sign.FLAGGED if failed else Sign.FINE)
    bad = signs & {Sign.FAILED, Sign.FLAGGED}
    if not bad and Sign.DOUBT not in signs:
        return Answer(Outcome.SUCCEEDED, content)
    contradicted = Sign.FINE in signs and Sign.FLAGGED not in signs
    lost = Sign.LOST in signs or any(map(speaks_of_loss, texts_in(content)))
    if not bad or contradicted or lost:
        return Answer(Outcome.UNKNOWN, content)
    return Answer(Outcome.FAILED, content)
