"""`ledger-verify`: the commands, each from its own file."""

from __future__ import annotations

import importlib
from typing import Annotated

import typer

from ledger_verify.cli.check import check
from ledger_verify.cli.demo import demo
from ledger_verify.cli.diff import diff_command
from ledger_verify.cli.gate import gate
from ledger_verify.cli.generate import generate
from ledger_verify.cli.graph import graph
from ledger_verify.cli.guard import INTERRUPTED, guarded
from ledger_verify.cli.init import init
from ledger_verify.cli.output import emit, tolerate_any_text
from ledger_verify.cli.prove import prove_command
from ledger_verify.cli.replay import replay
from ledger_verify.cli.rules import rules
from ledger_verify.cli.scenarios import run_scenarios

app = typer.Typer(
    name="ledger-verify",
    help="Prove, enforce and test the policy of a tool-calling agent.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
# with what the list of commands says of each, in 80 columns; `COMMAND --help` says more
app.command("check", short_help="Look for defects of policies before they are deployed.")(
    guarded(check)
)
app.command("prove", short_help="Prove that no allowed calls break an invariant, or show some.")(
    guarded(prove_command)
)
app.command("diff", short_help="Say which calls NEW allows and OLD does not, and the reverse.")(
    guarded(diff_command)
)
app.command("gate", short_help="Decide about one call, given what was observed and said.")(
    guarded(gate)
)
app.command("replay", short_help="Say what the gate would have decided about recorded writes.")(
    guarded(replay)
)
app.command("generate", short_help="Write an allowed and a forbidden call for every rule.")(
    guarded(generate)
)
app.command("test", short_help="Replay scenarios and compare with what they expect.")(
    guarded(run_scenarios)
)
app.command("graph", short_help="Draw what the agent reads, and which rules that settles.")(
    guarded(graph)
)
app.command("init", short_help="Write a domain folder from a list of tools.")(guarded(init))
app.command("rules", short_help="List the rule templates, or show one with its examples.")(
    guarded(rules)
)
app.command("demo", short_help="Verify a bundled policy, then talk with and without the gate.")(
    guarded(demo)
)


def _print_version(asked: bool) -> None:
    if asked:
        emit(f"ledger-verify {importlib.import_module('ledger_verify').__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Prove, enforce and test the policy of a tool-calling agent."""


def main() -> None:
    """The command line; ends the process with the command's exit status."""
    tolerate_any_text()
    try:
        app(prog_name="ledger-verify")
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
