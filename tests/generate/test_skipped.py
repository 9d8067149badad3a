"""Cases that cannot be made are named, with the reason."""

from ledger_verify.generate.cases import Skipped, generate
from ledger_verify.generate.scenario import Scenario
from ledger_verify.policy.domain import Domain
from ledger_verify.solver.outcome import Outcome
from ledger_verify.solver.query import Limits
from ledger_verify.solver.static import StaticSolver
from tests.checks.shop import ORDER, shop


def made(domain: Domain, limits: Limits | None = None) -> dict[str, Outcome | str]:
    """Per case its verdict, or why there is none."""
    solver = StaticSolver(domain) if limits is None else StaticSolver(domain, limits=limits)
    return {
        result.name: result.outcome if isinstance(result, Skipped) else result.verdict
        for result in generate(domain, solver)
    }


def test_what_the_policy_rules_out_is_said_to_be_impossible() -> None:
    found = made(shop("args.bags >= 3", "args.bags <= 2"))
    assert found["change: r0 holds"] is Outcome.NONE
    assert found["change: only r1 is violated"] == "BLOCK"


def test_a_rule_that_nothing_violates() -> None:
    found = made(shop("args.bags >= 0"))
    assert found["change: only r0 is violated"] is Outcome.NONE


def test_a_list_beyond_the_bound_is_said_to_be_one() -> None:
    found = made(shop("size(args.names) >= 500"))
    assert found["change: r0 holds"] is Outcome.NONE_UP_TO_BOUND
    assert found["change: only r0 is violated"] == "BLOCK"


def test_a_time_limit_is_said_to_be_one() -> None:
    hard = shop("args.bags * args.bags + 7 * args.bags == 123457", 'args.text.matches("^(ab|c)+$")')
    found = made(hard, Limits(timeout_ms=1, resources=1))
    assert set(found.values()) == {Outcome.UNDECIDED}


def test_a_long_list_that_a_rule_asks_for_is_made() -> None:
    domain = shop("size(args.names) >= 20")
    allowed = next(iter(generate(domain, StaticSolver(domain))))
    assert isinstance(allowed, Scenario)
    assert len(allowed.case.arguments["names"]) == 20


def test_a_missing_value_counts_where_no_falsehood_is_possible() -> None:
    found = made(shop(f"{ORDER}.note == {ORDER}.note"))
    assert found["change: only r0 is violated"] == "BLOCK"
