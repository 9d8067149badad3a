"""Seeded faults: every one in `faults/` is found by its check, and no near miss is blamed."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from ledger_verify.checks.catalog import CHECKS, selected
from ledger_verify.gate.cases import replay_case
from ledger_verify.gate.gate import Gate
from ledger_verify.generate.scenario import read_scenario
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.yaml_file import parse_yaml, read_yaml, yaml_text
from tests.checks.depot import checked

FOLDER = Path(__file__).parent / "faults"


def _seeds(kind: str) -> Iterator[Any]:
    for path in sorted(FOLDER.glob("*.yaml")):
        for name, example in read_yaml(path).data[kind].items():
            yield pytest.param(path.stem, example, id=f"{path.stem}: {name}")


def _case(counterexample: Mapping[str, Any], domain: Domain) -> Case:
    """The case that a finding shows, read like one of a scenario file."""
    text = yaml_text({"name": "found", **counterexample, "expect": {"verdict": "ALLOW"}})
    file = parse_yaml(text, "counterexample")
    return read_scenario(file, file.data, (), domain).case


@pytest.mark.parametrize(("check", "example"), list(_seeds("faulty")))
def test_a_fault_is_found(check: str, example: dict[str, Any], tmp_path: Path) -> None:
    """`finds` are the rules to blame, `also` the codes of what else is wrong."""
    domain, report = checked(example, tmp_path)
    code = selected([check])[0].ABOUT.code
    found = [finding for finding in report.findings if finding.code == code]
    assert found
    assert {f.code for f in report.findings} == {code, *example.get("also", ())}
    if "finds" in example:
        assert [list(finding.rules) for finding in found] == [example["finds"]]
    for finding in found:
        if finding.counterexample is not None:
            verdict = replay_case(Gate(domain), _case(finding.counterexample, domain))
            assert verdict.decided_by != "error"


@pytest.mark.parametrize(("check", "example"), list(_seeds("faulty")))
def test_a_finding_has_an_extent(check: str, example: dict[str, Any], tmp_path: Path) -> None:
    """Its end is the first column behind it, also where a template is to blame; a record of a JSON
    file is only a place.
    """
    _, report = checked(example, tmp_path)
    for finding in report.findings:
        if finding.location.file != "data.json":
            assert finding.end is not None
            start = finding.location
            assert (start.line, start.column) < (finding.end.line, finding.end.column)


@pytest.mark.parametrize(("check", "example"), list(_seeds("right")))
def test_a_near_miss_is_clean(check: str, example: dict[str, Any], tmp_path: Path) -> None:
    _, report = checked(example, tmp_path)
    assert report.findings == ()


def test_every_check_has_seeds() -> None:
    for check in CHECKS:
        data = read_yaml(FOLDER / f"{check.ABOUT.name}.yaml").data
        assert len(data["faulty"]) >= 3
        assert len(data["right"]) >= 3
