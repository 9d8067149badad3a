"""`check DOMAIN...`: all static checks."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from ledger_verify.cli.findings import findings_text
from ledger_verify.cli.options import (
    DebugOption,
    NoCacheOption,
    ProcessesOption,
    ScopeOption,
    TimeoutOption,
)
from ledger_verify.cli.output import Format, FormatOption, emit, emit_json
from ledger_verify.cli.progress import progress_bar
from ledger_verify.policy.domain import Domain

if TYPE_CHECKING:
    from ledger_verify.checks.report import Report

CLEAN, FINDINGS, UNDECIDED = 0, 1, 3


def check(
    domains: Annotated[
        list[str],
        typer.Argument(metavar="DOMAIN...", help="Bundled domains' names, or folders."),
    ],
    format: FormatOption = Format.TEXT,
    select: Annotated[
        list[str] | None,
        typer.Option("--select", metavar="CODE", help="Only these checks; repeatable."),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", metavar="CODE", help="Without these checks; repeatable."),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show each check with its time.")
    ] = False,
    timeout: TimeoutOption = 10.0,
    scope: ScopeOption = 4,
    processes: ProcessesOption = None,
    no_cache: NoCacheOption = False,
    debug: DebugOption = False,
) -> int:
    """Look for defects of policies before they are deployed.

    Exit status: 0 clean, 1 findings, 2 for bad input, 3 if some question stayed undecided.
    """
    started = time.perf_counter()
    from ledger_verify.checks.cache import cache_folder
    from ledger_verify.checks.catalog import selected
    from ledger_verify.checks.job import Settings
    from ledger_verify.checks.run import run_checks

    chosen = selected(select or (), ignore or ())
    loaded = [Domain.load(name, lenient=True) for name in domains]
    with progress_bar("checking") as advance:
        reports = run_checks(
            loaded,
            Settings(timeout_ms=round(timeout * 1000), scope=scope),
            chosen,
            processes=processes or os.cpu_count() or 1,
            cache=None if no_cache else cache_folder(),
            progress=advance,
        )
    if format is Format.JSON:
        shown = [report.to_json() for report in reports]
        emit_json(shown[0] if len(shown) == 1 else {"domains": shown})
    else:
        seconds = time.perf_counter() - started if verbose else None
        emit("\n".join(findings_text(reports, seconds)))
    return _status(reports)


def _status(reports: Sequence[Report]) -> int:
    if any(report.defects for report in reports):
        return FINDINGS
    return UNDECIDED if any(report.undecided for report in reports) else CLEAN
