"""Messages of any format to events: every answer with its call, every call with its outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from ledger_verify.conversation.events import (
    Answered,
    Event,
    Proposed,
    Refused,
    Said,
    Unanswered,
)
from ledger_verify.conversation.formats.registry import Format, parts_of
from ledger_verify.conversation.marks import refused_by
from ledger_verify.conversation.parts import (
    AGENT,
    PROVIDER,
    USER,
    AnswerPart,
    CallPart,
    Part,
    TextPart,
)
from ledger_verify.conversation.plain import plain_message
from ledger_verify.conversation.times import written_at
from ledger_verify.lang.errors import InputError
from ledger_verify.ledger.outcomes import answer_of
from ledger_verify.source.cursor import Cursor

_KEPT = ("position", "_waiting", "_given_up", "_counts", "_agent_goes_on")


@dataclass(frozen=True)
class _Live:
    """Messages that are in no file: errors name them by their number."""

    data: Any
    name: str = "the conversation"

    def error(
        self, message: str, path: tuple[str | int, ...], *, hint: str | None = None
    ) -> InputError:
        below = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
        return InputError(f"{message} (at `{below.lstrip('.')}`)" if below else message, hint=hint)


def live_message(message: Any, position: int) -> Cursor:
    """A message that a program holds, for a reader; raises `InputError`."""
    context = f"message {position + 1}"
    try:
        plain = plain_message(message)
    except InputError as problem:
        raise InputError(f"{context}: {problem.message}") from None
    return Cursor(_Live(plain), (), plain, context)


@dataclass
class Reader:
    """Reads the messages of one conversation in their order.

    With `wanted` all of them are in that format, otherwise each is recognised by its shape.
    `says_failed` tells from a message, as plain JSON, whether the calls that it answers failed, or
    None to leave that to the message.
    """

    wanted: Format | None = None
    position: int = 0
    says_failed: Callable[[Mapping[str, Any]], bool | None] | None = None
    _waiting: list[Proposed] = field(default_factory=list)
    _given_up: list[Proposed] = field(default_factory=list)
    _counts: dict[str, int] = field(default_factory=dict)
    _agent_goes_on: bool = False

    def read(self, message: Cursor) -> list[Event]:
        """What the next message adds.

        Raises `InputError` that names the message: for an unknown format or part of it, for a call
        or an answer without an id, and for an answer to a call that was never made or is answered.
        Nothing of such a message is taken in.
        """
        before = {name: copy(getattr(self, name)) for name in _KEPT}
        try:
            return self._read(message)
        except InputError:
            self.load(before)
            raise

    def _read(self, message: Cursor) -> list[Event]:
        form, parts = parts_of(message, self.wanted)
        at_us = written_at(message)
        by_agent = any(map(_is_agents, parts))
        events: list[Event] = []
        if by_agent and not self._agent_goes_on:
            events += self._give_up()
        user_speaks = any(isinstance(part, TextPart) and part.role == USER for part in parts)
        if user_speaks and not any(isinstance(part, AnswerPart) for part in parts):
            events += self._give_up()
        for part in parts:
            match part:
                case TextPart(role=role, text=text):
                    events.append(Said(self.position, role, text, at_us))
                case CallPart():
                    events.append(self._propose(part, at_us))
                case AnswerPart():
                    events.append(self._answer(part, message, at_us))
        if user_speaks:
            events += self._give_up(before=self.position)
        if not all(isinstance(part, TextPart) and part.role == "system" for part in parts):
            self._agent_goes_on = form.itemwise and by_agent
        self.position += 1
        return events

    def end(self) -> list[Event]:
        """What the end of the conversation adds: the calls that never had an answer."""
        return self._give_up()

    def save(self) -> dict[str, Any]:
        """What the reader knows of the messages before, for `load`."""
        return {name: getattr(self, name) for name in _KEPT}

    def load(self, state: Mapping[str, Any]) -> None:
        """Go on where the reader of that state left off."""
        for name in _KEPT:
            setattr(self, name, state[name])

    def _give_up(self, before: int | None = None) -> list[Event]:
        """The calls that wait: the agent went on, or the user spoke, without their answers."""
        gone = [c for c in self._waiting if before is None or c.position < before]
        self._waiting = [call for call in self._waiting if call not in gone]
        self._given_up += gone
        return [Unanswered(call, self.position) for call in gone]

    def _propose(self, part: CallPart, at_us: int | None) -> Proposed:
        index = self._counts.get(part.by, 0)
        self._counts[part.by] = index + 1
        call = Proposed(index, self.position, part.id, part.name, part.arguments, part.by, at_us)
        self._waiting.append(call)
        return call

    def _answer(self, part: AnswerPart, message: Cursor, at_us: int | None) -> Event:
        call = self._answered_by(part, self._waiting) or self._answered_by(part, self._given_up)
        if call is None:
            which = f"the id `{part.id}`" if part.id is not None else f"the tool `{part.name}`"
            raise message.error(
                f"an answer to no call: none with {which} waits for one",
                hint="give the conversation from its beginning, each answer once",
            )
        if part.unfinished:
            self._given_up.append(call)
            return Unanswered(call, self.position)
        told = None if self.says_failed is None else self.says_failed(message.value)
        flagged = part.failed if told is None else told
        found = answer_of(part.content, flagged)
        verdict = refused_by(found.content, call.id)
        if verdict is not None:
            return Refused(call, self.position, verdict, at_us)
        content, raw = found.content, part.content
        return Answered(call, self.position, found.outcome, content, raw, flagged, at_us)

    def _answered_by(self, part: AnswerPart, calls: list[Proposed]) -> Proposed | None:
        """Take the first call that the answer may belong to: by its id, or else by its name."""
        candidates = [
            call
            for call in calls
            if (part.by is None or call.by == part.by)
            and (call.id == part.id if part.id is not None else call.name == part.name)
        ] or [
            call  # a format whose calls need no ids may still give one to the answer
            for call in calls
            if call.id is None and part.name is not None and call.name == part.name
        ]
        namesakes = [call for call in candidates if call.name == part.name]
        found = next(iter(namesakes or candidates), None)
        if found is not None:
            calls.remove(found)
        return found


def _is_agents(part: Part) -> bool:
    match part:
        case CallPart(by=by):
            return by in (AGENT, PROVIDER)
        case TextPart(role=role):
            return role == AGENT
    return False
