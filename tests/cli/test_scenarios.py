"""`test`: scenarios that no longer fit the domain are errors, and the others still run."""

import json
from pathlib import Path

import pytest

from ledger_verify.generate.scenario import GENERATED
from tests.audit.bank import POLICY
from tests.cli.running import Run

CALL = "call: {tool: pay, arguments: {account_id: a1, amount: 1}}"
ACCOUNT = "ledger: {accounts.a1: {account_id: a1, state: open, balance: 5}}"
FITS = f"  - name: fits\n    {ACCOUNT}\n    {CALL}\n    expect: {{verdict: ALLOW}}\n"
FAILS = FITS.replace("fits", "fails").replace("ALLOW", "BLOCK")
STALE = FITS.replace("fits", "stale").replace("ALLOW}", 'BLOCK, rules: {gone: "FALSE"}}')
BROKEN = (
    (STALE, "unknown rule `gone`"),
    (FITS.replace("verdict: ALLOW", "verdict: MAYBE"), "needs `expect:"),
    (FITS.replace("    call:", "    cal:"), "unknown key `cal`"),
    (FITS.replace("    call:", "    clock: soon\n    call:"), "`clock`: expected a time"),
    (FITS.replace("tool: pay", "tool: pay, name: pay"), "either `tool` or `name`, not both"),
    (FITS.replace("    call:", "    history: [{}]\n    call:"), "needs a `tool`"),
)
AGAIN = "help: the file is made by `ledger-verify generate`: run it again"


def put(workplace: Path, **files: str) -> None:
    folder = workplace / "bank" / "scenarios"
    folder.mkdir()
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(("broken", "told"), BROKEN)
def test_the_others_still_run(run: Run, workplace: Path, broken: str, told: str) -> None:
    put(workplace, a=f"scenarios:\n{FITS}{broken}{FITS}", b=f"scenarios:\n{FAILS}")
    done = run("test", "bank")
    assert done.status == 2
    assert done.stderr.count("error:") == 1
    assert told in done.stderr
    assert done.stderr.startswith("bank/scenarios/a.yaml:")
    assert AGAIN not in done.stderr
    assert done.stdout.endswith("2 scenarios as expected, 1 not, 1 error\n")
    answer = json.loads(run("test", "bank", "--format", "json").stdout)
    assert (answer["scenarios"], len(answer["failed"])) == (3, 1)
    (error,) = answer["errors"]
    assert told in error["message"]
    assert error["location"].startswith("bank/scenarios/a.yaml:")


@pytest.mark.parametrize("text", ["scenarios: [", "", "scenario: []\n", "- a\n"])
def test_the_other_files_still_run(run: Run, workplace: Path, text: str) -> None:
    put(workplace, a=text, b=f"scenarios:\n{FITS}")
    done = run("test", "bank")
    assert done.status == 2
    assert done.stderr.startswith("bank/scenarios/a.yaml:1:")
    assert done.stdout == "1 scenario as expected, 0 not, 1 error\n"


def test_all_fit(run: Run, workplace: Path) -> None:
    put(workplace, a=f"scenarios:\n{FITS}")
    done = run("test", "bank")
    assert (done.status, done.stdout) == (0, "1 scenario as expected, 0 not\n")
    assert json.loads(run("test", "bank", "--format", "json").stdout)["errors"] == []


def test_a_call_may_say_name_as_in_chat_logs(run: Run, workplace: Path) -> None:
    earlier = "    history: [{name: pay, arguments: {account_id: a1, amount: 1}, ok: false}]\n"
    named = FITS.replace("tool: pay", "name: pay")
    put(workplace, a=f"scenarios:\n{named}{earlier}{FAILS.replace('tool: pay', 'name: pay')}")
    done = run("test", "bank")
    assert done.status == 1
    assert done.stdout.endswith("1 scenario as expected, 1 not\n")


def test_generated_files_are_told_apart(run: Run, workplace: Path) -> None:
    put(workplace, a=f"{GENERATED}\nscenarios:\n{STALE}")
    assert AGAIN in run("test", "bank").stderr


def test_generating_again_mends_it(run: Run, workplace: Path) -> None:
    assert run("generate", "bank", "-o", "bank/scenarios").status == 0
    assert run("test", "bank").status == 0
    policy = workplace / "bank" / "policy.yaml"
    policy.write_text(POLICY[: POLICY.index("  - id: a_day_old")], encoding="utf-8")
    done = run("test", "bank")
    assert done.status == 2
    assert "unknown rule `a_day_old`" in done.stderr
    assert AGAIN in done.stderr
    assert "as expected" in done.stdout
    assert run("generate", "bank", "-o", "bank/scenarios").status == 0
    assert (run("test", "bank").status, run("test", "bank").stderr) == (0, "")
