"""Texts of refusals: what is wrong, with the values, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence

from ledger_verify.evaluate.kleene import Failure, Scope, evaluate
from ledger_verify.gate.verdict import Decision, MissingRead, Repair, RuleReport
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.evidence import Unknown
from ledger_verify.policy.rules import Rule
from ledger_verify.schema.render import to_text


def rule_message(rule: Rule, scope: Scope, domain: Domain) -> str:
    """The rule's message with the values filled in."""
    out = []
    for piece in rule.message:
        if isinstance(piece, str):
            out.append(piece)
            continue
        value = evaluate(piece, scope)
        if isinstance(value, Unknown):
            out.append("<not observed>")
        elif isinstance(value, Failure):
            out.append("<none>")
        else:
            out.append(to_text(value, piece.type, domain.zone))
    return " ".join("".join(out).split())


def describe(
    decision: Decision,
    tool: str,
    reports: Sequence[RuleReport],
    missing: Sequence[MissingRead],
    repair: Repair | None,
    unreadable: Sequence[str],
) -> str:
    """The whole refusal for the model: reasons first, then the next step."""
    violated = [r for r in reports if r.truth in ("FALSE", "ERROR")]
    undetermined = [r for r in reports if r.truth == "UNKNOWN"]
    lines = [f"`{tool}` {'is not allowed' if decision is Decision.BLOCK else 'cannot run yet'}."]
    lines += [f"- {r.id}: {r.message}" for r in violated]
    if undetermined and (not violated or decision is Decision.REVISE):
        lines += [f"- {r.id} is not settled by what was observed." for r in undetermined if missing]
        if not missing:
            lines += [f"- {r.id}: {r.message}" for r in undetermined]
    if unreadable:
        listed = ", ".join(f"`{pattern}`" for pattern in unreadable)
        lines.append(f"What could excuse it ({listed}) cannot be observed with the tools at hand.")
    if missing:
        lines.append("Read first: " + "; ".join(_call(read) for read in missing) + ".")
    if repair is not None:
        lines.append(_repair_text(repair))
    if decision is Decision.BLOCK:
        lines.append("Do not repeat this call; tell the person why it is refused.")
    elif not missing and repair is None:
        lines.append("Change what the rules above object to before calling again.")
    return "\n".join(lines)


def _call(read: MissingRead) -> str:
    if read.read is None:
        return f"`{read.path}`"
    arguments = ", ".join(
        f"{name}={'?' if value is None else value!r}" for name, value in read.read.arguments.items()
    )
    return f"{read.read.name}({arguments}) for `{read.path}`"


def _repair_text(repair: Repair) -> str:
    changes = ", ".join(
        f"another `{name}` (ask the person)" if value is None else f"`{name}` = {value!r}"
        for name, value in repair.arguments.items()
    )
    after = ", if the reads confirm it" if repair.needs_reads else ""
    return f"It would be allowed with {changes}{after}."
