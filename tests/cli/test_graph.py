"""`graph`: where the picture goes, in which language, and how it ends."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.audit.bank import POLICY, bank_folder
from tests.cli.running import Run

VACUOUS = f"""{POLICY}
  - id: any_amount
    tools: [pay]
    require: args.amount > 1.0 || args.amount <= 1.0
    clause: Any amount.
"""


def test_mermaid_by_default(run: Run) -> None:
    done = run("graph", "bank")
    assert done.status == 0
    assert done.stdout.startswith("flowchart LR\n")
    assert '"get_account"' in done.stdout
    assert "warning" not in done.stdout


@pytest.mark.parametrize(
    ("format", "begin"), [("dot", "digraph"), ("svg", "<svg "), ("mermaid", "flow")]
)
def test_each_language(run: Run, format: str, begin: str) -> None:
    assert run("graph", "bank", "--format", format).stdout.startswith(begin)


@pytest.mark.parametrize(
    ("file", "begin"),
    [
        ("a.svg", "<svg "),
        ("a.dot", "digraph"),
        ("a.gv", "digraph"),
        ("a.mmd", "flow"),
        ("a", "flow"),
    ],
)
def test_the_ending_of_the_file_says_the_language(
    run: Run, workplace: Path, file: str, begin: str
) -> None:
    done = run("graph", "bank", "-o", file)
    assert (done.status, done.stdout) == (0, "")
    assert (workplace / file).read_text(encoding="utf-8").startswith(begin)


def test_a_language_that_is_given_counts_more(run: Run, workplace: Path) -> None:
    assert run("graph", "bank", "--format", "dot", "-o", "a.svg").status == 0
    assert (workplace / "a.svg").read_text(encoding="utf-8").startswith("digraph")


def test_findings_are_marked_and_the_status_stays(run: Run, workplace: Path) -> None:
    bank_folder(workplace / "loose", policy=VACUOUS)
    done = run("graph", "loose")
    assert done.status == 0
    assert '"any_amount<br/>LV102"' in done.stdout
    assert "class n" in done.stdout
    plain = run("graph", "loose", "--no-check")
    assert plain.status == 0
    assert '"any_amount"' in plain.stdout
    assert "LV102" not in plain.stdout


def test_the_message_of_a_finding_is_in_the_svg(run: Run, workplace: Path) -> None:
    bank_folder(workplace / "loose", policy=VACUOUS)
    root = ElementTree.fromstring(run("graph", "loose", "--format", "svg").stdout)
    told = [title.text or "" for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert any("warning[LV102] `any_amount` holds in every possible case" in text for text in told)


def test_a_tool_that_the_domain_has_not_is_no_obstacle(run: Run, workplace: Path) -> None:
    bank_folder(workplace / "stray", policy=POLICY.replace("[close_account, pay]", "[pay, close]"))
    done = run("graph", "stray")
    assert done.status == 0
    assert '"account_open' in done.stdout


SAYS_WHETHER_THE_SOLVER_IS_LOADED = (
    "import sys\n"
    "from ledger_verify.cli.app import app\n"
    "try:\n"
    "    app(prog_name='ledger-verify')\n"
    "finally:\n"
    "    print('z3' in sys.modules, file=sys.stderr)\n"
)


def test_without_checks_no_solver_is_loaded(start: Run) -> None:
    arguments = ("graph", "bank", "--no-check", "-o", "a.svg")
    done = start(*arguments, program=SAYS_WHETHER_THE_SOLVER_IS_LOADED)
    assert (done.status, done.stderr.strip()) == (0, "False")


def test_answers_of_earlier_runs_are_used(
    start: Run, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEDGER_VERIFY_CACHE", str(workplace / "cache"))
    drawn = []
    for more, loaded in (((), "True"), ((), "False"), (("--no-cache",), "True")):
        arguments = ("graph", "bank", "--processes", "1", *more)
        done = start(*arguments, program=SAYS_WHETHER_THE_SOLVER_IS_LOADED)
        assert (done.status, done.stderr.strip()) == (0, loaded)
        drawn.append(done.stdout)
    assert len(set(drawn)) == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere"], "nowhere"),
        (["bank", "-o", "missing/a.svg"], "cannot write `missing/a.svg`"),
        (["bank", "-o", "."], "cannot write `.`"),
        (["bank", "--format", "png"], "png"),
    ],
)
def test_bad_input(run: Run, arguments: list[str], told: str) -> None:
    done = run("graph", *arguments)
    assert done.status == 2
    assert told in done.stderr


def test_a_policy_that_does_not_load(run: Run, workplace: Path) -> None:
    bank_folder(workplace / "wrong", policy=POLICY.replace(".state", ".stat"))
    done = run("graph", "wrong")
    assert done.status == 2
    assert "wrong/policy.yaml:4:" in done.stderr


@pytest.mark.parametrize("name", ["bank.png", "bank.svg2", "bank.PDF", "a.svg/../bank.txt"])
def test_an_ending_of_no_picture_is_refused_before_anything_is_written(
    run: Run, workplace: Path, name: str
) -> None:
    done = run("graph", "bank", "--no-check", "-o", name)
    assert (done.status, done.stdout) == (2, "")
    ending = Path(name).suffix.lower()
    assert done.stderr.startswith(f"error: `{name}`: no picture is written as `{ending}`\n")
    assert "`.svg`, `.dot`, `.gv`, `.mmd`, `.mermaid`, `.md`" in done.stderr
    assert not (workplace / name).exists()


@pytest.mark.parametrize("name", ["bank.mmd", "bank.md", "bank.MERMAID", "picture"])
def test_endings_of_mermaid(run: Run, workplace: Path, name: str) -> None:
    assert run("graph", "bank", "--no-check", "-o", name).status == 0
    assert (workplace / name).read_text(encoding="utf-8").startswith("flowchart LR\n")


def test_a_format_that_is_said_goes_with_any_ending(run: Run, workplace: Path) -> None:
    assert run("graph", "bank", "--no-check", "--format", "svg", "-o", "bank.png").status == 0
    assert (workplace / "bank.png").read_text(encoding="utf-8").startswith("<svg")
