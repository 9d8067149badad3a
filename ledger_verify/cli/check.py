"""`check DOMAIN`: all static checks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from ledger_verify.cli.options import DebugOption, DomainArgument, ScopeOption, TimeoutOption
from ledger_verify.cli.output import (
    Format,
    FormatOption,
    emit,
    emit_json,
    note,
    plural,
    printable,
    styled,
    table,
)
from ledger_verify.policy.domain import Domain

CLEAN, FINDINGS, UNDECIDED = 0, 1, 3
_COLOURS = {"error": "red", "warning": "yellow", "undecided": "bold"}


def check(
    domain: DomainArgument,
    format: FormatOption = Format.TEXT,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show each check with its time.")
    ] = False,
    timeout: TimeoutOption = 10.0,
    scope: ScopeOption = 4,
    debug: DebugOption = False,
) -> int:
    """Look for defects of a policy before it is deployed.

    Exit status: 0 clean, 1 findings, 2 for bad input, 3 if some question stayed undecided.
    """
    loaded = Domain.load(domain)
    from ledger_verify.checks.run import run_checks
    from ledger_verify.solver.query import Limits
    from ledger_verify.solver.static import StaticSolver

    limits = Limits(timeout_ms=round(timeout * 1000), resources=100_000_000)
    report = run_checks(
        loaded,
        StaticSolver(loaded, scope, limits),
        progress=(lambda name: note(f"{name} ...")) if verbose else lambda name: None,
    )
    if format is Format.JSON:
        emit_json(report.to_json())
    else:
        emit("\n".join(_text(report, verbose)))
    if report.defects:
        return FINDINGS
    return UNDECIDED if report.undecided else CLEAN


def _text(report: Any, verbose: bool) -> Iterator[str]:
    for finding in report.findings:
        label = styled(f"{finding.severity}[{finding.code}]", _COLOURS[finding.severity])
        yield f"{finding.location}: {label} {printable(finding.message)}"
        yield from _source_line(report.domain, finding)
        if finding.core and len(finding.core) > 1:
            yield f"  core: {', '.join(finding.core)}"
        if finding.counterexample is not None:
            shown = json.dumps(finding.counterexample, ensure_ascii=False)
            yield f"  counterexample: {printable(shown)}"
        if finding.fix:
            yield f"  {styled('help:', 'bold')} {finding.fix}"
        yield ""
    if verbose:
        yield table(
            ("check", "proved", "refuted", "undecided", "ms"),
            [(s.check, s.proved, s.refuted, s.undecided, s.milliseconds) for s in report.checked],
        )
        yield ""
    rules = len({rule.id for rule in report.domain.rules})
    found = plural(len(report.findings), "finding") if report.findings else "no findings"
    yield f"{report.domain.name}: {plural(rules, 'rule')}, {found}"


def _source_line(domain: Domain, finding: Any) -> Iterator[str]:
    """The line of the file that the finding points at, and a mark under it."""
    for file in domain.sources.values():
        if file.name == finding.location.file:
            lines = file.text.splitlines()
            if finding.location.line <= len(lines):
                line = lines[finding.location.line - 1]
                number = str(finding.location.line)
                yield f"  {number} | {printable(line)}"
                yield f"  {' ' * len(number)} | {' ' * (finding.location.column - 1)}^"
