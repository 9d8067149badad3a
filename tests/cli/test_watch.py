"""Checking again when a file changes."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ledger_verify.cli.guard import INTERRUPTED
from ledger_verify.cli.watch import keep_watching, state
from ledger_verify.lang.errors import InputError
from tests.audit.bank import POLICY, bank_folder
from tests.checks.depot import ROOT
from tests.cli.running import MAIN, SHAPE

Step = Callable[[], object]


class Enough(Exception):
    """The steps of a test are done."""


def watched(folder: Path, run: Step, *steps: Step) -> None:
    """Watch the folder; each pause does the next step, and the last ends it."""
    rest = iter(steps)

    def pause() -> None:
        step = next(rest, None)
        if step is None:
            raise Enough
        step()

    times = iter(f"12:00:{second:02}" for second in range(60))
    with pytest.raises(Enough):
        keep_watching([folder], run, pause=pause, clock=lambda: next(times))


def nothing() -> None:
    return


def test_it_runs_once_and_again_for_every_change(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = bank_folder(tmp_path / "bank")
    runs = []

    def change(name: str, text: str) -> Step:
        def write() -> None:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")

        return write

    watched(
        folder,
        lambda: runs.append(len(state([folder]))),
        nothing,
        change("policy.yaml", "rules: []\n"),
        nothing,
        change("rules/mine.yaml", "name: mine\n"),
        change("README.md", "words\n"),
        (folder / "schema.yaml").unlink,
        nothing,
    )
    assert runs == [3, 3, 4, 3]
    assert capsys.readouterr().err.splitlines() == [
        line
        for second in range(4)
        for line in (f"--- 12:00:0{second} ---", "waiting for a change; Ctrl-C ends")
    ]


def test_a_change_of_the_same_size_is_seen(tmp_path: Path) -> None:
    folder = bank_folder(tmp_path / "bank")
    before = state([folder])
    path = folder / "policy.yaml"
    later = path.stat().st_mtime_ns + 1
    os.utime(path, ns=(later, later))
    assert state([folder]) != before


def test_bad_input_is_told_and_the_next_change_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = bank_folder(tmp_path / "bank")
    runs = []

    def run() -> None:
        runs.append(1)
        if len(runs) == 1:
            raise InputError("malformed YAML", hint="look")

    watched(folder, run, lambda: bank_folder(folder, policy="rules: []\n"))
    assert len(runs) == 2
    error = capsys.readouterr().err
    assert "error: malformed YAML\n  help: look\nwaiting for a change" in error


def test_a_folder_that_goes_away_and_comes_back(tmp_path: Path) -> None:
    folder = bank_folder(tmp_path / "bank")
    runs = []
    watched(
        folder,
        lambda: runs.append(folder.exists()),
        lambda: folder.rename(tmp_path / "aside"),
        nothing,
        lambda: (tmp_path / "aside").rename(folder),
    )
    assert runs == [True, False, True]


# programs that a shell starts in the background ignore the signal, and hand that on
INTERRUPTIBLE = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "


@pytest.fixture
def watcher(workplace: Path) -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE + MAIN, "check", "bank", "--watch", *SHAPE],
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as program:
        give_up = threading.Timer(120, program.kill)
        give_up.start()
        yield program
        give_up.cancel()
        program.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_from_the_first_run_to_the_interrupt(
    watcher: "subprocess.Popen[str]", workplace: Path
) -> None:
    _until_it_said(watcher, "bank: 3 rules, no findings")
    rule = "  - {id: any, tools: [pay], require: args.amount > 1 || args.amount < 2}\n"
    policy = workplace / "bank" / "policy.yaml"
    policy.write_text(POLICY + rule, encoding="utf-8")
    _until_it_said(watcher, "warning[LV102] `any` holds")
    policy.write_text("rules: [", encoding="utf-8")
    _until_it_said(watcher, "bank/policy.yaml:1:9: error: malformed YAML")
    policy.write_text(POLICY, encoding="utf-8")
    _until_it_said(watcher, "bank: 3 rules, no findings")
    watcher.send_signal(signal.SIGINT)
    assert watcher.stdout is not None
    rest = watcher.stdout.read()
    assert watcher.wait() == INTERRUPTED
    assert "Traceback" not in rest


def _until_it_said(program: "subprocess.Popen[str]", wanted: str) -> None:
    """Read until a run has said that, and the next change is waited for.

    A file may be seen half written, so runs in between may say something else.
    """
    assert program.stdout is not None
    lines = []
    for line in program.stdout:
        lines.append(line)
        if line.startswith("waiting") and any(wanted in said for said in lines):
            return
    raise AssertionError("".join(lines))
