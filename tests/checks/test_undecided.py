"""What the solver cannot decide in time is said to be undecided, never clean and no defect."""

import pytest

from ledger_verify.checks.base.job import Settings
from ledger_verify.checks.catalog import abouts
from ledger_verify.policy.domain import Domain
from ledger_verify.solver.reach import LONGER_LISTS, lists_within
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
    assert found.message == f"no call of `change` can be allowed with {lists_within(8)}"


def test_the_check_and_the_cause_are_named() -> None:
    """For every check that leaves something open, whatever the limit was."""
    named = {about.name: about.code for about in abouts()}
    long, monthly = "size(args.names) >= 500", f"{ORDER}.created_at.getMonth() == 13"
    guarded = {"when": 'args.kind == "a"', "require": "args.bags > 2"}
    asked = set()
    for domain in (HARD, shop(guarded, long), shop(long, monthly), shop({**guarded, "when": long})):
        for settings in (None, NO_TIME):
            for found in report(domain, settings, checks=tuple(named)).findings:
                if found.code == "LV001":
                    asked.add(found.check)
                    told = f"asked by the check `{found.check}` ({named[found.check]})"
                    assert found.notes[0] == told
                    assert found.fix
                    if settings is NO_TIME:
                        assert "--timeout" in found.fix
    assert len(asked) >= 5, asked


@pytest.mark.parametrize(
    ("rules", "message", "ids"),
    [
        (
            ({"when": 'args.kind == "a"', "require": "args.bags > 2"}, "size(args.names) >= 500"),
            "to which `r0` applies can be allowed: it must meet `r1` as well",
            ("r0", "r1"),
        ),
        (
            (
                {"when": 'args.kind == "a"', "require": "size(args.names) >= 500"},
                {"when": "args.bags > 2", "require": "args.bags > 1"},
            ),
            "to which `r0` applies can be allowed",
            ("r0",),
        ),
        (
            (
                {"when": 'args.kind == "a"', "require": "size(args.names) >= args.bags"},
                {"when": "args.bags > 2", "require": "args.bags >= 500"},
            ),
            "to which `r0` and `r1` apply can be allowed",
            ("r0", "r1"),
        ),
    ],
)
def test_a_call_of_which_it_is_open_whether_rules_allow_it(
    rules: tuple[dict[str, str] | str, ...], message: str, ids: tuple[str, ...]
) -> None:
    (found,) = report(shop(*rules), checks=("conflicting_rules",)).findings
    assert found.code == "LV001"
    assert found.message == f"could not tell whether a call of `change` {message}"
    assert found.rules == ids
    assert found.fix == LONGER_LISTS


def test_assumptions_of_which_it_is_open_whether_they_can_be_met() -> None:
    assumption = "ledger.orders.all(o, o.total * o.total * o.total + 7 * o.total == 123457)"
    domain = shop("args.bags > 1", assumptions=[assumption])
    found = report(domain, NO_TIME, checks=("contradictory_assumptions",)).findings
    assert [f.notes for f in found] == [("asked by the check `contradictory_assumptions` (LV601)",)]
