"""`replay`: its table, its lists and its JSON."""

import json
from pathlib import Path

import pytest

from tests.audit.samples import small_bank, tau1, tau1_call
from tests.cli.running import Run


@pytest.fixture
def log(workplace: Path) -> str:
    (workplace / "log.json").write_text(json.dumps(small_bank()), encoding="utf-8")
    return "log.json"


def test_text(run: Run, log: str) -> None:
    done = run("replay", "bank", log, "--show", "all")
    assert (done.status, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].split() == [
        *("file", "conversations", "calls", "writes", "ALLOW", "REVISE", "BLOCK")
    ]
    assert lines[1].split() == ["log.json", "2", "4", "2", "1", "0", "1"]
    assert "log.json 3/0/1 close_account ALLOW" in lines
    assert "log.json 4/2/1 close_account BLOCK account_open=FALSE" in lines
    assert "of 1 write that the environment rejected, the gate refuses 1" in lines
    assert "of 1 write carried out: 1 ALLOW, 0 REVISE, 0 BLOCK" in lines
    assert lines[-1].endswith("s of it reading")


def test_several_files(run: Run, log: str) -> None:
    done = run("replay", "bank", log, log, "--show", "revise")
    lines = done.stdout.splitlines()
    assert lines[3].split() == ["all", "4", "8", "4", "2", "0", "2"]
    assert "no decision is REVISE" in lines


def test_json(run: Run, log: str) -> None:
    done = run("replay", "bank", log, "--format", "json")
    assert done.status == 0
    report = json.loads(done.stdout)
    assert report["verdicts"] == {"ALLOW": 1, "REVISE": 0, "BLOCK": 1}
    assert [decision["index"] for decision in report["decisions"]] == [1, 1]
    assert done.stderr.endswith("s of it reading\n")
    assert run("replay", "bank", log, "--format", "json").stdout == done.stdout


def test_standard_input(run: Run, log: str, workplace: Path) -> None:
    text = (workplace / log).read_text(encoding="utf-8")
    done = run("replay", "bank", "-", "--format", "json", stdin=text)
    assert json.loads(done.stdout)["files"] == ["<stdin>"]


def test_oddities_are_told(run: Run, workplace: Path) -> None:
    conversation = tau1(
        tau1_call(("a", "explode", {})),
        tau1_call(("c", "get_account", {"account_id": "a1"})),
        {"role": "tool", "tool_call_id": "c", "content": "not an account"},
    )
    (workplace / "log.json").write_text(json.dumps([conversation]), encoding="utf-8")
    lines = run("replay", "bank", "log.json").stdout.splitlines()
    assert "`explode`, called 1 time, is no tool of domain `bank`" in lines
    assert "1 call without an answer" in lines
    assert any(line.startswith("1 record kept out of the ledger") for line in lines)


def test_control_characters_do_not_reach_the_terminal(run: Run, workplace: Path) -> None:
    conversation = tau1(tau1_call(("a", "\x1b[2Jboom", {})))
    (workplace / "log.json").write_text(json.dumps([conversation]), encoding="utf-8")
    done = run("replay", "bank", "log.json", "--show", "all")
    assert "\x1b" not in done.stdout
    assert r"\x1b[2Jboom" in done.stdout


@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "latin-1"])
def test_any_text_in_any_encoding(start: Run, workplace: Path, encoding: str) -> None:
    name = "é\u4e2d\ud800"
    conversation = tau1(tau1_call(("a", name, {})))
    (workplace / "log.json").write_text(json.dumps([conversation]), encoding="utf-8")
    environment = {"PYTHONIOENCODING": encoding}
    shown = start("replay", "bank", "log.json", "--show", "all", env=environment)
    assert shown.status == 0, shown.stderr
    done = start("replay", "bank", "log.json", "--format", "json", env=environment)
    assert json.loads(done.stdout)["decisions"][0]["tool"] == name


def test_shared_recordings(run: Run, shared_data: Path) -> None:
    log = shared_data / "tau" / "tau2_airline_toolorchestra_gpt-5.json"
    done = run("replay", "bank", str(log), "--format", "json")
    report = json.loads(done.stdout)
    assert (report["conversations"], report["calls"]) == (24, 337)
