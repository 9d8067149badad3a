"""Findings as SARIF 2.1.0, the exchange format of static analysis tools."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ledger_verify.cli.findings import details
from ledger_verify.cli.output import printable
from ledger_verify.cli.writers.section import Page, Section, below_here
from ledger_verify.lang.errors import Location

if TYPE_CHECKING:
    from ledger_verify.checks.base.finding import Finding

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS = {"error": "error", "warning": "warning", "undecided": "none"}
_FINGERPRINT = "ledgerVerify/v1"


def sarif_log(sections: Sequence[Section], pages: Sequence[Page], version: str) -> dict[str, Any]:
    """The log, with one run of this version; `pages` are those of all kinds of finding.

    An undecided question is a result of kind `open`, whose level must be `none`. Columns count
    characters. A fingerprint stays the same when lines move.
    """
    indices = {page.about.code: index for index, page in enumerate(pages)}
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "ledger-verify",
                        "version": version,
                        "semanticVersion": version,
                        "rules": list(map(_rule, pages)),
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [r for section in sections for r in _results(section, indices)],
            }
        ],
    }


def _rule(page: Page) -> dict[str, Any]:
    return {
        "id": page.about.code,
        "name": page.about.name,
        "shortDescription": {"text": page.summary},
        "fullDescription": {"text": page.text.split("\n\n", 1)[0].replace("\n", " ")},
        "help": {"text": page.text, "markdown": page.text},
        "defaultConfiguration": {"level": _LEVELS[page.about.severity]},
    }


def _results(section: Section, indices: dict[str, int]) -> Iterator[dict[str, Any]]:
    seen: Counter[str] = Counter()
    for finding, reason in [*((f, None) for f in section.findings), *section.ignored]:
        fingerprint = _fingerprint(section, finding)
        seen[fingerprint] += 1
        yield {
            "ruleId": finding.code,
            "ruleIndex": indices[finding.code],
            "kind": "open" if finding.severity == "undecided" else "fail",
            "level": _LEVELS[finding.severity],
            "message": {"text": "\n".join([printable(finding.message), *details(finding)])},
            "locations": [{"physicalLocation": _place(finding.location, finding.end)}],
            "relatedLocations": list(_related(section, finding)),
            "partialFingerprints": {_FINGERPRINT: f"{fingerprint}:{seen[fingerprint]}"},
            "suppressions": []
            if reason is None
            else [{"kind": "inSource", "justification": reason}],
            "properties": {
                "domain": section.name,
                "check": finding.check,
                "rules": list(finding.rules),
                "tools": list(finding.tools),
                "core": None if finding.core is None else list(finding.core),
                "counterexample": finding.counterexample,
            },
        }


def _related(section: Section, finding: Finding) -> Iterator[dict[str, Any]]:
    """The places of the other rules that bring the finding about."""
    places = {
        name: section.places[name]
        for name in dict.fromkeys([*finding.rules, *(finding.core or ())])
        if name in section.places
    }
    above = [p for p in places.values() if p.file == finding.location.file]
    above = [p for p in above if p.line <= finding.location.line]
    own = max(above, key=lambda place: place.line, default=None)
    for name, place in places.items():
        if place != own:
            yield {
                "physicalLocation": _place(place, None),
                "message": {"text": printable(f"rule `{name}`")},
            }


def _place(start: Location, end: Location | None) -> dict[str, Any]:
    region = {"startLine": start.line, "startColumn": start.column}
    if end is not None and (end.line, end.column) > (start.line, start.column):
        region |= {"endLine": end.line, "endColumn": end.column}
    return {"artifactLocation": {"uri": _uri(start.file)}, "region": region}


def _uri(file: str) -> str:
    near = below_here(file)
    return Path(file).resolve().as_uri() if near is None else quote(near)


def _fingerprint(section: Section, finding: Finding) -> str:
    parts = [section.name, finding.code, finding.check, finding.rules, finding.tools]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]
