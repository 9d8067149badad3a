"""Section 7: defaults, unknown tools, internal errors, time-outs, several calls in a message."""

import logging
from typing import Any

import pytest

from ledger_verify import Gate
from tests.gate.shop import (
    OPEN,
    ORDER,
    O,
    cancel,
    check,
    rule,
    see_order,
    see_user,
    session,
    shop,
)

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
    from ledger_verify.solver.outcome import Undecided

    raise Undecided


@pytest.mark.parametrize("question", ["settle", "reachable"])
def test_a_time_out_of_the_solver_is_blocked_and_logged(
    question: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(f"ledger_verify.solver.completions.Completions.{question}", undecided)
    with caplog.at_level(logging.WARNING, "ledger_verify.gate"):
        verdict = check(
            session(rule("cancel", f'{O}.state == "open" && ledger.user.tier == "gold"'))
        )
    assert (verdict.decision.value, verdict.decided_by) == ("BLOCK", "error")
    assert "limit of time" in verdict.message
    assert "limit of time" in caplog.text


def test_a_read_of_which_the_solver_cannot_tell_is_advised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ledger_verify.solver.completions.Completions.matters", undecided)
    verdict = check(session(rule("cancel", f'{O}.state == "open" && ledger.user.tier == "gold"')))
    assert verdict.decision.value == "REVISE"
    assert [m.path for m in verdict.missing] == ["orders.o1", "user"]


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
    calls = [
        ("ship", {"order_id": "o1"}),
        ("cancel", {"order_id": "o1"}),
        ("cancel", {"order_id": "o2"}),
    ]
    assert [v.decision.value for v in s.check_message(calls)] == ["ALLOW", "REVISE", "ALLOW"]
    assert cancel(s, "o1") == cancel(s, "o2") == "REVISE"
    s.observe(*calls[0], error=True)
    assert (cancel(s, "o1"), cancel(s, "o2")) == ("ALLOW", "REVISE")


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
            for word in (
                "Read first",
                "allowed with",
                "Do not repeat",
                "Correct",
                "did you",
                "known",
            )
        ), verdict.message
