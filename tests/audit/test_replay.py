"""Recordings through the gate: what is judged, on which evidence, and what is counted."""

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ledger_verify.audit.recordings import parse_recording
from ledger_verify.audit.replay import ReplayedConversation, replay
from ledger_verify.audit.report import ReplayReport, replay_file
from ledger_verify.gate.gate import Gate
from ledger_verify.policy.domain import Domain
from tests.audit.bank import DOMAIN, bank_folder
from tests.audit.samples import (
    CONFLICT,
    Message,
    simulation,
    small_bank,
    tau1,
    tau1_answer,
    tau1_call,
    tau2,
    tau2_answer,
    tau2_call,
)

OPEN = {"account_id": "a1", "state": "open", "balance": 10}
A1 = {"account_id": "a1"}


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Gate:
    return Gate(Domain.load(bank_folder(tmp_path_factory.mktemp("bank"))))


def play(gate: Gate, messages: Sequence[Message], **options: Any) -> ReplayedConversation:
    recording = parse_recording(json.dumps([tau1(*messages)]), "log.json")
    (replayed,) = replay(gate, recording, **options)
    return replayed


def verdicts(gate: Gate, *messages: Message, **options: Any) -> list[str]:
    return [d.verdict.decision.value for d in play(gate, messages, **options).decisions]


READ = (tau1_call(("r", "get_account", A1)), tau1_answer("r", "get_account", OPEN))


def test_reads_are_observed_and_writes_judged(gate: Gate) -> None:
    assert verdicts(gate, *READ, tau1_call(("w", "close_account", A1))) == ["ALLOW"]
    assert verdicts(gate, tau1_call(("w", "close_account", A1))) == ["REVISE"]


def test_neutral_tools_are_not_judged_and_unknown_ones_are(gate: Gate) -> None:
    thought = tau1_call(("t", "think", {"thought": "hm"}))
    unknown = tau1_call(("u", "explode", {}))
    assert verdicts(gate, thought, unknown) == ["BLOCK"]


def test_the_result_of_an_unknown_tool_makes_everything_stale(gate: Gate) -> None:
    unknown = (tau1_call(("u", "explode", {})), tau1_answer("u", "explode", "boom"))
    write = tau1_call(("w", "close_account", A1))
    assert verdicts(gate, *READ, *unknown, write) == ["BLOCK", "REVISE"]


def test_a_write_is_judged_before_the_reads_of_its_own_message(gate: Gate) -> None:
    both = tau1_call(("r", "get_account", A1), ("w", "close_account", A1))
    answers = (tau1_answer("r", "get_account", OPEN), tau1_answer("w", "close_account", "ok"))
    assert verdicts(gate, both, *answers) == ["REVISE"]


def test_what_a_write_touches_is_stale_for_the_next_of_its_message(gate: Gate) -> None:
    pay = {**A1, "amount": 6}
    twice = tau1_call(("1", "pay", pay), ("2", "pay", pay))
    assert verdicts(gate, *READ, twice) == ["ALLOW", "REVISE"]


@pytest.mark.parametrize(("answer", "then"), [("paid", "REVISE"), (CONFLICT, "ALLOW")])
def test_only_a_successful_write_makes_stale(gate: Gate, answer: str, then: str) -> None:
    pay = {**A1, "amount": 6}
    first = (tau1_call(("1", "pay", pay)), tau1_answer("1", "pay", answer))
    assert verdicts(gate, *READ, *first, tau1_call(("2", "pay", pay))) == ["ALLOW", then]


def test_an_unanswered_write_may_have_been_carried_out(gate: Gate) -> None:
    pay = {**A1, "amount": 6}
    replayed = play(gate, [*READ, tau1_call(("1", "pay", pay)), tau1_call(("2", "pay", pay))])
    assert [d.verdict.decision.value for d in replayed.decisions] == ["ALLOW", "REVISE"]
    assert [d.executed_ok for d in replayed.decisions] == [None, None]


def test_an_answer_is_no_evidence_before_it_arrives(gate: Gate) -> None:
    ask, answer = READ
    write = tau1_call(("w", "close_account", A1))
    assert verdicts(gate, ask, write, answer) == ["REVISE"]
    assert verdicts(gate, ask, answer, write) == ["ALLOW"]


def test_a_failed_or_unanswered_read_is_no_evidence(gate: Gate) -> None:
    ask, write = READ[0], tau1_call(("w", "close_account", A1))
    assert verdicts(gate, ask, write) == ["REVISE"]
    assert verdicts(gate, ask, tau1_answer("r", "get_account", CONFLICT), write) == ["BLOCK"]


def test_malformed_arguments_are_judged_as_they_are(gate: Gate) -> None:
    (decision,) = play(gate, [tau1_call(("w", "close_account", '{"account_id": '))]).decisions
    assert (decision.verdict.decision.value, decision.verdict.decided_by) == ("REVISE", "schema")


def test_drift_is_reported(gate: Gate) -> None:
    odd = tau1_answer("r", "get_account", {**OPEN, "state": "melted"})
    replayed = play(gate, [READ[0], odd, tau1_call(("w", "close_account", A1))])
    assert [drift.tool for drift in replayed.drifts] == ["get_account"]
    assert replayed.decisions[0].verdict.decision.value == "BLOCK"
    assert "melted" in replayed.decisions[0].verdict.message


def test_without_a_tool_nothing_can_be_read(gate: Gate) -> None:
    tools = frozenset(gate.domain.tools) - {"get_account"}
    assert verdicts(gate, tau1_call(("w", "close_account", A1)), tools=tools) == ["BLOCK"]


def test_the_clock(gate: Gate) -> None:
    new = {**OPEN, "opened": "2024-05-15T10:00:00"}
    messages = (
        READ[0],
        tau1_answer("r", "get_account", new),
        tau1_call(("w", "close_account", A1)),
    )
    pinned = gate.domain.clock_us
    assert pinned is not None
    assert verdicts(gate, *messages) == ["BLOCK"]
    assert verdicts(gate, *messages, clock_us=pinned + 24 * 3600 * 10**6) == ["ALLOW"]


def test_calls_of_the_user_are_not_judged(gate: Gate) -> None:
    recording = tau2(
        simulation(
            tau2_call(("u", "close_account", A1), requestor="user"),
            tau2_answer("u", "ok", requestor="user"),
            tau2_call(("w", "close_account", A1)),
        )
    )
    (replayed,) = replay(gate, parse_recording(json.dumps(recording), "log.json"))
    assert [decision.index for decision in replayed.decisions] == [0]


TOP_UP = """\
  top_up:
    kind: write
    by: user
    result: {whole: 'Added to (?P<account>\\w+)\\.', nothing: ['Nothing to add\\.']}
    touches: ["accounts.{result.account}.balance"]
"""


def user_call(name: str, arguments: Message, *answer: str) -> list[Message]:
    answers = [tau2_answer("u", text, requestor="user") for text in answer]
    return [tau2_call(("u", name, arguments), requestor="user"), *answers]


@pytest.mark.parametrize(
    ("done", "then"),
    [
        ([], "ALLOW"),
        (user_call("top_up", {}, "Added to a1."), "REVISE"),
        (user_call("top_up", {}, "Added to a2."), "ALLOW"),
        (user_call("top_up", {}, "Nothing to add."), "ALLOW"),
        (user_call("top_up", {}, "Error: no"), "ALLOW"),
        (user_call("top_up", {}, "Something else."), "REVISE"),
        (user_call("top_up", {}), "REVISE"),
        (user_call("unheard_of", {}, "done"), "REVISE"),
        (user_call("unheard_of", {}), "REVISE"),
        (user_call("get_account", A1, '{"account_id": "a1", "state": "frozen"}'), "ALLOW"),
    ],
)
def test_what_the_user_does_counts(tmp_path: Path, done: list[Message], then: str) -> None:
    gate = Gate(Domain.load(bank_folder(tmp_path, domain=DOMAIN + TOP_UP)))
    recording = tau2(
        simulation(
            tau2_call(("r", "get_account", A1)),
            tau2_answer("r", OPEN),
            *done,
            tau2_call(("w", "pay", {**A1, "amount": 6})),
        )
    )
    (replayed,) = replay(gate, parse_recording(json.dumps(recording), "log.json"))
    assert [d.verdict.decision.value for d in replayed.decisions] == [then]


def test_what_the_user_reads_is_no_evidence(gate: Gate) -> None:
    recording = tau2(
        simulation(
            *user_call("get_account", A1, json.dumps(OPEN)),
            tau2_call(("w", "close_account", A1)),
        )
    )
    (replayed,) = replay(gate, parse_recording(json.dumps(recording), "log.json"))
    assert [d.verdict.decision.value for d in replayed.decisions] == ["REVISE"]


def test_sessions_do_not_share_evidence(gate: Gate) -> None:
    log = [tau1(*READ), tau1(tau1_call(("w", "close_account", A1)))]
    _, second = replay(gate, parse_recording(json.dumps(log), "log.json"))
    assert second.decisions[0].verdict.decision.value == "REVISE"


def test_the_report(gate: Gate, tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    log.write_text(json.dumps(small_bank()), encoding="utf-8")
    seen: list[tuple[int, int]] = []
    ticks = itertools.count()
    file = replay_file(
        gate,
        str(log),
        timer=lambda: float(next(ticks)),
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(1, 2), (2, 2)]
    assert (file.reading_seconds, file.replaying_seconds) == (1.0, 1.0)
    report = ReplayReport("bank", (file,)).to_json()
    decisions = report.pop("decisions")
    assert report == {
        "domain": "bank",
        "files": [str(log)],
        "conversations": 2,
        "calls": 4,
        "writes": 2,
        "verdicts": {"ALLOW": 1, "REVISE": 0, "BLOCK": 1},
        "rules": {"account_open": {"FALSE": 1}},
        "drift": 0,
        "user_calls": 0,
        "unanswered_calls": 0,
        "unheard_conversations": 1,
    }
    assert [
        (d["conversation"], d["trial"], d["index"], d["executed_ok"], d["verdict"])
        for d in decisions
    ] == [(3, 0, 1, True, "ALLOW"), (4, 2, 1, False, "BLOCK")]
    assert list(decisions[0]) == [
        *("verdict", "tool", "arguments", "message", "rules", "missing", "repair", "ask"),
        *("decided_by",),
        *("file", "conversation", "trial", "index", "executed_ok", "reward"),
    ]
