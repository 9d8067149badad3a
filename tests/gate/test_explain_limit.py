"""The explanation of a refusal has a limit of time; past it the call is refused by what is known.

No test here looks at a clock: time passes by the readings of a stopwatch that the test hands over.
"""

from __future__ import annotations

import itertools
import re
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ledger_verify import Domain, Gate
from ledger_verify.gate.verdict import Verdict
from ledger_verify.generate.scenario import Scenario, load_scenarios, run_scenario, scenario_files
from ledger_verify.lang.deadline import Deadline, Expired
from ledger_verify.lang.errors import InputError
from tests.gate.shop import OPEN, O, rule, shop

DOMAINS = ("airline", "retail", "telecom", "telehealth")
BUNDLED = Path(__file__).resolve().parents[2] / "domains"


class Readings:
    """A stopwatch that goes on by one millisecond with every reading after the first `free`."""

    def __init__(self, free: int = 0) -> None:
        self._readings = itertools.count()
        self._free = free

    def __call__(self) -> float:
        return max(0, next(self._readings) - self._free) / 1_000


@cache
def refused(name: str) -> tuple[Domain, tuple[tuple[Scenario, Verdict], ...]]:
    """The scenarios of a bundled domain that the gate refuses, with the verdicts without limit."""
    domain = Domain.load(name)
    gate, found = Gate(domain, explain_ms=None), []
    for file in scenario_files(BUNDLED / name / "scenarios"):
        for scenario in load_scenarios(file, domain):
            verdict = run_scenario(gate, scenario).verdict
            if verdict is not None and not verdict.allowed:
                found.append((scenario, verdict))
    return domain, tuple(found)


def is_cut_off(verdict: Verdict) -> bool:
    return bool(re.search(r"cut off by its limit of \d+ ms; open: ", verdict.message))


@pytest.mark.parametrize("name", DOMAINS)
def test_what_is_refused_stays_refused_without_time(name: str) -> None:
    domain, scenarios = refused(name)
    gate = Gate(domain, explain_ms=1, stopwatch=Readings())
    cut = 0
    for scenario, unlimited in scenarios:
        verdict = run_scenario(gate, scenario).verdict
        assert verdict is not None, scenario.name
        assert verdict.decision.value in ("REVISE", "BLOCK"), scenario.name
        assert verdict.decided_by != "error", scenario.name
        assert verdict == unlimited or is_cut_off(verdict), scenario.name
        assert verdict.to_json()["message"]
        cut += is_cut_off(verdict)
    assert cut > len(scenarios) / 2


@pytest.mark.parametrize("name", DOMAINS)
def test_a_limit_at_any_point_of_the_way_leads_to_no_other_answer(name: str) -> None:
    domain, scenarios = refused(name)
    points: Iterator[int] = itertools.cycle((2, 5, 11, 23, 47, 97, 211, 499))
    seen: set[bool] = set()
    for (scenario, unlimited), point in zip(scenarios[::2], points, strict=False):
        gate = Gate(domain, explain_ms=1, stopwatch=Readings(point))
        verdict = run_scenario(gate, scenario).verdict
        assert verdict is not None, scenario.name
        assert not verdict.allowed, scenario.name
        assert verdict == unlimited or is_cut_off(verdict), scenario.name
        if unlimited.decision.value == "REVISE" and verdict.decided_by != "limit":
            assert verdict.decision is unlimited.decision
        seen.add(is_cut_off(verdict))
    assert seen == {True, False}


def cancelling(*rules: dict[str, Any], ms: int = 1, free: int = 0, **settings: Any) -> Verdict:
    gate = Gate(shop(*rules), explain_ms=ms, stopwatch=Readings(free))
    return gate.session(**settings).check("cancel", {"order_id": "o1"})


def test_what_is_open_is_named() -> None:
    bad = rule("cancel", 'args.order_id == "o2"', id="other")
    unread = rule("cancel", f'{O}.state == "open"', id="is_open")
    nothing = cancelling(bad, unread)
    assert "open: whether `other`, `is_open` hold" in nothing.message
    assert [r.truth for r in nothing.rules] == ["UNKNOWN", "UNKNOWN"]
    assert nothing.decided_by == "limit"
    messages = [cancelling(unread, free=free).message for free in range(40)]
    messages += [cancelling(unread, ms=ms).message for ms in range(2, 80, 2)]
    opens = {m.split("open: ")[1].split("\n")[0] for m in messages if "open: " in m}
    assert {"whether `is_open` holds.", "whether `is_open` will hold.",
            "which reads would settle it."} <= opens  # fmt: skip


def test_what_to_read_is_said_though_the_solver_had_not_enough_time() -> None:
    unread = rule("cancel", f'{O}.state == "open"', id="is_open")
    verdicts = [cancelling(unread, ms=ms) for ms in range(2, 80, 2)]
    told = [v for v in verdicts if v.decided_by == "limit" and v.missing]
    assert told
    for verdict in told:
        assert verdict.decision.value == "REVISE"
        assert [m.path for m in verdict.missing] == ["orders.o1"]
        assert is_cut_off(verdict)
        assert verdict.message.endswith('Read first: get_order(order_id="o1") for `orders.o1`.')
    unreadable = [cancelling(unread, ms=ms, tools=["cancel"]) for ms in range(2, 80, 2)]
    assert all(v.decided_by == "limit" or v.decision.value == "BLOCK" for v in unreadable)
    assert not any(v.missing for v in unreadable)


def test_a_rule_that_blocks_does_so_without_time() -> None:
    blocks = rule("cancel", 'args.order_id == "o2"', id="never", otherwise="block")
    unread = rule("cancel", f'{O}.lines.all(k, k != "x") && {O}.total > 3')
    decisions = {cancelling(blocks, unread, free=free).decision.value for free in range(2, 12)}
    assert decisions == {"BLOCK"}


def test_no_limit_is_the_answer_with_all_the_time() -> None:
    for settings in ({"explain_ms": None}, {"explain_ms": 10**9}):
        gate = Gate(shop(rule("cancel", f'{O}.state == "open"')), stopwatch=Readings(), **settings)
        verdict = gate.session().check("cancel", {"order_id": "o1"})
        assert [m.path for m in verdict.missing] == ["orders.o1"]


@pytest.mark.parametrize("given", [0, -1, 2.5, "250", True])
def test_a_limit_is_whole_milliseconds(given: Any) -> None:
    with pytest.raises(InputError, match=r"`explain_ms` is .*, expected whole milliseconds"):
        Gate(shop(OPEN), explain_ms=given)


def test_loading_the_solver_does_not_count() -> None:
    now = [0.0]
    deadline = Deadline(1, lambda: now[0])
    with deadline.not_counting():
        now[0] += 5
    deadline.check()
    now[0] += 0.002
    with pytest.raises(Expired):
        deadline.check()
    gate = Gate(shop(OPEN))
    gate.warm()
    assert "ledger_verify.solver.completions" in sys.modules


def test_who_waits_for_the_solver_is_refused_in_time() -> None:
    from ledger_verify.solver.query import EXCLUSIVE

    gate = Gate(shop(rule("cancel", f'{O}.state == "open"')), explain_ms=20)
    gate.warm()
    taken, done = threading.Event(), threading.Event()

    def hold() -> None:
        with EXCLUSIVE:
            taken.set()
            done.wait(30)

    holder = threading.Thread(target=hold)
    holder.start()
    try:
        assert taken.wait(30)
        verdict = gate.session().check("cancel", {"order_id": "o1"})
    finally:
        done.set()
        holder.join()
    assert (verdict.decision.value, verdict.decided_by) == ("REVISE", "limit")
    assert "cut off by its limit of 20 ms" in verdict.message


def test_sessions_in_many_threads_are_each_refused() -> None:
    domain = shop(rule("cancel", f'{O}.state == "open" && {O}.total > 3'))
    gate = Gate(domain, explain_ms=1, stopwatch=Readings(200))

    def decide(number: int) -> Verdict:
        return gate.session().check("cancel", {"order_id": f"o{number}"})

    with ThreadPoolExecutor(8) as pool:
        verdicts = list(pool.map(decide, range(24)))
    assert {v.decision.value for v in verdicts} == {"REVISE"}
    assert {v.decided_by for v in verdicts} <= {"limit", "solver"}
    assert any(v.decided_by == "limit" for v in verdicts)
