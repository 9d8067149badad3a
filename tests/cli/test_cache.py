"""Answers that are kept between runs: found again, never wrong, done without where broken."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.audit.bank import POLICY, bank_folder
from tests.checks.depot import ROOT
from tests.cli.running import MAIN, SHAPE, Run

LOADED = f"""
import sys
try:
    {MAIN}
finally:
    print("z3" in sys.modules, file=sys.stderr)
"""


@pytest.fixture(autouse=True)
def cache(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LEDGER_VERIFY_CACHE", str(workplace / "cache"))
    return workplace / "cache"


def _asked(run: Run, *options: str) -> dict[str, int]:
    """How many questions of each check were asked anew."""
    done = run("check", "bank", *SHAPE, "--format", "json", *options)
    assert done.status == 0, done.stderr
    return {
        one["check"]: one["proved"] + one["refuted"] + one["undecided"] - one["cached"]
        for one in json.loads(done.stdout)["checked"]
    }


def test_a_second_run_asks_nothing_and_does_not_load_the_solver(start: Run) -> None:
    first = start("check", "bank", *SHAPE, program=LOADED)
    second = start("check", "bank", *SHAPE, program=LOADED)
    assert first.stderr.splitlines()[-1] == "True"
    assert second.stderr.splitlines()[-1] == "False"
    assert (first.status, first.stdout) == (second.status, second.stdout)


def test_a_changed_rule_asks_its_own_questions_only(run: Run, workplace: Path) -> None:
    everything = {"dead_action": 2, "vacuous_rule": 3}
    assert _asked(run) == everything
    assert _asked(run) == {"dead_action": 0, "vacuous_rule": 0}
    # `balance_suffices` is a rule of `pay` alone
    changed = POLICY.replace("balance >= args.amount", "balance > args.amount")
    bank_folder(workplace / "bank", policy=changed)
    assert _asked(run) == {"dead_action": 1, "vacuous_rule": 1}
    # a message is no part of any question
    bank_folder(workplace / "bank", policy=changed.replace("more than there is", "too much"))
    assert _asked(run) == {"dead_action": 0, "vacuous_rule": 0}
    assert _asked(run, "--scope", "5") == everything


def test_findings_are_kept_with_their_places(run: Run, workplace: Path) -> None:
    rule = "  - {id: any, tools: [pay], require: args.amount > 1 || args.amount < 2}\n"
    bank_folder(workplace / "bank", policy=POLICY + rule)
    first = run("check", "bank", *SHAPE).stdout
    assert "policy.yaml:18:38: warning[LV102]" in first
    assert run("check", "bank", *SHAPE).stdout == first
    bank_folder(workplace / "bank", policy=f"# moved\n{POLICY}{rule}")
    assert "policy.yaml:19:38: warning[LV102]" in run("check", "bank", *SHAPE).stdout


def test_findings_on_a_copy_tell_the_places_of_the_copy(
    run: Run, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = "  - {id: any, tools: [pay], require: args.amount > 1 || args.amount < 2}\n"
    for name in ("bank", "copy"):
        bank_folder(workplace / name, policy=POLICY + rule)
    assert run("check", "bank", *SHAPE).stdout.startswith("bank/policy.yaml:18:")
    assert run("check", "copy", *SHAPE).stdout.startswith("copy/policy.yaml:18:")
    monkeypatch.chdir(workplace / "copy")
    assert run("check", ".", *SHAPE).stdout.startswith("policy.yaml:18:")


def test_without_the_cache_nothing_is_kept(run: Run, cache: Path) -> None:
    assert sum(_asked(run, "--no-cache").values()) == 5
    assert not cache.exists()


def test_the_users_folder_for_caches(
    run: Run, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LEDGER_VERIFY_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(workplace / "users"))
    run("check", "bank", *SHAPE)
    assert [path.name for path in (workplace / "users" / "ledger-verify").iterdir()] == [
        "answers.sqlite"
    ]


def _garbage(file: Path) -> None:
    file.write_bytes(b"this is no database" * 1000)


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:5000])


def _other_columns(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.executescript("DROP TABLE sealed; CREATE TABLE sealed(key TEXT)")


def _other_answers(text: str) -> Callable[[Path], None]:
    def put(file: Path) -> None:
        raw = text.encode("utf-8", "surrogateescape")
        with sqlite3.connect(file) as connection:
            changed = connection.execute("UPDATE sealed SET answer = CAST(? AS TEXT)", (raw,))
            assert changed.rowcount >= 5

    return put


def _a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


_NO_ANSWERS = ('["NONE", null, null]', "5", "null", '"PROVED"', "[[1]]", "nonsense", "\udcff")


@pytest.mark.parametrize(
    "damage",
    [_garbage, _cut, _other_columns, _a_folder, *map(_other_answers, _NO_ANSWERS)],
)
def test_a_damaged_file_is_done_without(
    run: Run, cache: Path, damage: Callable[[Path], None]
) -> None:
    run("check", "bank", *SHAPE)
    damage(cache / "answers.sqlite")
    assert sum(_asked(run).values()) == 5
    assert run("check", "bank", *SHAPE).stderr == ""


def test_a_folder_that_cannot_be_made_is_done_without(run: Run, cache: Path) -> None:
    cache.write_text("a file", encoding="utf-8")
    assert run("check", "bank", *SHAPE).status == 0


def test_two_processes_at_once(workplace: Path, cache: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", MAIN, "check", "bank", *SHAPE],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for _ in range(2)
    ]  # fmt: skip
    for program in programs:
        said = program.communicate(timeout=120)
        assert (program.returncode, *said) == (0, "bank: 3 rules, no findings\n", "")
    with sqlite3.connect(cache / "answers.sqlite") as connection:
        (count,) = connection.execute("SELECT count(*) FROM sealed").fetchone()
    assert count >= 5


# --- who may put an answer there ---


def _asks(run: Run) -> int:
    return sum(_asked(run).values())


def test_answers_of_another_machine_count_only_by_a_shared_key(
    run: Run, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for machine in ("one", "other"):
        monkeypatch.setenv("XDG_STATE_HOME", str(workplace / machine))
        assert (_asks(run), _asks(run)) == (5, 0)
    monkeypatch.setenv("LEDGER_VERIFY_CACHE_KEY", "what the machines share")
    assert _asks(run) == 5
    for machine in ("one", "other"):
        monkeypatch.setenv("XDG_STATE_HOME", str(workplace / machine))
        assert _asks(run) == 0
    monkeypatch.setenv("LEDGER_VERIFY_CACHE_KEY", "a guess")
    assert _asks(run) == 5


def test_an_answer_under_the_key_of_another_question_is_not_believed(run: Run, cache: Path) -> None:
    _asks(run)
    with sqlite3.connect(cache / "answers.sqlite") as connection:
        rows = connection.execute("SELECT key, answer, seal FROM sealed ORDER BY key").fetchall()
        for (key, *_), (_, answer, seal) in zip(rows, [*rows[1:], rows[0]], strict=True):
            connection.execute(
                "UPDATE sealed SET answer = ?, seal = ? WHERE key = ?", (answer, seal, key)
            )
    assert _asks(run) == 5


def test_the_secret_is_the_users_alone(
    run: Run, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(workplace / "state"))
    assert (_asks(run), _asks(run)) == (5, 0)
    (secret,) = (workplace / "state").rglob("cache.key")
    assert secret.stat().st_mode & 0o777 == 0o600
    secret.chmod(0o644)
    assert _asks(run) == 5  # others may know it: nothing there is believed
    secret.chmod(0o600)
    secret.write_bytes(b"short")
    assert _asks(run) == 5
