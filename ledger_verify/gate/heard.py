"""What only the user can give: which arguments of a call the user never said, and how to say so."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ledger_verify.evaluate.kleene import Scope, evaluate
from ledger_verify.gate.verdict import Decision, Verdict
from ledger_verify.lang.errors import InputError
from ledger_verify.lang.typed import Expr, Observed, Read, Records, Variable, distinct
from ledger_verify.ledger.attempts import Rejection
from ledger_verify.ledger.misfits import Drift
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.identity import identity_type, key_argument
from ledger_verify.policy.rules import Rule
from ledger_verify.policy.tools import Tool
from ledger_verify.schema.render import to_text

log = logging.getLogger("ledger_verify.gate")

ENFORCED, IGNORED = "enforced", "ignored"
ASKS = (ENFORCED, IGNORED)


def asks_setting(given: str) -> str:
    """The setting `asks`, if it is one; raises `InputError`."""
    if given not in ASKS:
        raise InputError(f"`asks` is {given!r}, expected {' or '.join(map(repr, ASKS))}")
    return given


def warn_if_ignored(domain: Domain, asks: str) -> None:
    """Say in the log that a domain's `asks` count for nothing."""
    if asks == IGNORED and any(tool.asks for tool in domain.tools.values()):
        log.warning(
            "domain `%s`: `asks` is ignored, so nobody checks that the user said what only the "
            "user can give",
            domain.name,
        )


def keep_out(
    ledger: Ledger, tool: Tool, arguments: Mapping[str, Any], names: Sequence[str]
) -> list[Drift]:
    """Reject what a read showed whose arguments of these names the user never said."""
    never = f"the user never said {', '.join(f'`{name}`' for name in names)}"
    for seen in tool.observes:
        if not seen.keys:
            ledger.rejected[seen.pattern, ()] = Rejection(tool.name, arguments, never)
    return [Drift(tool.name, seen.pattern, never) for seen in tool.observes]


def unsaid(domain: Domain, tool: Tool, arguments: Mapping[str, Any], ledger: Ledger) -> list[str]:
    """The arguments (typed values) that only the user can give and that the user never said.

    What is not given, or null, needs nothing; nor does the key of the one whom the conversation is
    with, nor what the host says in a session fact of the argument's name.
    """
    return [
        name
        for name in tool.asks
        if arguments.get(name) is not None
        and not is_given(domain, tool, name, arguments[name], ledger)
    ]


def is_given(domain: Domain, tool: Tool, name: str, value: Any, ledger: Ledger) -> bool:
    """Whether a value of an argument that `tool` asks for came from the user, or from the host as
    the session fact of that name.
    """
    if is_known_identity(domain, tool, name, value, ledger) or is_fact(name, value, ledger):
        return True
    return evaluate(tool.asks[name], Scope(ledger, {"args": {name: value}})) is True


def is_known_identity(domain: Domain, tool: Tool, name: str, value: Any, ledger: Ledger) -> bool:
    """Whether the argument says whom to look up, and that is the one of this conversation."""
    if tool.identifies is None or name != key_argument(tool, domain.ledger[tool.identifies]):
        return False
    return bool(ledger.identities.get(tool.identifies) == value)


def is_fact(name: str, value: Any, ledger: Ledger) -> bool:
    """Whether the value is that of the session fact of this name."""
    known = ledger.facts.get(name)
    return known is not None and type(known) is type(value) and bool(known == value)


def ask_first(verdict: Verdict, names: Sequence[str]) -> Verdict:
    """The verdict on a call with arguments that the user never said.

    Nothing excuses a BLOCK; all else waits for the user.
    """
    if verdict.decision is Decision.BLOCK:
        return verdict
    asked = ask_text(names)
    told = [f"{name} = {json.dumps(verdict.arguments.get(name), default=str)}" for name in names]
    never = f"- the user never said {', '.join(told)}."
    head = verdict.message or f"`{verdict.tool}` cannot run yet."
    return replace(
        verdict,
        decision=Decision.REVISE,
        message="\n".join([head, never, asked]),
        ask=tuple(dict.fromkeys((*verdict.ask, *names))),
        decided_by="asks" if verdict.allowed else verdict.decided_by,
    )


def ask_text(names: Sequence[str]) -> str:
    """What to tell the model to do about values that were never said."""
    listed = ", ".join(f"`{name}`" for name in names) or "what the rules above want to be said"
    return f"Ask the user for {listed}, and do not guess."


def with_whom(domain: Domain, rules: Sequence[Rule], ledger: Ledger) -> list[str]:
    """For the rules that did not hold: with whom the conversation is, where they ask that."""
    read = {pattern for rule in rules for pattern in _patterns(rule.holds)}
    return [
        f"This conversation is with `{_shown(domain, pattern, who)}`; "
        "what belongs to anyone else is out of its reach."
        for pattern, who in ledger.identities.items()
        if pattern in read
    ]


def _patterns(expr: Expr) -> set[str]:
    found = set()
    for part in distinct(expr):
        match part:
            case Read(pattern=pattern) | Records(pattern=pattern):
                found.add(pattern)
            case Observed(read=read):
                found.add(read.pattern)
    return found


def _shown(domain: Domain, pattern: str, who: Any) -> str:
    spec = domain.ledger[pattern]
    return to_text(who, identity_type(spec), domain.zone)


def asks_about_user(rule: Rule) -> bool:
    """Whether the rule reads what the user said."""
    return any(isinstance(part, Variable) and part.is_heard for part in distinct(rule.holds))
