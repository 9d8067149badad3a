"""Proofs over the facts of a session: one user for all calls, whoever that is."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from ledger_verify.checks.running.run import run_checks
from ledger_verify.evaluate.kleene import Truth
from ledger_verify.gate.cases import case_data, replay_case, truths_in
from ledger_verify.gate.gate import Gate
from ledger_verify.gate.sequences import replay_sequence
from ledger_verify.generate.cases import generate
from ledger_verify.generate.scenario import Scenario, run_scenario
from ledger_verify.policy.domain import Domain
from ledger_verify.proofs.invariants import Proof, ProofResult, prove
from ledger_verify.proofs.sequences import SequenceResult, prove_sequences
from ledger_verify.solver.sequences import SequenceSolver
from ledger_verify.solver.static import StaticSolver
from tests.proofs.refunds import DEFINITIONS, READ, REFUND

OWN = "ledger.orders[args.id].owner == session.user_id"
SESSION: Mapping[str, Any] = {
    "user_id": "string",
    "limit": "number",
    "roles?": "string[]",
    "tenant?": {
        "type": "object",
        "required": ["plan"],
        "properties": {
            "plan": {"enum": ["free", "paid"]},
            "opened": {"format": "date", "type": "string"},
        },
    },
}
FOREIGN = {
    "id": "own_records_only",
    "tools": ["refund"],
    "never": "ledger.orders[args.id].owner != session.user_id",
}


def orders(*rules: Any, invariants: Any = (FOREIGN,), **tools: Any) -> Domain:
    return Domain.define(
        "orders",
        session=SESSION,
        definitions=DEFINITIONS,
        ledger={"orders.*": "Order"},
        tools={"read": READ, "refund": REFUND, **tools},
        rules=[
            {"id": f"r{i}", "tools": ["refund"]} | (r if isinstance(r, dict) else {"require": r})
            for i, r in enumerate(rules)
        ],
        invariants=list(invariants),
        clock="2024-05-15T15:00:00",
    )


def proof(domain: Domain) -> ProofResult:
    (result,) = prove(domain, StaticSolver(domain))
    return result


def sequence(domain: Domain, longest: int = 3) -> SequenceResult:
    (result,) = prove_sequences(domain, SequenceSolver(domain), longest)
    return result


def always(text: str, initially: str | None = None) -> dict[str, str]:
    return {"id": "kept", "always": text} | ({} if initially is None else {"initially": initially})


@pytest.mark.parametrize(
    "rules",
    [
        (OWN,),
        ({"use": "owned_by_session_user", "with": {"owner": "ledger.orders[args.id].owner"}},),
        ("args.amount > 0", f"{OWN} && args.amount < session.limit"),
    ],
)
def test_no_allowed_call_is_about_anyone_but_the_user_of_the_session(rules: Any) -> None:
    result = proof(orders(*rules))
    assert (result.proof, result.without_rules) == (Proof.PROVED, False)


@pytest.mark.parametrize(
    "rule",
    [
        "args.amount > 0",
        f'{OWN} || has(session.roles) && "clerk" in session.roles',
        f'{OWN} || has(session.tenant) && session.tenant.plan == "paid"',
        f"{OWN} || session.limit > 989.5",
        f'{OWN} || has(session.tenant) && session.tenant.opened < timestamp("2024-01-01T00:00:00Z")',  # noqa: E501
    ],
)
def test_without_the_rule_there_is_a_counterexample_that_the_gate_allows(rule: str) -> None:
    domain = orders(rule)
    result = proof(domain)
    assert result.proof is Proof.REFUTED
    case, gate = result.counterexample, Gate(domain)
    assert case is not None
    assert replay_case(gate, case).allowed
    assert truths_in(gate, case, (result.invariant.never,)) == (Truth.TRUE,)
    assert case.facts["user_id"] != case.ledger[f"orders.{case.arguments['id']}"]["owner"]
    assert case_data(case, domain)["session"] == case.facts
    # what nothing depends on is not shown, as far as it may be missing
    read = {name for name in ("roles", "tenant") if f"session.{name}" in rule}
    assert set(case.facts) == {"user_id", "limit", *read}
    assert result.to_json(domain)["counterexample"]["session"] == case.facts


def test_what_depends_on_facts_alone_is_refuted_by_facts() -> None:
    invariant = {"id": "i", "tools": ["refund"], "never": 'session.user_id == "ghost"'}
    case = proof(orders("args.amount > 0", invariants=[invariant])).counterexample
    assert case is not None
    assert case.facts["user_id"] == "ghost"
    assert proof(orders('session.user_id != "ghost"', invariants=[invariant])).proof is Proof.PROVED


@pytest.mark.parametrize(
    ("rules", "claim"),
    [
        # one limit for the whole session bounds what any of its calls leaves behind
        (
            ("args.amount > 0", "ledger.orders[args.id].refunded + args.amount <= session.limit"),
            always("ledger.orders.all(o, o.refunded <= session.limit)"),
        ),
        # who was the user in an earlier call is so now
        (
            (OWN, 'session.user_id == "a" || !history.refund.exists(c, c.ok)'),
            always('size(history.refund.filter(c, c.ok)) < 2 || session.user_id == "a"', "true"),
        ),
        (
            ("!history.refund.exists(c, c.ok) || session.limit > 5",),
            always("size(history.refund.filter(c, c.ok)) < 2 || session.limit > 5", "true"),
        ),
    ],
)
def test_facts_are_the_same_at_each_step_of_a_sequence(rules: Any, claim: dict[str, str]) -> None:
    result = sequence(orders(*rules, invariants=[claim]))
    assert result.proof in (Proof.PROVED, Proof.PROVED_UP_TO_BOUND), result.reasons
    assert result.counterexample is None


def test_two_calls_cannot_be_for_two_users() -> None:
    """If facts could differ from call to call, two calls would be enough."""
    first = f'{OWN} && (session.user_id != "b" || history.refund.exists(c, c.args.amount == 1))'
    both = always(
        "!(history.refund.exists(c, c.ok && c.args.amount == 1)"
        " && history.refund.exists(c, c.ok && c.args.amount == 2))",
        "true",
    )
    rules = (first, 'args.amount == 1 ? session.user_id == "a" : session.user_id == "b"')
    assert sequence(orders(*rules, invariants=[both])).counterexample is None
    open_ = sequence(orders(OWN, invariants=[both]))
    assert (open_.proof, open_.calls) == (Proof.REFUTED, 2)


def test_a_sequence_that_refutes_shows_its_facts_and_replays() -> None:
    domain = orders(
        "ledger.orders[args.id].refunded + args.amount <= session.limit",
        invariants=[
            always(
                "ledger.orders.all(o, o.refunded <= 100)", "ledger.orders.all(o, o.refunded <= 0)"
            )
        ],
    )
    result = sequence(domain)
    assert result.proof is Proof.REFUTED
    found = result.counterexample
    assert found is not None
    assert found.sequence.facts["limit"] > 100
    assert set(found.sequence.facts) == {"user_id", "limit"}
    assert result.to_json(domain)["sequence"]["session"] == found.sequence.facts
    gate, (claim,) = Gate(domain), domain.always
    assert replay_sequence(gate, claim, found.sequence) == found
    for facts in (
        {"user_id": "x", "limit": 100},
        {"limit": 999},
        {},
        {"user_id": "x", "limit": "?"},
    ):
        assert replay_sequence(gate, claim, replace(found.sequence, facts=facts)) is None


def test_generated_cases_have_facts_and_replay() -> None:
    domain = orders(OWN, "args.amount <= session.limit")
    gate = Gate(domain)
    made = [s for s in generate(domain, StaticSolver(domain)) if isinstance(s, Scenario)]
    assert {s.verdict for s in made} >= {"ALLOW"}
    assert len(made) >= 4
    for scenario in made:
        assert set(scenario.case.facts) == {"user_id", "limit"}
        assert run_scenario(gate, scenario).problem is None


@pytest.mark.parametrize(
    ("rule", "check"),
    [
        ('session.user_id == "a" && session.user_id == "b"', "dead_action"),
        ("session.limit < 5 || session.limit > 3", "vacuous_rule"),
        ('session.limit > 0 || session.roles.exists(r, r == "a")', "missing_value"),
        ('session.tenant.plan == "gold" || args.amount < 5', "impossible_literal"),
    ],
)
def test_checks_know_what_facts_can_be(rule: str, check: str) -> None:
    (report,) = run_checks([orders(rule, invariants=[])])
    assert check in {finding.check for finding in report.findings}


def test_facts_that_are_declared_lack_no_value() -> None:
    (report,) = run_checks([orders(f"{OWN} && args.amount <= session.limit", invariants=[])])
    assert {finding.check for finding in report.findings} <= {"missing_clause", "unused_type"}
