"""`check DOMAIN...`: all static checks."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ledger_verify.checks.unloadable import Unloadable
from ledger_verify.cli.explain import explain as explain_check
from ledger_verify.cli.findings import findings_text
from ledger_verify.cli.guard import BAD_INPUT
from ledger_verify.cli.options import (
    DebugOption,
    NoCacheOption,
    ProcessesOption,
    ScopeOption,
    TimeoutOption,
)
from ledger_verify.cli.output import (
    ReportFormat,
    ReportFormatOption,
    emit,
    note,
    print_error,
    takes_unicode,
)
from ledger_verify.cli.progress import progress_bar
from ledger_verify.cli.watch import keep_watching
from ledger_verify.lang.errors import InputError
from ledger_verify.policy.data_files import bundled_domains, find_domain
from ledger_verify.policy.domain import Domain
from ledger_verify.source.json_file import read_json

if TYPE_CHECKING:
    from ledger_verify.checks.base.data import Data
    from ledger_verify.checks.running.report import Report

CLEAN, FINDINGS, UNDECIDED = 0, 1, 3


def check(
    domains: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DOMAIN",
            help="Bundled domains' names, folders, or files of a folder (for the whole folder).",
        ),
    ] = None,
    format: ReportFormatOption = ReportFormat.TEXT,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the report to a file, and text for people on standard output.",
        ),
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option("--select", metavar="CODES", help="Only these checks; repeatable."),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", metavar="CODES", help="Without these checks; repeatable."),
    ] = None,
    explain: Annotated[
        str | None,
        typer.Option("--explain", metavar="CODE", help="Show the page of a check; `all` lists."),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Check again whenever a file of a domain changes.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show each check with its time.")
    ] = False,
    timeout: TimeoutOption = 10.0,
    scope: ScopeOption = 4,
    processes: ProcessesOption = None,
    no_cache: NoCacheOption = False,
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
    if explain is not None:
        explain_check(explain, format)
        return CLEAN
    from ledger_verify.checks.base.job import Settings
    from ledger_verify.checks.catalog import selected
    from ledger_verify.checks.running.cache import cache_folder
    from ledger_verify.checks.running.run import run_checks

    names = _without_repeats(domains or [])
    chosen = selected(select or (), ignore or ())
    settings = Settings(timeout_ms=round(timeout * 1000), scope=scope)

    def run() -> int:
        started = time.perf_counter()
        found = [_loaded(name) for name in names]
        try:
            compared = _data(found, data or (), places or ())
        except InputError as problem:
            if problem.location is None:  # the options are to blame, and no file
                raise
            found, compared = [_unloadable(names[0], problem)], None
        loaded = [one for one in found if isinstance(one, Domain)]
        with progress_bar("checking") as advance:
            reports = run_checks(
                loaded,
                settings,
                chosen,
                processes=processes or os.cpu_count() or 1,
                cache=None if no_cache else cache_folder(),
                data=compared,
                progress=advance,
            )
        seconds = time.perf_counter() - started if verbose else None
        checked = iter(reports)
        told = [one if isinstance(one, Unloadable) else next(checked) for one in found]
        _report(told, format, output, seconds)
        return BAD_INPUT if len(reports) < len(told) else _status(reports)

    if watch:
        keep_watching([find_domain(name) for name in names], run)
    return run()


def _loaded(name: str) -> Domain | Unloadable:
    """The domain with all its templates, or why it cannot be loaded, which is told at once."""
    try:
        domain = Domain.load(name, lenient=True)
        _ = domain.own_templates
    except InputError as problem:
        return _unloadable(name, problem)
    return domain


def _unloadable(name: str, problem: InputError) -> Unloadable:
    print_error(problem)
    return Unloadable(name, problem)


def _without_repeats(names: Sequence[str]) -> list[str]:
    """The domains, each once: several files of a folder mean the folder."""
    if not names:
        raise InputError("no domain to check", hint="give a folder, or a bundled domain's name")
    found: dict[Path, str] = {}
    for name in map(_domain, names):
        folder = Path(name) if _is_folder(name) else find_domain(name)
        found.setdefault(folder.resolve(), name)
    return list(found.values())


def _is_folder(name: str) -> bool:
    return name not in bundled_domains() and Path(name).is_dir()


def _domain(name: str) -> str:
    """The folder whose file is named, else the name as it is."""
    path = Path(name)
    if name in bundled_domains() or not path.is_file():
        return name
    folder = path.parent.parent if path.parent.name in ("rules", "scenarios") else path.parent
    if not (folder / "domain.yaml").is_file():
        raise InputError(
            f"`{name}` is no file of a domain", hint=f"`{folder}` has no `domain.yaml`"
        )
    # with `./`, so that it cannot be taken for a bundled domain's name
    return str(folder) if folder.is_absolute() else f"./{folder}"


def _report(
    reports: Sequence[Report | Unloadable],
    format: ReportFormat,
    output: Path | None,
    seconds: float | None,
) -> None:
    if output is None and format is not ReportFormat.TEXT:
        emit(_rendered(reports, format, ascii_only=not takes_unicode()))
        return
    if output is not None:
        if format is ReportFormat.TEXT:
            with redirect_stdout(StringIO()):  # no colours, whatever the terminal
                text = "\n".join(findings_text(reports, seconds))
        else:
            text = _rendered(reports, format, ascii_only=False)
        try:
            output.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
        except OSError as problem:
            raise InputError(f"cannot write `{output}`: {problem.strerror or problem}") from None
    checked = [report for report in reports if not isinstance(report, Unloadable)]
    if checked:  # of the others standard error has told
        emit("\n".join(findings_text(checked, seconds)))


def _rendered(
    reports: Sequence[Report | Unloadable], format: ReportFormat, ascii_only: bool
) -> str:
    from ledger_verify.cli.writers.render import rendered

    return rendered(reports, format, ascii_only=ascii_only)


def _data(
    domains: Sequence[Domain | Unloadable], files: Sequence[str], places: Sequence[str]
) -> Data | None:
    """The records to compare with; raises `InputError`."""
    if not files:
        if places:
            raise InputError("`--map` says where records are in the data, but there is no `--data`")
        return None
    if len(domains) > 1:
        raise InputError("`--data` goes with one domain")
    (domain,) = domains
    if isinstance(domain, Unloadable):
        return None
    from ledger_verify.checks.base.data import read_data

    mapped = {}
    for text in places:
        pattern, sign, place = text.partition("=")
        if not sign:
            raise InputError(f"`--map {text}`: expected `PATTERN=PLACE`, such as `user=users.*`")
        mapped[pattern.strip()] = place.strip()
    read = [read_json(path) for path in files]
    found = read_data(domain, read, mapped)
    if not found.compared:
        hint = "; ".join(found.passed_over) or f"paths of the ledger: {', '.join(domain.ledger)}"
        raise InputError(
            "nothing was compared: the data has no record of the ledger",
            location=read[0].locate(()),
            hint=hint,
        )
    for told in found.passed_over:
        note(f"note: {told}")
    return found


def _status(reports: Sequence[Report]) -> int:
    if any(report.defects for report in reports):
        return FINDINGS
    return UNDECIDED if any(report.undecided for report in reports) else CLEAN
