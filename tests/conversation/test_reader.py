"""What passes through a reader, and what is refused with the message named."""

import json
from typing import Any

import pytest

from ledger_verify.conversation.events import Answered, Proposed, Refused, Said, Unanswered
from ledger_verify.conversation.formats.registry import format_named
from ledger_verify.conversation.marks import refusal_text
from ledger_verify.conversation.reader import Reader, live_message
from ledger_verify.gate.verdict import Decision, Verdict
from ledger_verify.lang.errors import InputError
from ledger_verify.ledger.outcomes import Outcome

BLOCKED = Verdict(Decision.BLOCK, "pay", {}, "no")
CALL = {"id": "1", "type": "function", "function": {"name": "pay", "arguments": '{"id": "7"}'}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}


def _read(*messages: Any, as_format: str | None = None) -> list[Any]:
    reader = Reader(None if as_format is None else format_named(as_format))
    found = [
        event
        for position, message in enumerate(messages)
        for event in reader.read(live_message(message, position))
    ]
    return [*found, *reader.end()]


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ([{"content": "x"}], "message 1: in none of the formats"),
        (["x"], "message 1: a message must be an object"),
        ([{"role": 3}], "message 1: `role` must be text"),
        ([CALLING, {"role": "tool", "content": "done"}], "message 2: there is no `id`"),
        ([{"role": "assistant", "tool_calls": [{**CALL, "id": None}]}], "there is no `id`"),
        (
            [{"role": "tool", "tool_call_id": "zz", "content": "x"}],
            "an answer to no call: none with",
        ),
        (
            [CALLING, *[{"role": "tool", "tool_call_id": "1", "content": "x"}] * 2],
            "message 3: an answer to no call",
        ),
        ([{"role": "function", "name": "pay", "content": "x"}], "none with the tool `pay`"),
        ([{"role": "user", "content": [{"type": "spell"}]}], "unknown content `spell`"),
        (
            [{"role": "assistant", "content": [{"type": "tool_use", "id": "1"}]}],
            "the `name` of a tool call must be text",
        ),
        (
            [{"role": "user", "content": [{"type": "tool_result", "content": "x"}]}],
            "there is no `tool_use_id`",
        ),
        ([{"type": "function_call_output", "output": "x"}], "there is no `call_id`"),
        ([{"type": "remove", "content": "", "id": "5"}], "changes the conversation"),
        ([{"role": "model", "parts": [{"spell": 1}]}], "unknown content `spell`"),
        ([{"role": "assistant", "tool_calls": "x"}], "`tool_calls` must be a list"),
        ([{"role": "assistant", "tool_calls": [{"id": "1"}]}], "the `name` of a tool call"),
        ([{"role": "wizard", "content": "x"}], "unknown role `wizard`"),
        ([{"role": "Tool", "tool_call_id": "1", "content": "x"}], "unknown role `Tool`"),
        ([{"role": "user", "parts": "x"}], "a message that says nothing"),
        ([{"type": "chat", "role": "tool", "content": "x"}], "without the id of its call"),
        (
            [{"parts": [{"functionCall": {"name": "pay", "willContinue": True}}]}],
            "not complete yet",
        ),
        ([{"role": "user", "content": object()}], "message 1: a message holds a `object`"),
    ],
)
def test_what_cannot_be_read_is_an_error_that_names_the_message(
    messages: list[Any], problem: str
) -> None:
    with pytest.raises(InputError) as caught:
        _read(*messages)
    assert problem in str(caught.value)
    assert "message" in str(caught.value)


def test_a_format_can_be_demanded() -> None:
    with pytest.raises(InputError, match="`parts` must be a list"):
        _read({"role": "user", "content": "x"}, as_format="gemini")
    with pytest.raises(InputError, match="unknown format `chta`") as caught:
        format_named("chta")
    assert caught.value.hint == "did you mean `chat`?"


@pytest.mark.parametrize(
    "arguments",
    ['{"id": "7", "id": "8"}', '{"n": NaN}', '{"n": Infinity}', "{", "[1", '"x'],
)
def test_arguments_that_are_no_json_stay_text(arguments: str) -> None:
    call = {"id": "1", "function": {"name": "pay", "arguments": arguments}}
    (proposed, _) = _read({"role": "assistant", "tool_calls": [call]})
    assert isinstance(proposed, Proposed)
    assert proposed.arguments == arguments


def test_older_function_calls_are_paired_by_name() -> None:
    made = {"role": "assistant", "function_call": {"name": "pay", "arguments": "{}"}}
    events = _read(made, {"role": "function", "name": "pay", "content": "done"})
    assert [type(event) for event in events] == [Proposed, Answered]


def test_gemini_calls_without_ids_are_paired_in_order() -> None:
    parts = [{"functionCall": {"name": "pay", "args": {"n": n}}} for n in (1, 2)]
    answers = [{"functionResponse": {"name": "pay", "response": {"output": n}}} for n in "ab"]
    events = _read({"role": "model", "parts": parts}, {"role": "user", "parts": answers})
    answered = [event for event in events if isinstance(event, Answered)]
    assert [(event.call.arguments, event.content) for event in answered] == [
        ({"n": 1}, "a"),
        ({"n": 2}, "b"),
    ]


def test_an_answer_may_come_late() -> None:
    late = {"role": "tool", "tool_call_id": "1", "content": "done"}
    events = _read(CALLING, {"role": "user", "content": "still there?"}, late)
    assert [type(event) for event in events] == [Proposed, Unanswered, Said, Answered]


def test_the_gate_s_own_refusal_is_no_result() -> None:
    verdict = Verdict(Decision.BLOCK, "pay", {}, "no")
    answer = {"role": "tool", "tool_call_id": "1", "content": refusal_text("1", verdict)}
    (_, refused) = _read(CALLING, answer)
    assert isinstance(refused, Refused)
    assert refused.verdict == "BLOCK"
    parts = [{"type": "text", "text": refusal_text("1", verdict)}]
    (_, refused) = _read(CALLING, {**answer, "content": parts})
    assert isinstance(refused, Refused)


@pytest.mark.parametrize(
    "content",
    [
        refusal_text("2", BLOCKED),
        refusal_text("1", BLOCKED)[:60],
        "Tool said: " + refusal_text("1", BLOCKED),
        [{"type": "text", "text": refusal_text("1", BLOCKED)}, {"type": "text", "text": "!"}],
        {"content": [{"type": "text", "text": refusal_text(None, BLOCKED)}], "isError": False},
    ],
)
def test_of_what_is_marked_but_no_refusal_of_the_call_nobody_knows(content: Any) -> None:
    """It may be copied, cut off, or answer a call whose id was changed since."""
    (_, answered) = _read(CALLING, {"role": "tool", "tool_call_id": "1", "content": content})
    assert isinstance(answered, Answered)
    assert answered.outcome is Outcome.UNKNOWN


@pytest.mark.parametrize("id_", ["", None])
def test_a_refusal_of_a_call_without_an_id(id_: str | None) -> None:
    called = {"role": "model", "parts": [{"functionCall": {"name": "pay", "args": {}}}]}
    for response in (
        {"output": refusal_text(id_, BLOCKED)},
        json.loads(refusal_text(id_, BLOCKED)),
    ):
        part = {"functionResponse": {"name": "pay", "response": response}}
        (_, refused) = _read(called, {"role": "user", "parts": [part]})
        assert isinstance(refused, Refused)


@pytest.mark.parametrize(
    ("stamp", "at_us"),
    [
        ({"timestamp": 1_700_000_000}, 1_700_000_000_000_000),
        ({"created_at": 1_700_000_000_123}, 1_700_000_000_123_000),
        ({"timestamp": "2026-01-01T00:00:00Z"}, 1_767_225_600_000_000),
        ({"timestamp": "2026-01-01T01:00:00+01:00"}, 1_767_225_600_000_000),
        ({"timestamp": "2026-01-01T00:00:00"}, None),
        ({"timestamp": "soon"}, None),
        ({"timestamp": float("inf")}, None),
        ({}, None),
    ],
)
def test_the_time_of_a_message(stamp: dict[str, Any], at_us: int | None) -> None:
    (said,) = _read({"role": "user", "content": "hi", **stamp})
    assert said.at_us == at_us


def test_what_a_provider_runs_is_a_call_of_the_provider() -> None:
    block = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}}
    answer = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
    events = _read({"role": "assistant", "content": [block, answer]})
    assert [type(event) for event in events] == [Proposed, Answered]
    assert events[0].by == "provider"
    (call, _) = _read({"type": "web_search_call", "id": "w", "status": "completed"})
    assert (call.by, call.name) == ("provider", "web_search")


@pytest.mark.parametrize(
    ("flags", "outcome"),
    [
        ({"error": True}, Outcome.FAILED),
        ({"error": "declined"}, Outcome.FAILED),
        ({"is_error": True}, Outcome.FAILED),
        ({"isError": True}, Outcome.FAILED),
        ({"status": "error"}, Outcome.FAILED),
        ({"success": False}, Outcome.FAILED),
        ({"is_error": "false"}, Outcome.SUCCEEDED),
        ({"error": None, "status": "success"}, Outcome.SUCCEEDED),
        ({"error": False, "isError": True}, Outcome.FAILED),
    ],
)
def test_flags_beside_a_content(flags: dict[str, Any], outcome: Outcome) -> None:
    answer = {"role": "tool", "tool_call_id": "1", "content": "declined", **flags}
    (_, answered) = _read(CALLING, answer)
    assert isinstance(answered, Answered)
    assert answered.outcome is outcome


_MCP_CALL = {"type": "mcp_call", "id": "m", "name": "pay", "arguments": "{}", "output": "x"}
_SHELL = {"type": "shell_call", "id": "s", "call_id": "c", "action": {"commands": ["rm"]}}
_CODE = {"executableCode": {"code": "x"}}


@pytest.mark.parametrize(
    ("messages", "kinds"),
    [
        ([_MCP_CALL], [Proposed, Outcome.SUCCEEDED]),
        ([{**_MCP_CALL, "status": "failed"}], [Proposed, Outcome.FAILED]),
        ([{**_MCP_CALL, "error": "timed out"}], [Proposed, Outcome.UNKNOWN]),
        ([{**_MCP_CALL, "status": "incomplete"}], [Proposed, Unanswered]),
        (
            [
                {"type": "function_call", "call_id": "c", "name": "pay", "arguments": "{}"},
                {
                    "type": "function_call_output",
                    "call_id": "c",
                    "output": "",
                    "status": "incomplete",
                },
                {"type": "function_call_output", "call_id": "c", "output": "done"},
            ],
            [Proposed, Unanswered, Outcome.SUCCEEDED],
        ),
        (
            [
                {"role": "model", "parts": [{"functionCall": {"name": "pay", "args": {}}}]},
                {
                    "role": "user",
                    "parts": [
                        {"functionResponse": {"name": "pay", "response": {}, "willContinue": True}}
                    ],
                },
            ],
            [Proposed, Unanswered],
        ),
        (
            [{**_SHELL, "status": "completed"}, {"type": "shell_call_output", "call_id": "c"}],
            [Proposed, Outcome.SUCCEEDED],
        ),
        (
            [
                {**_SHELL, "type": "local_shell_call", "status": "completed"},
                {"type": "local_shell_call_output", "id": "c", "output": "Error: no"},
            ],
            [Proposed, Outcome.FAILED],
        ),
        (
            [
                {
                    "type": "apply_patch_call",
                    "call_id": "c",
                    "operation": {},
                    "status": "completed",
                },
                {"type": "apply_patch_call_output", "call_id": "c", "status": "failed"},
            ],
            [Proposed, Outcome.FAILED],
        ),
        (
            [{"parts": [_CODE, {"codeExecutionResult": {"outcome": "OUTCOME_FAILED"}}]}],
            [Proposed, Outcome.FAILED],
        ),
        (
            [{"parts": [_CODE, {"codeExecutionResult": {"outcome": "OUTCOME_DEADLINE_EXCEEDED"}}]}],
            [Proposed, Unanswered],
        ),
        (
            [
                {"role": "model", "parts": [{"functionCall": {"name": "pay", "args": {}}}]},
                {"parts": [{"functionResponse": {"name": "pay", "id": "x", "response": {}}}]},
            ],
            [Proposed, Outcome.SUCCEEDED],
        ),
        (
            [
                {"role": "user", "content": "hi", "tool_calls": [CALL]},
                {"role": "tool", "tool_call_id": "1", "content": "x", "requestor": "user"},
            ],
            [Said, Proposed, Outcome.SUCCEEDED],
        ),
        (
            [
                {"role": "user", "content": [{"type": "image", "source": {}}]},
                {"role": "user", "content": [{"type": "document", "source": {}}]},
                {"type": "mcp_approval_request", "id": "a", "name": "pay", "arguments": "{}"},
                {"type": "mcp_approval_response", "approval_request_id": "a", "approve": True},
            ],
            [],
        ),
    ],
)
def test_calls_that_come_to_their_ends_in_other_ways(messages: list[Any], kinds: list[Any]) -> None:
    events = _read(*messages)
    assert [e.outcome if isinstance(e, Answered) else type(e) for e in events] == kinds


def test_words_of_the_developer_are_instructions() -> None:
    (said,) = _read({"role": "developer", "content": "Be brief."})
    assert said.role == "system"


def test_instructions_between_the_items_of_a_turn_do_not_end_it() -> None:
    calls = [
        {"type": "function_call", "call_id": id_, "name": "pay", "arguments": "{}"} for id_ in "ab"
    ]
    answers = [{"type": "function_call_output", "call_id": id_, "output": "done"} for id_ in "ab"]
    events = _read(calls[0], {"role": "system", "content": "The ledger."}, calls[1], *answers)
    assert [type(e) for e in events] == [Proposed, Said, Proposed, Answered, Answered]
