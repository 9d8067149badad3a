"""Values for the arguments of reads that are advised, from the call, its records and its rules, and
from what the user said.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ledger_verify.evaluate.kleene import Failure, evaluate
from ledger_verify.gate.heard import is_fact, is_given
from ledger_verify.gate.proposal import Proposal
from ledger_verify.lang.said import EXACT, said_text
from ledger_verify.lang.typed import Apply, FieldOf, Fold, Variable, walk
from ledger_verify.lang.types import RecordType, Type, join, strip_null
from ledger_verify.policy.evidence import Unknown
from ledger_verify.policy.identity import identity_type, key_argument
from ledger_verify.policy.tools import Tool
from ledger_verify.schema.coerce import Misfit, coercer
from ledger_verify.schema.render import to_json


def asked_for(proposal: Proposal, history: str) -> dict[str, Any]:
    """The arguments that rules compare with those of the earlier calls, where they are told."""
    found: dict[str, Any] = {}
    folds = [
        fold
        for rule in proposal.rules
        for fold in walk(rule.holds)
        if isinstance(fold, Fold) and Variable(history, fold.range.type) == fold.range
    ]
    for fold in folds:
        for part in walk(fold.body):
            if not isinstance(part, Apply) or part.operation != "eq":
                continue
            for one, other in (part.operands, part.operands[::-1]):
                match one:
                    case FieldOf(of=FieldOf(of=call, field_name="args"), field_name=name) if (
                        call == fold.variable and fold.variable not in walk(other)
                    ):
                        value = evaluate(other, proposal.scope)
                        if is_told(value):
                            found.setdefault(name, as_json(proposal, value, one.type))
    return found


def from_user(proposal: Proposal, tool: Tool, name: str, given: Any) -> Any:
    """The value for an argument, as JSON; None if only the user can give it and never said it.

    Whom to look up is never taken from a record: that would make anybody the user.
    """
    type_ = tool.arguments.by_name[name].type
    spec = None if tool.identifies is None else proposal.domain.ledger[tool.identifies]
    if spec is not None and name == key_argument(tool, spec):
        known = proposal.ledger.identities.get(spec.text)
        if known is not None:
            return as_json(proposal, known, identity_type(spec))
    told = _fact(proposal, name)
    if told is not None and is_fact(name, fitting(told, type_, proposal), proposal.ledger):
        return told
    value = found_value(proposal, name, type_) if given is None else given
    typed = None if value is None else fitting(value, type_, proposal)
    if typed is None or isinstance(typed, Misfit):
        return None
    if name in tool.asks:
        return value if is_given(proposal.domain, tool, name, typed, proposal.ledger) else None
    said = isinstance(value, str) and said_text(value, EXACT, proposal.ledger.heard)
    return value if said else None


def _fact(proposal: Proposal, name: str) -> Any:
    """The session fact of that name, as JSON."""
    declared, known = proposal.domain.session, proposal.ledger.facts.get(name)
    if declared is None or known is None:
        return None
    return as_json(proposal, known, declared.by_name[name].type)


def found_value(proposal: Proposal, name: str, type_: Type) -> Any:
    """A value of that name in the call, or in a record that the call is about."""
    own = proposal.tool.arguments.by_name.get(name)
    value = proposal.arguments.get(name)
    if own is not None and join(own.type, type_) is not None and is_told(value):
        return as_json(proposal, value, own.type)
    for touch in proposal.tool.touches:
        record_type = strip_null(proposal.domain.ledger[touch.pattern].record)
        if not isinstance(record_type, RecordType) or touch.each is not None:
            continue
        declared = record_type.by_name.get(name)
        if declared is None or join(declared.type, type_) is None:
            continue
        keys = tuple(None if k is None else evaluate(k, proposal.scope) for k in touch.keys)
        if not all(map(is_told, keys)):
            continue
        record = proposal.ledger.lookup(touch.pattern, keys)
        value = record.get(name) if isinstance(record, dict) else None
        if is_told(value):
            return as_json(proposal, value, declared.type)
    return None


def as_json(proposal: Proposal, value: Any, type_: Type) -> Any:
    """The typed value as JSON."""
    return to_json(value, type_, proposal.domain.zone)


def arguments_json(tool: Tool, typed: Mapping[str, Any], zone: Any) -> dict[str, Any]:
    """Typed arguments of a tool as JSON."""
    fields = tool.arguments.by_name
    return {name: to_json(value, fields[name].type, zone) for name, value in typed.items()}


def fitting(value: Any, type_: Type, proposal: Proposal) -> Any:
    """The typed value of an argument, or the `Misfit` that says what is wrong with it."""
    try:
        return coercer(type_, proposal.domain.zone)(value)
    except Misfit as misfit:
        return misfit


def is_told(value: Any) -> bool:
    """Whether an expression gave a value that an argument can have."""
    return value is not None and not isinstance(value, Unknown | Failure)
