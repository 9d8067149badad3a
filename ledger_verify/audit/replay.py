"""Recorded conversations through the gate: what it would have decided about every write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ledger_verify.conversation.events import Answered
from ledger_verify.conversation.follow import Follower, Judged
from ledger_verify.conversation.recorded import Conversation
from ledger_verify.gate.gate import Gate
from ledger_verify.gate.heard import IGNORED
from ledger_verify.gate.session import Session
from ledger_verify.gate.verdict import Verdict
from ledger_verify.ledger.misfits import Drift
from ledger_verify.ledger.outcomes import Outcome


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
    every decision is about the state that the recorded agent was really in. What the user did
    with tools of their own counts, too; what the user read is no evidence. `tools` are the names
    of the tools that the agent has, None for all of the domain; `facts` are those of every
    session. In a conversation without any
    message of the user, arguments that only the user can give are taken as they are.
    """
    for conversation in conversations:
        # nothing can have been said where the recording has no message of the user
        asks = None if conversation.speaks else IGNORED
        session = gate.session(clock_us=clock_us, tools=tools, facts=facts, asks=asks)
        follower = Follower(session)
        judged = follower.take(conversation.events, past=True)
        decisions = tuple(_decision(session, conversation, one) for one in judged)
        yield ReplayedConversation(conversation, decisions, tuple(follower.drifts))


def _decision(session: Session, conversation: Conversation, judged: Judged) -> ReplayedCall:
    def tell(end: Answered) -> Outcome:
        asked = end.call
        return session.outcome_of(asked.name, asked.arguments, end.raw, flagged=end.flagged)

    call = conversation.call(judged.call, tell)
    return ReplayedCall(
        verdict=judged.verdict,
        file=conversation.file,
        conversation=conversation.label,
        trial=conversation.trial,
        index=call.index,
        executed_ok=call.executed_ok,
        reward=conversation.reward,
    )
