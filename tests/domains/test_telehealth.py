"""The telehealth domain against recorded conversations, their database and the expected writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from ledger_verify import Decision, Domain, Gate, Session, Verdict
from ledger_verify.audit.recordings import read_recording
from ledger_verify.audit.replay import ReplayedCall, replay
from ledger_verify.conversation.recorded import Conversation
from ledger_verify.evaluate.kleene import Scope, Truth, truth
from ledger_verify.generate.scenario import load_scenarios, run_scenario, scenario_files
from ledger_verify.ledger.paths import path_text
from ledger_verify.proofs.invariants import Proof, prove
from ledger_verify.solver.query import Limits
from ledger_verify.solver.static import StaticSolver
from tests.conftest import SHARED_DATA

DOMAIN = Domain.load("telehealth")
GATE = Gate(DOMAIN)
WRITES = {tool.name for tool in DOMAIN.writes}
FILES = ("trait_telehealth_none.json", "trait_impatience_telehealth.json")
UNREADABLE = {
    "dr_rodriguez_orthopedics",
    "pt_james_chen",
    "dr_chen_primary_care",
    "dr_patel_anesthesiology",
    "dr_kim_cardiac_surgery",
}

needs_data = pytest.mark.usefixtures("shared_data")
"""Skips the test where there is no shared data."""


@cache
def conversations() -> tuple[Conversation, ...]:
    return tuple(c for name in FILES for c in read_recording(str(SHARED_DATA / "tau" / name)))


@cache
def decisions() -> tuple[ReplayedCall, ...]:
    return tuple(d for found in replay(GATE, conversations()) for d in found.decisions)


@cache
def database() -> dict[str, dict[str, Any]]:
    folder = SHARED_DATA / "tau" / "telehealth"
    names = ("appointments", "medical_records", "medication_suppliers", "patients", "providers")
    return {n: json.loads((folder / f"{n}.json").read_text(encoding="utf-8")) for n in names}


def everything() -> Iterator[tuple[str, dict[str, Any]]]:
    """The whole database as records of the ledger, but for the caller."""
    data = database()
    for id_, p in data["patients"].items():
        contact = p["emergency_contact"]
        yield (
            f"patients.{id_}",
            {
                "patient_id": id_,
                "name": f"{p['name']['first_name']} {p['name']['last_name']}",
                "contact_name": contact["name"],
                "contact_relationship": contact["relationship"],
            },
        )
    for id_, p in data["providers"].items():
        own = {"provider_id": id_, "name": p["name"]["last_name"], "specialty": p["specialty"]}
        yield f"providers.{id_}", {**own, **p["schedule"]}
    for id_, a in data["appointments"].items():
        slot = {key: a[key] for key in ("appointment_id", "patient_id", "date", "time")}
        yield f"slots.{id_}", {**slot, "status": a["status"].replace("_", " ").title()}
        yield f"appointments.{id_}", {"appointment_id": id_, "provider_id": a["provider_id"]}
    for id_, r in data["medical_records"].items():
        yield f"records.{id_}", {"record_id": id_, "patient_id": r["patient_id"]}
        listed = ", ".join(p["medication"] for p in r.get("prescriptions", []))
        yield f"prescribed.{id_}", {"record_id": id_, "medications": listed or "None recorded"}
    for medication, offers in data["medication_suppliers"].items():
        for o in offers:
            label = f"{o['company']} ({o['country']})"
            kept = ("company", "country", "brand_name", "price_usd")
            record = {"label": label, **{key: o[key] for key in kept}}
            for company in (label, o["company"]):
                keys = (medication, company, o["brand_name"])
                yield path_text(DOMAIN, "offers.*.*.*", keys), record


def all_read(caller: str) -> Session:
    session = GATE.session()
    session.record("caller", caller)
    for path, record in everything():
        session.record(path, record)
    return session


def broken(verdict: Verdict) -> set[str]:
    return {rule.id for rule in verdict.rules if rule.truth in ("FALSE", "ERROR")}


def waiting(verdict: Verdict) -> set[str]:
    return {rule.id for rule in verdict.rules if rule.truth == "UNKNOWN"}


def where(decision: ReplayedCall) -> tuple[str, str, int]:
    kind = "impatience" if "impatience" in decision.file else "none"
    return kind, str(decision.conversation), decision.index


# --- the files of the domain ---


@pytest.mark.parametrize("rule", sorted({rule.id for rule in DOMAIN.rules}))
def test_every_rule_has_a_case_by_hand_that_it_allows_and_one_that_it_refuses(rule: str) -> None:
    assert DOMAIN.folder is not None
    (file,) = (p for p in scenario_files(DOMAIN.folder) if p.name == "by_hand.yaml")
    truths = {s.rules[rule] for s in load_scenarios(file, DOMAIN) if rule in s.rules}
    assert truths >= {"TRUE", "FALSE"}


def test_scenarios_are_as_expected() -> None:
    assert DOMAIN.folder is not None
    files = scenario_files(DOMAIN.folder)
    scenarios = [scenario for file in files for scenario in load_scenarios(file, DOMAIN)]
    results = [run_scenario(GATE, scenario) for scenario in scenarios]
    assert [(r.scenario.name, r.problem) for r in results if r.problem] == []


def test_invariants_are_proved() -> None:
    limits = Limits(timeout_ms=60_000, resources=100_000_000)
    proofs = {r.proof for r in prove(DOMAIN, StaticSolver(DOMAIN, 4, limits))}
    assert proofs <= {Proof.PROVED, Proof.PROVED_UP_TO_BOUND}


# --- recorded conversations ---


@needs_data
def test_every_result_has_the_declared_form_and_fits_the_schema() -> None:
    assert [drift for found in replay(GATE, conversations()) for drift in found.drifts] == []


@needs_data
def test_prose_that_differs_in_anything_that_counts_is_reported() -> None:
    """No form lets a changed value, or a part of a result, pass for the whole."""
    seen = set()
    for call in (call for c in conversations() for call in c.calls()):
        tool = DOMAIN.tools[call.name]
        text = call.result
        if call.name in seen or call.error or not tool.observes or not isinstance(text, str):
            continue
        session = GATE.session(asks="ignored")
        assert session.observe(call.name, call.arguments, text) == []
        if not session.render():
            continue
        seen.add(call.name)
        for other in (f" {text}", f"Note: {text}", text[: len(text) // 4] + "\0", text.upper()):
            session = GATE.session(asks="ignored")
            assert session.observe(call.name, call.arguments, other) != [], other
            assert session.render() == ""
    assert seen == {t.name for t in DOMAIN.tools.values() if t.observes}


@needs_data
def test_only_known_writes_of_the_recordings_are_not_allowed() -> None:
    refused = {where(d): d.verdict for d in decisions() if not d.verdict.allowed}
    assert {place: (broken(v), waiting(v)) for place, v in refused.items()} == {
        # a record without prescriptions, and a supplier that no catalogue showed
        ("none", "17", 3): ({"medication_prescribed"}, {"supplier_and_price_observed"}),
        # another spelling than that of the search
        ("none", "6", 17): (set(), {"supplier_and_price_observed"}),
        ("none", "6", 18): (set(), {"supplier_and_price_observed"}),
        ("none", "6", 19): (set(), {"supplier_and_price_observed"}),
        # providers that cannot be read
        ("none", "16", 4): (set(), {"provider_works_at_new_time"}),
        ("none", "18", 9): (set(), {"provider_works_then"}),
        ("none", "18", 10): (set(), {"provider_works_then"}),
        ("impatience", "16", 6): (set(), {"provider_works_at_new_time"}),
        ("impatience", "18", 11): (set(), {"provider_works_then"}),
        ("impatience", "18", 12): (set(), {"provider_works_then"}),
        # only a list of the appointments was read, which lacks the provider
        ("impatience", "8", 4): (set(), {"provider_works_at_new_time"}),
        # the record, or the appointment, was never read
        ("impatience", "11", 10): (set(), {"record_of_patient", "medication_prescribed"}),
        ("impatience", "11", 11): (set(), {"record_of_patient", "medication_prescribed"}),
        ("impatience", "17", 4): (
            set(),
            {"appointment_of_patient", "appointment_open", "provider_works_at_new_time"},
        ),
    }
    for verdict in refused.values():
        # where the provider was asked for in vain, nothing else shows the working hours
        in_vain = any("dr_" in told and "failed" in told for told in verdict.tried)
        hopeless = bool(broken(verdict)) or in_vain
        assert verdict.decision is (Decision.BLOCK if hopeless else Decision.REVISE)
        assert bool(verdict.missing) is not hopeless


@needs_data
def test_what_the_environment_rejected_is_not_allowed() -> None:
    rejected = [d for d in decisions() if d.executed_ok is False]
    assert rejected
    assert not [where(d) for d in rejected if d.verdict.allowed]


@needs_data
def test_no_rewarded_write_violates_a_rule() -> None:
    rewarded = [d for d in decisions() if d.reward == 1 and d.executed_ok]
    assert rewarded
    assert [where(d) for d in rewarded if broken(d.verdict)] == []


@needs_data
def test_a_write_with_one_argument_made_wrong_is_not_allowed() -> None:
    wrong: dict[str, list[dict[str, Any]]] = {
        "schedule_appointment": [
            {"patient_id": "linda_parker_8899"},
            {"provider_id": "dr_nobody"},
            {"time": "03:15"},
            {"time": "9:00 AM"},
            {"date": "2025-05-04"},
        ],
        "reschedule_appointment": [
            {"appointment_id": "APPT999"},
            {"new_time": "03:15"},
            {"new_date": "2025-05-04"},
        ],
        "cancel_appointment": [{"appointment_id": "APPT999"}],
        "update_medical_record_note": [{"record_id": "REC999"}],
        "update_prescription_supplier": [
            {"record_id": "REC999"},
            {"medication": "Aspirin EC"},
            {"supplier_company": "Nobody Inc"},
            {"brand_name": "Nobrand"},
            {"price_usd": 1},
            {"currency": "EUR"},
        ],
    }
    tried = 0
    for conversation in conversations():
        session = GATE.session(asks="ignored")
        for call in conversation.calls():
            if call.name in WRITES and session.dry_run(call.name, call.arguments).allowed:
                for change in wrong[call.name]:
                    call_ = {**call.arguments, **change}
                    assert not session.dry_run(call.name, call_).allowed, (call.name, call_)
                    tried += 1
            session.observe(call.name, call.arguments, call.result, error=call.error)
            if call.name == "schedule_appointment" and not call.error:
                again = session.dry_run(call.name, call.arguments)
                assert "no_double_booking" in broken(again)
    assert tried > 150


# --- the database ---


@needs_data
def test_the_assumptions_hold_of_the_database() -> None:
    session = all_read("carlos_martinez_5512")
    for assumption in DOMAIN.assumptions:
        assert assumption.pattern is not None
        assert assumption.variable is not None
        records = list(session.ledger.fresh_records(assumption.pattern))
        assert records
        for record in records:
            scope = Scope(session.ledger, {assumption.variable.name: record})
            assert truth(assumption.body, scope) is Truth.TRUE, assumption.text


@needs_data
def test_of_the_expected_writes_only_known_ones_are_refused() -> None:
    refused: dict[tuple[str, str], set[str]] = {}
    judged = 0
    for conversation in conversations():
        session = all_read(_caller(conversation))
        for action in conversation.expected:
            if action.name not in WRITES:
                continue
            judged += 1
            verdict = session.dry_run(action.name, action.arguments)
            if not verdict.allowed:
                refused[str(conversation.task), action.name] = broken(verdict)
    assert judged > 60
    assert refused == {
        ("11", "schedule_appointment"): {"no_double_booking"},
        ("13", "reschedule_appointment"): {"provider_works_at_new_time"},
    }


def _caller(conversation: Conversation) -> str:
    """The patient whom the expected actions concern."""
    data = database()
    for action in conversation.expected:
        if "patient_id" in action.arguments:
            return str(action.arguments["patient_id"])
        for key, records in (("appointment_id", "appointments"), ("record_id", "medical_records")):
            if action.arguments.get(key) in data[records]:
                return str(data[records][action.arguments[key]]["patient_id"])
    return "nobody"


@needs_data
@pytest.mark.parametrize(
    ("patient", "allowed"),
    [
        ("carlos_martinez_5512", True),
        ("sofia_martinez_2019", True),
        ("mateo_martinez_2016", True),
        ("emily_chen_9012", False),
    ],
)
def test_a_father_books_for_his_children_and_for_no_stranger(patient: str, allowed: bool) -> None:
    call = {
        "patient_id": patient,
        "provider_id": "dr_nguyen_pediatrics",
        "date": "2025-05-20",
        "time": "08:30",
        "appointment_type": "sick_visit",
    }
    verdict = all_read("carlos_martinez_5512").dry_run("schedule_appointment", call)
    assert verdict.allowed is allowed
    assert broken(verdict) == (set() if allowed else {"patient_authenticated"})
    unread = GATE.session()
    unread.record("caller", "carlos_martinez_5512")
    verdict = unread.dry_run("schedule_appointment", call)
    assert ("patient_authenticated" in waiting(verdict)) is (patient != "carlos_martinez_5512")


# --- single cases ---


def test_the_first_patient_found_stays_the_caller() -> None:
    session = GATE.session()
    for said in ("a@b.c", "a@b.d", "Bob Ray, January 1, 1990"):
        session.heard(said)
    assert session.observe("find_patient_by_email", {"email": ""}, "sofia_2019") != []
    nobody = "No patient found with email a@b.c"
    assert session.observe("find_patient_by_email", {"email": "a@b.c"}, nobody) == []
    assert session.render() == ""
    assert session.observe("find_patient_by_email", {"email": "a@b.d"}, "ann_1") == []
    name = {"first_name": "Bob", "last_name": "Ray", "date_of_birth": "1990-01-01"}
    (drift,) = session.observe("find_patient_by_name_dob", name, "bob_2")
    assert drift.reason == "this conversation is with `ann_1`, the record is that of `bob_2`"
    assert session.render() == 'caller = "ann_1"'


def test_a_patient_who_was_not_found_is_asked_for_what_only_the_person_knows() -> None:
    verdict = GATE.session().dry_run("cancel_appointment", {"appointment_id": "APPT001"})
    reads = {m.path: m.read for m in verdict.missing}
    caller, slot = reads["caller"], reads["slots.APPT001"]
    assert caller is not None
    assert slot is not None
    assert (caller.name, caller.arguments) == ("find_patient_by_email", {"email": None})
    assert (slot.name, slot.arguments) == (
        "get_appointment_details",
        {"appointment_id": "APPT001"},
    )


def session_with_appointment() -> Session:
    session = GATE.session()
    session.record("caller", "ann_1")
    slot = {"appointment_id": "APPT001", "patient_id": "ann_1", "date": "2025-05-06"}
    session.record("slots.APPT001", {**slot, "time": "09:00", "status": "Scheduled"})
    return session


CANCEL = {"appointment_id": "APPT001"}


@pytest.mark.parametrize(
    ("answer", "error", "fresh"),
    [
        ("Appointment successfully cancelled.\n\nAppointment ID: APPT001\nStatus: x", False, False),
        ("Appointment APPT001 is already cancelled.", False, True),
        ("Appointment with ID APPT001 not found.", False, True),
        ("Error: timeout", True, True),
        ("Something else.", False, False),
    ],
)
def test_a_cancellation_makes_the_status_stale_unless_nothing_was_done(
    answer: str, error: bool, fresh: bool
) -> None:
    session = session_with_appointment()
    assert session.dry_run("cancel_appointment", CANCEL).allowed
    session.observe("cancel_appointment", CANCEL, answer, error=error)
    again = session.dry_run("cancel_appointment", CANCEL)
    assert again.allowed is fresh
    assert broken(again) == set()


@pytest.mark.parametrize(
    ("answer", "booked"),
    [
        ("Appointment successfully scheduled!\n\nAppointment ID: APPT060\nPatient: Ann", True),
        ("Provider dr_smith does not work on Sunday.", False),
        ("Provider dr_smith already has an appointment scheduled at 09:00 on 2025-05-06.", False),
        ("Patient with ID ann_1 not found.", False),
    ],
)
def test_a_booking_counts_only_if_the_clinic_says_that_it_was_made(
    answer: str, booked: bool
) -> None:
    session = GATE.session()
    session.record("caller", "ann_1")
    provider = {"provider_id": "dr_smith", "name": "Smith", "specialty": "Cardiology"}
    session.record("providers.dr_smith", {**provider, "tuesday": ["09:00"]})
    call = {
        "patient_id": "ann_1",
        "provider_id": "dr_smith",
        "date": "2025-05-06",
        "time": "09:00",
        "appointment_type": "follow_up",
    }
    assert session.dry_run("schedule_appointment", call).allowed
    assert session.observe("schedule_appointment", call, answer) == []
    again = session.dry_run("schedule_appointment", call)
    assert broken(again) == ({"no_double_booking"} if booked else set())
    assert again.decision is (Decision.REVISE if booked else Decision.ALLOW)


def test_the_price_of_the_catalogue_is_the_repair() -> None:
    session = GATE.session()
    session.record("caller", "ann_1")
    session.record("records.REC001", {"record_id": "REC001", "patient_id": "ann_1"})
    session.record("prescribed.REC001", {"record_id": "REC001", "medications": "Montelukast"})
    listed = (
        "Suppliers for montelukast:\n"
        "Lotus Breath (India) | brand=BreathFree | price_usd=3.05\n"
        "Delhi ZenLabs (India) | brand=Zenpira | price_usd=3.10"
    )
    search = {"medication": "Montelukast"}
    assert session.observe("list_medication_suppliers", search, listed) == []
    call = {
        "record_id": "REC001",
        "medication": "Montelukast",
        "supplier_company": "Lotus Breath (India)",
        "brand_name": "BreathFree",
        "price_usd": 3.05,
    }
    assert session.dry_run("update_prescription_supplier", call).allowed
    assert session.dry_run(
        "update_prescription_supplier", {**call, "supplier_company": "Lotus Breath"}
    ).allowed
    verdict = session.dry_run("update_prescription_supplier", {**call, "price_usd": 3.1})
    assert verdict.decision is Decision.REVISE
    assert verdict.repair is not None
    assert {k: float(v) for k, v in verdict.repair.arguments.items()} == {"price_usd": 3.05}
    mixed = {**call, "brand_name": "Zenpira", "price_usd": 3.1}
    assert waiting(session.dry_run("update_prescription_supplier", mixed)) == {
        "supplier_and_price_observed"
    }


@needs_data
def test_providers_without_a_license_number_stay_unread() -> None:
    data = database()["providers"]
    assert {id_ for id_, p in data.items() if "license_number" not in p} == UNREADABLE
    session = GATE.session()
    arguments = {"provider_id": "dr_chen_primary_care"}
    error = "Error: 'license_number'"
    assert session.observe("get_provider_details", arguments, error, error=True) == []
    assert session.render() == ""
