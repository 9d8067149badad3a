"""What is generated from the airline policy: complete, replayable, readable, always the same."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from ledger_verify.gate.cases import prune, replay_case
from ledger_verify.gate.gate import Gate
from ledger_verify.generate.cases import Skipped, generate
from ledger_verify.generate.scenario import (
    Scenario,
    load_scenarios,
    run_scenario,
    scenario_data,
    write_scenarios,
)
from ledger_verify.policy.domain import Domain
from ledger_verify.solver.static import StaticSolver
from tests.conftest import ROOT

DOMAIN = Domain.load("airline")
GATE = Gate(DOMAIN)
TODAY = date(2024, 5, 15)
ENUMERATED = {
    "business", "economy", "basic_economy", "regular", "silver", "gold", "yes", "no", "round_trip",
    "one_way", "credit_card", "gift_card", "certificate", "cancelled", "available", "on time",
    "delayed", "flying", "landed",
}  # fmt: skip
FREE_TEXTS = {
    "user_id", "reservation_id", "payment_id", "flight_number", "origin", "destination", "id",
    "first_name", "last_name",
}  # fmt: skip


@pytest.fixture(scope="module")
def results() -> list[Scenario | Skipped]:
    return list(generate(DOMAIN, StaticSolver(DOMAIN)))


@pytest.fixture(scope="module")
def scenarios(results: list[Scenario | Skipped]) -> list[Scenario]:
    return [result for result in results if isinstance(result, Scenario)]


def values(data: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """All plain values in a scenario with the names of their fields."""
    if isinstance(data, dict):
        for key, inner in data.items():
            yield from values(inner, key)
    elif isinstance(data, list):
        for inner in data:
            yield from values(inner, name)
    else:
        yield name, data


def test_every_rule_has_an_allowed_call_and_one_that_only_it_forbids(
    results: list[Scenario | Skipped],
) -> None:
    expected = [
        f"{rule.tool}: {words}"
        for rule in DOMAIN.rules
        for words in (f"{rule.id} holds", f"only {rule.id} is violated")
    ]
    made = [result.name for result in results]
    assert [name for name in made if name in expected] == expected
    assert all(isinstance(result, Scenario) for result in results)


def test_the_gate_says_what_a_scenario_expects(scenarios: list[Scenario]) -> None:
    for scenario in scenarios:
        assert run_scenario(GATE, scenario).problem is None, scenario.name
        verdict = replay_case(GATE, scenario.case)
        if ": only " in scenario.name:
            broken = [r.id for r in verdict.rules if r.truth in ("FALSE", "ERROR")]
            assert broken == list(scenario.rules), scenario.name
        elif scenario.name.endswith(" holds"):
            assert verdict.allowed, scenario.name


def test_a_scenario_has_no_part_without_a_purpose(scenarios: list[Scenario]) -> None:
    for scenario in scenarios[::7]:
        verdict = replay_case(GATE, scenario.case)
        assert prune(GATE, scenario.case, verdict) == scenario.case, scenario.name


def test_scenarios_survive_their_files(scenarios: list[Scenario], tmp_path: Path) -> None:
    write_scenarios(tmp_path / "all.yaml", scenarios, DOMAIN)
    loaded = list(load_scenarios(tmp_path / "all.yaml", DOMAIN))
    assert [scenario_data(s, DOMAIN) for s in loaded] == [
        scenario_data(s, DOMAIN) for s in scenarios
    ]
    assert [s.case for s in loaded] == [s.case for s in scenarios]


def test_texts_are_no_values_of_an_enum(scenarios: list[Scenario]) -> None:
    for scenario in scenarios:
        found = {
            value
            for name, value in values(scenario_data(scenario, DOMAIN))
            if name in FREE_TEXTS and value in ENUMERATED
        }
        assert not found, scenario.name


def test_flights_to_be_booked_depart_after_today(scenarios: list[Scenario]) -> None:
    for scenario in scenarios:
        for flight in scenario.case.arguments.get("flights", []):
            assert date.fromisoformat(flight["date"]) > TODAY, scenario.name


def test_records_repeat_the_keys_of_their_paths(scenarios: list[Scenario]) -> None:
    for scenario in scenarios:
        for path, record in scenario.case.ledger.items():
            pattern, _, rest = path.partition(".")
            own = {
                "reservations": "reservation_id",
                "routes": "flight_number",
                "flights": "flight_number",
            }
            if pattern in own:
                assert record[own[pattern]] == rest.partition(".")[0], scenario.name


def test_another_process_generates_the_same(scenarios: list[Scenario], tmp_path: Path) -> None:
    by_rule: dict[str, list[Scenario]] = {}
    for scenario in scenarios:
        by_rule.setdefault(next(iter(scenario.rules)), []).append(scenario)
    for rule, listed in by_rule.items():
        write_scenarios(tmp_path / "here" / f"{rule}.yaml", listed, DOMAIN)
    command = [sys.executable, "-m", "ledger_verify", "generate", "airline", "-o"]
    environment = {**os.environ, "PYTHONHASHSEED": "4711", "PYTHONPATH": str(ROOT)}
    subprocess.run([*command, str(tmp_path / "there")], check=True, env=environment)
    here = {path.name: path.read_text() for path in (tmp_path / "here").iterdir()}
    there = {path.name: path.read_text() for path in (tmp_path / "there").iterdir()}
    assert here == there
