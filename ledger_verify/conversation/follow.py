"""A session that follows a conversation: the one way from events to verdicts and evidence.

A live guard, a session that is resumed, and a replay of a recording all feed it the same events,
so they come to the same verdicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
from ledger_verify.conversation.parts import AGENT, USER, CallPart, Part
from ledger_verify.gate.session import Session
from ledger_verify.gate.verdict import Verdict
from ledger_verify.ledger.misfits import Drift
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import ToolKind

_KEPT = ("_allowed", "_heard", "_messages_heard")


@dataclass(frozen=True)
class Judged:
    """The verdict on a call, made before it had an answer."""

    call: Proposed
    verdict: Verdict


def is_judged(domain: Domain, tool: str) -> bool:
    """Whether calls of this tool get a verdict: writes do, and tools that the domain lacks."""
    known = domain.tools.get(tool)
    return known is None or known.kind is ToolKind.WRITE


@dataclass
class Follower:
    """Feeds the events of one conversation to a session.

    Calls of writes, and of tools that the domain lacks, are judged when they are proposed, before
    any call of their message has an answer. What then became of a call is observed, whatever the
    verdict was: the gate decides what may run, not what did.
    """

    session: Session
    drifts: list[Drift] = field(default_factory=list)
    _allowed: dict[tuple[str, int], bool] = field(default_factory=dict)
    _heard: dict[tuple[str, int], int] = field(default_factory=dict)
    _messages_heard: int = 0

    def save(self) -> dict[str, Any]:
        """What is known of the calls so far, for `load`."""
        return {name: getattr(self, name) for name in _KEPT}

    def load(self, state: Mapping[str, Any]) -> None:
        """Go on where the follower of that state left off."""
        for name in _KEPT:
            setattr(self, name, state[name])

    def take(self, events: Iterable[Event], *, past: bool = False) -> list[Judged]:
        """Take note of events in their order; returns the verdicts on the calls among them.

        Those of the `past` happened when their messages say, and otherwise nobody knows when.
        """
        found = (self.take_one(event, past=past) for event in events)
        return [judged for judged in found if judged is not None]

    def take_one(self, event: Event, *, past: bool = False) -> Judged | None:
        """Take note of one event; returns the verdict if it is a call that gets one.

        A call without an answer may have happened when it was proposed.
        """
        at_us = event.call.at_us if isinstance(event, Unanswered) else event.at_us
        if not past and at_us is None:
            return self._take(event)
        with self.session.at(at_us):
            return self._take(event)

    def _take(self, event: Event) -> Judged | None:
        match event:
            case Said(role=role, text=text):
                if role == USER:
                    self.hear(text)
            case Proposed():
                return self._propose(event)
            case Answered():
                self._observe(event)
            case Refused(call=call):
                self._refused(call)
            case Unanswered(call=call):
                self._lose(call)
        return None

    def hear(self, text: str) -> None:
        """A message of the user."""
        self.session.heard(text)
        self._messages_heard += 1

    def _propose(self, call: Proposed) -> Judged | None:
        self._heard[_which(call)] = self._messages_heard
        if call.by != AGENT or not is_judged(self.session.domain, call.name):
            if call.by == AGENT:
                self.session.expect(call.name, call.arguments)
            return None
        verdict = self.session.check(call.name, call.arguments)
        return self.judged(call, verdict)

    def known(self, call: Proposed, *, allowed: bool) -> None:
        """Take note of a call on which the session gave its verdict before."""
        self._heard.setdefault(_which(call), self._messages_heard)
        self._allowed[_which(call)] = allowed

    def judged(self, call: Proposed, verdict: Verdict) -> Judged:
        """Take note of a verdict that the session gave on the call."""
        self.known(call, allowed=verdict.allowed)
        return Judged(call, verdict)

    def _observe(self, event: Answered) -> None:
        call = event.call
        if self._is_unseen(call):
            return
        self.drifts += self.session.observe(
            call.name,
            call.arguments,
            event.raw,
            flagged=event.flagged,
            heard=self._heard.get(_which(call)),
        )

    def doubt(self, parts: Iterable[Part]) -> None:
        """A message of a changed conversation may be an old one, or its calls were made again."""
        with self.session.at(None):
            for part in parts:
                if isinstance(part, CallPart) and not self._is_read(part.name):
                    self.session.interrupted(part.name, part.arguments)

    def _is_read(self, tool: str) -> bool:
        known = self.session.domain.tools.get(tool)
        return known is not None and known.kind is ToolKind.READ

    def _is_unseen(self, call: Proposed) -> bool:
        """Whether the agent does not see the answer: what the user reads is no evidence."""
        return call.by == USER and self._is_read(call.name)

    def _refused(self, call: Proposed) -> None:
        """A refusal of a gate's own; it proves nothing of a call that this gate does not refuse."""
        if not self._is_read(call.name) and self._allowed.get(_which(call)) is not False:
            self._lose(call)

    def _lose(self, call: Proposed) -> None:
        """Nobody knows whether the call ran."""
        if not self._is_unseen(call):
            self.session.interrupted(call.name, call.arguments)


def _which(call: Proposed) -> tuple[str, int]:
    """What tells the calls of a conversation apart."""
    return call.by, call.index


def verdicts_of(judged: Sequence[Judged]) -> list[Verdict]:
    """The verdicts alone."""
    return [one.verdict for one in judged]
