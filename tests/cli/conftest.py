"""Running the command line as a process of its own, in a folder with a small domain."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.audit.bank import bank_folder

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = "from ledger_verify.cli.app import main; main()"

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    """A folder with the domain `bank`, an account file and a call file."""
    bank_folder(tmp_path / "bank")
    write(tmp_path / "ledger.json", {"accounts.a1": account("open", 100)})
    write(tmp_path / "call.json", {"name": "close_account", "arguments": {"account_id": "a1"}})
    return tmp_path


@pytest.fixture
def run(workplace: Path) -> Run:
    """`run("gate", "bank", ..., stdin=..., env=...)` in the workplace."""

    def start(
        *arguments: str, stdin: str | None = None, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", PROGRAM, *arguments],
            cwd=workplace,
            env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    return start


def account(state: str, balance: Any) -> dict[str, Any]:
    return {"account_id": "a1", "state": state, "balance": balance}


def write(path: Path, value: Any) -> None:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
