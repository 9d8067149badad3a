"""Whether a record is the one that it is taken for: that of its key, or of the user."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ledger_verify.lang.environment import LedgerPattern
from ledger_verify.lang.types import RecordType, Type, strip_null
from ledger_verify.ledger.paths import path_text
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.identity import identity_of, identity_type, key_argument
from ledger_verify.policy.tools import Tool
from ledger_verify.schema.misfit import shown_json
from ledger_verify.schema.render import to_json, to_text


def wrong_key(
    domain: Domain, pattern: str, keys: tuple[Any, ...], value: Any
) -> Callable[[], str] | None:
    """Why a record is not the one of these keys, told when it is called; None if it is, or if no
    field tells.

    Typed values are compared. An optional field that is absent tells nothing, null is no key.
    """
    spec = domain.ledger[pattern]
    record = strip_null(spec.record)
    if value is None or not isinstance(record, RecordType):
        return None
    for name, key, type_ in zip(spec.key_fields, keys, spec.keys, strict=False):
        if name is None or name not in value or value[name] == key:
            continue
        of_field = record.by_name[name].type
        return partial(_other_key, domain, pattern, keys, name, value[name], of_field, key, type_)
    return None


def _other_key(
    domain: Domain, pattern: str, keys: tuple[Any, ...],
    name: str, value: Any, of_field: Type, key: Any, of_key: Type,
) -> str:  # fmt: skip
    found = shown_json(to_json(value, of_field, domain.zone))
    wanted = shown_json(to_json(key, of_key, domain.zone))
    path = path_text(domain, pattern, keys)
    return f"`{path}`: the record is one of another key: its `{name}` is {found}, not {wanted}"


def of_another(
    domain: Domain,
    ledger: Ledger,
    tool: Tool,
    arguments: Mapping[str, Any],
    pattern: str,
    value: Any,
) -> Callable[[], str] | None:
    """Why a record is not that of whom the conversation is with, told when it is called, or None.

    The first that an identifying read shows says who that is, if it is who the read asked for.
    """
    if pattern not in domain.identified:
        return None
    spec = domain.ledger[pattern]
    who, known = identity_of(spec, value), ledger.identities.get(pattern)
    if who is None:
        return lambda: f"whose record it is cannot be told: it has no `{spec.identity}`"
    if known is None and tool.identifies != pattern:
        return lambda: f"nobody was identified so far, and `{tool.name}` does not identify anyone"
    if known is not None and who != known:
        text = "this conversation is with `{}`, the record is that of `{}`"
        return lambda: text.format(*_shown(domain, spec, known, who))
    if known is None:
        asked = _asked_for(tool, spec, arguments)
        if asked is not None and asked != who:
            text = "the record of `{}` was asked for, this is that of `{}`"
            return lambda: text.format(*_shown(domain, spec, asked, who))
    ledger.identities[pattern] = who
    return None


def _shown(domain: Domain, spec: LedgerPattern, *who: Any) -> list[str]:
    return [to_text(one, identity_type(spec), domain.zone) for one in who]


def _asked_for(tool: Tool, spec: LedgerPattern, arguments: Mapping[str, Any]) -> Any:
    """Whose record the read asked for, None where its arguments do not say."""
    name = key_argument(tool, spec)
    if name is None:
        return None
    given, of_record = tool.arguments.by_name[name].type, identity_type(spec)
    comparable = type(strip_null(given)) is type(strip_null(of_record))
    return arguments.get(name) if comparable else None
