"""`refusal_without_exit` on rules that say REVISE for ever, and on their near misses."""

from dataclasses import replace

import pytest

from ledger_verify.checks import refusal_without_exit
from ledger_verify.checks.base.job import Settings
from ledger_verify.checks.running.run import run_checks
from ledger_verify.gate.cases import replay_case
from ledger_verify.gate.gate import Gate
from ledger_verify.gate.verdict import Decision
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain, clock_from_text
from ledger_verify.policy.rules import Otherwise
from tests.checks.desk import GET_ORDER, ORDER, desk, found, marked

ARGUMENTS = 'order_id: string, note: string, "tip?": number'


def tools(touches: str = 'touches: ["orders.{args.order_id}.status"]', more: str = "") -> str:
    return f"""
{GET_ORDER}
get_user: {{kind: read, arguments: {{user_id: string}}, observes: {{user: result}}}}
get_cart: {{kind: read, observes: {{cart: result}}}}
act: {{kind: write, arguments: {{{ARGUMENTS}}}, {touches}}}
{more}
"""


def touching(path: str, **keys: str) -> str:
    more = "".join(f", {key}: {value}" for key, value in keys.items())
    return tools(
        more=f'change: {{kind: write, arguments: {{id: string}}, touches: ["{path}"]{more}}}'
    )


def revise(require: str, **more: object) -> dict[str, object]:
    return {"require": require, "otherwise": "revise", **more}


FINAL = f"!{ORDER}.final"
FAULTY = {
    "a field that nobody changes": desk(tools(), revise(FINAL)),
    "one of two conditions": desk(tools(), revise(f'args.note != "" && {FINAL}')),
    "behind a guard that stays": desk(tools(), revise(FINAL, when=f"{ORDER}.total > 5.0")),
    "beside other rules": desk(tools(), 'args.note != "x"', revise(FINAL), f"{ORDER}.total > 1.0"),
    "a field that only its own call changes": desk(tools(), revise(f'{ORDER}.status == "open"')),
    "a record of which there is one": desk(tools(), revise("!ledger.cart.paid")),
    "another field of the record is changed": desk(
        touching("orders.{args.id}.total"), revise(FINAL)
    ),
}
RIGHT = {
    "block": desk(tools(), {"require": FINAL, "otherwise": "block"}),
    "auto": desk(tools(), FINAL),
    "another call changes the field": desk(touching("orders.{args.id}.final"), revise(FINAL)),
    "another call changes the record": desk(touching("orders.{args.id}"), revise(FINAL)),
    "the person changes it": desk(touching("orders.{args.id}.final", by="user"), revise(FINAL)),
    "a fixed argument": desk(tools(), revise('args.note != ""')),
    "an argument against a record": desk(tools(), revise(f"args.note == {ORDER}.owner")),
    "a free argument": desk(tools(), revise("args.tip < 5.0")),
    "time": desk(tools(), revise('now > timestamp("2030-01-01T00:00:00Z")')),
    "earlier calls": desk(tools(), revise("history.get_order.exists(c, c.ok)")),
    "another record in its place": desk(tools(), revise("ledger.user.verified")),
    "more records": desk(tools(), revise("records(ledger.orders).exists(o, o.final)")),
    "one condition or the other": desk(tools(), revise(f'args.note != "" || {FINAL}')),
    "a guard that changes": desk(tools(), revise(FINAL, when='args.note == ""')),
    "what cannot fail": desk(tools(), revise(f"{ORDER}.total == {ORDER}.total")),
}


@pytest.mark.parametrize("domain", FAULTY.values(), ids=FAULTY)
def test_a_refusal_for_ever_is_found(domain: Domain) -> None:
    (finding,) = found(refusal_without_exit, domain)
    (rule,) = [rule for rule in domain.rules if rule.otherwise is Otherwise.REVISE]
    assert finding.rules == (rule.id,)
    assert f"`{rule.id}` refuses calls of `act` with REVISE" in finding.message

    # the case is one in which REVISE is only what the rule says
    shown = finding.counterexample
    assert shown is not None
    case = Case(
        shown["call"]["tool"],
        shown["call"]["arguments"],
        shown["ledger"],
        clock_from_text(shown["clock"], domain),
    )
    plain = tuple(replace(rule, otherwise=Otherwise.AUTO) for rule in domain.rules)
    assert replay_case(Gate(domain), case).decision is Decision.REVISE
    assert replay_case(Gate(replace(domain, rules=plain)), case).decision is Decision.BLOCK


@pytest.mark.parametrize("domain", RIGHT.values(), ids=RIGHT)
def test_a_refusal_that_can_end_is_not(domain: Domain) -> None:
    assert found(refusal_without_exit, domain) == []


def test_no_other_condition_fails_in_the_case() -> None:
    (finding,) = found(refusal_without_exit, FAULTY["one of two conditions"])
    assert finding.counterexample is not None
    assert finding.counterexample["call"]["arguments"]["note"] != ""


def test_the_case_is_small() -> None:
    (finding,) = found(refusal_without_exit, FAULTY["a field that nobody changes"])
    assert finding.counterexample is not None
    ((path, order),) = finding.counterexample["ledger"].items()
    assert order["final"] is True
    assert path == f"orders.{finding.counterexample['call']['arguments']['order_id']}"


def test_writes_that_are_accepted_without_rules_where_the_default_is_revise() -> None:
    accepted = tools(
        more="change: {kind: write, ignore: {LV202: by staff}}\n"
        "close: {kind: write, ignore: {ungated_write: by staff}}"
    )
    domain = desk(accepted, FINAL, default="revise")
    (finding,) = found(refusal_without_exit, domain)
    assert "`default: revise` refuses every call of `change`, `close`, for" in finding.message
    assert finding.tools == ("change", "close")
    assert marked(domain, finding) == "revise"
    assert Gate(domain).session().check("change", {}).decision is Decision.REVISE
    assert found(refusal_without_exit, desk(accepted, FINAL)) == []


def test_a_write_without_rules_is_the_finding_of_another_check() -> None:
    unruled = touching("orders.{args.id}.final")
    assert found(refusal_without_exit, desk(unruled, FINAL, default="revise")) == []
    assert found(refusal_without_exit, desk(tools(), FINAL, default="revise")) == []


def test_a_question_that_stays_open_is_not_taken_for_a_clean_bill() -> None:
    domain = FAULTY["a field that nobody changes"]
    settings = Settings(timeout_ms=1, resources=1)
    (report,) = run_checks([domain], settings, [refusal_without_exit])
    (finding,) = report.findings
    assert finding.severity == "undecided"
    assert "could not tell whether `r0` refuses a call of `act` for ever" in finding.message


def test_a_refusal_of_several_tools_is_reported_once() -> None:
    touched = "orders.{args.order_id}.note"
    other = f'other: {{kind: write, arguments: {{order_id: string}}, touches: ["{touched}"]}}'
    rule = revise(FINAL, tools=["act", "other"])
    domain = desk(tools(more=other), rule)
    (finding,) = found(refusal_without_exit, domain)
    assert finding.message.startswith("`r0` refuses calls of `act`, `other` with REVISE")
    assert finding.tools == ("act", "other")
