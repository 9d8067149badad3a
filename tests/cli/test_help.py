"""The list of commands can be read on a narrow screen."""

from typer.testing import CliRunner

from ledger_verify.cli.app import app


def test_the_list_of_commands_is_told_in_whole_sentences_at_80_columns() -> None:
    done = CliRunner().invoke(app, ["--help"], terminal_width=80)
    _, _, listed = done.output.partition("Commands:\n")
    rows = [line for line in listed.splitlines() if line.strip()]
    assert len(rows) == len(app.registered_commands)
    assert [row for row in rows if len(row) > 80 or "..." in row or not row.endswith(".")] == []
