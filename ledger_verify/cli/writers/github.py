"""Findings as workflow commands of GitHub Actions, which show them beside the changed lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ledger_verify.cli.findings import details
from ledger_verify.cli.output import printable
from ledger_verify.cli.writers.section import Section, below_here

if TYPE_CHECKING:
    from ledger_verify.checks.base.finding import Finding

_COMMANDS = {"error": "error", "warning": "warning", "undecided": "warning"}


def github_commands(sections: Sequence[Section]) -> Iterator[str]:
    """One command, a line, for each finding that is not ignored."""
    for section in sections:
        yield from map(_command, section.findings)


def _command(finding: Finding) -> str:
    start, end = finding.location, finding.end or finding.location
    properties = {
        "file": below_here(start.file) or start.file,
        "line": str(start.line),
        "endLine": str(end.line),
    }
    if end.line == start.line:  # GitHub takes columns within one line only
        properties["col"] = str(start.column)
        properties["endColumn"] = str(max(end.column, start.column))
    properties["title"] = f"{finding.code} {finding.check}"
    shown = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    text = "\n".join([printable(finding.message), *details(finding)])
    return f"::{_COMMANDS[finding.severity]} {shown}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
