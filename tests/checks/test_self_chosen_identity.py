"""An identity that the agent picks itself: found with its way in, and only where there is one."""

import shutil
from pathlib import Path

import pytest

from ledger_verify.checks import self_chosen_identity
from ledger_verify.checks.running.run import run_checks
from ledger_verify.policy.domain import Domain

ROOT = Path(__file__).resolve().parents[2]
OWN = ["reservation_of_the_user"]


def findings(domain: Domain) -> dict[str, list[str]]:
    """The notes of the findings, by rule."""
    (report,) = run_checks([domain], checks=[self_chosen_identity])
    assert all(finding.code == "LV701" for finding in report.findings), report.findings
    return {finding.rules[0]: list(finding.notes) for finding in report.findings}


def airline(folder: Path, without: tuple[str, ...]) -> Domain:
    """The airline without the lines of `domain.yaml` that begin so."""
    shutil.copytree(ROOT / "domains" / "airline", folder / "airline")
    path = folder / "airline" / "domain.yaml"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not line.strip().startswith(without or ("?",))]
    path.write_text("".join(kept), encoding="utf-8")
    return Domain.load(folder / "airline")


@pytest.mark.parametrize("name", ["airline", "retail", "telecom", "telehealth"])
def test_the_bundled_domains_have_no_such_rule(name: str) -> None:
    assert findings(Domain.load(name)) == {}


def test_the_airline_without_its_guards_has_the_way_in(tmp_path: Path) -> None:
    found = findings(airline(tmp_path, ("asks: {user_id", "identifies: user")))
    assert list(found) == OWN
    way = found["reservation_of_the_user"][-1]
    steps = way.removeprefix("the way in: ").split("; ")
    shown = [step.split(". ", 1)[1] for step in steps]
    reservation = next(i for i, s in enumerate(shown) if s.startswith("get_reservation_details("))
    profile = next(i for i, s in enumerate(shown) if s.startswith("get_user_details("))
    assert reservation < profile < len(shown) - 1
    assert shown[-1].endswith(": ALLOW")


@pytest.mark.parametrize("without", [("asks: {user_id",), ("identifies: user",)])
def test_either_guard_is_enough(tmp_path: Path, without: tuple[str, ...]) -> None:
    assert findings(airline(tmp_path, without)) == {}
