"""Ways in which evidence could count that should not: each is a whole kind, not one input."""

from __future__ import annotations

from typing import Any

import pytest

from ledger_verify import Decision, Domain, Gate, Session

ITEM = {
    "type": "object",
    "required": ["st", "flags", "holds"],
    "properties": {
        "st": {"type": "string"},
        "flags": {"type": "array", "items": {"type": "string"}},
        "holds": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}


def session(require: str, touches: str = "o.st") -> Session:
    domain = Domain.define(
        "d",
        clock="2026-01-01T00:00:00",
        definitions={"O": ITEM},
        ledger={"o": "O"},
        tools={
            "get": {"kind": "read", "arguments": {}, "observes": {"o": "result"}},
            "upd": {"kind": "write", "arguments": {"n": "integer"}, "touches": [touches]},
            "refund": {"kind": "write", "arguments": {"n": "integer"}},
        },
        rules=[
            {"id": "free", "tools": ["upd"], "require": "true"},
            {"id": "r", "tools": ["refund"], "require": require},
        ],
    )
    made = Gate(domain).session()
    made.observe("get", {}, {"st": "closed", "flags": ["fraud"], "holds": {"late": "x"}})
    return made


@pytest.mark.parametrize("name", ["history", "history_flag", "historyx", "args", "now", "ledger"])
def test_a_macro_variable_hides_every_other_name(name: str) -> None:
    made = session(f"ledger.o.flags.all({name}, {name} != 'fraud')")
    assert made.check("refund", {"n": 1}).decision is Decision.BLOCK
    made = session(f"ledger.o.flags.exists({name}, {name} == 'fraud')")
    assert made.check("refund", {"n": 1}).decision is Decision.ALLOW


@pytest.mark.parametrize("require", ["!('fraud' in ledger.o.holds)", "size(ledger.o.holds) <= 1"])
@pytest.mark.parametrize("touches", ["o.holds.*", "o.holds", "o"])
@pytest.mark.parametrize("holds", [{}, {"late": "x"}])
def test_what_is_not_in_a_map_is_stale_with_its_entries(
    require: str, touches: str, holds: dict[str, str]
) -> None:
    made = session(require, touches)
    made.observe("get", {}, {"st": "open", "flags": [], "holds": holds})
    assert made.check("refund", {"n": 1}).decision is Decision.ALLOW
    made.observe("upd", {"n": 1}, "ok")
    assert made.check("refund", {"n": 1}).decision is Decision.REVISE


def test_a_call_behind_a_write_must_be_allowed_if_the_write_fails() -> None:
    made = session("!observed(ledger.o) || ledger.o.st == 'open'", "o")
    assert made.check("refund", {"n": 1}).decision is Decision.BLOCK
    verdicts = made.check_message([("upd", {"n": 1}), ("refund", {"n": 1})])
    assert [v.decision for v in verdicts] == [Decision.ALLOW, Decision.REVISE]
    made.observe("upd", {"n": 1}, error=True)
    assert made.check("refund", {"n": 1}).decision is Decision.BLOCK


def test_a_call_must_be_allowed_whichever_of_the_calls_before_it_succeed() -> None:
    spent = "sum(history.refund.filter(c, c.ok).map(c, c.args.n)) + args.n"
    made = session(f"{spent} <= sum(history.upd.filter(c, c.ok).map(c, c.args.n))")
    made.check("upd", {"n": 50})
    made.observe("upd", {"n": 50}, "ok")
    message = [("refund", {"n": 50}), ("upd", {"n": 50}), ("refund", {"n": 50})]
    decisions = [v.decision for v in made.check_message(message)]
    assert decisions[:2] == [Decision.ALLOW, Decision.ALLOW]
    assert decisions[2] is not Decision.ALLOW


def test_behind_many_calls_one_is_judged_as_exactly_as_behind_one() -> None:
    made = session("history.upd.filter(c, c.ok).size() < 20")
    calls: list[tuple[str, dict[str, int]]] = [("upd", {"n": i}) for i in range(20)]
    verdicts = made.check_message([*calls[:19], ("refund", {"n": 0})])
    assert all(verdict.allowed for verdict in verdicts)
    verdicts = made.check_message([calls[19], ("refund", {"n": 0})])
    assert [v.decision for v in verdicts] == [Decision.ALLOW, Decision.REVISE]


@pytest.mark.parametrize("call", [None, 5, ("upd",), ("upd", {}, 1), ["upd", {"n": 1}]])
def test_what_is_no_call_is_refused(call: Any) -> None:
    (verdict,) = session("true").check_message([call])
    assert verdict.decision is Decision.BLOCK


@pytest.mark.parametrize("arguments", [{"n": "50"}, {"n": 50, "extra": 1}, '{"n": 50}', None])
def test_a_call_that_ran_and_cannot_be_read_may_be_what_a_rule_asks_about(arguments: Any) -> None:
    made = session("!history.upd.exists(c, c.ok)")
    assert made.check("refund", {"n": 1}).decision is Decision.ALLOW
    made.observe("upd", arguments, "ok")
    assert made.check("refund", {"n": 1}).decision is not Decision.ALLOW
    made = session("!history.upd.exists(c, c.ok)")
    made.check("upd", arguments)
    assert made.check("refund", {"n": 1}).decision is Decision.ALLOW


def test_a_write_of_which_nobody_knows_whether_it_ran_is_stale() -> None:
    made = session("ledger.o.st == 'closed'")
    assert made.check("refund", {"n": 1}).decision is Decision.ALLOW
    made.interrupted("upd", {"n": 1})
    assert made.check("refund", {"n": 1}).decision is Decision.REVISE


def test_a_write_of_which_nobody_knows_whether_it_ran_may_count_against_a_limit() -> None:
    made = session("history.upd.filter(c, c.ok).size() < 1")
    assert made.check("refund", {"n": 1}).decision is Decision.ALLOW
    made.check("upd", {"n": 1})
    made.interrupted("upd", {"n": 1})
    assert made.check("refund", {"n": 1}).decision is Decision.BLOCK
