"""Findings as text, like those of a good compiler."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ledger_verify.checks.unloadable import Unloadable
from ledger_verify.cli.case_table import case_table
from ledger_verify.cli.excerpt import excerpt
from ledger_verify.cli.output import plural, printable, styled, table
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.yaml_file import YamlFile

if TYPE_CHECKING:
    from ledger_verify.checks.base.finding import Finding
    from ledger_verify.checks.running.report import Report

_COLOURS = {"error": "red", "warning": "yellow", "undecided": "bold"}
_WIDTH = 100


def findings_text(reports: Sequence[Report | Unloadable], seconds: float | None) -> Iterator[str]:
    """The lines for all reports; with `seconds`, each check with its time, and the time of all."""
    for report in reports:
        if isinstance(report, Unloadable):
            yield f"{closing(report)}: {printable(str(report.problem))}"
            continue
        for finding in report.findings:
            yield from _finding(report.domain, finding)
            yield ""
        if seconds is not None:
            yield _summaries(report)
            yield ""
        yield closing(report)
    if seconds is not None:
        yield f"{seconds:.1f} s in all"


def closing(report: Report | Unloadable) -> str:
    """One line on a report: how many rules, findings, and records of data."""
    if isinstance(report, Unloadable):
        return f"{report.name}: not loaded"
    rules = len({rule.id for rule in report.domain.rules})
    found = plural(len(report.findings), "finding") if report.findings else "no findings"
    ignored = f", {len(report.ignored)} ignored" if report.ignored else ""
    counts = report.compared
    compared = (
        ""
        if counts is None
        else (
            f"; compared {plural(sum(counts.values()), 'record')} at {plural(len(counts), 'path')}"
        )
    )
    return f"{report.title}: {plural(rules, 'rule')}, {found}{ignored}{compared}"


def details(finding: Finding, strong: Callable[[str], str] = str) -> Iterator[str]:
    """What is to be told beside the message: notes, the clause, the core, the case, the remedy.

    `strong` puts the labels in a style; without it, the lines are plain.
    """
    for told in finding.notes:
        yield from _labelled(strong("note:"), "note: ", told)
    if finding.clause:
        yield from _labelled(strong("clause:"), "clause: ", finding.clause)
    if finding.core and len(finding.core) > 1:
        yield from _labelled(strong("core:"), "core: ", ", ".join(finding.core))
    if finding.counterexample is not None:
        yield strong("counterexample:")
        yield from (f"  {line}" for line in case_table(finding.counterexample))
    if finding.fix:
        yield from _labelled(strong("help:"), "help: ", finding.fix)


def _labelled(label: str, plain: str, text: str) -> Iterator[str]:
    """The text after its label, wrapped so that its lines stand below each other."""
    lines = textwrap.wrap(
        printable(" ".join(text.split())),
        _WIDTH - len(plain),
        break_long_words=False,
        break_on_hyphens=False,
    )
    yield f"{label} {lines[0] if lines else ''}".rstrip()
    yield from (" " * len(plain) + line for line in lines[1:])


def _summaries(report: Report) -> str:
    return table(
        ("check", "proved", "refuted", "undecided", "cached", "ms"),
        [
            (s.check, s.proved, s.refuted, s.undecided, s.cached, s.milliseconds)
            for s in report.checked
        ],
    )


def _finding(domain: Domain, finding: Finding) -> Iterator[str]:
    def coloured(text: str) -> str:
        return styled(text, _COLOURS[finding.severity])

    label = coloured(f"{finding.severity}[{finding.code}]")
    yield f"{printable(str(finding.location))}: {label} {printable(finding.message)}"
    file = _file(domain, finding.location.file)
    if file is not None:
        end = finding.end or finding.location
        yield from excerpt(file.text.splitlines(), finding.location, end, coloured)
    for line in details(finding, lambda text: styled(text, "bold")):
        yield f"  {line}"


def _file(domain: Domain, name: str) -> YamlFile | None:
    files = [*domain.sources.values(), *(t.file for t in domain.templates.values())]
    return next((file for file in files if file.name == name), None)
