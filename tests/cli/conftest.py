"""Running the command line beside a small domain, in this process or in one of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import pytest
from typer.testing import CliRunner

from ledger_verify.cli.app import app
from tests.audit.bank import bank_folder
from tests.cli.running import MAIN, Done, Run

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with the domain `bank`, a ledger file and a call file."""
    bank_folder(tmp_path / "bank")
    account = {"account_id": "a1", "state": "open", "balance": 100}
    call = {"name": "close_account", "arguments": {"account_id": "a1"}}
    (tmp_path / "ledger.json").write_text(json.dumps({"accounts.a1": account}), encoding="utf-8")
    (tmp_path / "call.json").write_text(json.dumps(call), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(workplace: Path) -> Run:
    """`run("gate", "bank", ..., stdin=...)`, quickly: in this process."""

    def invoke(*arguments: str, stdin: str | None = None) -> Done:
        result = CliRunner().invoke(app, arguments, input=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return Done(result.exit_code, result.stdout, result.stderr)

    return invoke


@pytest.fixture
def start(workplace: Path) -> Run:
    """The same in a process of its own; `program` runs instead of the main program."""

    def execute(
        *arguments: str,
        program: str = MAIN,
        env: Mapping[str, str] | None = None,
        stdout: int | IO[bytes] = subprocess.PIPE,
    ) -> Done:
        ended: subprocess.CompletedProcess[Any] = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
            stdout=stdout,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="backslashreplace",
            check=False,
        )
        return Done(ended.returncode, ended.stdout or "", ended.stderr)

    return execute
