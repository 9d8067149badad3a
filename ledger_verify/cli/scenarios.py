"""`test DOMAIN` or `test DIR`: scenarios through the gate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ledger_verify.cli.options import DebugOption
from ledger_verify.cli.output import (
    Format,
    FormatOption,
    emit,
    emit_json,
    plural,
    print_error,
    printable,
    styled,
)
from ledger_verify.gate.gate import Gate
from ledger_verify.generate.scenario import readable_scenarios, run_scenario, scenario_files
from ledger_verify.lang.errors import InputError
from ledger_verify.policy.data_files import find_domain
from ledger_verify.policy.domain import Domain


def run_scenarios(
    target: Annotated[
        str,
        typer.Argument(metavar="DOMAIN|DIR", help="A domain, or a folder of scenario files."),
    ],
    domain: Annotated[
        str | None,
        typer.Option("--domain", metavar="DOMAIN", help="The domain, if DIR is none itself."),
    ] = None,
    format: FormatOption = Format.TEXT,
    debug: DebugOption = False,
) -> int:
    """Replay scenarios through the gate and compare with what they expect.

    A scenario that does not fit the domain is an error, and the others are replayed all the same.

    Exit status: 0 all as expected, 1 some are not, 2 for bad input.
    """
    folder = Path(target) if domain is not None else find_domain(target)
    loaded = Domain.load(domain if domain is not None else target)
    files = scenario_files(folder)
    if not files:
        raise InputError(
            f"no scenario files in `{folder}`",
            hint="make some with `ledger-verify generate DOMAIN -o DIR`, then test with `--domain`",
        )
    gate = Gate(loaded, explain_ms=None)
    read = [scenario for path in files for scenario in readable_scenarios(path, loaded)]
    results = [run_scenario(gate, s) for s in read if not isinstance(s, InputError)]
    errors = [error for error in read if isinstance(error, InputError)]
    for error in errors:
        print_error(error)
    failed = [result for result in results if result.problem is not None]
    if format is Format.JSON:
        emit_json(
            {
                "domain": loaded.name,
                "files": [str(path) for path in files],
                "scenarios": len(results),
                "failed": [
                    {
                        "name": result.scenario.name,
                        "problem": result.problem,
                        "location": str(result.scenario.location),
                        "verdict": None if result.verdict is None else result.verdict.to_json(),
                    }
                    for result in failed
                ],
                "errors": [
                    {
                        "message": error.message,
                        "location": None if error.location is None else str(error.location),
                        "help": error.hint,
                    }
                    for error in errors
                ],
            }
        )
    else:
        for result in failed:
            label = styled("failed", "red")
            emit(f"{result.scenario.location}: {label} {printable(result.scenario.name)}")
            emit(f"  {printable(result.problem or '')}")
        passed = len(results) - len(failed)
        unread = f", {plural(len(errors), 'error')}" if errors else ""
        emit(f"{plural(passed, 'scenario')} as expected, {len(failed)} not{unread}")
    return 2 if errors else 1 if failed else 0
