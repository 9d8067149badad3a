"""Questions about the bundled domains are nowhere near the limits, however slow the machine is."""

import pytest

from ledger_verify.checks.base.job import Settings
from ledger_verify.checks.catalog import selected
from ledger_verify.checks.running.run import run_checks
from ledger_verify.policy.domain import Domain

COSTLY = selected(["unguarded_message", "missing_value"])


@pytest.mark.parametrize("name", ["airline", "retail", "telecom", "telehealth"])
def test_a_hundredth_of_the_usual_limit_is_enough(name: str) -> None:
    """Counted by the solver's own measure, which no load changes; all other checks need less."""
    few = Settings(timeout_ms=600_000, resources=Settings().resources // 100)
    (report,) = run_checks([Domain.load(name)], few, COSTLY)
    assert report.findings == ()
    assert sum(summary.undecided for summary in report.checked) == 0
