"""Texts of refusals: what is wrong, with the values, and what to do next."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ledger_verify.evaluate.kleene import Failure, Scope, evaluate
from ledger_verify.gate.brevity import brief, listed
from ledger_verify.gate.verdict import (
    NOT_OBSERVED,
    NOT_SETTLED,
    Decision,
    MissingRead,
    ReadCall,
    Repair,
    RuleReport,
    Verdict,
)
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.evidence import Unknown
from ledger_verify.policy.rules import Rule
from ledger_verify.schema.render import to_text


def rule_message(rule: Rule, scope: Scope, domain: Domain) -> str:
    """The rule's message with the values filled in, on one line."""
    out = []
    for piece in rule.message:
        if isinstance(piece, str):
            out.append(piece)
            continue
        value = evaluate(piece, scope)
        if _has_gap(value):
            out.append(NOT_OBSERVED)
        elif isinstance(value, Failure):
            out.append("<none>")
        else:
            out.append(to_text(value, piece.type, domain.zone))
    return brief(" ".join("".join(out).split()))


def bare_message(rule: Rule) -> str:
    """The rule's message without the values in it."""
    pieces = (piece if isinstance(piece, str) else "..." for piece in rule.message)
    return " ".join("".join(pieces).split())


def _has_gap(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_gap, value.values()))
    return isinstance(value, Unknown) or (isinstance(value, tuple) and any(map(_has_gap, value)))


def describe(
    verdict: Verdict,
    unreadable: Sequence[str],
    reason: str | None = None,
    awaited: Sequence[str] = (),
    whom: Sequence[str] = (),
    step: str = "",
) -> str:
    """The whole refusal for the model: reasons first, then the next step.

    `unreadable` are paths that would matter and that no tool at hand shows, or shows any more;
    `reason` says why nothing was decided. `awaited` are the tools of pending calls on whose
    outcomes it hangs, `whom` tells with whom the conversation is,
    `step` what to do next where that is neither a read nor a repair.
    """
    blocked = verdict.decision is Decision.BLOCK
    end = f": {reason}." if reason else "."
    lines = [f"`{verdict.tool}` {'is not allowed' if blocked else 'cannot run yet'}{end}"]
    violated = [r for r in verdict.rules if r.truth in ("FALSE", "ERROR")]
    undetermined = [r for r in verdict.rules if r.truth == "UNKNOWN"]
    lines += listed([f"- {r.id}: {r.message}" for r in violated], "that do not hold")
    if verdict.missing or not blocked or not violated:
        opened = [_open_rule(r, in_full=not verdict.missing) for r in undetermined]
        lines += listed(opened, "that are not settled")
    lines += listed([f"There is {told}." for told in verdict.absent], "records that there are not")
    lines += listed([f"Already tried: {told}." for told in verdict.tried], "reads that were tried")
    if unreadable:
        paths = ", ".join(listed([f"`{path}`" for path in unreadable], "records"))
        anew = ", as things are," if verdict.tried else ""
        lines.append(
            f"What it depends on ({paths}) cannot be observed{anew} with the tools at hand."
        )
    if awaited and not blocked:
        tools = " and ".join(f"`{tool}`" for tool in awaited)
        lines.append(f"First wait for the outcome of {tools}, which was allowed before.")
    lines += whom
    if verdict.missing:
        reads = listed([_read(read) for read in verdict.missing], "reads")
        lines.append("Read first: " + "; ".join(reads) + ".")
    if verdict.repair is not None:
        lines.append(_repair_text(verdict.repair))
    if step:
        lines.append(step)
    if blocked:
        lines.append("Do not repeat this call; tell the person why it is refused.")
    elif (
        not verdict.missing
        and verdict.repair is None
        and not step
        and not (awaited and not violated)
    ):
        lines.append("Change what the rules above object to before calling again.")
    return "\n".join(lines)


def _open_rule(rule: RuleReport, *, in_full: bool) -> str:
    """A rule of which nobody knows yet; `in_full` with its message, which is no fact."""
    if rule.message.startswith(NOT_SETTLED):
        return f"- {rule.id}: {rule.message}"
    line = f"- {rule.id} is not settled by what was observed."
    return f"{line} Where it does not hold: {rule.message}" if in_full else line


def _read(read: MissingRead) -> str:
    if read.read is None:
        return f"`{read.path}`"
    return f"{call_text(read.read)} for `{read.path}`"


def call_text(call: ReadCall) -> str:
    """A read as the model is told of it, `?` for what it must fill in."""
    arguments = ", ".join(
        f"{name}={'?' if value is None else json_text(value)}"
        for name, value in call.arguments.items()
    )
    return f"{call.name}({arguments})"


def _repair_text(repair: Repair) -> str:
    changes = [
        f"another `{name}` (ask the person)"
        if name in repair.ask
        else f"`{name}` = {json_text(value)}"
        for name, value in repair.arguments.items()
    ]
    changes += [f"no `{name}`" for name in repair.without]
    after = ", if the reads confirm it" if repair.needs_reads else ""
    return f"It would be allowed with {', '.join(changes)}{after}."


def json_text(value: Any) -> str:
    """A value as JSON."""
    return json.dumps(value, ensure_ascii=False, default=str)
