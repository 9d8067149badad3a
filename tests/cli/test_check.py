"""The options of `check`."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ledger_verify.cli.check import CLEAN, FINDINGS, UNDECIDED
from tests.audit.bank import DOMAIN, POLICY, bank_folder
from tests.cli.running import SHAPE, Run

VACUOUS = (
    POLICY + "  - {id: any_amount, tools: [pay], require: args.amount > 1 || args.amount < 2}\n"
)
DEAD = POLICY + (
    "  - {id: much, tools: [pay], require: args.amount > 5}\n"
    "  - {id: little, tools: [pay], require: args.amount < 5}\n"
)
NOTES = "amount: number, notes: {type: array, items: {type: string}}"
WITH_NOTES = DOMAIN.replace("amount: number", NOTES)
HARD = "rules:\n  - {id: hard, tools: [pay], require: args.notes.size() >= 500}\n"
TEMPLATE = "{name: mine, description: All., require: 'true', message: no}\n"
FORMATS = ("text", "json", "sarif", "github", "junit")


@pytest.fixture
def faulty(workplace: Path) -> Path:
    return bank_folder(workplace / "faulty", policy=VACUOUS + DEAD.removeprefix(POLICY))


def _well_formed(text: str, format: str) -> None:
    if format in ("json", "sarif"):
        json.loads(text)
    elif format == "junit":
        ElementTree.fromstring(text)
    else:
        assert "bank: " in text


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_says_the_same(run: Run, faulty: Path, format: str) -> None:
    clean = run("check", "bank", *SHAPE, "--format", format)
    assert (clean.status, clean.stderr) == (CLEAN, "")
    done = run("check", "faulty", *SHAPE, "--format", format)
    assert (done.status, done.stderr) == (FINDINGS, "")
    _well_formed(clean.stdout, format)
    _well_formed(done.stdout, format)
    for said in ("LV101", "LV102", "faulty/policy.yaml", "any_amount", "much"):
        assert said in done.stdout
    assert "any_amount" not in clean.stdout


@pytest.mark.parametrize("format", FORMATS)
def test_an_open_question_is_told_in_every_format(run: Run, faulty: Path, format: str) -> None:
    bank_folder(faulty, domain=WITH_NOTES, policy=HARD)
    done = run("check", "faulty", *SHAPE, "--format", format)
    assert done.status == UNDECIDED
    assert "LV001" in done.stdout


@pytest.mark.parametrize("format", FORMATS)
def test_a_report_in_a_file_leaves_text_for_people(
    run: Run, faulty: Path, workplace: Path, format: str
) -> None:
    alone = run("check", "faulty", *SHAPE, "--format", format)
    done = run("check", "faulty", *SHAPE, "--format", format, "-o", "report")
    assert done.status == FINDINGS
    assert "faulty/policy.yaml:20:" in done.stdout
    assert done.stdout.endswith("bank: 6 rules, 2 findings\n")
    written = (workplace / "report").read_text(encoding="utf-8")
    if format != "json":  # which counts what was kept
        assert written == alone.stdout
    _well_formed(written, format)


def test_a_report_that_cannot_be_written(run: Run) -> None:
    done = run("check", "bank", "--format", "sarif", "-o", "no/such/folder")
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr == "error: cannot write `no/such/folder`: No such file or directory\n"


def test_several_domains(run: Run, faulty: Path) -> None:
    done = run("check", "bank", "faulty", *SHAPE, "--format", "json")
    assert [len(one["findings"]) for one in json.loads(done.stdout)["domains"]] == [0, 2]
    suites = ElementTree.fromstring(
        run("check", "bank", "faulty", *SHAPE, "--format", "junit").stdout
    )
    assert [suite.get("failures") for suite in suites] == ["0", "2"]
    log = json.loads(run("check", "bank", "faulty", *SHAPE, "--format", "sarif").stdout)
    assert [len(one["results"]) for one in log["runs"]] == [2]


@pytest.mark.parametrize("format", FORMATS)
def test_domains_of_one_name_are_told_apart_by_their_folders(
    run: Run, faulty: Path, format: str
) -> None:
    alone = run("check", "faulty", *SHAPE, "--format", format).stdout
    done = run("check", "faulty", "bank", "airline", *SHAPE, "--format", format).stdout
    if format == "json":
        shown = json.loads(done)["domains"]
        assert [(one["domain"], Path(one["folder"]).name) for one in shown] == [
            ("bank", "faulty"), ("bank", "bank"), ("airline", "airline"),
        ]  # fmt: skip
    elif format == "junit":
        suites = [suite.get("name") for suite in ElementTree.fromstring(done)]
        assert suites == ["bank (faulty)", "bank (bank)", "airline"]
        assert 'classname="ledger-verify.bank (faulty)"' in done
    elif format == "sarif":
        results = json.loads(done)["runs"][0]["results"]
        assert {one["properties"]["domain"] for one in results} == {"bank (faulty)"}
    else:
        assert "bank (faulty): 6 rules, 2 findings\nbank (bank): 3 rules, no findings\n" in done
        assert "\nairline: " in done
    assert "(faulty)" not in alone


def test_a_file_stands_for_its_folder_and_each_folder_is_checked_once(
    run: Run, faulty: Path, workplace: Path
) -> None:
    (faulty / "rules").mkdir()
    (faulty / "rules" / "mine.yaml").write_text(TEMPLATE, encoding="utf-8")
    files = ("faulty/policy.yaml", "bank/schema.yaml", "faulty/rules/mine.yaml", "bank")
    last = str(workplace / "bank" / "domain.yaml")
    done = run("check", *files, last, *SHAPE, "--format", "json")
    shown = json.loads(done.stdout)["domains"]
    assert [len(one["findings"]) for one in shown] == [2, 0]
    assert shown[0]["findings"][0]["location"]["file"] == "faulty/policy.yaml"


def test_a_folder_here_is_not_taken_for_a_bundled_domain(run: Run, workplace: Path) -> None:
    bank_folder(workplace / "airline")
    assert "bank: 3 rules" in run("check", "airline/policy.yaml").stdout
    (workplace / "retail").write_text("a file", encoding="utf-8")
    assert run("check", "retail", "--ignore", "LV").stdout.startswith("retail: ")


def test_a_file_of_no_domain(run: Run, workplace: Path) -> None:
    (workplace / "schema.yaml").write_text("{}", encoding="utf-8")
    done = run("check", "schema.yaml")
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr == (
        "error: `schema.yaml` is no file of a domain\n  help: `.` has no `domain.yaml`\n"
    )


def test_no_domain_at_all(run: Run) -> None:
    done = run("check")
    assert done.status == 2
    assert done.stderr.startswith("error: no domain to check\n")


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        (("--select", "LV101"), ["LV101"]),
        (("--select", "vacuous_rule"), ["LV102"]),
        ((*SHAPE, "--ignore", "LV101"), ["LV102"]),
        (("--ignore", "LV"), []),
        (("--select", "LV101,vacuous_rule"), ["LV102", "LV101"]),
        (("--select", "LV1, LV5", "--ignore", "LV101,LV103,LV104,LV105,LV106,LV107"), ["LV102"]),
    ],
)
def test_checks_are_selected(
    run: Run, faulty: Path, options: tuple[str, ...], codes: list[str]
) -> None:
    done = run("check", "faulty", *options, "--format", "json")
    assert [f["code"] for f in json.loads(done.stdout)["findings"]] == codes
    assert done.status == (FINDINGS if codes else CLEAN)


def test_what_is_no_check_cannot_be_selected(run: Run) -> None:
    done = run("check", "bank", "--select", "LV001")
    assert done.status == 2
    assert "is not a check" in done.stderr
    done = run("check", "bank", "--ignore", "dead_acton")
    assert done.status == 2
    assert "did you mean `dead_action`?" in done.stderr


@pytest.mark.parametrize("name", ["LV101", "lv101", "dead_action"])
def test_a_page_is_shown_without_a_domain(run: Run, name: str) -> None:
    done = run("check", "--explain", name)
    assert (done.status, done.stderr) == (CLEAN, "")
    assert done.stdout.startswith("LV101 dead_action\n\nNo call of a write tool can ever be")
    assert "\n    rules:\n" in done.stdout


def test_the_page_of_what_stayed_undecided(run: Run) -> None:
    done = run("check", "--explain", "LV001")
    assert done.status == CLEAN
    assert "exit status 3" in done.stdout


def test_pages_for_programs(run: Run) -> None:
    page = json.loads(run("check", "--explain", "LV102", "--format", "json").stdout)
    assert (page["code"], page["name"], page["severity"]) == ("LV102", "vacuous_rule", "warning")
    assert "Faulty:" in page["page"]
    every = json.loads(run("check", "--explain", "all", "--format", "json").stdout)["checks"]
    assert [one["code"] for one in every[:2]] == ["LV001", "LV002"]
    listed = run("check", "--explain", "all").stdout.splitlines()
    assert len(listed) == len(every) + 1


@pytest.mark.parametrize(
    "name", ["LV5", "lv50", "LV501,prerequisite_cycle, LV503,LV504,endless_lock"]
)
def test_several_pages_are_listed(run: Run, name: str) -> None:
    codes = ["LV501", "LV502", "LV503", "LV504", "LV505"]
    listed = run("check", "--explain", name).stdout.splitlines()
    assert [line.split()[0] for line in listed[1:]] == codes
    shown = json.loads(run("check", "--explain", name, "--format", "json").stdout)["checks"]
    assert [one["code"] for one in shown] == codes


@pytest.mark.parametrize("option", ["--select", "--ignore", "--explain"])
@pytest.mark.parametrize(("text", "wrong"), [("LV101,LV9", "LV9"), ("LV101,", ""), ("", "")])
def test_each_of_several_names_must_be_a_check(
    run: Run, option: str, text: str, wrong: str
) -> None:
    done = run("check", "bank", option, text)
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: no check `{wrong}`\n")


def test_an_unknown_page(run: Run) -> None:
    done = run("check", "--explain", "dead_actoin")
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr == "error: no check `dead_actoin`\n  help: did you mean `dead_action`?\n"
    done = run("check", "--explain", "LV101", "--format", "junit")
    assert (done.status, done.stdout) == (2, "")
    assert "text or json" in done.stderr


def test_a_question_that_is_accepted_as_too_hard(run: Run, workplace: Path) -> None:
    accepted = HARD.replace("}", ", ignore: {LV101: nobody writes so many}}")
    bank_folder(workplace / "bank", domain=WITH_NOTES, policy=accepted)
    done = run("check", "bank", *SHAPE)
    assert done.status == CLEAN
    assert "no findings, 1 ignored" in done.stdout
