"""`check DOMAIN...`: all static checks."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from ledger_verify.audit.json_file import read_json
from ledger_verify.cli.findings import findings_text
from ledger_verify.cli.options import DebugOption, ScopeOption, TimeoutOption
from ledger_verify.cli.output import Format, FormatOption, emit, emit_json, note
from ledger_verify.cli.progress import progress_bar
from ledger_verify.lang.errors import InputError
from ledger_verify.policy.domain import Domain

if TYPE_CHECKING:
    from ledger_verify.checks.data import Data
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
    processes: Annotated[
        int | None,
        typer.Option("--processes", metavar="N", min=1, help="Processes; one a core without it."),
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Neither use nor keep answers of earlier runs.")
    ] = False,
    data: Annotated[
        list[str] | None,
        typer.Option(
            "--data", metavar="F", help="JSON in the shape of the ledger to compare; repeatable."
        ),
    ] = None,
    places: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="PATTERN=PLACE",
            help='Where in the data records are, as in "user=users.*"; repeatable.',
        ),
    ] = None,
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
    compared = _data(loaded, data or (), places or ())
    with progress_bar("checking") as advance:
        reports = run_checks(
            loaded,
            Settings(timeout_ms=round(timeout * 1000), scope=scope),
            chosen,
            processes=processes or os.cpu_count() or 1,
            cache=None if no_cache else cache_folder(),
            data=compared,
            progress=advance,
        )
    if format is Format.JSON:
        shown = [report.to_json() for report in reports]
        emit_json(shown[0] if len(shown) == 1 else {"domains": shown})
    else:
        seconds = time.perf_counter() - started if verbose else None
        emit("\n".join(findings_text(reports, seconds)))
    return _status(reports)


def _data(domains: Sequence[Domain], files: Sequence[str], places: Sequence[str]) -> Data | None:
    """The records to compare with; raises `InputError`."""
    if not files:
        if places:
            raise InputError("`--map` says where records are in the data, but there is no `--data`")
        return None
    if len(domains) > 1:
        raise InputError("`--data` goes with one domain")
    from ledger_verify.checks.data import read_data

    mapped = {}
    for text in places:
        pattern, sign, place = text.partition("=")
        if not sign:
            raise InputError(f"`--map {text}`: expected `PATTERN=PLACE`, such as `user=users.*`")
        mapped[pattern.strip()] = place.strip()
    found = read_data(domains[0], [read_json(path) for path in files], mapped)
    for told in found.passed_over:
        note(f"note: {told}")
    return found


def _status(reports: Sequence[Report]) -> int:
    if any(report.defects for report in reports):
        return FINDINGS
    return UNDECIDED if any(report.undecided for report in reports) else CLEAN
