"""What a conversation in chat format makes the session hear."""

import json
from typing import Any

import pytest

from ledger_verify import Gate
from ledger_verify.adapters.chat import ChatGuard
from ledger_verify.audit.recordings import parse_recording
from ledger_verify.audit.replay import replay
from tests.gate.test_heard import DESK, MIA

USER_ID = {"user_id": "mia_1"}


def says(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


def calls(name: str = "get_user", arguments: Any = None) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments or USER_ID)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "type": "function", "function": function}],
    }


def answers(result: Any = MIA) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "1", "content": json.dumps(result)}


HELLO = says("user", "Hello!")
TEXT = {"type": "text", "text": "I am mia_1"}
CASES = [
    ([says("user", "I am mia_1."), calls(), answers()], True),
    ([says("user", [{"type": "image_url"}, TEXT]), calls(), answers()], True),
    ([HELLO, calls(), answers()], False),
    ([HELLO, says("assistant", "You are mia_1"), calls(), answers()], False),
    ([says("system", "mia_1"), HELLO, calls(), answers()], False),
    ([HELLO, calls(), says("user", "mia_1"), answers()], False),
    ([HELLO, calls("get_ticket", {"id": "T1"}), answers({"owner": "mia_1"}), calls(), answers()],
     False),
    ([says("user", "mia_"), says("user", "1"), calls(), answers()], False),
]  # fmt: skip


@pytest.mark.parametrize(("messages", "counts"), CASES)
def test_only_what_the_user_said_before_the_call_counts(
    messages: list[dict[str, Any]], counts: bool
) -> None:
    gate = Gate(DESK)
    session = gate.session()
    drifts = ChatGuard(session).absorb(messages)
    assert [d.reason for d in drifts] == ([] if counts else ["the user never said `user_id`"])
    assert ("user = " in session.render()) is counts
    (replayed,) = replay(gate, parse_recording(json.dumps(messages), "log.json"))
    assert [d.reason for d in replayed.drifts] == [d.reason for d in drifts]


def test_a_recording_without_a_word_of_the_user_asks_for_nothing() -> None:
    messages = [says("system", "x"), calls(), answers()]
    (replayed,) = replay(Gate(DESK), parse_recording(json.dumps(messages), "log.json"))
    assert replayed.drifts == ()
    assert not replayed.conversation.speaks
