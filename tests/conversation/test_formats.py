"""One conversation in every format gives the same events."""

import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger_verify.conversation.events import Answered, Event, Proposed, Said, Unanswered
from ledger_verify.conversation.reader import Reader, live_message
from ledger_verify.ledger.outcomes import Outcome
from tests.conversation.talks import CARRIES, carried
from tests.conversation.written import (
    BY_HAND,
    BY_PACKAGES,
    Step,
    Talk,
)

Write = Callable[[Talk], list[Any]]


def _installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        return False


FORMATS = [
    *(pytest.param(write, id=write.__name__) for write in BY_HAND),
    *(
        pytest.param(
            write,
            id=write.__name__,
            marks=pytest.mark.skipif(not _installed(package), reason=f"`{package}` not installed"),
        )
        for write, package in BY_PACKAGES.items()
    ),
]


def events_of(messages: list[Any]) -> list[Event]:
    reader = Reader()
    found = [
        event
        for position, message in enumerate(messages)
        for event in reader.read(live_message(message, position))
    ]
    return [*found, *reader.end()]


def told(events: list[Event]) -> Iterator[tuple[Any, ...]]:
    """What the events say, without what depends on the format: ids and positions."""
    for event in events:
        match event:
            case Proposed():
                yield "proposed", event.index, event.name, event.arguments, event.by
            case Answered():
                yield "answered", event.call.index, event.outcome.value
                if event.outcome is Outcome.SUCCEEDED:
                    yield "with", event.content
            case Unanswered():
                yield "unanswered", event.call.index
            case Said():
                yield "said", event.role, event.text


def _expected(talk: Talk, *, itemwise: bool) -> list[tuple[Any, ...]]:
    """What the talk is; in an `itemwise` format one turn of the agent may be several of these."""
    out: list[tuple[Any, ...]] = []
    index = 0
    waiting: list[int] = []
    agent_goes_on = False
    for turn in talk:
        spoken = turn[0] if turn[0].role else None
        of_user = spoken is not None and spoken.role == "user"
        same_turn = itemwise and agent_goes_on and not of_user
        agent_goes_on = not of_user and all(step.answer is None for step in turn)
        if not same_turn:
            out += [("unanswered", number) for number in waiting]
            waiting = []
        if spoken is not None:
            out.append(("said", spoken.role, spoken.text))
            continue
        first = index
        for step in turn:
            out.append(("proposed", index, step.tool, step.arguments, "assistant"))
            index += 1
        for number, step in enumerate(turn, start=first):
            if step.answer is None:
                waiting.append(number)
            elif step.failed:
                out.append(("answered", number, Outcome.FAILED.value))
            else:
                out += [("answered", number, Outcome.SUCCEEDED.value), ("with", step.answer)]
    return [*out, *(("unanswered", number) for number in waiting)]


_WORDS = st.text("abc xyzß😀_\n", min_size=1, max_size=12).filter(lambda text: text.strip())
_ARGUMENTS = st.dictionaries(
    st.sampled_from(["id", "größe", "n"]),
    st.one_of(_WORDS, st.integers(-(2**53), 2**53), st.booleans(), st.none(), st.just([{"a": 1}])),
    max_size=3,
)
_CALL = st.builds(
    Step,
    tool=st.sampled_from(["get_order", "pay"]),
    arguments=_ARGUMENTS,
    answer=st.none() | _WORDS | st.just('{"total": 1.50}'),
    failed=st.booleans(),
)
_TEXT = st.builds(Step, role=st.sampled_from(["user", "assistant"]), text=_WORDS)
_TALK = st.lists(
    st.lists(_CALL, min_size=1, max_size=3).map(tuple) | _TEXT.map(lambda step: (step,)),
    min_size=1,
    max_size=6,
).map(tuple)


@pytest.mark.parametrize("write", FORMATS)
@given(talk=_TALK)
@settings(max_examples=25)
def test_the_events_are_the_same_in_every_format(write: Write, talk: Talk) -> None:
    carries = CARRIES[write]
    talk = carried(talk, replace(carries, turns=True))
    assert list(told(events_of(write(talk)))) == _expected(talk, itemwise=not carries.turns)


@pytest.mark.parametrize("write", FORMATS)
def test_numbers_are_exact_where_arguments_are_text(write: Write) -> None:
    talk: Talk = ((Step(tool="pay", arguments={"amount": 989.7}, answer="ok"),),)
    (call, *_) = events_of(write(talk))
    assert isinstance(call, Proposed)
    assert str(call.arguments["amount"]) == "989.7"


@pytest.mark.parametrize("write", FORMATS)
def test_every_message_is_recognised_alone(write: Write) -> None:
    talk: Talk = (
        (Step(role="user", text="hi"),),
        (Step(tool="a", arguments={}, answer="1"), Step(tool="a", arguments={}, answer="2")),
        (Step(role="assistant", text="done"),),
    )
    talk = carried(talk, replace(CARRIES[write], turns=True))
    kinds = [type(event).__name__ for event in events_of(write(talk))]
    calls = ["Proposed", "Proposed", "Answered", "Answered"]
    if not CARRIES[write].several:
        calls = ["Proposed", "Answered"] * 2
    assert kinds == ["Said", *calls, "Said"]


def test_results_of_mcp_tools_say_what_became_of_the_call() -> None:
    types = pytest.importorskip("mcp.types")
    for is_error, outcome in ((True, Outcome.FAILED), (False, Outcome.SUCCEEDED)):
        text = types.TextContent(type="text", text="declined")
        result = types.CallToolResult(content=[text], isError=is_error)
        for content in (result, result.model_dump_json(), result.model_dump_json(by_alias=True)):
            call = {"id": "1", "function": {"name": "pay", "arguments": "{}"}}
            asked = {"role": "assistant", "tool_calls": [call]}
            answer = {"role": "tool", "tool_call_id": "1", "content": content}
            (_, answered) = events_of([asked, answer])
            assert isinstance(answered, Answered)
            assert (answered.outcome, answered.content) == (outcome, "declined")


def test_calls_and_answers_that_langchain_holds_elsewhere() -> None:
    messages = pytest.importorskip("langchain_core.messages")
    function = {"name": "pay", "arguments": "{}"}
    calls = [{"id": "1", "name": "pay", "args": {}}]
    asked = messages.AIMessage("", tool_calls=calls)
    blocks = [
        {"type": "server_tool_call", "id": "s", "name": "web_search", "args": {}},
        {"type": "server_tool_result", "tool_call_id": "s", "status": "error", "output": "x"},
    ]
    talks: list[tuple[list[Any], Outcome]] = [
        (
            [
                messages.AIMessage("", additional_kwargs={"function_call": function}),
                messages.FunctionMessage("done", name="pay"),
            ],
            Outcome.SUCCEEDED,
        ),
        ([asked, messages.ToolMessage(["Paid.", "Error: no"], tool_call_id="1")], Outcome.UNKNOWN),
        ([asked, messages.ToolMessage("no", tool_call_id="1", status="error")], Outcome.FAILED),
        (
            [asked, messages.ToolMessage("no", tool_call_id="1", artifact={"isError": True})],
            Outcome.FAILED,
        ),
        ([messages.AIMessage(content=blocks)], Outcome.FAILED),
        (
            [
                asked,
                messages.HumanMessage(
                    [{"type": "tool_result", "tool_use_id": "1", "content": "x", "is_error": True}]
                ),
            ],
            Outcome.FAILED,
        ),
    ]
    for talk, outcome in talks:
        (proposed, answered) = events_of(talk)
        assert isinstance(proposed, Proposed)
        assert isinstance(answered, Answered)
        assert answered.outcome is outcome
