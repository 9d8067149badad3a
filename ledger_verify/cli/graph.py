"""`graph DOMAIN`: the picture of tools, evidence and rules."""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ledger_verify.cli.options import (
    DebugOption,
    DomainArgument,
    NoCacheOption,
    ProcessesOption,
    ScopeOption,
    TimeoutOption,
)
from ledger_verify.cli.output import emit
from ledger_verify.lang.errors import InputError
from ledger_verify.picture.dot import dot
from ledger_verify.picture.mermaid import mermaid
from ledger_verify.picture.model import picture
from ledger_verify.picture.svg import svg
from ledger_verify.policy.domain import Domain

if TYPE_CHECKING:
    from ledger_verify.checks.base.finding import Finding


class PictureFormat(StrEnum):
    """The language of the picture."""

    MERMAID = "mermaid"
    DOT = "dot"
    SVG = "svg"


_WRITERS = {PictureFormat.MERMAID: mermaid, PictureFormat.DOT: dot, PictureFormat.SVG: svg}
_BY_ENDING = {
    ".svg": PictureFormat.SVG,
    ".dot": PictureFormat.DOT,
    ".gv": PictureFormat.DOT,
    ".mmd": PictureFormat.MERMAID,
    ".mermaid": PictureFormat.MERMAID,
    ".md": PictureFormat.MERMAID,
    "": PictureFormat.MERMAID,
}


def graph(
    domain: DomainArgument,
    format: Annotated[
        PictureFormat | None,
        typer.Option("--format", help="By default what the ending of FILE says, else mermaid."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The file to write."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check/--no-check", help="Whether to mark what `check` finds.")
    ] = True,
    timeout: TimeoutOption = 10.0,
    scope: ScopeOption = 4,
    processes: ProcessesOption = None,
    no_cache: NoCacheOption = False,
    debug: DebugOption = False,
) -> int:
    """Draw what the agent reads, which rules that settles, and which calls those judge.

    Exit status: 0, also where something is found; 2 for bad input.
    """
    chosen = format or _format_of(output)
    loaded = Domain.load(domain, lenient=True)
    findings: Sequence[Finding] = ()
    if check:
        from ledger_verify.checks.base.job import Settings
        from ledger_verify.checks.running.cache import cache_folder
        from ledger_verify.checks.running.run import run_checks

        (report,) = run_checks(
            [loaded],
            Settings(timeout_ms=round(timeout * 1000), scope=scope),
            processes=processes or os.cpu_count() or 1,
            cache=None if no_cache else cache_folder(),
        )
        findings = report.findings
    text = _WRITERS[chosen](picture(loaded, findings))
    if output is None:
        emit(text)
        return 0
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise InputError(f"cannot write `{output}`: {problem.strerror or problem}") from None
    return 0


def _format_of(output: Path | None) -> PictureFormat:
    """The language that the ending of the file says; raises `InputError` for an unknown ending."""
    ending = "" if output is None else output.suffix.lower()
    if ending not in _BY_ENDING:
        known = ", ".join(f"`{one}`" for one in _BY_ENDING if one)
        raise InputError(
            f"`{output}`: no picture is written as `{ending}`",
            hint=f"known endings are {known}; `--format` says it for any other",
        )
    return _BY_ENDING[ending]
