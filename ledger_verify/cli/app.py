"""`ledger-verify`: the commands, each from its own file."""

from __future__ import annotations

import importlib
from typing import Annotated

import typer

from ledger_verify.cli.check import check
from ledger_verify.cli.demo import demo
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
app.command("check")(guarded(check))
app.command("prove")(guarded(prove_command))
app.command("gate")(guarded(gate))
app.command("replay")(guarded(replay))
app.command("generate")(guarded(generate))
app.command("test")(guarded(run_scenarios))
app.command("graph")(guarded(graph))
app.command("init")(guarded(init))
app.command("rules")(guarded(rules))
app.command("demo")(guarded(demo))


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
