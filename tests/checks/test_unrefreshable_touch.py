"""`unrefreshable_touch` on writes that touch what no read shows, and on their near misses."""

import pytest

from ledger_verify.checks import unobservable_path, unrefreshable_touch
from ledger_verify.checks.running.run import run_checks
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


def test_what_some_rule_reads_and_nothing_observes_is_the_finding_of_another_check() -> None:
    domain = desk("act: {kind: write, touches: [user]}", "ledger.user.verified")
    assert found(unrefreshable_touch, domain) == []
    assert len(found(unobservable_path, domain)) == 1


def test_the_rules_that_wait_are_named() -> None:
    read = PROSE.replace("observes:", "asks: [order_id]\n  observes:")
    act = 'act: {kind: write, arguments: {order_id: string}, touches: ["orders.*.note"]}'
    domain = desk(f"{read}\n{act}", f'{ORDER}.note == ""', f"{ORDER}.final")
    (finding,) = found(unrefreshable_touch, domain)
    assert finding.message.endswith("it stays so for ever, and UNKNOWN to `r0`")
    assert finding.tools == ("act",)


def test_the_tool_can_accept_the_finding() -> None:
    tools = "act: {kind: write, touches: [user], ignore: {LV305: read by a person}}"
    (report,) = run_checks([desk(tools, "1 > 0")], checks=[unrefreshable_touch])
    assert report.findings == ()
    assert [reason for _, reason in report.ignored] == ["read by a person"]
