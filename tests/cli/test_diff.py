"""`diff`: its text, its JSON, its exit status, and logs beside the proof."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.audit.bank import DOMAIN, POLICY, SCHEMA, bank_folder
from tests.audit.samples import small_bank
from tests.cli.running import Run
from tests.cli.samples import official

FROZEN = '].state == "open"'
EITHER = '].state in ["open", "frozen"]'


@pytest.fixture
def wider(workplace: Path) -> str:
    """The bank that also closes frozen accounts and pays from them."""
    assert FROZEN in POLICY
    bank_folder(workplace / "wider", policy=POLICY.replace(FROZEN, EITHER))
    return "wider"


@pytest.fixture
def log(workplace: Path) -> str:
    (workplace / "log.json").write_text(json.dumps(small_bank()), encoding="utf-8")
    return "log.json"


def test_text(run: Run, wider: str) -> None:
    done = run("diff", "bank", wider)
    assert (done.status, done.stderr) == (1, "")
    assert done.stdout.startswith("OLD bank, NEW wider\nrule changed: account_open\n\n")
    assert "pay: newly allowed: yes (see below); newly refused: none (proved)\n" in done.stdout
    assert "  OLD: BLOCK - account " in done.stdout
    assert (
        "    rule account_open (bank/policy.yaml:4:14; in NEW: wider/policy.yaml:4:14)\n"
        in done.stdout
    )
    assert "  NEW: ALLOW\n" in done.stdout


def test_equivalent(run: Run) -> None:
    done = run("diff", "bank", "bank")
    assert (done.status, done.stderr) == (0, "")
    assert done.stdout == (
        "OLD bank, NEW bank\n\nthe same calls allowed (proved): close_account, pay\n"
    )


@pytest.mark.parametrize(
    ("words", "status", "last"),
    [
        (("bank", "wider"), 1, "not a narrowing: something became allowed"),
        (("wider", "bank"), 0, "nothing became allowed (proved)"),
        (("bank", "bank"), 0, "nothing became allowed (proved)"),
    ],
)
def test_narrowing_only(
    run: Run, wider: str, words: tuple[str, str], status: int, last: str
) -> None:
    done = run("diff", *words, "--narrowing-only")
    assert done.status == status
    assert done.stdout.splitlines()[-1] == last


def test_undecided(run: Run, workplace: Path) -> None:
    touch = '    touches: ["accounts.{args.account_id}.balance"]\n'
    assert touch in DOMAIN
    bank_folder(workplace / "other", domain=DOMAIN.replace(touch, ""))
    done = run("diff", "bank", "other")
    assert done.status == 3
    assert "not proved: `pay` touches something else than before" in done.stdout
    narrowing = run("diff", "bank", "other", "--narrowing-only")
    assert narrowing.status == 3
    assert narrowing.stdout.splitlines()[-1].startswith("not known to be a narrowing")
    policy = POLICY.replace(FROZEN, EITHER)
    bank_folder(workplace / "both", domain=DOMAIN.replace(touch, ""), policy=policy)
    assert run("diff", "bank", "both").status == 1  # a real difference wins


def test_json(run: Run, wider: str) -> None:
    done = run("diff", "bank", wider, "--format", "json")
    assert (done.status, done.stderr) == (1, "")
    report = json.loads(done.stdout)
    assert list(report) == ["old", "new", "tools", "rules", "notes", "unproved", "logs"]
    assert report["old"]["domain"] == "bank"
    assert report["old"]["revision"] != report["new"]["revision"]
    assert report["rules"] == {"added": [], "removed": [], "changed": ["account_open"]}
    assert report["logs"] is None
    tools = {tool["tool"]: tool for tool in report["tools"]}
    assert list(tools) == ["close_account", "pay"]
    found = tools["pay"]["newly_allowed"]
    assert (found["outcome"], found["bound"], found["reason"]) == ("FOUND", None, None)
    assert (found["old"]["verdict"], found["new"]["verdict"]) == ("BLOCK", "ALLOW")
    assert [rule["id"] for rule in found["rules"]] == ["account_open"]
    (record,) = found["counterexample"]["ledger"].values()
    assert record["state"] == "frozen"
    assert tools["pay"]["newly_refused"] == {
        "outcome": "NONE", "bound": None, "reason": None, "counterexample": None,
        "old": None, "new": None, "rules": [],
    }  # fmt: skip
    assert run("diff", "bank", wider, "--format", "json").stdout == done.stdout


def test_the_counterexample_is_a_ledger_and_a_call_for_gate(
    run: Run, wider: str, workplace: Path
) -> None:
    report = json.loads(run("diff", "bank", wider, "--format", "json").stdout)
    case = report["tools"][0]["newly_allowed"]["counterexample"]
    call = {"name": case["call"]["tool"], "arguments": case["call"]["arguments"]}
    (workplace / "l.json").write_text(json.dumps(case["ledger"]), encoding="utf-8")
    (workplace / "c.json").write_text(json.dumps(call), encoding="utf-8")
    files = ("--ledger", "l.json", "--call", "c.json")
    assert run("gate", "bank", *files).status == 20
    assert run("gate", wider, *files).status == 0


def test_a_schema_that_keeps_records_out_is_told(run: Run, workplace: Path) -> None:
    schema = SCHEMA.replace("required: [account_id,", "required: [account_id, opened,")
    bank_folder(workplace / "strict", schema=schema)
    done = run("diff", "bank", "strict")
    assert done.status == 1
    assert "the schema of records at `accounts.*` was changed" in done.stdout
    assert "no evidence to NEW: `accounts." in done.stdout
    assert "required field `opened`" in done.stdout
    assert run("diff", "bank", "strict", "--narrowing-only").status == 0


def test_logs_stand_beside_the_proof(run: Run, wider: str, log: str) -> None:
    done = run("diff", "bank", wider, "--logs", log)
    assert (done.status, done.stderr) == (1, "")
    past = done.stdout[done.stdout.index("logs: ") :].splitlines()
    assert past[0] == "logs: 2 conversations, 2 writes"
    assert past[1].split() == ["OLD", "NEW", "writes"]
    assert sorted(line.split() for line in past[2:4]) == [
        ["ALLOW", "ALLOW", "1"],
        ["BLOCK", "ALLOW", "1"],
    ]
    assert "log.json: conversation 4, trial 2, call 1, reward 0" in "\n".join(past)
    assert any(line.startswith("  OLD: BLOCK - account ") for line in past)
    assert past[-1] == "  NEW: ALLOW"


def test_logs_do_not_change_the_outcome(run: Run, log: str) -> None:
    done = run("diff", "bank", "bank", "--logs", log)
    assert done.status == 0
    assert done.stdout.endswith("no recorded call is judged otherwise\n")


def test_logs_in_json(run: Run, wider: str, log: str) -> None:
    words = ("diff", "bank", wider, "--format", "json", "--logs", log, "--logs", log)
    logs = json.loads(run(*words).stdout)["logs"]
    assert (logs["files"], logs["conversations"], logs["writes"]) == ([log, log], 4, 4)
    counts = {(count["old"], count["new"]): count["count"] for count in logs["verdicts"]}
    assert counts == {("ALLOW", "ALLOW"): 2, ("BLOCK", "ALLOW"): 2}
    for decision in logs["different"]:
        assert (decision["old"]["verdict"], decision["new"]["verdict"]) == ("BLOCK", "ALLOW")
        assert (decision["file"], decision["conversation"], decision["index"]) == (log, 4, 1)


def test_a_call_that_only_one_side_judges(run: Run, workplace: Path, log: str) -> None:
    name = "  close_account:\n    kind: "
    neutral = DOMAIN.replace(f"{name}write", f"{name}neutral")
    neutral = neutral.replace('    touches: ["accounts.{args.account_id}"]\n', "")
    bank_folder(workplace / "other", domain=neutral)
    done = run("diff", "bank", "other", "--format", "json", "--logs", log)
    logs = json.loads(done.stdout)["logs"]
    assert {count["new"] for count in logs["verdicts"]} == {"not judged"}
    assert all(decision["new"] is None for decision in logs["different"])


def test_logs_of_domains_without_a_clock(run: Run, workplace: Path, log: str) -> None:
    unpinned = DOMAIN.replace("clock: 2024-05-15T15:00:00\n", "")
    bank_folder(workplace / "other", domain=unpinned)
    done = run("diff", "bank", "other", "--logs", log)
    assert "note: domain `bank` pins no clock" in done.stderr
    assert run("diff", "other", "other", "--logs", log, "--clock", "2024-05-15T15:00").stderr == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere", "bank"), "nowhere"),
        (("bank", "nowhere"), "nowhere"),
        (("bank", "airlin"), "did you mean `airline`?"),
        (("bank", "bank", "--logs", "nowhere.json"), "nowhere.json"),
        (("bank", "bank", "--logs", "ledger.json"), "ledger.json"),
        (("bank", "bank", "--logs", "log.json", "--clock", "soon"), "`--clock`"),
        (("bank",), "NEW"),
        (("bank", "bank", "--scope", "0"), "scope"),
    ],
)
def test_bad_input(run: Run, log: str, words: tuple[str, ...], said: str) -> None:
    done = run("diff", *words)
    assert (done.status, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_broken_policy_is_told_with_its_place(run: Run, workplace: Path) -> None:
    bank_folder(workplace / "broken", policy=POLICY.replace("].state ==", "].stat =="))
    done = run("diff", "bank", "broken")
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.startswith("broken/policy.yaml:4:")
    assert "did you mean `state`?" in done.stderr


def test_sarif_fits_the_official_schema(run: Run, wider: str) -> None:
    done = run("diff", "bank", wider, "--format", "sarif")
    assert done.status == 1
    log = json.loads(done.stdout)
    official().validate(log)
    results = log["runs"][0]["results"]
    assert {result["ruleId"] for result in results} == {"LV801"}
    assert {result["locations"][0]["physicalLocation"]["region"]["startLine"] for result in results}


def test_marks_for_github_stand_in_the_new_policy(run: Run, wider: str) -> None:
    done = run("diff", "bank", wider, "--format", "github")
    *marks, closing = done.stdout.splitlines()
    assert all(mark.startswith("::warning file=wider/policy.yaml,line=4,") for mark in marks)
    assert closing == f"bank: {len(marks)} differences"


def test_junit_has_a_failure_for_each_difference(run: Run, wider: str) -> None:
    done = run("diff", "bank", wider, "--format", "junit")
    suite = ElementTree.fromstring(done.stdout)
    assert {failure.get("type") for failure in suite.iter("failure")} == {"LV801"}


@pytest.mark.parametrize("format", ["sarif", "github", "junit"])
def test_a_narrowing_has_nothing_to_report(run: Run, wider: str, format: str) -> None:
    done = run("diff", wider, "bank", "--narrowing-only", "--format", format)
    assert done.status == 0
    assert "newly allowed" not in done.stdout
    assert "newly refused" not in done.stdout
