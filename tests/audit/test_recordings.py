"""Recordings of every format are read, and calls paired with their answers."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from ledger_verify.audit.recordings import parse_recording, read_recording
from ledger_verify.conversation.events import Answered, Proposed, Said
from ledger_verify.conversation.recorded import Call, Conversation, ExpectedAction
from ledger_verify.lang.errors import InputError
from tests.audit.samples import (
    say,
    simulation,
    small_bank,
    tau1,
    tau1_answer,
    tau1_call,
    tau2,
    tau2_answer,
    tau2_call,
)


def read(value: Any) -> tuple[Conversation, ...]:
    return parse_recording(json.dumps(value), "log.json")


def only(value: Any) -> Conversation:
    (conversation,) = read(value)
    return conversation


def calls(value: Any) -> list[Call]:
    return list(only(value).calls())


def test_tau1() -> None:
    first, second = read(small_bank())
    assert (first.task, first.trial, first.reward) == (3, 0, Decimal("1.0"))
    assert (second.task, second.trial, second.reward) == (4, 2, 0)
    assert [call.name for call in first.calls()] == ["get_account", "close_account"]
    assert [call.index for call in first.calls()] == [0, 1]
    assert next(first.texts()) == "please close a1"
    assert [call.executed_ok for call in second.calls()] == [True, False]


def test_tau1_expected_actions() -> None:
    task = {"actions": [{"name": "close_account", "kwargs": {"account_id": "a1"}}]}
    conversation = only([tau1(info={"task": task})])
    assert conversation.expected == (ExpectedAction("close_account", {"account_id": "a1"}),)


def test_a_tau1_run_that_crashed() -> None:
    conversation = only([{"task_id": 1, "reward": 0.0, "info": {"error": "boom"}, "traj": []}])
    assert (conversation.events, conversation.trial, conversation.expected) == ((), None, ())


def test_tau2() -> None:
    action = {"name": "close_account", "arguments": {}, "requestor": "user"}
    conversation = only(
        tau2(
            simulation(
                tau2_call(("x", "get_account", {"account_id": "a1"})),
                tau2_answer("x", {"balance": 1}),
                reward_info={"reward": 0.5, "action_checks": [{"action": action}]},
            )
        )
    )
    assert (conversation.id, conversation.task, conversation.trial) == ("s1", "7", 1)
    assert conversation.reward == Decimal("0.5")
    assert conversation.expected == (ExpectedAction("close_account", {}, "user"),)


def test_tau2_expected_actions_of_the_task() -> None:
    criteria = {"actions": [{"name": "pay", "arguments": {"amount": 1.10}}]}
    tasks = [{"id": "7", "evaluation_criteria": criteria}, {"id": "8", "evaluation_criteria": None}]
    conversation = only(tau2(simulation(reward_info=None), tasks=tasks))
    assert conversation.expected == (ExpectedAction("pay", {"amount": Decimal("1.1")}),)
    assert conversation.reward is None


def test_calls_of_the_user_are_kept_apart() -> None:
    conversation = only(
        tau2(
            simulation(
                tau2_call(("u", "restart", {}), requestor="user"),
                tau2_answer("u", "ok", requestor="user"),
                tau2_call(("x", "get_account", {})),
                tau2_answer("x", "{}"),
            )
        )
    )
    assert [(call.name, call.index) for call in conversation.calls()] == [("get_account", 0)]
    assert [(call.name, call.index) for call in conversation.calls("user")] == [("restart", 0)]
    assert conversation.unanswered == 0


CHAT = [say("hello"), tau1_call(("c", "f", {})), tau1_answer("c", "f", "1")]


@pytest.mark.parametrize(
    "value",
    [
        CHAT,
        [CHAT],
        {"messages": CHAT},
        [{"messages": CHAT}],
        {"trajectory": CHAT},
        {"simulations": [{"messages": CHAT}]},
        [{"simulations": [{"messages": CHAT}]}],
        {"traj": CHAT, "task_id": None, "trial": None, "reward": None, "info": None},
    ],
)
def test_other_shapes(value: Any) -> None:
    conversation = only(value)
    assert [call.name for call in conversation.calls()] == ["f"]
    assert (conversation.task, conversation.trial, conversation.reward) == (None, None, None)
    assert conversation.label == 0


def test_json_lines() -> None:
    one, two = ({"messages": CHAT, "id": "a"}, [say("only this")])
    text = f"\n{json.dumps(one)}\n\n{json.dumps(two)}\n"
    first, second = parse_recording(text, "log.jsonl")
    assert (first.label, second.label) == ("a", 1)
    assert list(second.texts()) == ["only this"]


def test_json_lines_of_messages_are_one_conversation() -> None:
    text = "\n".join(json.dumps(message) for message in CHAT)
    (conversation,) = parse_recording(text, "log.jsonl")
    assert [type(e) for e in conversation.events] == [Said, Proposed, Answered]


def test_parallel_calls_with_answers_in_another_order() -> None:
    first, second = calls(
        [
            tau1_call(("a", "f", {}), ("b", "g", {})),
            tau1_answer("b", "g", "of b"),
            tau1_answer("a", "f", "of a"),
        ]
    )
    assert (first.result, second.result) == ("of a", "of b")


def test_a_repeated_id_belongs_to_the_first_unanswered_call() -> None:
    first, second, third = calls(
        [
            tau1_call(("a", "f", {})),
            tau1_answer("a", "f", "1"),
            tau1_call(("a", "f", {}), ("a", "f", {})),
            tau1_answer("a", "f", "2"),
            tau1_answer("a", "f", "3"),
        ]
    )
    assert [first.result, second.result, third.result] == ["1", "2", "3"]


def test_an_answer_to_another_tool_is_not_taken_for_this_one() -> None:
    first, second = calls(
        [
            tau1_call(("a", "f", {})),
            tau1_call(("a", "g", {})),
            tau1_answer("a", "g", "of g"),
        ]
    )
    assert (first.executed_ok, second.result) == (None, "of g")


def test_unanswered_calls_are_counted() -> None:
    conversation = only([tau1_call(("a", "f", {})), say("hello?")])
    assert conversation.unanswered == 1
    (call,) = conversation.calls()
    assert (call.executed_ok, call.outcome) == (None, None)


def test_several_answers_in_one_message() -> None:
    both = {"role": "tool", "tool_messages": [tau2_answer("b", "2"), tau2_answer("a", "1")]}
    first, second = calls([tau2_call(("a", "f", {}), ("b", "g", {})), both])
    assert (first.result, second.result) == ("1", "2")


def test_the_older_function_call() -> None:
    (call,) = calls(
        [
            {"role": "assistant", "content": "", "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": "1"},
        ]
    )
    assert (call.arguments, call.result) == ({}, "1")


@pytest.mark.parametrize(
    ("raw", "parsed"),
    [
        ('{"amount": 989.70}', {"amount": Decimal("989.70")}),
        ("", {}),
        (None, {}),
        ({"n": 1}, {"n": 1}),
        ('{"n": 1', '{"n": 1'),
        ("[1]", [1]),
        ('{"n": 1, "n": 2}', '{"n": 1, "n": 2}'),
        ('{"n": NaN}', '{"n": NaN}'),
        ("[" * 100_000, "[" * 100_000),
    ],
)
def test_arguments(raw: Any, parsed: Any) -> None:
    function = {"name": "f", "arguments": raw}
    (call,) = calls([{"role": "assistant", "tool_calls": [{"id": "a", "function": function}]}])
    assert call.arguments == parsed


@pytest.mark.parametrize(
    ("flag", "content", "error"),
    [
        (None, "Error: no", True),
        (None, "no Error", False),
        (None, "error", True),
        (False, "fine", False),
        (True, "anything", True),
        (None, [{"type": "text", "text": "Error: in parts"}], True),
        (None, None, False),
    ],
)
def test_errors(flag: bool | None, content: Any, error: bool) -> None:
    answer = {"role": "tool", "id": "a", "content": content, "error": flag}
    (call,) = calls([tau2_call(("a", "f", {})), answer])
    assert call.error is error
    assert call.executed_ok is not error


@pytest.mark.parametrize(
    ("flag", "content"), [(None, "Error: timed out"), (False, "Error: quoted"), (True, "timeout")]
)
def test_what_nobody_knows(flag: bool | None, content: str) -> None:
    answer = {"role": "tool", "id": "a", "content": content, "error": flag}
    (call,) = calls([tau2_call(("a", "f", {})), answer])
    assert (call.error, call.executed_ok) == (False, None)


def test_content_in_parts() -> None:
    parts = [{"type": "text", "text": "one"}, {"type": "image_url", "image_url": {}}]
    assert list(only([{"role": "user", "content": parts}]).texts()) == ["one"]


def test_a_result_that_is_json_stays_json() -> None:
    answer = {"role": "tool", "tool_call_id": "a", "content": {"n": 1.10}}
    (call,) = calls([tau1_call(("a", "f", {})), answer])
    assert call.result == {"n": Decimal("1.10")}


def test_shared_recordings(shared_data: Path) -> None:
    for path in sorted((shared_data / "tau").glob("t*_*.json")):
        conversations = read_recording(str(path))
        assert sum(one.unanswered for one in conversations) == 0, path
        assert all(isinstance(c.arguments, dict) for one in conversations for c in one.calls())


_RESPONSES = [
    {"type": "function_call", "call_id": "a", "name": "pay", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "a", "output": "done"},
    {"type": "function_call", "call_id": "b", "name": "pay", "arguments": "{}"},
]
_GEMINI = [
    {"role": "model", "parts": [{"functionCall": {"name": "pay", "args": {}}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "pay", "response": {"output": 1}}}]},
    {"role": "model", "parts": [{"functionCall": {"name": "pay", "args": {}}}]},
]
_CHAT = [tau1_call(("a", "pay", {})), tau1_answer("a", "pay", "done"), tau1_call(("b", "pay", {}))]


@pytest.mark.parametrize(
    "value",
    [
        {"model": "m", "input": _RESPONSES},
        {"input": _RESPONSES[:2], "output": _RESPONSES[2:]},
        {"contents": _GEMINI},
        {"contents": _GEMINI[:2], "candidates": [{"content": _GEMINI[2], "index": 0}]},
        {"messages": _CHAT},
        {"messages": _CHAT[:2], "choices": [{"index": 0, "message": _CHAT[2]}]},
    ],
)
def test_requests_with_and_without_the_answer(value: Any) -> None:
    for shape in (value, [value]):
        assert [call.executed_ok for call in calls(shape)] == [True, None]


def test_which_of_several_answers_was_taken_is_not_known() -> None:
    with pytest.raises(InputError, match="several answers"):
        read({"contents": _GEMINI[:2], "candidates": [{"content": _GEMINI[2]}] * 2})


def test_a_tool_that_takes_input_is_no_request() -> None:
    custom = {"type": "custom_tool_call", "call_id": "a", "name": "x", "input": "text"}
    (call,) = calls([custom])
    assert call.arguments == {"input": "text"}


def test_a_file_may_begin_with_several_marks_of_its_encoding(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text("\ufeff\ufeff" + json.dumps(_RESPONSES), encoding="utf-8")
    assert len(list(read_recording(str(path))[0].calls())) == 2
