"""A conversation comes to the same events and verdicts live, resumed and replayed.

`LEDGER_VERIFY_CASES=50 pytest tests/conversation/test_same_everywhere.py` tries many more.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from ledger_verify import Domain, Gate
from ledger_verify.adapters.chat import ChatGuard
from ledger_verify.audit.recordings import parse_recording, read_recording
from ledger_verify.audit.replay import replay
from ledger_verify.conversation.events import Event
from ledger_verify.conversation.follow import Follower, Judged
from ledger_verify.conversation.reader import live_message
from ledger_verify.gate.session import Session
from ledger_verify.gate.verdict import Verdict
from ledger_verify.source.alike import content_text
from ledger_verify.source.json_text import json_text
from tests.conversation.talks import (
    CARRIES,
    GATE,
    NOW_US,
    Carries,
    Write,
    carried,
    mixed,
    talk_of,
)
from tests.conversation.test_formats import FORMATS, events_of, told
from tests.conversation.written import anthropic, chat, gemini_without_ids, responses, tau2

CASES = int(os.environ.get("LEDGER_VERIFY_CASES", "1"))
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
"""A seed has no simpler one."""
Seen = tuple[str, ...]
"""Events as texts, each verdict behind its call, then the ledger and all that is known."""


@dataclass
class Log:
    """What the followers of sessions took in."""

    seen: list[str] = field(default_factory=list)

    def take(self, event: Event, judged: Judged | None) -> None:
        """Note an event, and the verdict on it."""
        self.seen.append(_text(event))
        if judged is not None:
            self.seen.append(_verdict(judged.verdict))

    def end(self, session: Session) -> Seen:
        """All that there is to compare."""
        return (*self.seen, session.render(), content_text(session.save()["known"]))


def _verdict(verdict: Verdict) -> str:
    return "Verdict" + content_text(verdict.to_json())


def _text(event: Event) -> str:
    return type(event).__name__ + content_text(
        [_plain(getattr(event, f.name)) for f in fields(event)]
    )


def _plain(value: Any) -> Any:
    return _text(value) if hasattr(value, "position") else value


@contextmanager
def _logged() -> Iterator[Log]:
    """All that any follower takes in while it lasts."""
    log, take_one = Log(), Follower.take_one

    def noted(self: Follower, event: Event, *, past: bool = False) -> Judged | None:
        judged = take_one(self, event, past=past)
        log.take(event, judged)
        return judged

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Follower, "take_one", noted)
        yield log


Clock = int | Callable[[], int]


def _live(messages: list[Any], clock: Clock, ends: Iterable[int]) -> Seen:
    """A guard that is given the conversation up to each of the ends, and then no more."""
    with _logged() as log:
        guard = ChatGuard(GATE.session(clock_us=clock))
        for end in ends:
            guard.absorb(messages[:end])
        return _ended(guard, log)


def _ended(guard: ChatGuard, log: Log) -> Seen:
    guard._take(guard._reader.end(), past=False)
    return log.end(guard.session)


def _saved(messages: list[Any], clock: Clock) -> Seen:
    """A guard a message, each of which begins with what the one before has saved."""
    with _logged() as log:
        guard = ChatGuard(GATE.session(clock_us=clock))
        for end in range(1, len(messages) + 1):
            guard.absorb(messages[:end])
            guard = _again(guard, clock)
        guard.absorb(messages)
        return _ended(guard, log)


def _again(guard: ChatGuard, clock: Clock) -> ChatGuard:
    return ChatGuard.resume(GATE, json.loads(json.dumps(guard.save())), clock_us=clock)


def _event_by_event(events: Sequence[Event], clock: Clock) -> Seen:
    """A session an event, each of which begins with what the one before has saved."""
    log = Log()
    follower = Follower(GATE.session(clock_us=clock))
    for event in events:
        log.take(event, follower.take_one(event))
        state = json.loads(json.dumps(follower.session.save()))
        resumed = Follower(GATE.resume(state, clock_us=clock))
        resumed.load(follower.save())
        follower = resumed
    return log.end(follower.session)


def _of_the_past(events: Sequence[Event], clock: Clock) -> Seen:
    """A session that is told of a recording."""
    with _logged() as log:
        follower = Follower(GATE.session(clock_us=clock))
        follower.take(events, past=True)
        return log.end(follower.session)


def _replayed(text: str, clock_us: int | None) -> list[str]:
    (run,) = replay(GATE, parse_recording(text, "log"), clock_us=clock_us)
    return [_verdict(d.verdict) for d in run.decisions]


def _as_json(messages: list[Any]) -> str:
    return json_text([live_message(message, 0).value for message in messages], ascii_only=True)


def _timed(messages: list[Any]) -> list[Any]:
    """Each message a few minutes after the one before."""
    return [
        {**m, "timestamp": (NOW_US // 1_000_000) + 500 * number}
        for number, m in enumerate(messages)
    ]


def _check(messages: list[Any], clock: Clock, rng: Random) -> list[str]:
    """All ways to come to know the conversation come to the same."""
    count = len(messages)
    live = _live(messages, clock, range(1, count + 1))
    ends = sorted({1, *(rng.randrange(1, count + 1) for _ in range(4)), count})
    (recording,) = parse_recording(_as_json(messages), "log")
    others = {
        "in chunks": _live(messages, clock, ends),
        "resumed after every message": _saved(messages, clock),
        "resumed after every event": _event_by_event(recording.events, clock),
        "resumed from messages only": _live(messages, clock, [count]),
        "of the past": _of_the_past(recording.events, clock),
    }
    verdicts = [seen for seen in live if seen.startswith("Verdict")]
    for name, other in others.items():
        _same(name, live, other)
    clock_us = clock if isinstance(clock, int) else None
    _same("replayed", verdicts, _replayed(_as_json(messages), clock_us))
    return verdicts


def _told(messages: list[Any]) -> list[str]:
    """What the events say, whatever the format."""
    return [content_text(said) for said in told(events_of(messages))]


def _same(name: str, one: Sequence[str], other: Sequence[str]) -> None:
    """The first difference is the message: the whole is too long to be compared by pytest."""
    for number, (first, second) in enumerate(zip_longest(one, other)):
        if first != second:
            pairs = enumerate(zip_longest(first or "", second or ""))
            at = max(0, next(place for place, (a, b) in pairs if a != b) - 300)
            shown = [text and text[at : at + 600] for text in (first, second)]
            pytest.fail(f"{name}, at {number}: {shown[0]}\n\n{shown[1]}", pytrace=False)


@pytest.mark.parametrize("write", FORMATS)
@given(seed=st.integers(0, 10**9))
@settings(max_examples=CASES, phases=PHASES)
def test_live_is_resumed_is_replayed(write: Write, seed: int) -> None:
    carries = CARRIES[write]
    talk = carried(talk_of(seed + crc32(write.__name__.encode())), carries)
    messages = write(talk)
    verdicts = _check(messages, NOW_US, Random(seed))
    _same("as chat", _told(messages), _told(chat(talk)))
    if carries.ids:  # the ids of refusals are no others
        _same("as chat", verdicts, _replayed(_as_json(chat(talk)), NOW_US))


@pytest.mark.parametrize("write", [chat, tau2, responses, anthropic, gemini_without_ids])
@given(seed=st.integers(0, 10**9))
@settings(max_examples=CASES, phases=PHASES)
def test_times_of_messages_count_for_the_clock(write: Write, seed: int) -> None:
    messages = _timed(write(carried(talk_of(seed + 1), CARRIES[write])))
    _check(messages, lambda: NOW_US + 10**12, Random(seed))


@given(seed=st.integers(0, 10**9))
@settings(max_examples=2 * CASES, phases=PHASES)
def test_formats_may_be_mixed(seed: int) -> None:
    talk = carried(talk_of(seed), Carries(text_arguments=False, turns=False, flags=True))
    messages = mixed(talk, Random(seed))
    _same("as chat", _told(messages), _told(chat(talk)))
    verdicts = _check(messages, NOW_US, Random(seed))
    _same("as chat", verdicts, _replayed(_as_json(chat(talk)), NOW_US))


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
