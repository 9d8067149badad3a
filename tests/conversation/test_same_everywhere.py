"""A conversation comes to the same events and verdicts live, resumed and replayed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger_verify import Domain, Gate
from ledger_verify.adapters.chat import ChatGuard
from ledger_verify.audit.recordings import parse_recording, read_recording
from ledger_verify.audit.replay import replay
from ledger_verify.conversation.events import Event
from ledger_verify.conversation.follow import Follower, Judged
from ledger_verify.conversation.reader import Reader, live_message
from tests.conversation.test_formats import FORMATS
from tests.conversation.written import Step, Talk

DOMAIN = Domain.define(
    "bills",
    clock="2026-01-01T12:00:00",
    definitions={
        "Bill": {
            "type": "object",
            "required": ["paid"],
            "properties": {"paid": {"type": "boolean"}},
        }
    },
    ledger={"bills.*": "Bill"},
    tools={
        "get_bill": {
            "kind": "read",
            "arguments": {"id": "string"},
            "observes": {"bills.{args.id}": "result"},
        },
        "approve": {"kind": "write", "arguments": {"id": "string"}},
        "pay": {
            "kind": "write",
            "arguments": {"id": "string"},
            "touches": ["bills.{args.id}"],
            "asks": ["id"],
        },
    },
    rules=[
        {"id": "unpaid", "tools": ["pay", "approve"], "require": "!ledger.bills[args.id].paid"},
        {
            "id": "approved",
            "tools": ["pay"],
            "require": "history.approve.exists(c, c.ok && c.args.id == args.id)",
        },
        {
            "id": "twice",
            "tools": ["pay"],
            "require": "size(history.pay.filter(c, c.ok)) < 2 && !history.exists(c, "
            "c.verdict == 'BLOCK' && c.tool == 'approve')",
        },
    ],
)
GATE = Gate(DOMAIN)

_IDS = st.sampled_from(["7", "8"])
_ANSWERS = st.sampled_from(
    ['{"paid": false}', '{"paid": true}', "done", "no such bill", "timed out", None]
)
_CALL = st.builds(
    Step,
    tool=st.sampled_from(["get_bill", "approve", "pay", "unheard_of"]),
    arguments=_IDS.map(lambda i: {"id": i}),
    answer=_ANSWERS,
    failed=st.booleans(),
)
_TEXT = st.builds(
    Step,
    role=st.sampled_from(["user", "assistant"]),
    text=st.sampled_from(["pay 7", "pay 8", "hello"]),
)
_TALK = st.lists(
    st.lists(_CALL, min_size=1, max_size=3).map(tuple) | _TEXT.map(lambda step: (step,)),
    min_size=1,
    max_size=7,
).map(tuple)


def _follow(follower: Follower, reader: Reader, messages: list[Any]) -> tuple[list[Any], list[Any]]:
    """The events that messages add, and the verdicts, one message after the other."""
    events: list[Event] = []
    judged: list[Judged] = []
    for message in messages:
        new = reader.read(live_message(message, reader.position))
        events += new
        judged += follower.take(new)
    return events, [one.verdict.to_json() for one in judged]


def _live(messages: list[Any]) -> tuple[list[Any], list[Any], str]:
    follower, reader = Follower(GATE.session()), Reader()
    events, verdicts = _follow(follower, reader, messages)
    follower.take(reader.end())
    return events, verdicts, follower.session.render()


def _resumed(messages: list[Any], at: int) -> tuple[list[Any], list[Any], str]:
    """The same by two sessions, the second of which begins with what the first has saved."""
    follower, reader = Follower(GATE.session()), Reader()
    events, verdicts = _follow(follower, reader, messages[:at])
    again, on = Follower(GATE.resume(json.loads(json.dumps(follower.session.save())))), Reader()
    again.load(follower.save())
    on.load(reader.save())
    more, others = _follow(again, on, messages[at:])
    again.take(on.end())
    return [*events, *more], [*verdicts, *others], again.session.render()


def _replayed(messages: list[Any]) -> tuple[list[Any], str]:
    (conversation,) = parse_recording(json.dumps(messages), "log")
    (run,) = replay(GATE, [conversation])
    return [d.verdict.to_json() for d in run.decisions], conversation.file


def _as_json(messages: list[Any]) -> list[Any]:
    return [live_message(message, 0).value for message in messages]


@pytest.mark.parametrize("write", FORMATS)
@given(talk=_TALK, data=st.data())
@settings(max_examples=12)
def test_live_is_resumed_is_replayed(
    write: Callable[[Talk], list[Any]], talk: Talk, data: st.DataObject
) -> None:
    messages = write(talk)
    if not messages or not any(step.role == "user" for turn in talk for step in turn):
        return  # without a word of the user a replay leaves `asks` aside
    live = _live(messages)
    at = data.draw(st.integers(0, len(messages)))
    assert _resumed(messages, at) == live
    assert _replayed(_as_json(messages))[0] == live[1]


@given(talk=_TALK)
@settings(max_examples=40)
def test_a_guard_sees_what_a_replay_sees(talk: Talk) -> None:
    """Message by message, as a host would give them, from one that is of no account on."""
    from tests.conversation.written import chat

    messages = [{"role": "user", "content": "hi"}, *chat(talk)]
    guard = ChatGuard(GATE.session())
    for end in range(1, len(messages) + 1):
        guard.absorb(messages[:end])
    again = ChatGuard.resume(GATE, json.loads(json.dumps(guard.save())))
    again.absorb(messages)
    assert again.session.render() == guard.session.render()
    assert again.session.save()["known"] == guard.session.save()["known"]
    for call in (("pay", {"id": "7"}), ("approve", {"id": "8"})):
        assert again.session.dry_run(*call) == guard.session.dry_run(*call)


def test_recordings_are_the_same_live_resumed_and_replayed(shared_data: Path) -> None:
    for path in sorted((shared_data / "tau").glob("t*_*.json"))[::2]:
        name = next(d for d in ("airline", "retail", "telecom", "telehealth") if d in path.name)
        gate = Gate(Domain.load(name))
        conversations = read_recording(str(path))[:4]
        for conversation in conversations:
            (run,) = replay(gate, [conversation])
            asks = None if conversation.speaks else "ignored"
            follower = Follower(gate.session(asks=asks))
            half = len(conversation.events) // 2
            judged = follower.take(conversation.events[:half])
            resumed = Follower(gate.resume(json.loads(json.dumps(follower.session.save()))))
            resumed.load(follower.save())
            judged += resumed.take(conversation.events[half:])
            assert [j.verdict for j in judged] == [d.verdict for d in run.decisions]
