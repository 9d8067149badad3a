"""Section 7 of the design, sentence by sentence: ALLOW, REVISE and BLOCK."""

import logging
from typing import Any

import pytest

from ledger_verify import Gate
from ledger_verify.gate import Verdict
from tests.gate.shop import ORDER, USER, cancel, rule, see_order, see_user, session, shop

READS = ["get_user", "get_order", "get_stock", "get_price", "list_stock"]
O = "ledger.orders[args.order_id]"  # noqa: E741
OPEN = rule("cancel", f'{O}.state == "open"', message="order {args.order_id} is not open")


def check(s: Any, tool: str = "cancel", **arguments: Any) -> Verdict:
    verdict: Verdict = s.check(tool, {"order_id": "o1", **arguments})
    return verdict


def reads(verdict: Verdict) -> list[tuple[str, dict[str, Any]]]:
    return [(m.read.name, dict(m.read.arguments)) for m in verdict.missing if m.read]


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
    "require", [f"{O}.total >= 0 && ledger.user.id == ledger.user.id", "ledger.user.id != {O}.owner"]
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
    assert "get_order(order_id=\"o1\")" in verdict.message


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
    assert verdict.reasons == ("order o1 is not open",)


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


# --- otherwise


@pytest.mark.parametrize(
    ("otherwise", "expected"), [("auto", "BLOCK"), ("revise", "REVISE"), ("block", "BLOCK")]
)
def test_otherwise_overrides_what_a_violation_leads_to(otherwise: str, expected: str) -> None:
    s = session({**OPEN, "otherwise": otherwise})
    see_order(s, state="shipped")
    assert cancel(s) == expected


def test_otherwise_says_nothing_of_missing_evidence() -> None:
    for otherwise in ("auto", "revise", "block"):
        s = session({**OPEN, "otherwise": otherwise})
        assert cancel(s) == "REVISE"
        assert cancel(session({**OPEN, "otherwise": otherwise}, tools=["cancel"])) == "BLOCK"
        see_order(s)
        assert cancel(s) == "ALLOW"


def test_otherwise_block_beats_a_repair() -> None:
    small = rule("choose", 'args.size != "L"', id="small")
    call = {"size": "L", "count": 1, "on": "2024-05-20"}
    assert check(session(small), "choose", **call).decision.value == "REVISE"
    blocked = check(session({**small, "otherwise": "block"}), "choose", **call)
    assert (blocked.decision.value, blocked.repair) == ("BLOCK", None)


def test_otherwise_revise_still_names_a_repair() -> None:
    small = rule("choose", 'args.size == "S"', otherwise="revise")
    verdict = check(session(small), "choose", size="L", count=1, on="2024-05-20")
    assert verdict.repair is not None
    assert verdict.repair.arguments == {"size": "S"}


def test_block_beats_revise() -> None:
    soft = rule("cancel", f'{O}.state == "open"', id="soft", otherwise="revise")
    hard = rule("cancel", f"{O}.total < 5", id="hard")
    s = session(soft, hard)
    see_order(s, state="shipped", total=1)
    assert cancel(s) == "REVISE"
    see_order(s, state="shipped", total=50)
    assert cancel(s) == "BLOCK"
    see_order(s, state="open", total=1)
    assert cancel(s) == "ALLOW"


def test_a_soft_violation_does_not_hide_what_cannot_be_observed() -> None:
    soft = rule("cancel", f'{O}.state == "open"', id="soft", otherwise="revise")
    gold = rule("cancel", 'ledger.user.tier == "gold"', id="gold")
    s = session(soft, gold, tools=["cancel", "get_order"])
    see_order(s, state="shipped")
    assert cancel(s) == "BLOCK"
    s = session(soft, gold)
    see_order(s, state="shipped")
    verdict = check(s)
    assert verdict.decision.value == "REVISE"
    assert [m.path for m in verdict.missing] == ["user"]


# --- errors in rules


@pytest.mark.parametrize("require", [f"{O}.lines[5] == 'x'", f'{O}.note == "x" || {O}.lines[5] == ""'])
def test_an_error_in_require_counts_as_violated(require: str) -> None:
    s = session(rule("cancel", require))
    see_order(s, lines=["a"], note="y")
    verdict = check(s)
    assert (verdict.decision.value, verdict.rules[0].truth) == ("BLOCK", "ERROR")


def test_an_error_in_when_counts_as_applicable() -> None:
    guarded = {"when": f'{O}.lines[5] == "x"'}
    for require, expected in (("true", "ALLOW"), (f"{O}.total < 5", "BLOCK")):
        s = session(rule("cancel", require, **guarded))
        see_order(s, lines=["a"])
        assert cancel(s) == expected


def test_an_error_is_absorbed_as_in_cel() -> None:
    s = session(rule("cancel", f'{O}.lines[5] == "x" || {O}.owner == "u1"'))
    see_order(s, lines=[])
    assert cancel(s) == "ALLOW"


def test_a_rule_whose_guard_is_false_does_not_apply() -> None:
    s = session(rule("cancel", "false", when=f'{O}.state == "shipped"'))
    see_order(s)
    assert cancel(s) == "ALLOW"
    assert cancel(s, "o2") == "REVISE"
    see_order(s, state="shipped")
    assert cancel(s) == "BLOCK"


# --- observed(path)


def test_observed_treats_unobserved_as_absent() -> None:
    exempt = rule("cancel", f'observed(ledger.user) && ledger.user.tier == "gold" || {O}.total < 5')
    s = session(exempt)
    see_order(s)
    assert cancel(s) == "BLOCK"
    see_user(s, tier="gold")
    assert cancel(s) == "ALLOW"
    s.observe("delete_everything", {})
    see_order(s)
    assert cancel(s) == "BLOCK"


def test_observed_is_about_one_record_or_field() -> None:
    s = session(rule("cancel", f"observed({O})"))
    see_order(s, "o2")
    assert cancel(s) == "BLOCK"
    see_order(s, "o1")
    s.observe("ship", {"order_id": "o1"})
    assert cancel(s) == "ALLOW"
    s = session(rule("cancel", f"observed({O}.state)"))
    see_order(s, "o1")
    assert cancel(s) == "ALLOW"
    s.observe("ship", {"order_id": "o1"})
    assert cancel(s) == "BLOCK"


def test_observed_of_a_record_whose_key_is_not_known_is_false() -> None:
    s = session(rule("cancel", f"observed(ledger.stock[{O}.sku])"))
    assert cancel(s) == "BLOCK"
    see_order(s)
    assert cancel(s) == "BLOCK"
    s.observe("get_stock", {"sku": "tea"}, {"sku": "tea", "count": 0})
    assert cancel(s) == "ALLOW"


# --- defaults, unknown tools, errors, limits


def test_a_write_without_a_rule_gets_the_default() -> None:
    for default, expected in (("block", "BLOCK"), ("revise", "REVISE")):
        verdict = check(session(OPEN, default=default), "ship")
        assert (verdict.decision.value, verdict.decided_by) == (expected, "default")
        assert "no rule" in verdict.message


def test_reads_and_neutral_tools_need_no_rule() -> None:
    s = session()
    assert check(s, "get_order").decided_by == "default"
    assert check(s, "get_order").allowed
    assert s.check("think", {"thought": "x"}).allowed


@pytest.mark.parametrize("tool", ["get_order", "think"])
def test_reads_and_neutral_tools_keep_their_rules(tool: str) -> None:
    arguments = {"get_order": {"order_id": "o1"}, "think": {"thought": "x"}}[tool]
    s = session(rule(tool, 'ledger.user.tier == "gold"'))
    assert s.check(tool, arguments).decision.value == "REVISE"
    see_user(s)
    assert s.check(tool, arguments).decision.value == "BLOCK"
    see_user(s, tier="gold")
    assert s.check(tool, arguments).allowed


def test_an_unknown_tool_is_blocked() -> None:
    verdict = check(session(OPEN), "cancl")
    assert (verdict.decision.value, verdict.decided_by) == ("BLOCK", "default")
    assert "did you mean `cancel`?" in verdict.message


def test_a_tool_that_the_session_lacks_is_blocked() -> None:
    s = session(OPEN, tools=["get_order"])
    see_order(s)
    assert cancel(s) == "BLOCK"


def test_an_internal_error_is_blocked_and_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr("ledger_verify.gate.judge.evaluate", fail)
    with caplog.at_level(logging.ERROR, "ledger_verify.gate"):
        verdict = check(session(OPEN))
    assert (verdict.decision.value, verdict.decided_by) == ("BLOCK", "error")
    assert "RuntimeError" in verdict.message
    assert "secret" not in verdict.message
    assert "cancel" in caplog.text


@pytest.mark.parametrize("clock", [lambda: 1 / 0, lambda: None, lambda: 1.5, lambda: True])
def test_a_broken_clock_is_blocked(clock: Any) -> None:
    s = Gate(shop(OPEN)).session(clock_us=clock)
    s.observe("get_order", {"order_id": "o1"}, ORDER)
    verdict = check(s)
    assert (verdict.decision.value, verdict.decided_by) == ("BLOCK", "error")


def undecided(*_: Any, **__: Any) -> Any:
    from ledger_verify.solver.query import Undecided

    raise Undecided


@pytest.mark.parametrize("question", ["settle", "reachable", "matters"])
def test_a_time_out_of_the_solver_is_blocked_and_logged(
    question: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(f"ledger_verify.solver.completions.Completions.{question}", undecided)
    with caplog.at_level(logging.WARNING, "ledger_verify.gate"):
        verdict = check(session(rule("cancel", f'{O}.state == "open" && ledger.user.tier == "gold"')))
    assert (verdict.decision.value, verdict.decided_by) == ("BLOCK", "error")
    assert "limit of time" in verdict.message
    assert "limit of time" in caplog.text


def test_a_time_out_of_the_search_for_a_repair_is_blocked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ledger_verify.solver.completions.find_repair", undecided)
    s = session(rule("choose", 'args.size == "S"', message="only S"))
    verdict = check(s, "choose", size="L", count=1, on="2024-05-20")
    assert (verdict.decision.value, verdict.decided_by) == ("BLOCK", "error")
    assert "limit of time" in verdict.message
    assert "only S" in verdict.message


# --- several calls in a message


def test_each_call_of_a_message_is_judged_on_its_own_in_order() -> None:
    s = session(OPEN, rule("ship", "true", id="any"))
    see_order(s, "o1")
    see_order(s, "o2", state="shipped")
    calls = [(t, {"order_id": o}) for t, o in (("cancel", "o1"), ("cancel", "o2"), ("ship", "o3"))]
    assert [v.decision.value for v in s.check_message(calls)] == ["ALLOW", "BLOCK", "ALLOW"]
    assert s.check_message([]) == []


def test_what_a_write_touches_is_stale_for_the_calls_behind_it() -> None:
    s = session({**OPEN, "tools": ["cancel", "ship"]})
    see_order(s, "o1")
    see_order(s, "o2")
    calls = [("ship", {"order_id": "o1"}), ("cancel", {"order_id": "o1"}), ("cancel", {"order_id": "o2"})]
    assert [v.decision.value for v in s.check_message(calls)] == ["ALLOW", "REVISE", "ALLOW"]
    assert cancel(s, "o1") == "ALLOW"  # nothing has run yet


def test_a_refused_write_makes_nothing_stale_behind_it() -> None:
    s = session(OPEN, rule("ship", f"{O}.total < 5", id="small"))
    see_order(s)
    calls = [("ship", {"order_id": "o1"}), ("cancel", {"order_id": "o1"})]
    assert [v.decision.value for v in s.check_message(calls)] == ["BLOCK", "ALLOW"]


def test_unknown_and_malformed_calls_of_a_message_are_judged_too() -> None:
    s = session(OPEN)
    see_order(s)
    calls: list[tuple[Any, Any]] = [
        ("nothing", {}), (None, None), (["x"], 3), ("cancel", "{"), ("cancel", {"order_id": "o1"})
    ]  # fmt: skip
    assert [v.decision.value for v in s.check_message(calls)] == [
        "BLOCK", "BLOCK", "BLOCK", "REVISE", "ALLOW"
    ]  # fmt: skip


def test_every_refusal_says_what_to_do_next() -> None:
    s = session(OPEN, rule("choose", 'args.size == "S"', id="s"))
    see_order(s, "o2", state="shipped")
    call = {"size": "L", "count": 1, "on": "2024-05-20"}
    refusals = [
        check(s), check(s, order_id="o2"), check(s, "choose", **call), check(s, "nothing"),
        check(s, "ship"), check(s, "cancel", more=1),
    ]  # fmt: skip
    for verdict in refusals:
        assert not verdict.allowed
        assert any(
            word in verdict.message
            for word in ("Read first", "allowed with", "Do not repeat", "Correct", "did you", "known")
        ), verdict.message
