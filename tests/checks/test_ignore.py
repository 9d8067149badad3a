"""`ignore` at rules and tools: what it accepts, and what is wrong with it."""

from pathlib import Path
from typing import Any

import pytest

from ledger_verify.checks.base.job import Settings
from ledger_verify.checks.catalog import selected
from ledger_verify.checks.running.report import Report
from ledger_verify.checks.running.run import run_checks
from ledger_verify.lang.errors import InputError
from tests.checks.depot import depot

WHY = "say why, as in `ignore: {LV104: kept for its message}`"


def rule(**more: Any) -> dict[str, Any]:
    """A rule that `vacuous_rule` is right about."""
    return {"id": "r", "tools": ["ship"], "require": "args.parcels >= 0", "clause": "c", **more}


def checked(example: dict[str, Any], folder: Path, *select: str) -> Report:
    (report,) = run_checks([depot(example, folder)], None, selected(select))
    return report


def codes(report: Report) -> list[str]:
    return [finding.code for finding in report.findings]


@pytest.mark.parametrize("name", ["LV102", "vacuous_rule"])
def test_a_finding_on_a_rule_is_accepted_by_code_or_name(name: str, tmp_path: Path) -> None:
    report = checked({"rules": [rule(ignore={name: "kept for the audit"})]}, tmp_path)
    assert report.findings == ()
    ((finding, reason),) = report.ignored
    assert (finding.code, finding.rules, reason) == ("LV102", ("r",), "kept for the audit")
    (shown,) = report.to_json()["ignored"]
    assert (shown["code"], shown["reason"]) == ("LV102", "kept for the audit")


def test_a_finding_on_a_tool_is_accepted_there(tmp_path: Path) -> None:
    tool = {"kind": "write", "ignore": {"LV202": "only staff"}}
    example = {"rules": [rule(require="args.parcels >= 1")], "tools": {"stop": tool}}
    report = checked(example, tmp_path)
    assert report.findings == ()
    assert [reason for _, reason in report.ignored] == ["only staff"]


def test_other_findings_on_the_rule_stay(tmp_path: Path) -> None:
    report = checked({"rules": [rule(clause="", ignore={"LV102": "why"})]}, tmp_path)
    assert codes(report) == ["LV207"]


def test_an_unknown_tool_cannot_be_accepted(tmp_path: Path) -> None:
    wrong = rule(tools=["ship", "shipp"], require="args.parcels >= 1", ignore={"LV201": "why"})
    report = checked({"rules": [wrong]}, tmp_path)
    assert codes(report) == ["LV201", "LV209"]
    assert "`unknown_tool` cannot be ignored" in report.findings[1].message


def test_an_open_question_is_accepted_like_a_defect(tmp_path: Path) -> None:
    hard = rule(
        require="args.parcels * args.parcels * args.parcels + 7 * args.parcels != 123457",
        ignore=dict.fromkeys(["LV101", "LV102", "LV106"], "too hard"),
    )
    domain = depot({"rules": [hard]}, tmp_path)
    (report,) = run_checks([domain], Settings(timeout_ms=1, resources=1))
    assert not report.undecided
    assert {finding.severity for finding, _ in report.ignored} == {"undecided"}
    assert codes(report) == []


def test_what_did_not_run_leaves_its_entries_alone(tmp_path: Path) -> None:
    example = {"rules": [rule(require="args.parcels >= 1", ignore={"LV102": "why"})]}
    assert codes(checked(example, tmp_path / "all")) == ["LV209"]
    assert codes(checked(example, tmp_path / "some", "LV207", "LV209")) == []
    assert codes(checked(example, tmp_path / "both", "LV102", "LV209")) == ["LV209"]
    assert codes(checked(example, tmp_path / "other", "LV102")) == []


def test_an_entry_that_names_no_check_says_which_was_meant(tmp_path: Path) -> None:
    example = {"rules": [rule(ignore={"LV102": "why", "vacous_rule": "why"})]}
    (finding,) = checked(example, tmp_path).findings
    assert (finding.code, finding.rules) == ("LV209", ("r",))
    assert finding.message == "this `ignore` accepts no finding: `vacous_rule` is no check"
    assert finding.fix == "did you mean `vacuous_rule`?"
    line = (tmp_path / "policy.yaml").read_text().splitlines()[finding.location.line - 1]
    assert line[finding.location.column - 1 :].startswith("vacous_rule:")
    assert finding.end is not None
    assert finding.end.column - finding.location.column == len("vacous_rule")


@pytest.mark.parametrize(
    ("ignore", "told"),
    [
        (["LV102"], "give each code its reason, as in `ignore: {LV104: kept for its message}`"),
        ("LV102", "give each code its reason"),
        *(({"LV102": given}, WHY) for given in ("", "  ", None, True, 5, ["why"], {"why": "so"})),
    ],
    ids=str,
)
@pytest.mark.parametrize("owner", ["rule", "tool"])
def test_a_reason_is_required(ignore: Any, told: str, owner: str, tmp_path: Path) -> None:
    example: dict[str, Any] = {"rules": [rule(ignore=ignore)]}
    if owner == "tool":
        example = {"tools": {"open_till": {"kind": "write", "ignore": ignore}}}
    with pytest.raises(InputError) as caught:
        depot(example, tmp_path)
    problem = caught.value
    assert told in problem.message
    assert "value error" not in problem.message
    assert problem.location is not None
    lines = Path(problem.location.file).read_text(encoding="utf-8").splitlines()
    assert "LV102" in "".join(lines[problem.location.line - 2 : problem.location.line])


def test_what_counts_for_nothing_leaves_its_entries_alone(tmp_path: Path) -> None:
    never = ["ledger.orders.all(o, o.total > 5.0)", "ledger.orders.all(o, o.total < 5.0)"]
    example = {"rules": [rule(ignore={"LV102": "why"})], "assumptions": never}
    assert codes(checked(example, tmp_path)) == ["LV601"]


def test_braces_of_a_user_stay(tmp_path: Path) -> None:
    wrong = rule(require='args.speed == "{tools}" || args.parcels > 1')
    (found,) = checked({"rules": [wrong]}, tmp_path).findings
    assert '"{tools}"' in found.message
