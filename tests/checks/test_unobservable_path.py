"""`unobservable_path` on rules that read what no tool observes, and on their near misses."""

import pytest

from ledger_verify.checks import unobservable_path
from ledger_verify.policy.domain import Domain
from tests.checks.desk import GET_ORDER, ORDER, desk, found, marked

TOOLS = f"""
{GET_ORDER}
act: {{kind: write, arguments: {{order_id: string}}}}
"""
FAULTY = {
    "a field": desk(TOOLS, "ledger.user.verified"),
    "a question whether it was observed": desk(TOOLS, "!observed(ledger.user)"),
    "a key": desk(TOOLS, "ledger.orders[ledger.user.user_id].final"),
    "a guard": desk(TOOLS, {"when": "ledger.user.verified", "require": f"{ORDER}.final"}),
}
RIGHT = {
    "a path that is observed": desk(TOOLS, f"{ORDER}.final"),
    "a path that nobody reads": desk(TOOLS, 'args.order_id != ""'),
    "records of a path that is observed": desk(TOOLS, "records(ledger.orders).all(o, o.final)"),
    "one of several observations": desk(
        TOOLS.replace("result}", 'result, user: "result.owner"}'), "ledger.user.verified"
    ),
}


@pytest.mark.parametrize("domain", FAULTY.values(), ids=FAULTY)
def test_a_path_that_no_tool_observes_is_found(domain: Domain) -> None:
    (finding,) = found(unobservable_path, domain)
    assert finding.message == "no read tool observes `user`, which `r0` reads"
    assert finding.rules == ("r0",)
    assert marked(domain, finding) == "ledger.user"


@pytest.mark.parametrize("domain", RIGHT.values(), ids=RIGHT)
def test_a_path_that_is_observed_is_not(domain: Domain) -> None:
    assert found(unobservable_path, domain) == []


def test_records_of_a_path_that_no_tool_observes_are_found() -> None:
    domain = desk(
        "act: {kind: write, arguments: {order_id: string}}",
        "records(ledger.orders).all(o, o.final)",
        f"{ORDER}.final",
        "ledger.user.verified",
    )
    first, second = found(unobservable_path, domain)
    assert first.message == "no read tool observes `orders.*`, which `r0`, `r1` read"
    assert second.rules == ("r2",)


def test_what_a_template_is_told_to_read_is_marked_in_the_policy() -> None:
    rule: dict[str, object] = {
        "use": "amount_within_limit",
        "with": {"amount": "1", "limit": "ledger.cart.total"},
    }
    domain = desk(TOOLS, rule)
    (finding,) = found(unobservable_path, domain)
    assert finding.message == "no read tool observes `cart`, which `r0` reads"
    assert marked(domain, finding) == "ledger.cart"


def test_the_tools_of_all_rules_are_named() -> None:
    tools = f"{TOOLS}\nother: {{kind: write}}"
    domain = desk(
        tools, "ledger.user.verified", {"tools": ["other"], "require": "observed(ledger.user)"}
    )
    (finding,) = found(unobservable_path, domain)
    assert finding.rules == ("r0", "r1")
    assert finding.tools == ("act", "other")
