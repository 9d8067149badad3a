"""Reports in one of the formats for other programs."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ledger_verify.checks.catalog import pages
from ledger_verify.cli.findings import closing
from ledger_verify.cli.output import ReportFormat, printable
from ledger_verify.cli.writers.github import github_commands
from ledger_verify.cli.writers.junit import junit_xml
from ledger_verify.cli.writers.sarif import sarif_log
from ledger_verify.cli.writers.section import Page, Section
from ledger_verify.source.json_text import json_text

if TYPE_CHECKING:
    from ledger_verify.checks.base.finding import About
    from ledger_verify.checks.running.report import Report
    from ledger_verify.checks.unloadable import Unloadable


def rendered(
    reports: Sequence[Report | Unloadable], format: ReportFormat, *, ascii_only: bool
) -> str:
    """Reports of checks in a format other than text; `ascii_only` concerns JSON."""
    if format is ReportFormat.JSON:
        shown = [report.to_json() for report in reports]
        whole = shown[0] if len(shown) == 1 else {"domains": shown}
        return json_text(whole, ascii_only=ascii_only)
    sections = [Section.of(report) for report in reports]
    closings = [printable(closing(report)) for report in reports]
    return written(sections, pages(), closings, format, ascii_only=ascii_only)


def written(
    sections: Sequence[Section],
    kinds: Mapping[About, str],
    closings: Sequence[str],
    format: ReportFormat,
    *,
    ascii_only: bool,
) -> str:
    """Findings as SARIF, GitHub's commands or JUnit.

    `kinds` have their documentation; `closings` are lines for people at the end of GitHub's log.
    """
    match format:
        case ReportFormat.SARIF:
            listed = [Page(about, text) for about, text in kinds.items()]
            version = importlib.import_module("ledger_verify").__version__
            return json_text(sarif_log(sections, listed, version), ascii_only=ascii_only)
        case ReportFormat.GITHUB:
            return "\n".join([*github_commands(sections), *closings])
        case ReportFormat.JUNIT:
            return junit_xml(sections)
    raise ValueError(f"{format} is written by each command")
