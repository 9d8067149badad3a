"""`gate`: one decision, its exit status and its output."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Run

FILES = ("--ledger", "ledger.json", "--call", "call.json")


def account(state: str, balance: Any = 100) -> dict[str, Any]:
    return {"account_id": "a1", "state": state, "balance": balance}


def pay(amount: Any, **others: Any) -> dict[str, Any]:
    return {"tool": "pay", "arguments": {"account_id": "a1", "amount": amount, **others}}


@pytest.mark.parametrize(
    ("ledger", "call", "verdict", "status"),
    [
        ({"accounts.a1": account("open")}, pay(1), "ALLOW", 0),
        ({}, pay(1), "REVISE", 10),
        ({"accounts.a2": account("open")}, pay(1), "REVISE", 10),
        ({"accounts.a1": account("frozen")}, pay(1), "BLOCK", 20),
        ({"accounts.a1": account("open", 989.70)}, pay(989.70), "ALLOW", 0),
        ({"accounts.a1": account("open", 989.70)}, pay(989.71), "BLOCK", 20),
        ({}, {"name": "explode", "arguments": {}}, "BLOCK", 20),
        ({}, {"name": "pay", "arguments": {"amount": 1}}, "REVISE", 10),
        ({}, {"name": "pay"}, "REVISE", 10),
        ({}, {"name": "pay", "arguments": "{"}, "REVISE", 10),
        ({}, {"name": "pay", "arguments": [1]}, "REVISE", 10),
        (
            {"accounts.a1": account("open")},
            {"function": {"name": "pay", "arguments": '{"account_id": "a1", "amount": 1}'}},
            "ALLOW",
            0,
        ),
    ],
)
def test_status(
    run: Run, workplace: Path, ledger: Any, call: Any, verdict: str, status: int
) -> None:
    (workplace / "ledger.json").write_text(json.dumps(ledger), encoding="utf-8")
    (workplace / "call.json").write_text(json.dumps(call), encoding="utf-8")
    done = run("gate", "bank", *FILES, "--format", "json")
    assert (done.status, done.stderr) == (status, "")
    answer = json.loads(done.stdout)
    assert answer["verdict"] == verdict
    assert list(answer) == [
        *("verdict", "tool", "arguments", "message", "rules", "missing", "repair", "ask"),
        "decided_by",
    ]
    told = run("gate", "bank", *FILES)
    assert (told.status, told.stderr) == (status, "")
    assert told.stdout.startswith(verdict)


def test_numbers_are_printed_as_given(run: Run, workplace: Path) -> None:
    (workplace / "call.json").write_text(
        '{"name": "pay", "arguments": {"account_id": "a1", "amount": 12345678901234567.10}}',
        encoding="utf-8",
    )
    done = run("gate", "bank", *FILES, "--format", "json")
    assert '"amount": 12345678901234567.10' in done.stdout


def test_the_missing_read_is_shown(run: Run) -> None:
    done = run("gate", "bank", "--ledger", "-", "--call", "call.json", stdin="{}")
    assert done.status == 10
    assert 'get_account(account_id="a1")' in done.stdout


def test_without_the_read_it_is_blocked(run: Run, workplace: Path) -> None:
    (workplace / "ledger.json").write_text("{}", encoding="utf-8")
    assert run("gate", "bank", *FILES, "--without-tool", "get_account").status == 20


def test_the_clock(run: Run, workplace: Path) -> None:
    record = {**account("open"), "opened": "2024-05-15T10:00:00"}
    (workplace / "ledger.json").write_text(json.dumps({"accounts.a1": record}), encoding="utf-8")
    assert run("gate", "bank", *FILES).status == 20
    assert run("gate", "bank", *FILES, "--clock", "2024-05-16T10:00:00").status == 0
    assert run("gate", "bank", *FILES, "--clock", "2024-05-16T09:59:59+02:00").status == 20


@pytest.mark.parametrize(
    ("opened", "clock", "status"),
    [
        ("2024-05-15T00:00:00", "2024-05-16", 0),
        ("2024-05-15T00:00:01", "2024-05-16", 20),
        ("2024-05-14T22:00:00Z", "2024-05-16", 0),  # Paris is two hours ahead
        ("2024-05-14T22:00:01Z", "2024-05-16", 20),
        ("2024-05-15T12:00:00", "2024-05-16T12:00", 0),
    ],
)
@pytest.mark.parametrize("pinned", [False, True])
def test_a_date_is_the_beginning_of_the_day(
    run: Run, workplace: Path, opened: str, clock: str, status: int, pinned: bool
) -> None:
    ledger = {"accounts.a1": {**account("open"), "opened": opened}}
    (workplace / "ledger.json").write_text(json.dumps(ledger), encoding="utf-8")
    options: tuple[str, ...] = () if pinned else ("--clock", clock)
    if pinned:
        file = workplace / "bank" / "domain.yaml"
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("2024-05-15T15:00:00", clock), encoding="utf-8")
    assert run("gate", "bank", *FILES, *options).status == status


def test_a_domain_without_a_clock_says_that_it_sees_the_present(run: Run, workplace: Path) -> None:
    file = workplace / "bank" / "domain.yaml"
    text = file.read_text(encoding="utf-8").replace("clock: 2024-05-15T15:00:00\n", "")
    file.write_text(text, encoding="utf-8")
    done = run("gate", "bank", *FILES)
    assert done.status == 0
    assert done.stderr.startswith("note: domain `bank` pins no clock")
    assert run("gate", "bank", *FILES, "--clock", "2024-05-16T10:00:00").stderr == ""


def test_an_allowed_call_loads_no_solver(start: Run) -> None:
    program = (
        "import sys\nfrom ledger_verify.cli.app import app\n"
        f"try: app(['gate', 'bank', *{FILES!r}])\n"
        "except SystemExit as end: print(end.code, 'z3' in sys.modules)"
    )
    done = start(program=program)
    assert done.stdout.splitlines()[-1] == "0 False", done.stderr


def test_what_the_user_said_comes_from_a_file(run: Run, workplace: Path) -> None:
    domain = workplace / "bank" / "domain.yaml"
    text = domain.read_text(encoding="utf-8")
    start = text.index("  pay:")
    place = text.index("kind: write", start)
    domain.write_text(f"{text[:place]}asks: [account_id]\n    {text[place:]}", encoding="utf-8")
    (workplace / "ledger.json").write_text(json.dumps({"accounts.a1": account("open")}))
    (workplace / "call.json").write_text(json.dumps(pay(1)), encoding="utf-8")
    for said, verdict, status in (
        (["pay from a1", "please"], "ALLOW", 0),
        (["pay from a12"], "REVISE", 10),
        ([], "REVISE", 10),
    ):
        (workplace / "heard.json").write_text(json.dumps(said), encoding="utf-8")
        done = run("gate", "bank", *FILES, "--heard", "heard.json", "--format", "json")
        assert (done.status, json.loads(done.stdout)["verdict"]) == (status, verdict)
        assert json.loads(done.stdout)["ask"] == ([] if status == 0 else ["account_id"])
    for wrong in ({"said": "a1"}, [1]):
        (workplace / "heard.json").write_text(json.dumps(wrong), encoding="utf-8")
        done = run("gate", "bank", *FILES, "--heard", "heard.json")
        assert done.status == 2
        assert "heard.json:1:" in done.stderr
