"""The ledger as text for the prompt."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from ledger_verify.ledger.paths import path_text
from ledger_verify.ledger.store import Entry, Ledger
from ledger_verify.policy.domain import Domain


def render(ledger: Ledger, domain: Domain) -> str:
    """One line a record, `path = JSON`, sorted by path; stale parts are named.

    Lines are kept with their entries, so a second rendering costs what has changed.
    """
    lines = []
    for pattern, keys, entry in ledger.records():
        if entry.line is None:
            entry.line = _line(path_text(domain, pattern, keys), entry)
        lines.append(entry.line)
    return "\n".join(sorted(lines))


def _line(path: str, entry: Entry) -> str:
    value = json.dumps(entry.raw, ensure_ascii=False, sort_keys=True, default=_plain)
    if entry.wholly_stale:
        return f"{path} = {value}  (stale: read it again before acting on it)"
    if entry.stale:
        parts = ", ".join(sorted(".".join(within) for within in entry.stale))
        return f"{path} = {value}  (stale: {parts}; read it again before acting on it)"
    return f"{path} = {value}"


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return str(value)
