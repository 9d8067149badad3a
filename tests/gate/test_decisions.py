"""Section 7 of the design, sentence by sentence: what ALLOW, REVISE and BLOCK mean."""

import pytest

from ledger_verify.adapters.chat import spoken_refusal
from tests.gate.shop import (
    OPEN,
    ORDER,
    READS,
    TOOLS,
    USER,
    O,
    cancel,
    check,
    reads,
    rule,
    see_order,
    see_user,
    session,
)

# --- ALLOW iff in every completion every rule holds


def test_allow_where_every_rule_holds() -> None:
    s = session(OPEN)
    see_order(s)
    verdict = check(s)
    assert (verdict.decision.value, verdict.message, verdict.rules) == ("ALLOW", "", ())
    assert verdict.decided_by == "compiled"


@pytest.mark.parametrize(
    "require",
    [
        f'{O}.owner == "u1" || !({O}.owner == "u1")',
        f"{O}.total >= 0",
        f'{O}.state in ["open", "shipped", "cancelled"] || !has({O}.state)',
        f"size({O}.owner) >= 0",
        f"{O}.total > 5 || {O}.total < 6",
        f"has({O}.note) || !has({O}.note)",
    ],
)
def test_allow_on_missing_evidence_that_cannot_matter(require: str) -> None:
    verdict = check(session(rule("cancel", require)))
    assert (verdict.decision.value, verdict.decided_by) == ("ALLOW", "solver")


def test_allow_by_an_assumption() -> None:
    require = rule("cancel", f"{O}.total < 100")
    assert cancel(session(require)) == "REVISE"
    cheap = ["ledger.orders.all(o, o.total < 50)"]
    assert cancel(session(require, assumptions=cheap)) == "ALLOW"
    assert cancel(session(require, assumptions=cheap, tools=["cancel"])) == "ALLOW"


@pytest.mark.parametrize(
    "assumptions",
    [
        ["ledger.orders.all(o, o.total < 5)", "ledger.orders.all(o, o.total > 6)"],
        ["ledger.orders.all(o, false)"],
        ["ledger.orders.all(o, o.total < 0)"],
        ["ledger.user.id != ledger.user.id"],
    ],
)
@pytest.mark.parametrize(
    "require",
    [f"{O}.total >= 0 && ledger.user.id == ledger.user.id", "ledger.user.id != {O}.owner"],
)
def test_contradictory_assumptions_never_allow(assumptions: list[str], require: str) -> None:
    require = require.replace("{O}", O)
    verdict = check(session(rule("cancel", require), assumptions=assumptions))
    assert (verdict.decision.value, verdict.decided_by) == ("BLOCK", "error")
    assert "contradicts the assumptions" in verdict.message


def test_evidence_that_contradicts_an_assumption_never_allows() -> None:
    both = rule("cancel", f"{O}.owner == ledger.user.id || ledger.user.id != {O}.owner")
    s = session(both, assumptions=['ledger.user.tier == "gold"'])
    s.record("user", USER)
    s.observe("pay", {"order_id": "x", "card": "g1", "amount": 1})
    assert cancel(s) == "BLOCK"


# --- REVISE by reads


def test_revise_names_the_missing_read() -> None:
    verdict = check(session(OPEN))
    assert verdict.decision.value == "REVISE"
    assert [m.path for m in verdict.missing] == ["orders.o1"]
    assert reads(verdict) == [("get_order", {"order_id": "o1"})]
    assert verdict.repair is None
    assert 'get_order(order_id="o1")' in verdict.message


def test_revise_until_the_read_is_made() -> None:
    s = session(OPEN)
    assert cancel(s) == "REVISE"
    see_order(s, state="shipped")
    assert cancel(s) == "BLOCK"
    see_order(s)
    assert cancel(s) == "ALLOW"


def test_an_argument_that_only_the_person_can_say_is_null() -> None:
    verdict = check(session(rule("cancel", 'ledger.user.tier == "gold"')))
    assert reads(verdict) == [("get_user", {"user_id": None})]
    assert "user_id=?" in verdict.message


def test_a_read_that_yields_an_argument_of_another_comes_first() -> None:
    tools = [tool for tool in [*READS, "cancel"] if tool != "list_stock"]
    verdict = check(session(rule("cancel", f"ledger.stock[{O}.sku].count > 0"), tools=tools))
    assert reads(verdict) == [("get_order", {"order_id": "o1"}), ("get_stock", {"sku": None})]
    assert [m.path for m in verdict.missing] == ["orders.o1", "stock.*"]


def test_arguments_are_filled_in_from_the_ledger() -> None:
    s = session(rule("cancel", f"ledger.stock[{O}.sku].count > 0"))
    see_order(s)
    assert reads(check(s)) == [("get_stock", {"sku": "tea"})]


def test_arguments_are_filled_in_from_the_call() -> None:
    priced = rule("choose", 'ledger.prices["tea"][args.on] > 1')
    call = {"size": "S", "count": 1, "on": "2024-05-20"}
    assert reads(check(session(priced), "choose", **call)) == [
        ("get_price", {"sku": "tea", "date": "2024-05-20"})
    ]


def test_each_record_is_read_once() -> None:
    twice = [
        rule("cancel", f'{O}.state == "open"'),
        rule("cancel", f"{O}.total < 100 && {O}.owner == ledger.user.id", id="more"),
    ]
    assert [m.path for m in check(session(*twice)).missing] == ["orders.o1", "user"]


def test_only_reads_that_can_change_the_verdict_are_named() -> None:
    s = session(rule("cancel", f'ledger.user.tier == "gold" || {O}.total < 5'))
    see_order(s)
    assert [m.path for m in check(s).missing] == ["user"]
    see_order(s, total=1)
    assert cancel(s) == "ALLOW"
    irrelevant = f'{O}.state == "open" && (ledger.user.tier == "gold" || {O}.total >= 0)'
    assert [m.path for m in check(session(rule("cancel", irrelevant))).missing] == ["orders.o1"]


def test_reads_are_named_for_stale_evidence() -> None:
    s = session(OPEN)
    see_order(s)
    s.observe("ship", {"order_id": "o1"})
    assert reads(check(s)) == [("get_order", {"order_id": "o1"})]


# --- BLOCK


def test_block_where_a_rule_is_violated_and_nothing_helps() -> None:
    s = session(OPEN)
    see_order(s, state="shipped")
    verdict = check(s)
    assert verdict.decision.value == "BLOCK"
    assert [(r.id, r.truth, r.message) for r in verdict.rules] == [
        ("rule", "FALSE", "order o1 is not open")
    ]
    assert verdict.reasons == ("order o1 is not open",)
    assert not verdict.missing
    assert verdict.repair is None


def test_block_where_a_rule_fails_in_every_completion() -> None:
    verdict = check(session(rule("cancel", f"{O}.total < 0")))
    assert (verdict.decision.value, verdict.rules[0].truth) == ("BLOCK", "FALSE")


def test_a_violated_rule_beats_missing_evidence_of_others() -> None:
    s = session(OPEN, rule("cancel", 'ledger.user.tier == "gold"', id="gold"))
    see_order(s, state="shipped")
    verdict = check(s)
    assert (verdict.decision.value, verdict.missing) == ("BLOCK", ())
    assert {r.id: r.truth for r in verdict.rules} == {"rule": "FALSE", "gold": "UNKNOWN"}


@pytest.mark.parametrize("tools", [["cancel"], ["cancel", "get_user"], ["cancel", "get_stock"]])
def test_block_where_no_tool_of_the_session_observes_what_is_missing(tools: list[str]) -> None:
    verdict = check(session(OPEN, tools=tools))
    assert (verdict.decision.value, verdict.missing) == ("BLOCK", ())
    assert verdict.rules[0].truth == "UNKNOWN"
    assert "`orders.*`" in verdict.message
    # nobody knows that it is not open
    assert verdict.reasons == ()
    assert spoken_refusal([verdict]).endswith(
        "I have not been able to look up all that it depends on."
    )
    assert "- rule: order o1 is not open" not in verdict.message


def test_a_session_without_a_tool_reads_by_another() -> None:
    stocked = rule("restock", "args.skus.all(k, ledger.stock[k].count < 5)")
    verdict = session(stocked, tools=["restock", "list_stock"]).check("restock", {"skus": ["a"]})
    assert reads(verdict) == [("list_stock", {})]
    both = session(stocked).check("restock", {"skus": ["a"]})
    assert len(both.missing) == 1


def test_what_can_be_read_may_suffice_although_the_rest_cannot() -> None:
    s = session(
        rule("cancel", f'ledger.user.tier == "gold" || {O}.total < 5'), tools=["cancel", "get_user"]
    )
    verdict = check(s)
    assert verdict.decision.value == "REVISE"
    assert [m.path for m in verdict.missing] == ["user"]
    see_user(s)
    assert cancel(s) == "BLOCK"


@pytest.mark.parametrize(
    "require",
    [
        'has(ledger.orders["o1"].state)', '!has(ledger.orders["o1"].state)',
        'ledger.orders["o1"].state == "open"', '!(ledger.orders["o1"].state == "open")',
        '"g1" in ledger.user.cards', '!("g1" in ledger.user.cards)',
        "size(ledger.user.cards) == 2",
        'ledger.user.cards.exists(id, id == "g1")', 'ledger.user.cards["g1"].balance >= 0.5',
    ],
)  # fmt: skip
def test_what_is_stale_and_cannot_be_read_again_leads_nowhere(require: str) -> None:
    tools = {**TOOLS, "drop": {"kind": "write", "touches": ["user.cards.g1"]}}
    s = session(rule("pay", require), tools=["pay", "ship", "drop"], define_tools=tools)
    s.record("orders.o1", ORDER)
    s.record("user", USER)
    pay = {"order_id": "o1", "card": "g1", "amount": 1}
    s.observe("ship", {"order_id": "o1"})
    s.observe("drop", {})
    verdict = s.dry_run("pay", pay)
    assert (verdict.decision.value, verdict.missing) == ("BLOCK", ())
