"""The airline domain: on its database, on recorded conversations, and on the published case."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ledger_verify import Domain, Gate
from ledger_verify.audit.recordings import read_recording
from ledger_verify.audit.replay import ReplayedCall, replay
from ledger_verify.evaluate.kleene import Scope, Truth, truth
from ledger_verify.gate import Session, Verdict
from ledger_verify.generate.scenario import load_scenarios, run_scenario, scenario_files

# file, whether its environment has `get_flight_status`
RECORDINGS = {
    "tau1_airline_gpt-4o.json": False,
    "tau2_airline_toolorchestra_gpt-5.json": True,
    "trait_impatience_airline.json": False,
}
# rewarded and expected, but against the policy: see the domain's README
LISTED = {
    ("tau1_airline_gpt-4o.json", 26, "cancel_reservation"),
    # the environment did not store the new cabin, as the reservation that it returned shows
    ("tau1_airline_gpt-4o.json", 34, "cancel_reservation"),
    ("trait_impatience_airline.json", 34, "cancel_reservation"),
    ("trait_impatience_airline.json", 5, "update_reservation_baggages"),
}


@pytest.fixture(scope="module")
def domain() -> Domain:
    return Domain.load("airline")


@pytest.fixture(scope="module")
def gate(domain: Domain) -> Gate:
    return Gate(domain)


# --- assumptions against data


@pytest.fixture(scope="module")
def database(shared_data: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((shared_data / "tau" / "airline_db.json").read_text())
    return found


def offers(database: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for number, flight in database["flights"].items():
        for day, offer in flight["dates"].items():
            if offer["status"] == "available":
                yield number, day, {**flight, **offer, "flight_number": number, "date": day}


def test_the_assumptions_hold_on_the_database(gate: Gate, database: dict[str, Any]) -> None:
    assert gate.domain.assumptions
    for user_id, user in database["users"].items():
        session = gate.session()
        session.record("user", {**user, "user_id": user_id})
        for reservation_id in user["reservations"]:
            session.record(
                f"reservations.{reservation_id}", database["reservations"][reservation_id]
            )
        for assumption in gate.domain.assumptions:
            if assumption.pattern is None:
                assert truth(assumption.body, Scope(session.ledger)) is Truth.TRUE, assumption.text
    session = gate.session()
    for number, day, offer in offers(database):
        session.record(f"flights.{number}.{day}", offer)
    seen = Counter[str]()
    for pattern, _, entry in session.ledger.records():
        for assumption in gate.domain.assumptions:
            if assumption.pattern == pattern and assumption.variable is not None:
                scope = Scope(session.ledger).bind(assumption.variable.name, entry.value)
                assert truth(assumption.body, scope) is Truth.TRUE, assumption.text
                seen[pattern] += 1
    assert seen["flights.*.*"] > 1000


# --- recorded conversations


@pytest.fixture(scope="module")
def replayed(gate: Gate, shared_data: Path) -> list[tuple[str, Any, ReplayedCall, bool]]:
    """File, task, decision, and whether the benchmark expects the call."""
    out = []
    for file, has_status in RECORDINGS.items():
        tools = frozenset(gate.domain.tools) - (set() if has_status else {"get_flight_status"})
        conversations = read_recording(str(shared_data / "tau" / file))
        for run in replay(gate, conversations, tools=tools):
            expected = [(e.name, e.arguments) for e in run.conversation.expected]
            calls = list(run.conversation.calls())
            for decision in run.decisions:
                call = calls[decision.index]
                if call.name in gate.domain.tools:
                    wanted = (call.name, call.arguments) in expected
                    out.append((file, run.conversation.task, decision, wanted))
    return out


def test_all_results_fit_the_schema(gate: Gate, shared_data: Path) -> None:
    for file in RECORDINGS:
        for run in replay(gate, read_recording(str(shared_data / "tau" / file))):
            guessed = [d for d in run.drifts if d.reason == "the user never said `user_id`"]
            assert list(run.drifts) == guessed
            # who says no id has given an address, or nothing at all
            assert not guessed or run.conversation.task in {24, 32, 36, 44}


def test_no_decision_is_an_error(replayed: list[tuple[str, Any, ReplayedCall, bool]]) -> None:
    assert len(replayed) > 150
    assert not [d for _, _, d, _ in replayed if d.verdict.decided_by == "error"]


def test_nine_in_ten_writes_that_the_environment_rejected_are_refused(
    replayed: list[tuple[str, Any, ReplayedCall, bool]],
) -> None:
    rejected = [d for _, _, d, _ in replayed if d.executed_ok is False]
    refused = [d for d in rejected if not d.verdict.allowed]
    assert len(rejected) >= 20
    assert len(refused) >= 0.9 * len(rejected)


def test_no_rewarded_expected_and_fully_evidenced_write_is_refused(
    replayed: list[tuple[str, Any, ReplayedCall, bool]],
) -> None:
    """Whatever else is refused names the reads that were not made."""
    good = [
        (file, task, d.verdict)
        for file, task, d, expected in replayed
        if d.executed_ok and d.reward == 1 and expected
    ]
    assert len(good) > 50
    for file, task, verdict in good:
        if verdict.allowed or (file, task, verdict.tool) in LISTED:
            continue
        assert verdict.decision.value == "REVISE", (file, task, verdict)
        assert verdict.missing, (file, task, verdict)
        assert not [r for r in verdict.rules if r.truth in ("FALSE", "ERROR")], (
            file,
            task,
            verdict,
        )


# --- the published case: SI5UKW, basic economy, no insurance, four days old

CANCEL = {"reservation_id": "SI5UKW"}
FLIGHTS = [
    {"flight_number": "HAT062", "date": "2024-05-16"},
    {"flight_number": "HAT284", "date": "2024-05-17"},
]


def observe(session: Session, domain: Domain, *tools: str) -> None:
    from ledger_verify.policy.yaml_file import read_yaml

    assert domain.folder is not None
    script = read_yaml(domain.folder / "demo.yaml").data
    results = {entry["tool"]: entry["result"] for entry in script["results"]}
    for move in script["moves"]:
        if move["tool"] in tools:
            session.heard(f"I am {move['arguments'].get('user_id')}.")
            drifts = session.observe(move["tool"], move["arguments"], results[move["tool"]])
            assert drifts == []


def reads(verdict: Verdict) -> list[tuple[str, dict[str, Any]]]:
    return [(m.read.name, dict(m.read.arguments)) for m in verdict.missing if m.read is not None]


def test_before_the_statuses_are_read_they_are_asked_for(domain: Domain, gate: Gate) -> None:
    session = gate.session()
    observe(session, domain, "get_user_details", "get_reservation_details")
    verdict = session.dry_run("cancel_reservation", CANCEL)
    assert verdict.decision.value == "REVISE"
    assert reads(verdict) == [("get_flight_status", flight) for flight in FLIGHTS]
    assert [m.path for m in verdict.missing] == [
        "flight_status.HAT062.2024-05-16", "flight_status.HAT284.2024-05-17"
    ]  # fmt: skip


def test_with_nothing_read_the_profile_and_the_reservation_are_asked_for(gate: Gate) -> None:
    verdict = gate.session().dry_run("cancel_reservation", CANCEL)
    assert verdict.decision.value == "REVISE"
    found = [(m.path, m.read.arguments if m.read else None) for m in verdict.missing]
    assert ("user", {"user_id": None}) in found
    assert ("reservations.SI5UKW", CANCEL) in found


def test_after_that_it_is_blocked_with_the_values_in_the_message(
    domain: Domain, gate: Gate
) -> None:
    session = gate.session()
    observe(session, domain, "get_user_details", "get_reservation_details", "get_flight_status")
    verdict = session.dry_run("cancel_reservation", CANCEL)
    assert verdict.decision.value == "BLOCK"
    (reason,) = verdict.reasons
    for value in ("SI5UKW", "basic_economy", "its insurance no", "2024-05-11"):
        assert value in reason
    assert [r.id for r in verdict.rules if r.truth == "FALSE"] == ["cancel_has_basis"]


def test_without_the_status_tool_it_is_blocked(domain: Domain, gate: Gate) -> None:
    session = gate.session(tools=set(domain.tools) - {"get_flight_status"})
    observe(session, domain, "get_user_details", "get_reservation_details")
    verdict = session.dry_run("cancel_reservation", CANCEL)
    assert verdict.decision.value == "BLOCK"
    assert verdict.missing == ()
    assert "`flight_status.*.*`" in verdict.message
    # nobody knows its flights, so that it cannot be cancelled is no fact to tell
    assert verdict.reasons == ()
    assert "cancel_has_basis is not settled by what was observed" in verdict.message


def test_a_cancelled_flight_is_a_basis(domain: Domain, gate: Gate) -> None:
    session = gate.session()
    observe(session, domain, "get_user_details", "get_reservation_details", "get_flight_status")
    session.observe("get_flight_status", FLIGHTS[0], "cancelled")
    assert session.dry_run("cancel_reservation", CANCEL).allowed


# --- scenarios


def test_the_scenarios_are_as_expected(domain: Domain, gate: Gate) -> None:
    assert domain.folder is not None
    files = scenario_files(domain.folder)
    assert files
    for file in files:
        for scenario in load_scenarios(file, domain):
            result = run_scenario(gate, scenario)
            assert result.problem is None, f"{scenario.location}: {scenario.name}: {result.problem}"
