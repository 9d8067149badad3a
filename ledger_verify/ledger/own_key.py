"""Whether a record stands under its own key."""

from __future__ import annotations

from typing import Any

from ledger_verify.lang.types import RecordType, strip_null
from ledger_verify.ledger.paths import path_text
from ledger_verify.policy.domain import Domain
from ledger_verify.schema.misfit import shown_json
from ledger_verify.schema.render import to_json


def wrong_key(domain: Domain, pattern: str, keys: tuple[Any, ...], value: Any) -> str | None:
    """Why a record is not the one of these keys; None if it is, or if no field tells.

    Typed values are compared. An optional field that is absent tells nothing, null is no key.
    """
    spec = domain.ledger[pattern]
    record = strip_null(spec.record)
    if value is None or not isinstance(record, RecordType):
        return None
    for name, key, type_ in zip(spec.key_fields, keys, spec.keys, strict=False):
        if name is None or name not in value or value[name] == key:
            continue
        found = to_json(value[name], record.by_name[name].type, domain.zone)
        wanted = to_json(key, type_, domain.zone)
        return (
            f"`{path_text(domain, pattern, keys)}`: the record is one of another key: its "
            f"`{name}` is {shown_json(found)}, not {shown_json(wanted)}"
        )
    return None
