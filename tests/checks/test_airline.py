"""The checks on the airline domain, as it is and with two faults planted in a copy."""

import shutil
from pathlib import Path

import pytest

from ledger_verify.checks import dead_action, vacuous_rule
from ledger_verify.policy.data_files import find_domain
from ledger_verify.policy.domain import Domain
from tests.checks.shop import report

PLANTED = """
  - id: planted_contradiction
    tools: [book_reservation]
    require: size(args.passengers) >= 6
  - id: planted_vacuous_rule
    tools: [update_reservation_passengers]
    require: >
      size(args.passengers) >= 1

# Facts of the airline's records.
"""


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A copy of the airline domain with a contradiction and a vacuous rule."""
    folder = tmp_path / "airline"
    shutil.copytree(find_domain("airline"), folder)
    policy = folder / "policy.yaml"
    text = policy.read_text()
    assert text.count("\n# Facts of the airline's records.\n") == 1
    policy.write_text(text.replace("\n# Facts of the airline's records.\n", PLANTED))
    return folder


def test_the_airline_policy_is_clean() -> None:
    result = report(Domain.load("airline"))
    assert result.findings == ()
    assert not result.undecided
    assert all(summary.proved for summary in result.checked)


def test_exactly_the_planted_faults_are_found(planted: Path) -> None:
    result = report(Domain.load(planted))
    contradiction, vacuous = result.findings
    lines = (planted / "policy.yaml").read_text().splitlines()

    assert contradiction.code == dead_action.ABOUT.code
    assert contradiction.core == ("at_most_five_passengers", "planted_contradiction")
    assert contradiction.location.file == str(planted / "policy.yaml")
    assert lines[contradiction.location.line - 1] == "    require: size(args.passengers) >= 6"
    assert contradiction.location.column == len("    require: ") + 1

    assert vacuous.code == vacuous_rule.ABOUT.code
    assert vacuous.rules == ("planted_vacuous_rule",)
    assert lines[vacuous.location.line - 1] == "      size(args.passengers) >= 1"
    assert vacuous.counterexample is None
    assert not result.undecided
