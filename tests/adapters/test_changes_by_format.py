"""What each kind of change to a conversation does, in every format: live and with a state."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ledger_verify import Gate
from ledger_verify.adapters.chat import ChangedConversation, ChatGuard
from tests.adapters.chats import OPEN
from tests.conversation.written import BY_HAND, BY_PACKAGES, Step, Talk
from tests.gate.shop import ORDER, cancel, session

Write = Callable[[Talk], list[Any]]

O1 = {"order_id": "o1"}
SHIPS = Step("ship", O1, answer='"done"')
READS = Step("get_order", O1, answer=json.dumps(ORDER))
READS_OTHERWISE = Step("get_order", O1, answer=json.dumps({**ORDER, "total": 1}))
WITHOUT_IDS = ("function_calls", "gemini_without_ids")
WRITERS = [pytest.param(write, id=write.__name__) for write in (*BY_HAND, *BY_PACKAGES)]


def _said(text: str) -> tuple[Step, ...]:
    return (Step(role="user", text=text),)


def _talk(shipping: Step = SHIPS, reading: Step = READS) -> Talk:
    return (_said("hi"), (shipping,), (reading,), _said("and now?"))


def _turns(write: Write) -> list[int]:
    """Where each turn of the talk begins among its messages."""
    talk = _talk()
    return [len(write(talk[:count])) for count in range(1, len(talk))]


CHANGES: dict[str, Callable[[Write, list[Any]], list[Any]]] = {
    "begins later": lambda write, m: m[1:],
    "begins after the write": lambda write, m: m[_turns(write)[1] :],
    "begins with an answer": lambda write, m: m[2:],
    "summarised": lambda write, m: [*write((_said("So far: ..."),)), *m[_turns(write)[1] :]],
    "a word edited": lambda write, m: [*write((_said("hello"),)), *m[1:]],
    "arguments edited": lambda write, m: write(
        _talk(Step("ship", {"order_id": "o2"}, answer='"done"'))
    ),
    "turns in another order": lambda write, m: [
        *(m[: _turns(write)[0]] + m[_turns(write)[1] : _turns(write)[2]]),
        *(m[_turns(write)[0] : _turns(write)[1]] + m[_turns(write)[2] :]),
    ],
    "an answer left out": lambda write, m: m[:2] + m[3:],
    "the end left out": lambda write, m: m[:-1],
}


def _guard(write: Write) -> ChatGuard:
    if write in BY_PACKAGES:
        pytest.importorskip(BY_PACKAGES[write])
    guard = ChatGuard(session(OPEN))
    messages = write(_talk())
    for end in range(1, len(messages) + 1):
        guard.absorb(messages[:end])
    assert cancel(guard.session) == "ALLOW"
    return guard


def _resumed(guard: ChatGuard) -> ChatGuard:
    return ChatGuard.resume(Gate(guard.session.domain), json.loads(json.dumps(guard.save())))


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("write", WRITERS)
def test_live_a_change_is_refused_and_nothing_is_taken_in(write: Write, change: str) -> None:
    guard = _guard(write)
    before = guard.session.save()
    with pytest.raises(ChangedConversation, match="state of this session in a new guard"):
        guard.absorb(CHANGES[change](write, write(_talk())))
    assert guard.session.save() == before


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("write", WRITERS)
def test_with_the_state_a_changed_conversation_goes_on(write: Write, change: str) -> None:
    resumed = _resumed(_guard(write))
    resumed.absorb(CHANGES[change](write, write(_talk())))
    shows_write = change not in ("begins after the write", "summarised")
    shows_call = shows_write and change not in ("begins with an answer", "arguments edited")
    in_doubt = write.__name__ in WITHOUT_IDS and shows_call
    assert cancel(resumed.session) == ("REVISE" if in_doubt else "ALLOW")


@pytest.mark.parametrize("write", WRITERS)
def test_an_answer_that_was_edited_is_refused_with_what_to_do(write: Write) -> None:
    resumed = _resumed(_guard(write))
    with pytest.raises(ChangedConversation, match="leave it as it was, or leave it out"):
        resumed.absorb(write(_talk(reading=READS_OTHERWISE)))
