"""Every check's docstring is its page, and the examples on it are right."""

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger_verify.checks.base.job import Check, SolverCheck
from ledger_verify.checks.catalog import CHECKS, page
from ledger_verify.policy.yaml_file import parse_yaml
from tests.checks.depot import ROOT, checked


def _name(check: Check) -> str:
    return check.ABOUT.name


def _examples(check: Check, kind: str) -> Iterator[str]:
    for found in re.finditer(rf"^{kind}:\n\n((?:    .*\n|\n)+)", page(check) + "\n", re.MULTILINE):
        yield textwrap.dedent(found[1])


@pytest.mark.parametrize("check", CHECKS, ids=_name)
def test_the_faulty_example_has_the_defect_and_no_other(check: Check, tmp_path: Path) -> None:
    examples = list(_examples(check, "Faulty"))
    assert examples
    for number, example in enumerate(examples):
        _, report = checked(parse_yaml(example, "page").data, tmp_path / str(number))
        assert {finding.code for finding in report.findings} == {check.ABOUT.code}, example
        assert all(f.severity == check.ABOUT.severity for f in report.findings)


@pytest.mark.parametrize("check", CHECKS, ids=_name)
def test_the_right_example_is_clean(check: Check, tmp_path: Path) -> None:
    examples = list(_examples(check, "Right"))
    assert examples
    for number, example in enumerate(examples):
        _, report = checked(parse_yaml(example, "page").data, tmp_path / str(number))
        assert report.findings == (), example


@pytest.mark.parametrize("check", CHECKS, ids=_name)
def test_the_page_says_what_is_wrong_and_what_is_claimed(check: Check) -> None:
    summary, *rest = page(check).splitlines()
    assert summary.endswith(".")
    assert len(rest) > 5
    if isinstance(check, SolverCheck):
        assert "Claim of the solver" in page(check)


def test_codes_and_names_are_unique_and_in_order() -> None:
    codes = [check.ABOUT.code for check in CHECKS]
    assert codes == sorted(set(codes))
    assert len({check.ABOUT.name for check in CHECKS}) == len(CHECKS)
    assert all(
        check.__name__.endswith(f".{check.ABOUT.name}")  # type: ignore[union-attr]
        for check in CHECKS
    )


def test_the_documentation_lists_all_checks() -> None:
    text = (ROOT / "docs" / "checks.md").read_text(encoding="utf-8")
    for check in CHECKS:
        summary = page(check).splitlines()[0].rstrip(".")
        about = check.ABOUT
        assert f"| {about.code} | `{about.name}` | {about.severity} | {summary} |" in text
