"""Rules about what the user said: at the gate, in proofs, and in the cases that are found."""

from typing import Any

import pytest

from ledger_verify import Domain, Gate
from ledger_verify.gate import Session
from ledger_verify.gate.cases import case_data, replay_case
from ledger_verify.gate.verdict import Decision
from ledger_verify.generate.scenario import load_scenarios, run_scenario, write_scenarios
from ledger_verify.lang.errors import InputError
from ledger_verify.policy.case import Case
from ledger_verify.proofs.invariants import prove
from ledger_verify.proofs.sequences import prove_sequences
from ledger_verify.solver.outcome import Outcome, Ruling
from ledger_verify.solver.question import Question
from ledger_verify.solver.sequences import SequenceSolver
from ledger_verify.solver.static import StaticSolver

ARGUMENTS = {"order_id": "string", "amount": "number", "day?": "date", "note?": "string"}


def shop(*require: str, **more: Any) -> Domain:
    return Domain.define(
        "shop",
        clock="2024-05-15",
        definitions={
            "Order": {
                "type": "object",
                "required": ["total", "zip"],
                "properties": {"total": {"type": "number"}, "zip": {"type": "string"}},
            }
        },
        ledger={"orders.*": "Order"},
        tools={
            "get_order": {
                "kind": "read",
                "arguments": {"order_id": "string"},
                "observes": {"orders.{args.order_id}": "result"},
            },
            "refund": {
                "kind": "write",
                "arguments": ARGUMENTS,
                "touches": ["orders.{args.order_id}.total"],
                **more.pop("refund", {}),
            },
        },
        rules=[
            {"id": f"r{number}", "tools": ["refund"], "require": text}
            for number, text in enumerate(require)
        ],
        **more,
    )


def session_of(domain: Domain, *said: str, orders: dict[str, Any] | None = None) -> Session:
    session = Gate(domain).session()
    for path, record in (orders or {}).items():
        session.record(path, record)
    for text in said:
        session.heard(text)
    return session


CALL = {"order_id": "W1", "amount": 12.5}
ORDER = {"orders.W1": {"total": 50, "zip": "10001"}}


def test_what_was_not_said_waits_for_the_user() -> None:
    domain = shop("stated(args.order_id)", "stated(args.amount)")
    verdict = session_of(domain, "refund 12.50 please").check("refund", CALL)
    assert (verdict.decision, verdict.ask) == (Decision.REVISE, ("order_id",))
    assert "Ask the user for `order_id`" in verdict.message
    assert verdict.repair is None
    assert session_of(domain, "refund 12.50 of W1").check("refund", CALL).allowed
    assert session_of(domain).check("refund", CALL).ask == ("order_id", "amount")


def test_what_no_word_can_help_is_blocked_all_the_same() -> None:
    domain = shop("stated(args.order_id)", "args.amount < 10")
    verdict = session_of(domain).check("refund", CALL)
    assert (verdict.decision, verdict.ask) == (Decision.BLOCK, ())
    never = shop("!stated(args.order_id)")
    verdict = session_of(never, "W1").check("refund", CALL)
    assert (verdict.decision, verdict.ask) == (Decision.BLOCK, ())


def test_a_record_that_is_missing_is_read_and_the_user_asked() -> None:
    domain = shop("stated(args.order_id) && ledger.orders[args.order_id].total > 20")
    verdict = session_of(domain).check("refund", CALL)
    assert (verdict.decision, verdict.ask) == (Decision.REVISE, ("order_id",))
    assert [m.path for m in verdict.missing] == ["orders.W1"]


def test_a_value_of_a_record_must_be_said_and_is_not_given_away() -> None:
    domain = shop("stated(ledger.orders[args.order_id].zip)")
    verdict = session_of(domain, "W1", orders=ORDER).check("refund", CALL)
    assert (verdict.decision, verdict.ask) == (Decision.REVISE, ())
    assert "10001" not in verdict.message
    assert "Ask the user for what the rules above want" in verdict.message
    assert session_of(domain, "W1, 10001", orders=ORDER).check("refund", CALL).allowed
    # unread, any text may be the one
    unread = session_of(domain, "10001").check("refund", CALL)
    assert unread.decision is Decision.REVISE
    assert [m.path for m in unread.missing] == ["orders.W1"]


def test_a_call_is_not_allowed_because_some_completion_was_said() -> None:
    for rule in (
        "stated(ledger.orders[args.order_id].zip)",
        "stated(ledger.orders[args.order_id].total)",
        "!stated(ledger.orders[args.order_id].zip)",
    ):
        verdict = session_of(shop(rule), "10001", "50").check("refund", CALL)
        assert verdict.decision is Decision.REVISE


def test_a_rule_that_holds_either_way_needs_no_word() -> None:
    zip_ = "ledger.orders[args.order_id].zip"
    domain = shop(f"stated({zip_}) || !stated({zip_})")
    assert session_of(domain, "x").check("refund", CALL).allowed


def test_a_repair_is_never_a_value_that_was_not_said() -> None:
    only = {"free": ["amount"]}
    domain = shop("stated(args.amount)", "args.amount < 10", refund=only)
    verdict = session_of(domain, "give me 7.25 or 12").check("refund", CALL)
    assert verdict.repair is not None
    assert verdict.repair.arguments == {"amount": 7.25}
    rules = ("stated(args.note)", 'args.note in ["gift", "broken"]')
    text = shop(*rules, refund={"free": ["note"]})
    verdict = session_of(text, "it is broken").check("refund", {**CALL, "note": "gift"})
    assert verdict.repair is None or verdict.repair.arguments == {"note": "broken"}


# --- before deployment


def cases(domain: Domain) -> list[Case]:
    """A call of `refund` that is allowed, and for each rule one that it alone forbids."""
    solver, tool = StaticSolver(domain), domain.tools["refund"]
    rules = [rule.holds for rule in domain.rules_by_tool["refund"]]
    found = []
    for number in range(-1, len(rules)):
        true = tuple(rule for i, rule in enumerate(rules) if i != number)
        false = (rules[number],) if number >= 0 else ()
        search = solver.search(Question(tool, true, false))
        assert search.outcome is Outcome.FOUND
        assert search.case is not None
        found.append(search.case)
    return found


@pytest.mark.parametrize(
    "rules",
    [
        ("stated(args.order_id)",),
        ("stated(args.order_id)", "stated(args.amount) && args.amount > 3"),
        ("stated(ledger.orders[args.order_id].zip, 'loose')", "args.amount > 0"),
        ("has(args.day) && stated(args.day, 'date')", "!has(args.note) || !stated(args.note)"),
        ("stated(args.order_id) || stated(args.amount)", "args.order_id != 'W1'"),
    ],
)
def test_found_cases_replay_with_what_was_said(rules: tuple[str, ...]) -> None:
    domain = shop(*rules)
    gate = Gate(domain)
    allowed, *forbidden = cases(domain)
    assert replay_case(gate, allowed).allowed
    assert allowed.heard
    for number, case in enumerate(forbidden):
        verdict = replay_case(gate, case)
        assert {r.id for r in verdict.rules if r.truth == "FALSE"} == {f"r{number}"}


def test_equal_values_were_said_alike() -> None:
    domain = shop(
        "has(args.note) && args.note == args.order_id",
        "stated(args.note)",
        "!stated(args.order_id)",
    )
    solver, tool = StaticSolver(domain), domain.tools["refund"]
    rules = tuple(rule.holds for rule in domain.rules_by_tool["refund"])
    assert solver.impossible(Question(tool, rules)) is Ruling.PROVED
    assert solver.impossible(Question(tool, rules[:2])) is not Ruling.PROVED


def test_an_invariant_about_what_was_said_is_proved_or_refuted_with_the_words() -> None:
    claim = {"id": "said", "tools": ["refund"], "never": "!stated(args.order_id)"}
    proved = shop("stated(args.order_id)", invariants=[claim])
    (result,) = prove(proved, StaticSolver(proved))
    assert result.proof.value == "PROVED"
    other = {"id": "said", "tools": ["refund"], "never": "stated(args.order_id)"}
    refuted = shop("stated(args.order_id)", invariants=[other])
    (result,) = prove(refuted, StaticSolver(refuted))
    assert result.proof.value == "REFUTED"
    case = result.counterexample
    assert case is not None
    assert case.heard == (case.arguments["order_id"],)
    assert replay_case(Gate(refuted), case).allowed


@pytest.mark.parametrize("asks", [[], ["amount"]])
@pytest.mark.parametrize("rule", ["stated(args.order_id)", "args.order_id != ''"])
def test_a_sequence_tells_what_was_said(rule: str, asks: list[str]) -> None:
    total = "orders.{args.order_id}.total"
    effects = {total: "ledger.orders[args.order_id].total - args.amount"}
    domain = shop(
        rule,
        refund={"asks": asks, "effects": effects},
        invariants=[
            {
                "id": "never_negative",
                "always": "ledger.orders.all(o, o.total >= 0)",
                "initially": "ledger.orders.all(o, o.total == 9)",
            }
        ],
    )
    (result,) = prove_sequences(domain, SequenceSolver(domain), 2)
    assert result.proof.value == "REFUTED"
    assert result.counterexample is not None
    sequence = result.counterexample.sequence
    said = " ".join(sequence.heard)
    for call in sequence.calls:
        assert ("stated" in rule) <= (call.arguments["order_id"] in said)
        assert bool(asks) <= (str(call.arguments["amount"]) in said)
    assert result.to_json(domain)["sequence"].get("heard", []) == list(sequence.heard)


def test_what_a_tool_asks_for_is_said_in_every_example() -> None:
    domain = shop("args.amount > 0", refund={"asks": ["order_id"]})
    allowed, *_ = cases(domain)
    assert replay_case(Gate(domain), allowed).allowed
    assert allowed.heard == (allowed.arguments["order_id"],)


def test_scenarios_tell_what_was_said(tmp_path: Any) -> None:
    domain = shop("stated(args.order_id)")
    file = tmp_path / "said.yaml"
    file.write_text(
        "scenarios:\n"
        "- {name: a, heard: ['W1'], call: {tool: refund, arguments: {order_id: W1, amount: 1}},\n"
        "   expect: {verdict: ALLOW}}\n"
        "- {name: b, heard: ['W2'], call: {tool: refund, arguments: {order_id: W1, amount: 1}},\n"
        "   expect: {verdict: REVISE, rules: {r0: 'FALSE'}}}\n"
    )
    scenarios = list(load_scenarios(file, domain))
    gate = Gate(domain)
    assert [run_scenario(gate, scenario).problem for scenario in scenarios] == [None, None]
    assert case_data(scenarios[0].case, domain)["heard"] == ["W1"]
    write_scenarios(tmp_path / "again.yaml", scenarios, domain)
    again = list(load_scenarios(tmp_path / "again.yaml", domain))
    assert [scenario.case for scenario in again] == [scenario.case for scenario in scenarios]
    file.write_text("scenarios:\n- {heard: W1, call: {tool: refund}, expect: {verdict: ALLOW}}\n")
    with pytest.raises(InputError, match="a list of texts"):
        list(load_scenarios(file, domain))


@pytest.mark.parametrize(
    "given",
    [
        {"assumptions": ["ledger.orders.all(o, stated(o.zip))"]},
        {"invariants": [{"id": "a", "always": "ledger.orders.all(o, stated(o.zip))"}]},
        {"refund": {"effects": {"orders.{args.order_id}.total": "stated('x') ? 1.0 : 2.0"}}},
    ],
)
def test_only_rules_speak_of_what_was_said(given: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="what the user said is for rules"):
        shop("true", **given)
