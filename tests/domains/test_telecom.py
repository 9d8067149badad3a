"""The telecom domain: its scenarios, its proofs, and the shared recordings and database."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ledger_verify import Decision, Domain, Gate, Session
from ledger_verify.audit.report import FileReplay, replay_file
from ledger_verify.conversation.parts import AGENT, USER
from ledger_verify.evaluate.kleene import Scope, evaluate
from ledger_verify.generate.scenario import load_scenarios, run_scenario, scenario_files
from ledger_verify.policy.tools import ToolKind
from ledger_verify.proofs.invariants import Proof, prove
from ledger_verify.solver.query import Limits
from ledger_verify.solver.static import StaticSolver

Record = dict[str, Any]


@pytest.fixture(scope="module")
def gate() -> Gate:
    return Gate(Domain.load("telecom"))


@pytest.fixture(scope="module")
def database(shared_data: Path) -> dict[str, list[Record]]:
    return tomllib.loads((shared_data / "tau" / "telecom_db.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def recording(shared_data: Path) -> Path:
    return shared_data / "tau" / "tau2_telecom_scripted.json"


@pytest.fixture(scope="module")
def replayed(gate: Gate, recording: Path) -> FileReplay:
    return replay_file(gate, str(recording))


# --- scenarios and proofs ---


def test_scenarios(gate: Gate) -> None:
    assert gate.domain.folder is not None
    files = scenario_files(gate.domain.folder)
    results = [run_scenario(gate, s) for file in files for s in load_scenarios(file, gate.domain)]
    assert [(r.scenario.name, r.problem) for r in results if r.problem] == []


def test_every_rule_has_a_case_by_hand_that_holds_and_one_that_does_not(gate: Gate) -> None:
    assert gate.domain.folder is not None
    found: dict[str, set[str]] = {rule.id: set() for rule in gate.domain.rules}
    by_hand = gate.domain.folder / "scenarios" / "by_hand.yaml"
    for scenario in load_scenarios(by_hand, gate.domain):
        for rule, truth in scenario.rules.items():
            found[rule].add(truth)
    assert [rule for rule, truths in found.items() if not truths >= {"TRUE", "FALSE"}] == []


def test_invariants_are_proved(gate: Gate) -> None:
    solver = StaticSolver(gate.domain, 4, Limits(timeout_ms=20_000, resources=100_000_000))
    results = list(prove(gate.domain, solver))
    assert len(results) >= len(gate.domain.invariants)
    proved = (Proof.PROVED, Proof.PROVED_UP_TO_BOUND)
    assert [r.invariant.id for r in results if r.proof not in proved] == []


# --- the shared recordings ---


def test_every_read_fits_the_schema(replayed: FileReplay) -> None:
    assert replayed.drifts == ()
    assert replayed.calls > 0


def test_tools_are_those_of_the_environment(gate: Gate, shared_data: Path) -> None:
    path = shared_data / "tau" / "tools" / "telecom.json"
    listed = json.loads(path.read_text(encoding="utf-8"))
    agents = {tool["name"] for tool in listed["agent_tools"]}
    persons = {tool["name"] for tool in listed["user_tools"]}
    tools = gate.domain.tools.values()
    assert {tool.name for tool in tools if not tool.by_user} == agents
    assert {tool.name for tool in tools if tool.by_user} == persons
    for tool in listed["agent_tools"]:
        kind = {"generic": "neutral"}.get(tool["kind"], tool["kind"])
        assert gate.domain.tools[tool["name"]].kind is ToolKind(kind)
        fields = gate.domain.tools[tool["name"]].arguments.by_name
        assert set(fields) == set(tool["parameters"]["properties"])
        required = {name for name, field in fields.items() if not field.optional}
        assert required == set(tool["parameters"]["required"])


def test_what_a_task_expects_or_rewards_is_allowed(replayed: FileReplay) -> None:
    assert replayed.decisions
    refused = [
        (decision.conversation, decision.verdict.tool)
        for decision in replayed.decisions
        if not decision.verdict.allowed and (decision.executed_ok or decision.reward == 1)
    ]
    assert refused == []


def test_what_the_environment_rejected_is_refused(replayed: FileReplay) -> None:
    rejected = [d for d in replayed.decisions if d.executed_ok is False]
    assert [d.verdict.tool for d in rejected if d.verdict.allowed] == []


def test_every_expected_write_was_judged(gate: Gate, replayed: FileReplay) -> None:
    writes = {tool.name for tool in gate.domain.writes}
    for one in replayed.conversations:
        expected = [
            (action.name, action.arguments)
            for action in one.conversation.expected
            if action.by == AGENT and action.name in writes
        ]
        judged = [(d.verdict.tool, dict(d.verdict.arguments)) for d in one.decisions]
        assert all(action in judged for action in expected)


def test_tools_of_the_person_are_known_and_not_judged(gate: Gate, replayed: FileReplay) -> None:
    called = {call.name for one in replayed.conversations for call in one.conversation.calls(USER)}
    assert called
    assert all(gate.domain.tools[name].by_user for name in called)
    assert not called & {decision.verdict.tool for decision in replayed.decisions}


# --- the shared database ---

KEYS = {
    "lines": "line_id",
    "bills": "bill_id",
    "plans": "plan_id",
    "devices": "device_id",
}


def full_session(gate: Gate, database: dict[str, list[Record]], customer: Record) -> Session:
    session = gate.session()
    session.record("customer", customer)
    for kind, key in KEYS.items():
        for record in database[kind]:
            session.record(f"{kind}.{record[key]}", record)
    return session


def test_the_database_fits_the_schema_and_the_assumptions(
    gate: Gate, database: dict[str, list[Record]]
) -> None:
    for customer in database["customers"]:
        session = full_session(gate, database, customer)
        for assumption in gate.domain.assumptions:
            assert assumption.pattern is None
            assert evaluate(assumption.body, Scope(session.ledger, {})) is True, assumption.text


def proposals(database: dict[str, list[Record]]) -> Iterator[tuple[str, Record]]:
    for line in database["lines"]:
        about = {"line_id": line["line_id"]}
        for tool in ("resume_line", "enable_roaming", "disable_roaming"):
            yield tool, about
        yield "suspend_line", {**about, "reason": "asked for"}
        for amount in (-1, 0, 0.5, 2, 2.5):
            yield "refuel_data", {**about, "gb_amount": amount}
    for bill in database["bills"]:
        yield "send_payment_request", {"bill_id": bill["bill_id"]}


def is_possible(tool: str, arguments: Record, customer: Record, by_id: dict[str, Record]) -> bool:
    """Whether the environment would carry the call out."""
    if tool == "send_payment_request":
        statuses = [by_id[bill]["status"] for bill in customer["bill_ids"]]
        return arguments["bill_id"] in customer["bill_ids"] and "Awaiting Payment" not in statuses
    if arguments["line_id"] not in customer["line_ids"]:
        return False
    status = by_id[arguments["line_id"]]["status"]
    possible: dict[str, bool] = {
        "suspend_line": status == "Active",
        "resume_line": status in ("Suspended", "Pending Activation"),
        "refuel_data": bool(arguments.get("gb_amount", 0) > 0),
    }
    return possible.get(tool, True)


def test_nothing_is_allowed_that_the_environment_would_reject(
    gate: Gate, database: dict[str, list[Record]]
) -> None:
    by_id = {record[key]: record for kind, key in KEYS.items() for record in database[kind]}
    allowed = 0
    for customer in database["customers"]:
        session = full_session(gate, database, customer)
        for tool, about in proposals(database):
            arguments = {"customer_id": customer["customer_id"], **about}
            verdict = session.dry_run(tool, arguments)
            allowed += verdict.allowed
            assert not verdict.allowed or is_possible(tool, about, customer, by_id)
            other = session.dry_run(tool, {**arguments, "customer_id": "C9999"})
            assert not other.allowed
    assert allowed


# --- what the recordings do not show ---

LINE = {"customer_id": "C1", "line_id": "L1"}
PHONE = ("get_customer_by_phone", {"phone_number": "555-0100"})


def customer(**changed: Any) -> Record:
    ids = {"customer_id": "C1", "line_ids": ["L1"], "bill_ids": ["B1", "B2"]}
    return {**ids, "account_status": "Active", **changed}


def line(**changed: Any) -> Record:
    about = {"line_id": "L1", "phone_number": "555-0100", "plan_id": "P1", "status": "Suspended"}
    usage = {"data_used_gb": 1.5, "data_refueling_gb": 0, "roaming_enabled": False}
    return {**about, **usage, "contract_end_date": "2026-12-31", **changed}


def bill(id_: str, status: str) -> Record:
    about = {"bill_id": id_, "customer_id": "C1", "total_due": 65, "due_date": "2025-02-10"}
    return {**about, "status": status, "line_items": []}


def read(session: Session, id_: str, record: Record) -> None:
    assert session.observe("get_details_by_id", {"id": id_}, record) == []


def session_with(gate: Gate, **statuses: str) -> Session:
    """The customer and the line were read, and the bills that have a status here."""
    session = gate.session()
    session.heard(f"You reach me under {PHONE[1]['phone_number']}.")
    assert session.observe(*PHONE, customer()) == []
    read(session, "L1", line())
    for id_, status in statuses.items():
        read(session, id_, bill(id_, status))
    return session


def decide(session: Session, tool: str, **arguments: Any) -> Decision:
    return session.dry_run(tool, {"customer_id": "C1", **arguments}).decision


@pytest.mark.parametrize("status", ["Overdue", "Awaiting Payment"])
def test_a_debt_holds_until_a_fresh_read_shows_that_it_is_paid(gate: Gate, status: str) -> None:
    session = session_with(gate, B1="Draft", B2=status)
    verdict = session.dry_run("resume_line", LINE)
    assert verdict.decision is Decision.REVISE
    assert "B2" in verdict.message
    read(session, "B2", bill("B2", "Paid"))
    assert session.dry_run("resume_line", LINE).allowed


@pytest.mark.parametrize(
    ("answer", "stale"),
    [
        ("Payment of 65.0 USD has been made for bill B1.", {"B1"}),
        ("You do not have a payment request.", set()),
        ("The bank did something.", {"B1", "B2"}),
    ],
)
def test_a_payment_makes_only_its_bill_stale(gate: Gate, answer: str, stale: set[str]) -> None:
    session = session_with(gate, B1="Paid", B2="Paid")
    session.observe("make_payment", {}, answer)
    missing = {read.path for read in session.dry_run("resume_line", LINE).missing}
    assert missing == {f"bills.{id_}" for id_ in stale}


def test_what_is_done_on_the_phone_changes_no_record(gate: Gate) -> None:
    session = session_with(gate, B1="Paid", B2="Paid")
    before = session.render()
    for tool in gate.domain.tools.values():
        if tool.by_user and tool.name != "make_payment":
            arguments = dict.fromkeys(tool.arguments.by_name, "x")
            assert session.observe(tool.name, arguments, "Success.") == []
    assert session.render() == before


def test_the_agent_cannot_use_the_phone(gate: Gate) -> None:
    for tool in gate.domain.tools.values():
        if tool.by_user:
            assert gate.session().dry_run(tool.name, {}).decision is Decision.BLOCK


def test_who_the_customer_is_must_come_from_the_person(gate: Gate) -> None:
    (missing,) = gate.session().dry_run("disable_roaming", LINE).missing
    assert missing.read is not None
    assert set(missing.read.arguments.values()) == {None}


@pytest.mark.parametrize(
    ("found", "decision", "drifts"),
    [
        ([], Decision.REVISE, 0),
        ([customer()], Decision.ALLOW, 0),
        ([customer(), customer(customer_id="C2")], Decision.REVISE, 1),
    ],
)
def test_a_name_identifies_one_customer_or_none(
    gate: Gate, found: list[Record], decision: Decision, drifts: int
) -> None:
    session = gate.session()
    session.heard("A B, born June 15th, 1985")
    name = {"full_name": "A B", "dob": "1985-06-15"}
    assert len(session.observe("get_customer_by_name", name, found)) == drifts
    assert decide(session, "disable_roaming", line_id="L1") is decision


def test_the_first_customer_stays_whoever_is_looked_up_later(gate: Gate) -> None:
    session = session_with(gate)
    other = customer(customer_id="C2", line_ids=["L2"])
    session.heard("and my neighbour is C2")
    for tool, key in (("get_details_by_id", "id"), ("get_customer_by_id", "customer_id")):
        (drift,) = session.observe(tool, {key: "C2"}, other)
        assert drift.reason == "this conversation is with `C1`, the record is that of `C2`"
    assert decide(session, "disable_roaming", line_id="L1") is Decision.ALLOW
    verdict = session.check("disable_roaming", {"customer_id": "C2", "line_id": "L2"})
    assert verdict.decision is Decision.BLOCK
    assert "This conversation is with `C1`" in verdict.message


def test_nobody_is_the_customer_before_somebody_was_identified(gate: Gate) -> None:
    session = gate.session()
    (drift,) = session.observe("get_details_by_id", {"id": "C1"}, customer())
    assert "`get_details_by_id` does not identify anyone" in drift.reason
    assert session.render() == ""


def test_a_bill_list_shows_the_bills_that_are_in_it(gate: Gate) -> None:
    session = session_with(gate)
    whose = {"customer_id": "C1"}
    session.observe("get_bills_for_customer", {**whose, "limit": 1}, [bill("B2", "Overdue")])
    verdict = session.dry_run("send_payment_request", {**whose, "bill_id": "B2"})
    assert [missing.path for missing in verdict.missing] == ["bills.B1"]
    session.observe("get_bills_for_customer", whose, [bill("B2", "Overdue"), bill("B1", "Paid")])
    assert session.dry_run("send_payment_request", {**whose, "bill_id": "B2"}).allowed


def test_usage_may_come_as_text_and_an_amount_may_not(gate: Gate) -> None:
    session = session_with(gate)
    usage = {"line_id": "L1", "data_used_gb": "15.1", "data_limit_gb": "15.0"}
    assert session.observe("get_data_usage", LINE, {**usage, "data_refueling_gb": "0.0"}) == []
    assert decide(session, "refuel_data", line_id="L1", gb_amount=2.0) is Decision.ALLOW
    verdict = session.dry_run("refuel_data", {**LINE, "gb_amount": "2"})
    assert (verdict.decision, verdict.decided_by) == (Decision.REVISE, "schema")


def test_refuels_add_up_even_within_one_message(gate: Gate) -> None:
    half, whole = {**LINE, "gb_amount": 1}, {**LINE, "gb_amount": 2}
    session = session_with(gate)
    verdicts = session.check_message([("refuel_data", half), ("refuel_data", whole)])
    assert [v.decision for v in verdicts] == [Decision.ALLOW, Decision.REVISE]
    assert "First wait for the outcome of `refuel_data`" in verdicts[1].message
    session.observe("refuel_data", half, "Error: try again", error=True)
    assert session.dry_run("refuel_data", whole).allowed
    session.observe("refuel_data", whole, {"charge": "4.0"})
    assert session.dry_run("refuel_data", half).decision is Decision.BLOCK


@pytest.mark.parametrize(
    ("statuses", "stale"),
    [
        ({"B1": "Draft", "B2": "Overdue"}, {"bills.B1", "lines.L1"}),
        ({"B1": "Issued"}, {"customer", "lines.L1"}),
    ],
)
def test_a_refuel_is_charged_to_the_draft_bill(
    gate: Gate, statuses: dict[str, str], stale: set[str]
) -> None:
    session = session_with(gate, **statuses)
    session.observe("refuel_data", {**LINE, "gb_amount": 1}, {"charge": "4.0"})
    rows = session.render().splitlines()
    assert {row.split(" = ")[0] for row in rows if "(stale: " in row} == stale
