"""Whole outputs, as they were last looked at; `pytest --update-golden` takes new ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ledger_verify.cli.app import app
from ledger_verify.policy.data_files import data_folder

Golden = Callable[[str, str], None]
PLANTED = """
  - id: many_bags
    tools: [update_reservation_baggages]
    require: args.total_baggages >= 9
  - id: few_bags
    tools: [update_reservation_baggages]
    require: args.total_baggages <= 3
  - id: some_bags
    tools: [update_reservation_baggages]
    require: args.total_baggages >= 0 || args.nonfree_baggages >= 0
"""


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)


def run(*words: str) -> str:
    return CliRunner().invoke(app, list(words)).output


def test_demo(golden: Golden) -> None:
    shown, task = run("demo").split("\n4. A test task", 1)
    golden("cli/demo.txt", shown)  # which example the solver finds may change with its version
    assert "only cancel_has_basis is violated: expects BLOCK" in task


def test_check_with_planted_faults(golden: Golden, tmp_path: Path) -> None:
    source = data_folder("domains") / "airline"
    (tmp_path / "planted" / "rules").mkdir(parents=True)
    for path in [*source.glob("*.yaml"), *(source / "rules").glob("*.yaml")]:
        text = path.read_text(encoding="utf-8")
        if path.name == "policy.yaml":
            text = text.replace("\n# Facts of the airline", f"{PLANTED}\n# Facts of the airline")
        (tmp_path / "planted" / path.relative_to(source)).write_text(text, encoding="utf-8")
    assert "many_bags" in (tmp_path / "planted" / "policy.yaml").read_text(encoding="utf-8")
    golden("cli/check_planted.txt", run("check", "planted"))
    report = json.loads(run("check", "planted", "--no-cache", "--format", "json"))
    for summary in report["checked"]:
        summary["milliseconds"] = 0
    report["revision"] = "..."
    golden("cli/check_planted.json", json.dumps(report, indent=2) + "\n")


def test_prove(golden: Golden) -> None:
    golden("cli/prove_airline.txt", run("prove", "airline"))


def test_gate(golden: Golden, tmp_path: Path) -> None:
    (tmp_path / "ledger.json").write_text("{}", encoding="utf-8")
    call = {"name": "cancel_reservation", "arguments": {"reservation_id": "SI5UKW"}}
    (tmp_path / "call.json").write_text(json.dumps(call), encoding="utf-8")
    words = ("gate", "airline", "--ledger", "ledger.json", "--call", "call.json")
    golden("cli/gate_airline.txt", run(*words))
    golden("cli/gate_airline.json", run(*words, "--format", "json"))
