"""`generate DOMAIN -o DIR`: test tasks from the policy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ledger_verify.cli.options import DebugOption, DomainArgument, ScopeOption, TimeoutOption
from ledger_verify.cli.output import Format, FormatOption, emit, emit_json, plural, table
from ledger_verify.lang.errors import InputError
from ledger_verify.policy.domain import Domain


def generate(
    domain: DomainArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="The folder to write to.")
    ],
    format: FormatOption = Format.TEXT,
    timeout: TimeoutOption = 10.0,
    scope: ScopeOption = 4,
    debug: DebugOption = False,
) -> int:
    """Write, for every rule, a call that is allowed and one that only this rule forbids.

    And one that misses each of its bounds by one. One scenario file a rule, marked as generated;
    files of yours are left alone, generated ones replaced. `ledger-verify test` replays them. Exit
    status: 0, 2 for bad input, 3 if some case could not be decided.
    """
    loaded = Domain.load(domain)
    from ledger_verify.generate import cases
    from ledger_verify.generate.scenario import Scenario, is_generated, write_scenarios
    from ledger_verify.solver.outcome import Outcome
    from ledger_verify.solver.query import Limits
    from ledger_verify.solver.static import StaticSolver

    limits = Limits(timeout_ms=round(timeout * 1000), resources=100_000_000)
    by_rule: dict[str, list[Scenario]] = {}
    skipped: list[cases.Skipped] = []
    for result in cases.generate(loaded, StaticSolver(loaded, scope, limits)):
        if isinstance(result, cases.Skipped):
            skipped.append(result)
        else:
            by_rule.setdefault(next(iter(result.rules)), []).append(result)
    made = {output / f"{rule}.yaml": scenarios for rule, scenarios in by_rule.items()}
    for path in made:
        if path.exists() and not is_generated(path):
            raise InputError(
                f"`{path}` was not made by `generate`, or was changed in its first line",
                hint="move it to another name; nothing was written",
            )
    for path, scenarios in made.items():
        write_scenarios(path, scenarios, loaded)
    for path in sorted(output.glob("*.yaml")):  # of rules that are gone
        if path not in made and is_generated(path):
            path.unlink()
    written = sum(map(len, by_rule.values()))
    if format is Format.JSON:
        emit_json(
            {
                "domain": loaded.name,
                "folder": str(output),
                "scenarios": written,
                "skipped": [{"name": s.name, "outcome": s.outcome.value} for s in skipped],
            }
        )
    else:
        emit(f"wrote {plural(written, 'scenario')} in {plural(len(by_rule), 'file')} to {output}")
        if skipped:
            emit(table(("not possible", "outcome"), [(s.name, s.outcome.value) for s in skipped]))
    return 3 if any(s.outcome is not Outcome.NONE for s in skipped) else 0
