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
    printable,
    styled,
)
from ledger_verify.gate.session import Gate
from ledger_verify.generate.scenario import load_scenarios, run_scenario, scenario_files
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
    gate = Gate(loaded)
    results = [run_scenario(gate, s) for path in files for s in load_scenarios(path, loaded)]
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
            }
        )
    else:
        for result in failed:
            label = styled("failed", "red")
            emit(f"{result.scenario.location}: {label} {printable(result.scenario.name)}")
            emit(f"  {printable(result.problem or '')}")
        passed = len(results) - len(failed)
        emit(f"{plural(passed, 'scenario')} as expected, {len(failed)} not")
    return 1 if failed else 0
