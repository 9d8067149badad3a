"""A domain that cannot be loaded is in every report, and the others are checked all the same."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ledger_verify.checks.catalog import pages
from tests.audit.bank import DOMAIN, POLICY, SCHEMA, bank_folder
from tests.cli.running import SHAPE, Done, Run
from tests.cli.samples import official

FORMATS = ("json", "sarif", "github", "junit")
TEMPLATE = "name: mine\nrequire: 'true'\n"
# what is wrong, and the file
FAULTS = [
    ({"policy": POLICY.replace("].state ==", "].stat ==", 1)}, "policy.yaml"),
    ({"policy": POLICY.replace("rules:", "rules: [", 1)}, "policy.yaml"),
    ({"domain": DOMAIN.replace("kind: read", "kind: reads", 1)}, "domain.yaml"),
    ({"schema": SCHEMA.replace("type: number", "type: nmber", 1)}, "schema.yaml"),
]


def _places(text: str, format: str) -> list[tuple[str, str, str]]:
    """File, line and code of every finding in a report."""
    if format == "json":
        whole = json.loads(text)
        found = [f for one in whole.get("domains", [whole]) for f in one["findings"]]
        places = [(f["location"]["file"], f["location"]["line"], f["code"]) for f in found]
    elif format == "sarif":
        log = json.loads(text)
        assert list(official().iter_errors(log)) == []
        places = []
        for result in log["runs"][0]["results"]:
            place = result["locations"][0]["physicalLocation"]
            line = place["region"]["startLine"]
            places.append((place["artifactLocation"]["uri"], line, result["ruleId"]))
    elif format == "github":
        commands = [line for line in text.splitlines() if line.startswith("::")]
        parts = [dict(p.split("=", 1) for p in c.split("::")[1][6:].split(",")) for c in commands]
        places = [(p["file"], p["line"], p["title"].split()[0]) for p in parts]
    else:
        failures = ElementTree.fromstring(text).findall(".//failure")
        places = [
            (*(failure.text or "").split(":")[:2], failure.get("type"))  # type: ignore[misc]
            for failure in failures
        ]
    return [(file, str(line), code) for file, line, code in places]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(("parts", "file"), FAULTS)
def test_the_error_is_a_finding_at_its_place(
    run: Run, workplace: Path, parts: dict[str, str], file: str, format: str
) -> None:
    bank_folder(workplace / "broken", **parts)
    done = run("check", "broken", "--format", format)
    assert done.status == 2
    _, line, _ = done.stderr.split(":")[:3]
    assert done.stderr.startswith(f"broken/{file}:")
    assert _places(done.stdout, format) == [(f"broken/{file}", line, "LV002")]


@pytest.mark.parametrize("format", FORMATS)
def test_the_other_domains_are_checked_and_the_report_is_written(
    run: Run, workplace: Path, format: str
) -> None:
    bank_folder(workplace / "broken", **FAULTS[0][0])
    never = POLICY + "  - {id: never, tools: [pay], require: args.amount > 5 && args.amount < 5}\n"
    bank_folder(workplace / "dead", policy=never)
    done = run("check", "broken", "dead", "bank", *SHAPE, "--format", format, "-o", "report")
    assert done.status == 2
    assert done.stdout.endswith("(dead): 4 rules, 1 finding\nbank (bank): 3 rules, no findings\n")
    report = (workplace / "report").read_text(encoding="utf-8")
    assert [code for _, _, code in _places(report, format)] == ["LV002", "LV101"]
    if format == "json":
        first = json.loads(report)["domains"][0]
        assert (first["domain"], first["revision"], first["checked"]) == ("broken", None, [])


def test_text_tells_it_on_standard_error_and_in_the_file(run: Run, workplace: Path) -> None:
    bank_folder(workplace / "broken", **FAULTS[0][0])
    alone = run("check", "broken")
    assert (alone.status, alone.stdout) == (2, "")
    done = run("check", "broken", "bank", *SHAPE, "-o", "report")
    assert done.stderr == alone.stderr
    assert done.stdout == "bank: 3 rules, no findings\n"
    written = (workplace / "report").read_text(encoding="utf-8")
    assert written.startswith("broken: not loaded: broken/policy.yaml:4:")
    assert written.endswith(done.stdout)


def _only(done: Done) -> tuple[str, str, str]:
    assert done.status == 2
    (place,) = _places(done.stdout, "github")
    return place


def test_whatever_keeps_a_domain_from_being_checked(run: Run, workplace: Path) -> None:
    (workplace / "empty").mkdir()
    assert _only(run("check", "empty", "--format", "github"))[::2] == ("empty/domain.yaml", "LV002")
    (workplace / "bank" / "rules").mkdir()
    (workplace / "bank" / "rules" / "mine.yaml").write_text(TEMPLATE, encoding="utf-8")
    done = run("check", "bank", *SHAPE, "--format", "github")
    assert _only(done)[::2] == ("bank/rules/mine.yaml", "LV002")
    (workplace / "bank" / "rules" / "mine.yaml").unlink()
    (workplace / "data.json").write_text('{"accounts":\n x', encoding="utf-8")
    done = run("check", "bank", *SHAPE, "--data", "data.json", "--format", "github")
    assert _only(done) == ("data.json", "2", "LV002")


def test_it_is_explained_and_no_check(run: Run) -> None:
    assert "unloadable" in {about.name for about in pages()}
    assert "exit status 2" in run("check", "--explain", "LV002").stdout
    done = run("check", "bank", "--select", "lv002")
    assert done.status == 2
    assert "says that a domain could not be loaded" in done.stderr
