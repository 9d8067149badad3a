"""Reports for other programs are what these programs take."""

import copy
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from ledger_verify.cli.writers.github import github_commands
from ledger_verify.cli.writers.junit import junit_xml
from ledger_verify.cli.writers.sarif import sarif_log
from ledger_verify.cli.writers.section import Section
from ledger_verify.lang.errors import Location
from ledger_verify.source.json_text import json_text
from tests.cli.samples import ACCEPTED, CASE, DEFECT, OPEN, PAGES, SECTIONS, SPREAD, official


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _sarif(*sections: Section) -> Any:
    return json.loads(json_text(sarif_log(sections, PAGES, "1.2.3")))


@pytest.mark.parametrize("sections", [SECTIONS, (), (Section("one", ()),)])
def test_sarif_fits_the_official_schema(sections: tuple[Section, ...]) -> None:
    assert list(official().iter_errors(_sarif(*sections))) == []


def test_the_official_schema_finds_what_is_wrong() -> None:
    log = _sarif(*SECTIONS)
    breaks: list[Callable[[Any], object]] = [
        lambda result: result.pop("message"),
        lambda result: result.update(level="undecided"),
        lambda result: result.update(severity="error"),
        lambda result: result["suppressions"].append({"kind": "file"}),
        lambda result: result["locations"][0]["physicalLocation"]["region"].update(startLine=0),
    ]
    for break_it in breaks:
        broken = copy.deepcopy(log)
        break_it(broken["runs"][0]["results"][0])
        assert list(official().iter_errors(broken))


def test_sarif_results_point_at_their_rules() -> None:
    (run,) = _sarif(*SECTIONS)["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [page.about.code for page in PAGES]
    assert len(run["results"]) == 4
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        # a kind other than `fail` must have the level `none`
        assert (result["kind"] == "fail") == (result["level"] != "none")
    levels = [result["level"] for result in run["results"]]
    assert levels == ["error", "warning", "none", "warning"]
    assert [result["suppressions"] for result in run["results"]] == [
        [],
        [],
        [],
        [{"kind": "inSource", "justification": "kept for its message"}],
    ]


def test_sarif_places() -> None:
    first, second, third, _ = _sarif(*SECTIONS)["runs"][0]["results"]
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "depot/policy.yaml"}
    region = {"startLine": 11, "startColumn": 12, "endLine": 11, "endColumn": 29}
    assert place["region"] == region
    (other,) = first["relatedLocations"]  # the finding itself stands in `few`
    assert other["message"]["text"] == "rule `many`"
    assert other["physicalLocation"]["region"] == {"startLine": 4, "startColumn": 3}
    odd = second["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert urlparse(odd).scheme == ""
    assert unquote(odd) == SPREAD.location.file
    place = third["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "file:///elsewhere/policy.yaml"
    assert place["region"] == {"startLine": 4, "startColumn": 1}


def test_a_file_below_the_working_directory_is_relative_however_it_is_named(tmp_path: Path) -> None:
    absolute = replace(ACCEPTED, location=Location(str(tmp_path / "depot" / "policy.yaml"), 2, 3))
    roundabout = replace(ACCEPTED, location=Location("depot/../depot/policy.yaml", 2, 3))
    (run,) = _sarif(Section("depot", (absolute, roundabout)))["runs"]
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "depot/policy.yaml"


def _fingerprints(*findings: Any) -> list[str]:
    (run,) = _sarif(Section("depot", findings))["runs"]
    return [next(iter(result["partialFingerprints"].values())) for result in run["results"]]


def test_a_fingerprint_stays_when_lines_move_and_tells_findings_apart() -> None:
    moved = replace(DEFECT, location=Location("depot/policy.yaml", 99, 1), end=None)
    assert _fingerprints(DEFECT) == _fingerprints(moved)
    others = [
        replace(DEFECT, rules=("many",)),
        replace(DEFECT, tools=("weigh",)),
        replace(DEFECT, code="LV102"),
    ]
    assert len(set(_fingerprints(DEFECT, DEFECT, *others))) == 5


def test_sarif_keeps_the_case_as_data() -> None:
    first = _sarif(*SECTIONS)["runs"][0]["results"][0]
    assert first["properties"]["counterexample"] == json.loads(json.dumps(CASE))


# as GitHub's runner reads a command
_COMMAND = re.compile(r"::(?P<name>\w+) (?P<properties>[^:]*)::(?P<data>.*)")


def _read(line: str) -> tuple[str, dict[str, str], str]:
    found = _COMMAND.fullmatch(line)
    assert found, line
    properties = dict(part.split("=", 1) for part in found["properties"].split(","))
    return found["name"], {k: _plain(v) for k, v in properties.items()}, _plain(found["data"])


def _plain(text: str) -> str:
    escapes = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}
    return re.sub("%[0-9A-F]{2}", lambda escape: escapes[escape[0]], text)


def test_github_reads_back_what_was_said() -> None:
    commands = [_read(line) for line in github_commands(SECTIONS)]
    assert [name for name, _, _ in commands] == ["error", "warning", "warning"]
    _, properties, text = commands[0]
    assert properties == {
        "file": "depot/policy.yaml",
        "line": "11",
        "endLine": "11",
        "col": "12",
        "endColumn": "29",
        "title": "LV101 dead_action",
    }
    message, *rest = text.splitlines()
    assert message == r"no call of `ship`, ever: 100% of them\nare refused"
    assert re.search(r"^  args\.parcels +2$", text, re.MULTILINE)
    assert rest[-1] == "help: loosen one of these rules"


def test_github_gets_columns_within_one_line_only() -> None:
    properties = _read(list(github_commands(SECTIONS))[1])[1]
    assert properties["file"] == "a folder/pölicy:1.yaml"
    assert (properties["line"], properties["endLine"]) == ("3", "6")
    assert not {"col", "endColumn"} & set(properties)


def test_nothing_in_a_message_can_start_a_command_of_its_own() -> None:
    evil = replace(
        DEFECT,
        message="x\r\n::set-output name=a::b\u2028::error::c",
        location=Location("a,line=1::x\n.yaml", 1, 1),
    )
    (line,) = github_commands([Section("depot", (evil,))])
    assert "\n" not in line
    assert "\r" not in line
    assert _read(line)[1]["file"] == "a,line=1::x\n.yaml"


_ATTRIBUTES = {
    "testsuites": ({"name", "tests"}, {"time", "failures", "errors"}),
    "testsuite": ({"name", "tests"}, {"failures", "errors", "skipped", "time"}),
    "testcase": ({"name", "classname"}, {"time"}),
    "failure": (set(), {"type", "message"}),
    "error": (set(), {"type", "message"}),
    "skipped": (set(), {"message"}),
}
_CHILDREN = {"testsuites": {"testsuite"}, "testsuite": {"testcase"}}
_RESULTS = {"failure", "error", "skipped"}


def _fits(element: Element) -> None:
    """What the XML Schemas of Ant, Jenkins and Maven have in common."""
    required, optional = _ATTRIBUTES[element.tag]
    assert required <= set(element.attrib) <= required | optional
    if "time" in element.attrib:
        assert re.fullmatch(r"\d+\.\d{3}", element.attrib["time"])
    if element.tag == "testcase":
        assert len(element) <= 1
    for child in element:
        assert child.tag in _CHILDREN.get(
            element.tag, _RESULTS if element.tag == "testcase" else set()
        )
        _fits(child)


def _junit(*sections: Section) -> Element:
    root = ElementTree.fromstring(junit_xml(sections))
    _fits(root)
    return root


def test_junit_has_a_case_for_each_check_and_finding() -> None:
    root = _junit(*SECTIONS)
    shown = [
        (suite.get("name"), case.get("name"), [result.tag for result in case], case.get("time"))
        for suite in root
        for case in suite
    ]
    assert shown == [
        ("depot", "dead_action: many, few", ["failure"], "1.250"),
        ("depot", "vacuous_rule: any", ["failure"], "0.500"),
        ("depot", "vacuous_rule: hard", ["error"], "0.000"),
        ("depot", "vacuous_rule: kept", ["skipped"], "0.000"),
        ("depot", "other_check", [], "0.250"),
        ("<clean>", "dead_action", [], "0.001"),
    ]
    assert root.attrib == {
        "name": "ledger-verify", "tests": "6", "failures": "2", "errors": "1", "time": "2.001",
    }  # fmt: skip
    assert root[0].get("skipped") == "1"


def test_junit_survives_what_xml_cannot_hold() -> None:
    text = junit_xml(SECTIONS)
    assert text.isascii()
    failures = ElementTree.fromstring(text).findall(".//failure")
    assert failures[1].get("message") == (
        r"`any` holds in every possible case: \x1b[31m\ufffe it forbids nothing"
    )
    assert (failures[0].text or "").startswith("depot/policy.yaml:11:12: error[LV101] no call")


def test_junit_without_anything() -> None:
    assert _junit().attrib["tests"] == "0"
    (suite,) = _junit(Section("only", (OPEN,)))
    assert suite.get("errors") == "1"
