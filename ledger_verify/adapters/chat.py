"""The seam: one conversation, in any format of messages, seen by a gate session.

An adapter does three things with it: `absorb` the messages that have come in, put the
`ledger_message` before the model, and ask for the `verdict` on each call that the model makes.
A call that is not allowed it answers with `refuse`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ledger_verify.conversation.already import Known, call_ids, content_of, is_instruction
from ledger_verify.conversation.events import Answered, Event, Proposed, Refused, Unanswered
from ledger_verify.conversation.follow import Follower
from ledger_verify.conversation.formats.registry import Format, parts_of
from ledger_verify.conversation.marks import refusal_text
from ledger_verify.conversation.parts import AGENT, CallPart, Part
from ledger_verify.conversation.reader import Reader, live_message
from ledger_verify.gate.decide import Clock
from ledger_verify.gate.gate import Gate
from ledger_verify.gate.session import Session
from ledger_verify.gate.shape import Shape, hints_of
from ledger_verify.gate.state import Reader as StateReader
from ledger_verify.gate.state import Writer, check_seal, sealed
from ledger_verify.gate.verdict import Verdict
from ledger_verify.lang.errors import InputError
from ledger_verify.ledger.misfits import Drift
from ledger_verify.source.alike import content_text
from ledger_verify.source.cursor import Cursor

Message = Mapping[str, Any]


class ChangedConversation(InputError, ValueError):
    """The conversation is not the one that the guard has seen so far."""


class UnreadableMessage(InputError, ValueError):
    """A message that no format knows, or that does not fit what came before it."""


@dataclass(frozen=True)
class ChatCall:
    """A tool call of an assistant message; malformed arguments stay text."""

    id: str
    name: str
    arguments: Any


def calls_of(message: Any) -> list[ChatCall]:
    """The agent's tool calls in a message of any format, in order.

    Raises `ValueError` for a message that cannot be read.
    """
    try:
        _, parts = parts_of(live_message(message, 0))
    except InputError as problem:
        raise UnreadableMessage(problem.message, hint=problem.hint) from None
    return [
        ChatCall(part.id or "", part.name, part.arguments)
        for part in parts
        if isinstance(part, CallPart) and part.by == AGENT
    ]


class ChatGuard:
    """A session together with what it has seen of the conversation's messages.

    `is_error` tells from a tool message, as plain JSON, whether its call failed; None where the
    message itself says. It counts as a flag of the message does, beside what the answer says.
    `wanted` is the format of all messages, otherwise each is recognised.
    """

    def __init__(
        self,
        session: Session,
        *,
        is_error: Callable[[Message], bool | None] | None = None,
        wanted: Format | None = None,
    ) -> None:
        self.session = session
        self._follower = Follower(session)
        self._reader = Reader(wanted, says_failed=is_error)
        self._seen: list[str] = []
        self._ids: Counter[str] = Counter()
        self._known: Known | None = None
        self._judged: dict[_Key, list[bool]] = {}
        self._settled: Counter[_Key] = Counter()

    def absorb(self, messages: Sequence[Any]) -> list[Drift]:
        """Take note of the messages that were not there before.

        `messages` is the whole conversation, which only grows. What the user says is heard, results
        are observed, and writes are judged where the guard gave no verdict on them before. Answers
        that the guard gave or saw itself (`refuse`, `observe`) count once. At the first time all
        messages are of the past: a call without an answer is one of which nobody knows whether it
        ran. Raises `ValueError` for messages that cannot be read, and for a conversation that was
        shortened, summarised or changed: what it no longer shows cannot be known.
        """
        try:
            return self._absorb(messages)
        except (ChangedConversation, UnreadableMessage):
            raise
        except InputError as problem:
            raise UnreadableMessage(problem.message, hint=problem.hint) from None

    def _absorb(self, messages: Sequence[Any]) -> list[Drift]:
        first = not self._seen and self._known is None
        if self._known is not None and not self._known.looked:
            self._known.look(list(self._shown(messages)))
        place = 0
        for position, message in enumerate(messages):
            read = live_message(message, position)
            _, parts = parts_of(read, self._reader.wanted)
            if is_instruction(parts):
                continue  # instructions, and the ledger itself, may change from turn to turn
            shown = content_of(parts)
            if place < len(self._seen):
                if self._seen[place] != shown:
                    raise _changed(f"message {position + 1} is not what stood there before")
            else:
                if self._known is not None and self._known.takes(place, parts, shown):
                    if not self._known.is_certain(place, parts):
                        self._follower.doubt(parts)
                else:
                    self._take(self._events(read, position), past=first)
                    self._ids.update(call_ids(parts))
                self._seen.append(shown)
            place += 1
        if place < len(self._seen):
            raise _changed("the conversation has become shorter")
        if first:
            self._take(self._reader.end(), past=True)
        if self._known is not None:
            self._known.close()
        drifts, self._follower.drifts = self._follower.drifts, []
        return drifts

    def _events(self, message: Cursor, position: int) -> list[Event]:
        try:
            return self._reader.read(message)
        except InputError as problem:
            if self._known is None:
                raise
            raise ChangedConversation(
                f"message {position + 1} answers a call that is not waiting for an answer: it was "
                "given another one before, or was never made",
                hint="leave it as it was, or leave it out: what was observed is in the state",
            ) from problem

    def _shown(self, messages: Sequence[Any]) -> Iterator[tuple[Sequence[Part], str]]:
        for position, message in enumerate(messages):
            _, parts = parts_of(live_message(message, position), self._reader.wanted)
            if not is_instruction(parts):
                yield parts, content_of(parts)

    def _take(self, events: Sequence[Event], *, past: bool) -> None:
        for event in events:
            match event:
                case Proposed() if self._judged.get(_key_of(event)):
                    self._follower.known(event, allowed=self._judged[_key_of(event)].pop(0))
                case Answered(call=call) | Refused(call=call) | Unanswered(call=call) if (
                    self._settled[_key_of(call)] > 0
                ):
                    self._settled[_key_of(call)] -= not isinstance(event, Unanswered)
                case _:
                    self._follower.take_one(event, past=past)

    def verdict(self, call: ChatCall) -> Verdict:
        """The gate's verdict on a call that is made now if it is allowed."""
        verdict = self.session.check(call.name, call.arguments)
        self._judged.setdefault(_key(call.id, call.name, call.arguments), []).append(
            verdict.allowed
        )
        return verdict

    def verdicts(self, calls: Sequence[ChatCall]) -> list[Verdict]:
        """The verdicts on the calls of one message, none of which has run yet."""
        return [self.verdict(call) for call in calls]

    def observe(
        self, call: ChatCall, answer: Message, *, failed: bool | None = None
    ) -> list[Drift]:
        """Take note of the answer to a call that the loop itself ran, before it is absorbed.

        `failed` is what the loop knows of it, None where the answer itself says.
        """
        self._settled[_key(call.id, call.name, call.arguments)] += 1
        return self.session.observe(
            call.name, call.arguments, answer.get("content"), flagged=failed
        )

    def interrupt(self, call: ChatCall, answer: Message | None = None) -> None:
        """Take note that nobody knows whether a call of the loop's own ran; `answer` says so."""
        self._settled[_key(call.id, call.name, call.arguments)] += 1
        self.session.interrupted(call.name, call.arguments)

    def refuse(self, call: ChatCall, verdict: Verdict) -> dict[str, Any]:
        """The tool message that answers a refused call. It is no evidence of anything.

        A call that the gate allowed and the host refuses all the same has not happened.
        """
        if verdict.allowed:
            self.session.observe(call.name, call.arguments, error=True)
        self._settled[_key(call.id, call.name, call.arguments)] += 1
        return refusal_answer(call, verdict)

    def save(self) -> dict[str, Any]:
        """All that the guard knows, as JSON: the session, and the messages that it has seen."""
        if self._known is not None and not self._known.looked:
            seen, gone = self._known.seen, self._known.gone
        else:
            seen = self._seen
            gone = Counter() if self._known is None else self._known.forgotten()
        known = {
            "seen": list(seen),
            "gone": dict(gone),
            "ids": dict(self._ids),
            "reader": self._reader.save(),
            "follower": self._follower.save(),
            "judged": self._judged,
            "settled": dict(self._settled),
        }
        writer = Writer(self.session.domain, {"Proposed": Proposed})
        return sealed({"session": self.session.save(), "messages": writer.write(known)})

    @classmethod
    def resume(
        cls,
        gate: Gate,
        state: Mapping[str, Any],
        *,
        clock_us: int | Clock | None = None,
        **settings: Any,
    ) -> ChatGuard:
        """A guard that goes on where `save` left off, with the conversation as it is now.

        The conversation may have been trimmed or summarised: what the guard has seen of it counts
        once, and what is new is taken in. Of a changed one whose calls have no ids nobody can say
        whether a call with the content of an old one is new: it may have happened again. Give it
        before the model goes on, then what follows is new. `clock_us` is that of `Gate.session`,
        `settings` are those of `ChatGuard`.
        Raises `InputError` for no state, for a damaged one, and for one of another policy.
        """
        if not isinstance(state, Mapping) or not {"session", "messages"} <= state.keys():
            raise InputError("this is no saved state of a guard")
        check_seal(state)
        guard = cls(gate.resume(state["session"], clock_us=clock_us), **settings)
        types = {"Proposed": Proposed}
        known = StateReader(gate.domain, types).read(state["messages"], "messages")
        _check(known, guard, Shape(gate.domain, types))
        guard._known = Known.of(known)
        guard._ids = guard._known.ids
        guard._reader.load(known["reader"])
        guard._follower.load(known["follower"])
        guard._judged, guard._settled = known["judged"], Counter(known["settled"])
        return guard

    def ledger_message(self) -> dict[str, Any] | None:
        """A system message with the ledger, or None while it is empty."""
        block = self.session.render()
        if not block:
            return None
        content = "Observed so far (the only facts to act on; read again what is stale):\n" + block
        return {"role": "system", "content": content}


_Key = tuple[str, str, str]


_SAVED: dict[str, Any] = {
    **dict.fromkeys(("gone", "ids"), dict[str, int]), "seen": list[str],
    **dict.fromkeys(("reader", "follower"), dict),
    "judged": dict[_Key, list[bool]], "settled": dict[_Key, int],
}  # fmt: skip
"""What `save` tells of messages."""


def _check(known: Any, guard: ChatGuard, shape: Shape) -> None:
    """Raises `InputError` that names what is not of its type."""
    shape.named(known, _SAVED, "messages")
    for name, part in (("reader", guard._reader), ("follower", guard._follower)):
        hints = {key: hint for key, hint in hints_of(type(part)).items() if key in part.save()}
        shape.named(known[name], hints, f"messages.{name}")


def _key(id_: str | None, name: str, arguments: Any) -> _Key:
    return id_ or "", name, content_text(arguments)


def _key_of(call: Proposed) -> _Key:
    return _key(call.id, call.name, call.arguments)


def _changed(what: str) -> ChangedConversation:
    return ChangedConversation(
        f"{what}: what it no longer shows cannot be known",
        hint="give `absorb` all of it, or go on with the state of this session in a new guard",
    )


def refusal_answer(call: ChatCall, verdict: Verdict) -> dict[str, Any]:
    """The tool message that answers a refused call, with reasons, reads and repair."""
    return {
        "role": "tool",
        "tool_call_id": call.id,
        "name": call.name,
        "content": refusal_text(call.id, verdict),
    }


def spoken_refusal(verdicts: Sequence[Verdict]) -> str:
    """What to tell the user of calls that are refused for good: the reasons of the rules."""
    said = dict.fromkeys(reason for verdict in verdicts for reason in _spoken(verdict))
    return "\n\n".join(["I cannot do that.", *said])


def _spoken(verdict: Verdict) -> tuple[str, ...]:
    if verdict.reasons:
        return verdict.reasons
    if verdict.decided_by == "error":
        return ("Whether the policy allows it could not be determined.",)
    if verdict.rules:
        return ("I have not been able to look up all that it depends on.",)
    return ("It is not among the things that I am able to do here.",)
