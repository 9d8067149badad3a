"""Broken input of every kind: exit status 2, one error with its place, no traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.audit.bank import DOMAIN, POLICY, SCHEMA, bank_folder
from tests.audit.samples import small_bank
from tests.cli.running import MAIN, Done, Run

FILES = ("--ledger", "ledger.json", "--call", "call.json")


def refused(done: Done, place: str, said: str) -> None:
    assert done.status == 2, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    assert len(errors) == 1, done.stderr
    assert errors[0].startswith(f"{place}error: "), done.stderr
    assert said in done.stderr


@pytest.mark.parametrize(
    ("part", "old", "new", "place", "said"),
    [
        ("policy", "rules:", "rules: [", "bank/policy.yaml:", "malformed YAML"),
        ("policy", "rules:", "rulez:", "bank/policy.yaml:1:1: ", "did you mean `rules`?"),
        ("policy", "].state ==", "].stat ==", "bank/policy.yaml:4:", "did you mean `state`?"),
        ("policy", '== "open"', "== 3", "bank/policy.yaml:4:", ""),
        ("policy", '== "open"', '=== "open"', "bank/policy.yaml:4:", ""),
        (
            "policy",
            "[close_account, pay]",
            "[close_acount]",
            "bank/policy.yaml:3:",
            "close_account",
        ),
        ("policy", "id: a_day_old", "id: account_open", "bank/policy.yaml:", "account_open"),
        ("policy", "    when:", "    require: x\n    when:", "bank/policy.yaml:", "twice"),
        ("domain", "kind: read", "kind: reads", "bank/domain.yaml:8:11: ", "read"),
        ("domain", "Account\n", "Acount\n", "bank/domain.yaml:", "Account"),
        ("domain", "Europe/Paris", "Europe/Pariss", "bank/domain.yaml:2:", "time zone"),
        ("domain", "2024-05-15T15", "2024-13-15T15", "bank/domain.yaml:3:", "clock"),
        ("schema", "type: number", "type: nmber", "bank/", "did you mean `number`?"),
    ],
)
def test_domain_files(
    run: Run, workplace: Path, part: str, old: str, new: str, place: str, said: str
) -> None:
    texts = {"domain": DOMAIN, "schema": SCHEMA, "policy": POLICY}
    assert old in texts[part]
    bank_folder(workplace / "bank", **{part: texts[part].replace(old, new, 1)})
    done = run("gate", "bank", *FILES)
    assert done.stderr.startswith(place), done.stderr
    refused(done, done.stderr.split("error: ")[0], said)


def test_domain_names(run: Run, workplace: Path) -> None:
    refused(run("gate", "airlin", *FILES), "", "did you mean `airline`?")
    (workplace / "empty").mkdir()
    refused(run("gate", "empty", *FILES), "", "`empty` has no `domain.yaml`")


def test_a_domain_file_that_is_not_utf8(run: Run, workplace: Path) -> None:
    (workplace / "bank" / "policy.yaml").write_bytes(b"rules: caf\xe9")
    done = run("gate", "bank", *FILES)
    refused(done, done.stderr.split("error: ")[0], "UTF-8")


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("", "ledger.json:1:1: ", "empty"),
        ("[]", "ledger.json:1:1: ", "must be an object, found an empty list"),
        ('{"accounts.a1": ', "ledger.json:1:16: ", "cut off"),
        ('{\n "acounts.a1": {}}', "ledger.json:2:16: ", "did you mean `accounts`?"),
        ('{"accounts.a1": {"state": "open"}}', "ledger.json:1:17: ", "required field"),
        (
            '{"accounts.a1": {"account_id": "a1", "state": "shut", "balance": 1}}',
            "ledger.json:1:17: ",
            "`accounts.a1`: `state`: expected one of `open`, `frozen`",
        ),
        ('{"accounts.a1": {}, "accounts.a1": {}}', "ledger.json:1:21: ", "given twice"),
        ('{"accounts.a1": {"balance": NaN}}', "ledger.json:1:29: ", "`NaN`"),
        ("{}{}", "ledger.json:1:3: ", "expected the end"),
        ("{}\n{}", "ledger.json:2:1: ", "expected the end"),
    ],
)
def test_ledger_files(run: Run, workplace: Path, text: str, place: str, said: str) -> None:
    (workplace / "ledger.json").write_text(text, encoding="utf-8")
    refused(run("gate", "bank", *FILES), place, said)


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("3", "call.json:1:1: ", "a call must be an object"),
        ("{}", "call.json:1:1: ", "`name` of a call must be text, found nothing"),
        ('{"name": 3}', "call.json:1:10: ", "found the number 3"),
        ('{"name": "pay", "argumens": {}}', "call.json:1:29: ", "did you mean `arguments`?"),
        ('{"name": "pay", "tool": "pay"}', "call.json:1:25: ", "not both"),
        ('{"function": []}', "call.json:1:14: ", "`function` must be an object"),
    ],
)
def test_call_files(run: Run, workplace: Path, text: str, place: str, said: str) -> None:
    (workplace / "call.json").write_text(text, encoding="utf-8")
    refused(run("gate", "bank", *FILES), place, said)


def test_files_that_cannot_be_read(run: Run) -> None:
    refused(run("replay", "bank", "none.json"), "", "cannot read `none.json`: No such file")
    refused(run("replay", "bank", "bank"), "", "cannot read `bank`: Is a directory")
    refused(run("gate", "bank", "--ledger", "-", "--call", "-"), "", "only one of")


def test_a_log_cut_in_half(run: Run, workplace: Path) -> None:
    text = json.dumps(small_bank())
    log = workplace / "log.json"
    log.write_text(text[: len(text) // 2], encoding="utf-8")
    refused(run("replay", "bank", "log.json"), f"log.json:1:{len(text) // 2 + 1}: ", "cut off")


def test_a_log_that_is_not_utf8(run: Run, workplace: Path) -> None:
    (workplace / "log.json").write_bytes(b'[\n"\xff"]')
    refused(run("replay", "bank", "log.json"), "log.json:2:2: ", "not UTF-8")


def test_options(run: Run, workplace: Path) -> None:
    log = workplace / "log.json"
    log.write_text(json.dumps(small_bank()), encoding="utf-8")
    for clock in ("soon", "", "2024-02-30", "2024-5-1", "12:00"):
        for command in (
            ("gate", "bank", *FILES),
            ("replay", "bank", "log.json"),
            ("diff", "bank", "bank", "--logs", "log.json"),
        ):
            refused(run(*command, "--clock", clock), "", "error: `--clock`: expected a time")
    done = run("gate", "bank", *FILES, "--without-tool", "get_acount")
    refused(done, "", "did you mean `get_account`?")
    for wrong in (["--format", "xml"], ["--colour"], []):
        done = run("replay", "bank", *wrong)
        assert (done.status, done.stdout) == (2, "")
        assert "Traceback" not in done.stderr


def broken(problem: str) -> str:
    return (
        "import ledger_verify.cli.replay as command\n"
        f"def broken(*_a, **_k): raise {problem}\n"
        f"command.replay_file = broken\n{MAIN}"
    )


@pytest.mark.parametrize("debug", [False, True])
def test_an_internal_error_is_one_line_and_never_a_success(start: Run, debug: bool) -> None:
    program = broken("RuntimeError('lost\\nmore')")
    done = start("replay", "bank", "log.json", *["--debug"] * debug, program=program)
    assert (done.status, done.stdout) == (70, "")
    assert ("Traceback" in done.stderr) is debug
    assert "error: internal error: RuntimeError: lost\n" in done.stderr


def test_an_interruption(start: Run) -> None:
    done = start("replay", "bank", "log.json", program=broken("KeyboardInterrupt"))
    assert (done.status, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_a_reader_that_goes_away(start: Run, workplace: Path) -> None:
    (workplace / "log.json").write_text(json.dumps(small_bank() * 400), encoding="utf-8")
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        done = start("replay", "bank", "log.json", "--show", "all", stdout=pipe)
    assert (done.status, done.stderr) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk(start: Run) -> None:
    with Path("/dev/full").open("wb") as full:
        done = start("gate", "bank", *FILES, stdout=full)
    assert done.status == 2
    assert done.stderr.startswith("error: cannot write to standard output")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="shell of POSIX")
@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_closed_streams(workplace: Path, closed: str) -> None:
    command = f'{sys.executable} -c "{MAIN}" gate bank {" ".join(FILES)} {closed}'
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    done = subprocess.run(command, shell=True, env=env, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert done.returncode == (2 if closed == ">&-" else 0)


def test_version(run: Run) -> None:
    done = run("--version")
    assert (done.status, done.stdout.split()[0]) == (0, "ledger-verify")
