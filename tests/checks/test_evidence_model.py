"""The evidence model: what rules read, where arguments come from, and the graph of it all."""

import pytest

from ledger_verify.checks.evidence.model import (
    PERSON,
    ArgumentNode,
    EvidenceModel,
    Link,
    PathNode,
    RuleNode,
    ToolNode,
)
from ledger_verify.checks.evidence.reach import reach
from ledger_verify.checks.evidence.uses import Use, uses_of
from ledger_verify.policy.domain import Domain
from tests.checks.desk import GET_ORDER, ORDER, desk

TOOLS = f"""
{GET_ORDER}
get_user:
  kind: read
  arguments: {{user_id: string, pin: string, "limit?": string}}
  asks: [pin]
  observes: {{user: result}}
get_device: {{kind: read, arguments: {{owner: string}}, observes: {{device: result}}}}
act:
  kind: write
  arguments: {{order_id: string, others: "string[]"}}
  touches: ["orders.{{args.order_id}}.status"]
"""


def only_use(require: str) -> Use:
    uses, _ = uses_of(desk(TOOLS, require).rules[0])
    (use,) = [use for use in uses if use.pattern == "orders.*"]
    return use


@pytest.mark.parametrize(
    ("require", "fields", "waits"),
    [
        (f"{ORDER}.final", {"final"}, True),
        (f"{ORDER}.final || {ORDER}.total > 1.0", {"final", "total"}, True),
        (f'!has({ORDER}.note) || {ORDER}.note != ""', {"note"}, True),
        (f"{ORDER} == {ORDER}", None, True),
        (f"observed({ORDER}.status)", {"status"}, False),
        (f"observed({ORDER}) && {ORDER}.final", None, False),
        ("records(ledger.orders).all(o, o.final)", {"final"}, False),
        ("records(ledger.orders).filter(o, o.final).exists(o, o.total > 1.0)", None, False),
        ("args.others.all(id, ledger.orders[id].final)", {"final"}, True),
    ],
)
def test_the_fields_that_a_rule_reads(require: str, fields: set[str] | None, waits: bool) -> None:
    uses, _ = uses_of(desk(TOOLS, require).rules[0])
    read = [use for use in uses if use.pattern == "orders.*"]
    assert {use.waits for use in read} == {waits}
    together = {name for use in read for name in use.fields or ()}
    if fields is None:
        assert any(use.fields is None for use in read) or together
    else:
        assert together == fields


@pytest.mark.parametrize(
    ("require", "paths"),
    [
        (f"{ORDER}.final", set()),
        ('ledger.orders["A1"].final', set()),
        ("ledger.orders[ledger.user.user_id].final", {"user"}),
        ("[ledger.user.user_id].all(id, ledger.orders[id].final)", {"user"}),
        (
            "[ledger.device.account_no].all(a, [ledger.user.user_id].all(u,"
            " ledger.orders[a + u].final))",
            {"device", "user"},
        ),
        (
            "args.others.filter(id, ledger.user.verified).all(id, ledger.orders[id].final)",
            {"user"},
        ),
    ],
)
def test_the_paths_on_which_a_key_depends(require: str, paths: set[str]) -> None:
    assert only_use(require).keys == (frozenset(paths),)


def test_the_graph() -> None:
    domain = desk(TOOLS, f"{ORDER}.final", "ledger.user.verified")
    graph = EvidenceModel(domain).graph
    links = {(a, b): data["link"] for a, b, data in graph.edges(data=True)}
    order, user, act = PathNode("orders.*"), PathNode("user"), ToolNode("act")
    user_id = ArgumentNode("get_user", "user_id")
    assert links == {
        (ToolNode("get_order"), order): Link.OBSERVES,
        (ToolNode("get_user"), user): Link.OBSERVES,
        (ToolNode("get_device"), PathNode("device")): Link.OBSERVES,
        (ArgumentNode("get_order", "order_id"), ToolNode("get_order")): Link.NEEDS,
        (act, ArgumentNode("get_order", "order_id")): Link.GIVES,
        (user_id, ToolNode("get_user")): Link.NEEDS,
        (ArgumentNode("get_user", "pin"), ToolNode("get_user")): Link.NEEDS,
        (PERSON, ArgumentNode("get_user", "pin")): Link.ASKS,
        (ArgumentNode("get_device", "owner"), ToolNode("get_device")): Link.NEEDS,
        (order, ArgumentNode("get_device", "owner")): Link.GIVES,
        (order, RuleNode("r0")): Link.READS,
        (user, RuleNode("r1")): Link.READS,
        (RuleNode("r0"), act): Link.JUDGES,
        (RuleNode("r1"), act): Link.JUDGES,
        (act, order): Link.TOUCHES,
    }
    assert graph.edges[order, RuleNode("r0")]["fields"] == {"final"}
    assert graph.edges[act, order]["fields"] == {"status"}
    assert graph.edges[order, ArgumentNode("get_device", "owner")]["fields"] == {"owner"}
    assert graph.edges[ToolNode("get_user"), user]["fields"] is None


def test_what_can_be_read_for_a_call() -> None:
    model = EvidenceModel(desk(TOOLS, f"{ORDER}.final", "ledger.user.verified"))
    assert reach(model, "act").reached == {"orders.*", "device"}


@pytest.mark.parametrize("name", ["airline", "retail", "telecom", "telehealth"])
def test_all_that_the_bundled_rules_wait_for_can_be_read(name: str) -> None:
    model = EvidenceModel(Domain.load(name))
    for tool in model.uses:
        found = reach(model, tool)
        assert set(found.waited_for) <= found.reached
