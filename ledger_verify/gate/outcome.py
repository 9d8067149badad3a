"""What the end of a call says of whether it happened."""

from __future__ import annotations

from dataclasses import dataclass

from ledger_verify.ledger.misfits import Drift
from ledger_verify.ledger.outcomes import Answer, Outcome
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.evidence import Unknown, unknown_call
from ledger_verify.policy.tools import Tool, ToolKind
from ledger_verify.schema.coerce import Misfit


@dataclass(frozen=True)
class Effect:
    """Whether a call did what it was for; `ok` is `Unknown` where its result cannot be read.

    `nothing` tells that it surely did not. `groups` are those of the declared form of its text.
    """

    ok: bool | Unknown = False
    nothing: bool = False
    groups: dict[str, str] | None = None
    drifts: tuple[Drift, ...] = ()


def effect_of(tool: Tool, answer: Answer) -> Effect:
    """What is known of a call of the tool that was answered so."""
    if answer.outcome is Outcome.FAILED:
        return Effect(nothing=True)
    if answer.outcome is Outcome.UNKNOWN:
        unknown = unknown_call(tool.name, awaited=False)
        drifts = () if answer.reason is None else (Drift(tool.name, "result", answer.reason),)
        return Effect(ok=unknown, drifts=drifts)
    if tool.result is None:
        return Effect(ok=True)
    try:
        found = tool.result.read(answer.content)
    except Misfit as misfit:
        unknown = unknown_call(tool.name, awaited=False)
        return Effect(ok=unknown, drifts=(Drift(tool.name, "result", misfit.message),))
    return Effect(ok=True, groups=found[0]) if found else Effect(nothing=True)


def unbound(ledger: Ledger, tool: Tool, misfit: Misfit) -> list[Drift]:
    """A call ran although its arguments do not fit: what it touched cannot be told."""
    if tool.kind is ToolKind.WRITE:
        ledger.change()
    for touch in tool.touches:
        ledger.alter(touch.pattern, (None,) * len(touch.keys), ())
    for observation in tool.observes:
        ledger.doubt(observation.pattern, None, None)
    return [
        Drift(tool.name, observation.pattern, f"arguments: {misfit.message}")
        for observation in tool.observes
    ]
