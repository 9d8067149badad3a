"""What the end of a call says of whether it happened."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from ledger_verify.ledger.observe import Drift
from ledger_verify.policy.evidence import Unknown, unknown_call
from ledger_verify.policy.tools import Tool
from ledger_verify.schema.coerce import Misfit


class End(Enum):
    """How a call ended: it returned, it is known not to have happened, or nobody knows."""

    RETURNED = "returned"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Outcome:
    """Whether a call did what it was for; `ok` is `Unknown` where its result cannot be read.

    `nothing` tells that it surely did not. `groups` are those of the declared form of its text.
    """

    ok: bool | Unknown = False
    nothing: bool = False
    groups: dict[str, str] | None = None
    drifts: tuple[Drift, ...] = ()


def outcome_of(tool: Tool, end: End, result: Any) -> Outcome:
    """What is known of a call of the tool that ended so, with this result."""
    if end is End.FAILED:
        return Outcome(nothing=True)
    if end is End.UNKNOWN:
        return Outcome(ok=unknown_call(tool.name, awaited=False))
    if tool.result is None:
        return Outcome(ok=True)
    try:
        found = tool.result.read(result)
    except Misfit as misfit:
        unknown = unknown_call(tool.name, awaited=False)
        return Outcome(ok=unknown, drifts=(Drift(tool.name, "result", misfit.message),))
    return Outcome(ok=True, groups=found[0]) if found else Outcome(nothing=True)
