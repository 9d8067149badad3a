"""What the packages build beyond plain messages: streams put together, and kinds of their own."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from ledger_verify.conversation.events import Answered, Proposed
from ledger_verify.lang.errors import InputError
from ledger_verify.ledger.outcomes import Outcome
from tests.conversation.test_formats import events_of

USAGE = {"input_tokens": 1, "output_tokens": 1}
PAY = {"id": "a", "type": "function", "function": {"name": "pay", "arguments": '{"id": "7"}'}}


def _calls(messages: list[Any]) -> list[tuple[Any, ...]]:
    found = [event for event in events_of(messages) if isinstance(event, Proposed)]
    return [(call.id, call.name, call.arguments, call.by) for call in found]


def _outcomes(messages: list[Any]) -> list[tuple[str | None, Outcome, Any]]:
    found = [event for event in events_of(messages) if isinstance(event, Answered)]
    return [(answer.call.id, answer.outcome, answer.content) for answer in found]


def test_a_stream_of_openai_put_together() -> None:
    streaming = pytest.importorskip("openai.lib.streaming.chat")
    from openai.types.chat import ChatCompletionChunk

    state = streaming.ChatCompletionStreamState(input_tools=[])
    first = {"index": 0, "id": "a", "type": "function"}
    second = {"index": 1, "id": "b", "type": "function"}
    for delta in (
        {
            "role": "assistant",
            "tool_calls": [{**first, "function": {"name": "pay", "arguments": ""}}],
        },
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"amount": 1'}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": "0.10}"}}]},
        {"tool_calls": [{**second, "function": {"name": "get", "arguments": "{}"}}]},
    ):
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        more = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        state.handle_chunk(ChatCompletionChunk.model_validate({**more, "choices": [choice]}))
    message = state.current_completion_snapshot.choices[0].message
    assert _calls([message]) == [
        ("a", "pay", {"amount": Decimal("10.10")}, "assistant"),
        ("b", "get", {}, "assistant"),
    ]
    answers = [{"role": "tool", "tool_call_id": id_, "content": id_.upper()} for id_ in "ba"]
    assert _outcomes([message, *answers]) == [
        ("b", Outcome.SUCCEEDED, "B"),
        ("a", Outcome.SUCCEEDED, "A"),
    ]


def test_a_stream_of_anthropic_put_together() -> None:
    streaming = pytest.importorskip("anthropic.lib.streaming._messages")
    from anthropic.types import RawMessageStreamEvent
    from pydantic import TypeAdapter

    begun: dict[str, Any] = {
        "id": "m", "type": "message", "role": "assistant", "content": [], "model": "m",
        "stop_reason": None, "stop_sequence": None, "usage": USAGE,
    }  # fmt: skip
    block = {"type": "tool_use", "id": "a", "name": "pay", "input": {}}
    pieces = ['{"amount": 1', "0.5}"]
    events = [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": block},
        *(
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "input_json_delta", "partial_json": piece},
            }
            for piece in pieces
        ),
        {"type": "content_block_stop", "index": 0},
    ]
    reads: Any = TypeAdapter(RawMessageStreamEvent)
    message: Any = None
    buffers: dict[int, bytes] = {}
    for event in events:
        message = streaming.accumulate_event(
            event=reads.validate_python(event), current_snapshot=message, json_bufs=buffers
        )
    assert _calls([message]) == [("a", "pay", {"amount": Decimal("10.5")}, "assistant")]


def test_chunks_of_langchain_added_up() -> None:
    messages = pytest.importorskip("langchain_core.messages")
    pieces = [
        {"name": "pay", "args": '{"id":', "id": "a", "index": 0},
        {"name": None, "args": '"7"}', "id": None, "index": 0},
    ]
    first, second = (messages.AIMessageChunk("", tool_call_chunks=[piece]) for piece in pieces)
    whole = first + second
    assert _calls([whole]) == [("a", "pay", {"id": "7"}, "assistant")]
    answer = messages.ToolMessage("declined", tool_call_id="a", status="error")
    assert _outcomes([whole, answer]) == [("a", Outcome.FAILED, "declined")]


@pytest.mark.parametrize("status", ["success", None])
def test_a_status_of_langchain_that_nobody_set_leaves_it_to_the_text(status: str | None) -> None:
    messages = pytest.importorskip("langchain_core.messages")
    asked = messages.AIMessage("", tool_calls=[{"name": "pay", "args": {}, "id": "a"}])
    more = {} if status is None else {"status": status}
    for text, outcome in (
        ("Error: declined", Outcome.FAILED),
        ("Error: timed out", Outcome.UNKNOWN),
        ("done", Outcome.SUCCEEDED),
    ):
        answer = messages.ToolMessage(text, tool_call_id="a", **more)
        assert _outcomes([asked, answer]) == [("a", outcome, text)]
        parts = messages.ToolMessage([{"type": "text", "text": text}], tool_call_id="a", **more)
        assert _outcomes([asked, parts]) == [("a", outcome, text)]


def test_calls_of_langchain_that_were_no_json() -> None:
    messages = pytest.importorskip("langchain_core.messages")
    wrong = [{"name": "pay", "args": "{", "id": "a", "error": "no JSON"}]
    asked = messages.AIMessage("", invalid_tool_calls=wrong)
    assert _calls([asked]) == [("a", "pay", "{", "assistant")]


def test_custom_tools_of_openai() -> None:
    chat = pytest.importorskip("openai.types.chat")
    responses = pytest.importorskip("openai.types.responses")
    call = {"id": "a", "type": "custom", "custom": {"name": "sql", "input": "drop"}}
    message = chat.ChatCompletionMessage.model_validate(
        {"role": "assistant", "content": None, "tool_calls": [call]}
    )
    item = responses.ResponseCustomToolCall.model_validate(
        {"type": "custom_tool_call", "call_id": "a", "name": "sql", "input": "drop"}
    )
    for asked, answer in (
        (message, {"role": "tool", "tool_call_id": "a", "content": "ok"}),
        (item, {"type": "custom_tool_call_output", "call_id": "a", "output": "ok"}),
    ):
        assert _calls([asked]) == [("a", "sql", {"input": "drop"}, "assistant")]
        assert _outcomes([asked, answer]) == [("a", Outcome.SUCCEEDED, "ok")]


@pytest.mark.parametrize(
    ("more", "outcome"),
    [
        ({"output": "ok"}, Outcome.SUCCEEDED),
        ({"error": {"type": "http_error", "code": 400, "message": "bad"}}, Outcome.FAILED),
        ({"error": {"type": "http_error", "code": 503, "message": "busy"}}, Outcome.UNKNOWN),
        ({"output": "ok", "status": "failed"}, Outcome.FAILED),
    ],
)
def test_calls_that_openai_makes_on_an_mcp_server(more: dict[str, Any], outcome: Outcome) -> None:
    items = pytest.importorskip("openai.types.responses.response_output_item")
    call = {"id": "m", "type": "mcp_call", "name": "pay", "server_label": "s", "arguments": "{}"}
    item = items.McpCall.model_validate({**call, **more})
    assert _calls([item]) == [("m", "pay", {}, "provider")]
    ((_, found, _),) = _outcomes([item])
    assert found is outcome


def test_blocks_that_only_beta_messages_of_anthropic_have() -> None:
    beta = pytest.importorskip("anthropic.types.beta")
    content = [
        {"type": "thinking", "thinking": "x", "signature": "s"},
        {"type": "mcp_tool_use", "id": "t", "name": "pay", "server_name": "s", "input": {"a": 1}},
        {
            "type": "mcp_tool_result",
            "tool_use_id": "t",
            "is_error": True,
            "content": [{"type": "text", "text": "declined"}],
        },
    ]
    message = beta.BetaMessage.model_validate(
        {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": content,
         "stop_reason": "end_turn", "stop_sequence": None, "usage": USAGE}
    )  # fmt: skip
    assert _calls([message]) == [("t", "pay", {"a": 1}, "provider")]
    assert _outcomes([message]) == [("t", Outcome.FAILED, "declined")]


def test_parts_of_gemini_with_and_without_ids() -> None:
    types = pytest.importorskip("google.genai.types")
    calls = [
        types.Part(
            function_call=types.FunctionCall(id=id_, name="pay", args={"id": id_}),
            thought_signature=b"\x00\xff",
        )
        for id_ in ("a", "b")
    ]
    asked = types.Content(role="model", parts=[types.Part(text="hm", thought=True), *calls])
    answers = types.Content(
        role="user",
        parts=[
            types.Part(
                function_response=types.FunctionResponse(
                    id="b", name="pay", response={"error": "declined"}
                )
            ),
            types.Part.from_function_response(name="pay", response={"result": "ok"}),
        ],
    )
    assert _outcomes([asked, answers]) == [
        ("b", Outcome.FAILED, "declined"),
        ("a", Outcome.SUCCEEDED, "ok"),
    ]


@pytest.mark.parametrize(
    ("is_error", "outcome"), [(True, Outcome.FAILED), (False, Outcome.SUCCEEDED)]
)
def test_structured_content_of_mcp(is_error: bool, outcome: Outcome) -> None:
    types = pytest.importorskip("mcp.types")
    result = types.CallToolResult(
        content=[types.TextContent(type="text", text="x")],
        structuredContent={"number": 1},
        isError=is_error,
    )
    asked = {"role": "assistant", "tool_calls": [PAY]}
    answer = {"role": "tool", "tool_call_id": "a", "content": result}
    assert _outcomes([asked, answer]) == [("a", outcome, {"number": 1})]


@pytest.mark.parametrize(
    ("holding", "inside"),
    [
        ({"id": "c", "choices": [{"message": {"role": "assistant"}}]}, "`message` of one"),
        ({"id": "r", "output": [], "object": "response"}, "items of its `output`"),
        ({"candidates": [{"content": {}}]}, "`content` of one"),
    ],
)
def test_a_whole_answer_of_a_model_is_no_message(holding: dict[str, Any], inside: str) -> None:
    with pytest.raises(InputError, match=inside):
        events_of([holding])
