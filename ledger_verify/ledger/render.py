"""The ledger as text for the prompt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ledger_verify.lang.environment import SESSION
from ledger_verify.ledger.entries import Entry
from ledger_verify.ledger.parts import Keys
from ledger_verify.ledger.paths import path_text, segment_text
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.session_facts import json_facts
from ledger_verify.schema.render import to_json


def render(ledger: Ledger, domain: Domain) -> str:
    """The facts of the session, then one line a record, `path = JSON`, sorted by path.

    Stale parts are named. It shows what the ledger holds: the fields that the schema knows,
    numbers exact, times with their offset. Lines are kept with their entries, so a second rendering
    costs what has changed.
    """
    facts = [
        f"{SESSION}.{name} = {_text(value)}"
        for name, value in json_facts(ledger.facts, domain.session, domain.zone).items()
    ]
    lines = []
    for pattern, keys, entry in ledger.records():
        if entry.line is None:
            entry.line = line_of(domain, pattern, keys, entry)
        lines.append(entry.line)
    return "\n".join([*facts, *sorted([*lines, *_listings(ledger, domain)])])


def _listings(ledger: Ledger, domain: Domain) -> Iterator[str]:
    """What reads that show all say of the records that they did not show."""
    for pattern, listings in ledger.absences.by_pattern.items():
        for listing in listings:
            path = path_text(domain, pattern, listing.keys)
            if not listing.tool:
                yield f"{path}: no such record"
                continue
            fields = domain.tools[listing.tool].arguments.by_name
            shown = {
                name: to_json(value, fields[name].type, domain.zone)
                for name, value in listing.arguments.items()
            }
            call = ", ".join(f"{name}={_text(value)}" for name, value in shown.items())
            later = ", as it was when it was read" if listing.since else ""
            yield f"{path}: all that {listing.tool}({call}) lists is shown here{later}"


def line_of(domain: Domain, pattern: str, keys: Keys, entry: Entry) -> str:
    """The line of one record."""
    plain = to_json(entry.value, domain.ledger[pattern].record, domain.zone)
    line = f"{path_text(domain, pattern, keys)} = {_text(plain)}"
    if entry.wholly_stale:
        return f"{line}  (stale: read it again before acting on it)"
    if entry.stale:
        parts = ", ".join(sorted(".".join(map(segment_text, within)) for within in entry.stale))
        return f"{line}  (stale: {parts}; read it again before acting on it)"
    return line


def _text(plain: Any) -> str:
    return _one_line(json.dumps(plain, ensure_ascii=False, sort_keys=True))


def _one_line(text: str) -> str:
    """The text with every character escaped that could end the line or hide what it says."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)
