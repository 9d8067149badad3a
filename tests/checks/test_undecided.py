"""What the solver cannot decide in time is said to be undecided, never clean and no defect."""

import pytest

from ledger_verify.checks.base.job import Settings
from ledger_verify.policy.domain import Domain
from tests.checks.shop import ORDER, report, shop

NO_TIME = Settings(timeout_ms=1, resources=1)
HARD = shop("args.bags * args.bags * args.bags + 7 * args.bags == 123457", f"{ORDER}.total > 1.0")


@pytest.mark.parametrize("domain", [HARD, shop('args.text.matches("^(ab|c)+$")')])
def test_a_limit_is_never_taken_for_a_clean_bill(domain: Domain) -> None:
    result = report(domain, NO_TIME)
    assert result.undecided
    assert {(f.code, f.severity) for f in result.findings} == {("LV001", "undecided")}
    assert result.defects == ()
    assert all("--timeout" in (f.fix or "") for f in result.findings)


def test_the_airline_policy_in_no_time() -> None:
    result = report(Domain.load("airline"), NO_TIME)
    assert result.undecided
    assert result.defects == ()


def test_the_bound_on_lists_is_named_where_it_is_the_reason() -> None:
    (found, *_) = report(shop("size(args.names) >= 500")).findings
    assert found.code == "LV001"
    assert found.message == "no call of `change` can be allowed with lists of up to 8 items"
