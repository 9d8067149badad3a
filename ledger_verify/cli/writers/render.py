"""Reports in one of the formats for other programs."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ledger_verify.audit.json_text import json_text
from ledger_verify.checks.catalog import pages
from ledger_verify.cli.findings import closing
from ledger_verify.cli.output import ReportFormat, printable
from ledger_verify.cli.writers.github import github_commands
from ledger_verify.cli.writers.junit import junit_xml
from ledger_verify.cli.writers.sarif import sarif_log
from ledger_verify.cli.writers.section import Page, Section

if TYPE_CHECKING:
    from ledger_verify.checks.running.report import Report


def rendered(reports: Sequence[Report], format: ReportFormat, *, ascii_only: bool) -> str:
    """The whole text in a format other than text; `ascii_only` concerns JSON."""
    sections = [Section.of(report) for report in reports]
    match format:
        case ReportFormat.JSON:
            return json_text(_json(reports), ascii_only=ascii_only)
        case ReportFormat.SARIF:
            kinds = [Page(about, text) for about, text in pages().items()]
            version = importlib.import_module("ledger_verify").__version__
            return json_text(sarif_log(sections, kinds, version), ascii_only=ascii_only)
        case ReportFormat.GITHUB:
            closings = [printable(closing(report)) for report in reports]
            return "\n".join([*github_commands(sections), *closings])
        case ReportFormat.JUNIT:
            return junit_xml(sections)
        case ReportFormat.TEXT:
            raise ValueError("text is written by `findings_text`")


def _json(reports: Sequence[Report]) -> Any:
    shown = [report.to_json() for report in reports]
    return shown[0] if len(shown) == 1 else {"domains": shown}
