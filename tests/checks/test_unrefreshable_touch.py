"""`unrefreshable_touch` on writes that touch what no read shows, and on their near misses."""

import pytest

from ledger_verify.checks import unrefreshable_touch
from ledger_verify.policy.domain import Domain
from tests.checks.desk import GET_ORDER, ORDER, desk, found, marked

PROSE = r"""
get_order:
  kind: read
  arguments: {order_id: string}
  observes:
    "orders.{args.order_id}":
      set: {owner: args.order_id}
      text: {whole: 'Order is (?P<status>\w+), (?P<final>\w+), (?P<total>\d+)'}
"""


def touching(path: str, read: str = GET_ORDER) -> Domain:
    act = f'act: {{kind: write, arguments: {{order_id: string}}, touches: ["{path}"]}}'
    return desk(f"{read}\n{act}", f"{ORDER}.final")


FAULTY = {
    "a path that nothing observes": touching("user"),
    "a field of such a path": touching("user.verified"),
    "a field that the text has not": touching("orders.{args.order_id}.note", PROSE),
    "the person's write": desk("pay: {kind: write, by: user, touches: [user]}"),
}
RIGHT = {
    "a record that is read": touching("orders.{args.order_id}"),
    "a field of it": touching("orders.{args.order_id}.note"),
    "all records": touching("orders.*"),
    "a field that the text has": touching("orders.{args.order_id}.status", PROSE),
    "a field that is filled in": touching("orders.{args.order_id}.owner", PROSE),
    "a record that the text shows in part": touching("orders.{args.order_id}", PROSE),
}


@pytest.mark.parametrize("domain", FAULTY.values(), ids=FAULTY)
def test_a_touch_of_what_no_read_shows_is_found(domain: Domain) -> None:
    (finding,) = found(unrefreshable_touch, domain)
    assert "stale" in finding.message
    assert marked(domain, finding).startswith(("user", "orders."))


@pytest.mark.parametrize("domain", RIGHT.values(), ids=RIGHT)
def test_a_touch_of_what_can_be_read_again_is_not(domain: Domain) -> None:
    assert found(unrefreshable_touch, domain) == []


def test_the_message_says_what_no_read_shows() -> None:
    (finding,) = found(unrefreshable_touch, FAULTY["a field that the text has not"])
    assert finding.message == (
        "`act` makes `note` of `orders.*` stale, which `get_order` does not show: "
        "it stays so for ever"
    )
    (finding,) = found(unrefreshable_touch, FAULTY["a path that nothing observes"])
    assert "`user` stale, which no read tool observes" in finding.message
