"""Section 7: `otherwise`, rules with errors, and `observed(path)`."""

import pytest

from tests.gate.shop import (
    OPEN,
    O,
    cancel,
    check,
    rule,
    see_order,
    see_user,
    session,
)

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


@pytest.mark.parametrize(
    "require", [f"{O}.lines[5] == 'x'", f'{O}.note == "x" || {O}.lines[5] == ""']
)
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
    assert cancel(s) == "REVISE"
    see_user(s, tier="gold")
    assert cancel(s) == "ALLOW"
    s.observe("delete_everything", {})
    see_order(s)
    assert cancel(s) == "REVISE"


def test_observed_is_about_one_record_or_field() -> None:
    s = session(rule("cancel", f"observed({O})"))
    see_order(s, "o2")
    assert cancel(s) == "REVISE"
    see_order(s, "o1")
    s.observe("ship", {"order_id": "o1"})
    assert cancel(s) == "ALLOW"
    s = session(rule("cancel", f"observed({O}.state)"))
    see_order(s, "o1")
    assert cancel(s) == "ALLOW"
    s.observe("ship", {"order_id": "o1"})
    assert cancel(s) == "REVISE"


def test_observed_of_a_record_whose_key_is_not_known_is_false() -> None:
    s = session(rule("cancel", f"observed(ledger.stock[{O}.sku])"))
    assert cancel(s) == "REVISE"
    see_order(s)
    assert cancel(s) == "REVISE"
    s.observe("get_stock", {"sku": "tea"}, {"sku": "tea", "count": 0})
    assert cancel(s) == "ALLOW"
