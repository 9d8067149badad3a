"""`self_staling_rule` on tools that work once, and on their near misses."""

import pytest

from ledger_verify.checks import self_staling_rule
from ledger_verify.gate.gate import Gate
from ledger_verify.gate.verdict import Decision
from ledger_verify.policy.domain import Domain
from tests.checks.desk import GET_ORDER, ORDER, desk, found, marked

TOTAL = "ledger.cart.total < 500.0"
ONCE = '"!observed(ledger.cart)"'


def cart(when: str | None, touched: str = "cart.total", more: str = "") -> str:
    observes = "result" if when is None else f"{{when: {when}}}"
    return f"""
get_cart: {{kind: read, observes: {{cart: {observes}}}}}
act: {{kind: write, touches: [{touched}]}}
{more}
"""


BY_TOKEN = "find_cart: {kind: read, arguments: {token: string}, observes: {cart: result}}"
WITH_KEY = GET_ORDER.replace("result", "{when: 'args.order_id != \"\"'}")
FAULTY = {
    "observed once only": desk(cart(ONCE), TOTAL),
    "only with what is stale": desk(cart('"ledger.cart.total > 0.0"'), TOTAL),
    "once, or with what is stale": desk(
        cart('"!observed(ledger.cart) || ledger.cart.total < 0.0"'), TOTAL
    ),
    "once, or by a token that is stale": desk(
        cart(ONCE, "cart.total, cart.token", BY_TOKEN), TOTAL
    ),
}
RIGHT = {
    "it can be read again": desk(cart(None), TOTAL),
    "the field may be observed again": desk(cart('"!observed(ledger.cart.total)"'), TOTAL),
    "all of it is stale": desk(cart(ONCE, "cart"), TOTAL),
    "the rule reads another field": desk(cart(ONCE), "!ledger.cart.paid"),
    "the condition reads another field": desk(cart('"!ledger.cart.paid"'), TOTAL),
    "a token that is still known": desk(cart(ONCE, more=BY_TOKEN), TOTAL),
    "another read": desk(
        cart(ONCE, more="see_cart: {kind: read, observes: {cart: result}}"), TOTAL
    ),
    "the rule only asks whether it was observed": desk(cart(ONCE), "observed(ledger.cart.total)"),
    "a condition that an argument decides": desk(
        f"""
{WITH_KEY}
act: {{kind: write, arguments: {{order_id: string}}, touches: ["orders.{{args.order_id}}"]}}
""",
        f"{ORDER}.final",
    ),
}


@pytest.mark.parametrize("domain", FAULTY.values(), ids=FAULTY)
def test_a_rule_that_stays_stale_is_found(domain: Domain) -> None:
    finding = found(self_staling_rule, domain)[0]
    assert "a call of `act` makes" in finding.message
    assert "no read brings it back" in finding.message
    assert finding.rules == ("r0",)
    assert marked(domain, finding).startswith("cart")


@pytest.mark.parametrize("domain", RIGHT.values(), ids=RIGHT)
def test_a_rule_that_is_fresh_after_a_read_is_not(domain: Domain) -> None:
    assert found(self_staling_rule, domain) == []


def test_the_gate_does_what_the_finding_says() -> None:
    """The first call is allowed; after it, the read that is advised does not help."""
    domain = FAULTY["observed once only"]
    session = Gate(domain).session()
    record = {"total": 1, "paid": False}
    session.observe("get_cart", {}, record)
    assert session.dry_run("act", {}).decision is Decision.ALLOW
    session.observe("act", {}, None)
    session.observe("get_cart", {}, record)
    assert session.dry_run("act", {}).decision is not Decision.ALLOW

    (finding,) = found(self_staling_rule, domain)
    assert finding.message == (
        "a call of `act` makes `total` of `cart` stale, which its own `r0` reads, "
        "and no read brings it back: the `when` of `get_cart` is not true any more"
    )


def test_the_gate_allows_again_where_nothing_is_found() -> None:
    session = Gate(RIGHT["the field may be observed again"]).session()
    record = {"total": 1, "paid": False}
    for _ in range(2):
        session.observe("get_cart", {}, record)
        assert session.dry_run("act", {}).decision is Decision.ALLOW
        session.observe("act", {}, None)
