"""Findings as text, like those of a good compiler."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ledger_verify.cli.output import plural, printable, styled, table
from ledger_verify.policy.domain import Domain

if TYPE_CHECKING:
    from ledger_verify.checks.finding import Finding
    from ledger_verify.checks.report import Report

_COLOURS = {"error": "red", "warning": "yellow", "undecided": "bold"}


def findings_text(reports: Sequence[Report], seconds: float | None) -> Iterator[str]:
    """The lines for all reports; with `seconds`, each check with its time, and the time of all."""
    for report in reports:
        for finding in report.findings:
            yield from _finding(report.domain, finding)
            yield ""
        if seconds is not None:
            yield _summaries(report)
            yield ""
        yield _closing(report)
    if seconds is not None:
        yield f"{seconds:.1f} s in all"


def _summaries(report: Report) -> str:
    return table(
        ("check", "proved", "refuted", "undecided", "cached", "ms"),
        [
            (s.check, s.proved, s.refuted, s.undecided, s.cached, s.milliseconds)
            for s in report.checked
        ],
    )


def _closing(report: Report) -> str:
    rules = len({rule.id for rule in report.domain.rules})
    found = plural(len(report.findings), "finding") if report.findings else "no findings"
    ignored = f", {len(report.ignored)} ignored" if report.ignored else ""
    return f"{report.domain.name}: {plural(rules, 'rule')}, {found}{ignored}"


def _finding(domain: Domain, finding: Finding) -> Iterator[str]:
    label = styled(f"{finding.severity}[{finding.code}]", _COLOURS[finding.severity])
    yield f"{finding.location}: {label} {printable(finding.message)}"
    yield from _source_line(domain, finding)
    if finding.core and len(finding.core) > 1:
        yield f"  core: {', '.join(finding.core)}"
    if finding.counterexample is not None:
        shown = json.dumps(finding.counterexample, ensure_ascii=False)
        yield f"  counterexample: {printable(shown)}"
    if finding.fix:
        yield f"  {styled('help:', 'bold')} {finding.fix}"


def _source_line(domain: Domain, finding: Finding) -> Iterator[str]:
    """The line of the file that the finding points at, and a mark under it."""
    for file in domain.sources.values():
        if file.name == finding.location.file:
            lines = file.text.splitlines()
            if finding.location.line <= len(lines):
                line = lines[finding.location.line - 1]
                number = str(finding.location.line)
                yield f"  {number} | {printable(line)}"
                yield f"  {' ' * len(number)} | {' ' * (finding.location.column - 1)}^"
