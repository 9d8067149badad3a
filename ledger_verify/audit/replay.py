"""Recorded conversations through the gate: what it would have decided about every write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ledger_verify.audit.conversation import AGENT, USER, Call, Conversation, Turn
from ledger_verify.gate.heard import IGNORED
from ledger_verify.gate.session import Gate, Session
from ledger_verify.gate.verdict import Verdict
from ledger_verify.ledger.observe import Drift
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import ToolKind


@dataclass(frozen=True)
class ReplayedCall:
    """A verdict about a recorded call, and what the recorded environment made of that call.

    `executed_ok` is None where the recording has no answer to it.
    """

    verdict: Verdict
    file: str
    conversation: str | int
    trial: int | None
    index: int
    executed_ok: bool | None
    reward: int | Decimal | None

    def to_json(self) -> dict[str, Any]:
        """The verdict in its documented shape, and where the call stands in the recordings."""
        return {
            **self.verdict.to_json(),
            "file": self.file,
            "conversation": self.conversation,
            "trial": self.trial,
            "index": self.index,
            "executed_ok": self.executed_ok,
            "reward": self.reward,
        }


@dataclass(frozen=True)
class ReplayedConversation:
    """The decisions of one conversation, and the results that were kept out of the ledger."""

    conversation: Conversation
    decisions: tuple[ReplayedCall, ...]
    drifts: tuple[Drift, ...]


def replay(
    gate: Gate,
    conversations: Sequence[Conversation],
    *,
    clock_us: int | None = None,
    tools: frozenset[str] | None = None,
    facts: Mapping[str, Any] | None = None,
) -> Iterator[ReplayedConversation]:
    """Replay conversations one by one, each in a session of its own.

    The writes of one message are judged as they were proposed: before any of its calls had an
    answer. Then what the recording says was answered is observed, whatever the verdict was, so
    every decision is about the state that the recorded agent was really in. What the person did
    with tools of their own counts, too; what the person read is no evidence. `tools` are the names
    of the tools that the agent has, None for all of the domain; `facts` are
    those of every session. In a conversation without any
    message of the user, arguments that only the user can give are taken as they are.
    """
    for conversation in conversations:
        # nothing can have been said where the recording has no message of the user
        asks = None if conversation.speaks else IGNORED
        session = gate.session(clock_us=clock_us, tools=tools, facts=facts, asks=asks)
        yield _Player(gate.domain, session, conversation).play()


def is_judged(domain: Domain, tool: str) -> bool:
    """Whether calls of this tool get a decision: writes do, and tools that the domain lacks."""
    known = domain.tools.get(tool)
    return known is None or known.kind is ToolKind.WRITE


class _Player:
    def __init__(self, domain: Domain, session: Session, conversation: Conversation) -> None:
        self._domain = domain
        self._session = session
        self._conversation = conversation
        self._decisions: list[ReplayedCall] = []
        self._drifts: list[Drift] = []
        calls = (call for turn in conversation.turns for call in turn.calls)
        answered = (call for call in calls if call.answered_at is not None)
        self._answers = sorted(answered, key=_answered_at)
        self._observed = 0
        self._heard: dict[int, int] = {}

    def play(self) -> ReplayedConversation:
        for turn in self._conversation.turns:
            self._observe_before(turn.position)
            if turn.role == USER and turn.text:
                self._session.heard(turn.text)
            for call in turn.calls:
                self._heard[id(call)] = len(self._session.ledger.heard)
            self._judge(turn)
            self._suspect(turn)
        self._observe_before(None)
        return ReplayedConversation(self._conversation, tuple(self._decisions), tuple(self._drifts))

    def _judge(self, turn: Turn) -> None:
        judged = [
            call
            for call in turn.calls
            if call.requestor == AGENT and is_judged(self._domain, call.name)
        ]
        if not judged:
            return
        verdicts = self._session.check_message([(call.name, call.arguments) for call in judged])
        for call, verdict in zip(judged, verdicts, strict=True):
            self._decisions.append(self._decision(call, verdict))

    def _suspect(self, turn: Turn) -> None:
        """A call without an answer may have been carried out: what it touches becomes stale."""
        for call in turn.calls:
            if call.answered_at is None and is_judged(self._domain, call.name):
                self._session.interrupted(call.name, call.arguments)

    def _decision(self, call: Call, verdict: Verdict) -> ReplayedCall:
        return ReplayedCall(
            verdict=verdict,
            file=self._conversation.file,
            conversation=self._conversation.label,
            trial=self._conversation.trial,
            index=call.index,
            executed_ok=call.executed_ok,
            reward=self._conversation.reward,
        )

    def _observe_before(self, position: int | None) -> None:
        """Observe the answers that stand before the message at `position`, or all of them."""
        while self._observed < len(self._answers):
            call = self._answers[self._observed]
            if position is not None and _answered_at(call) >= position:
                return
            self._observe(call)
            self._observed += 1

    def _observe(self, call: Call) -> None:
        known = self._domain.tools.get(call.name)
        if call.requestor == USER and known is not None and known.kind is ToolKind.READ:
            return  # the agent does not see it
        drifts = self._session.observe(
            call.name, call.arguments, call.result, error=call.error, heard=self._heard[id(call)]
        )
        self._drifts.extend(drifts)


def _answered_at(call: Call) -> int:
    assert call.answered_at is not None
    return call.answered_at
