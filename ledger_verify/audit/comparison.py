"""Recorded conversations through the gates of two domains, decision by decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ledger_verify.audit.replay import ReplayedCall, replay
from ledger_verify.conversation.recorded import Conversation
from ledger_verify.gate.gate import Gate

NOT_JUDGED = "not judged"
"""Stands for the verdict of a side to which the call is no write."""


@dataclass(frozen=True)
class Compared:
    """A recorded call as both gates judge it; None where a side does not judge such calls."""

    old: ReplayedCall | None
    new: ReplayedCall | None

    @property
    def call(self) -> ReplayedCall:
        """The call, from whichever side judged it."""
        one = self.old or self.new
        assert one is not None
        return one

    @property
    def verdicts(self) -> tuple[str, str]:
        """The two verdicts."""
        old, new = (
            NOT_JUDGED if side is None else side.verdict.decision.value
            for side in (self.old, self.new)
        )
        return old, new

    @property
    def differs(self) -> bool:
        """Whether the verdicts differ."""
        return self.verdicts[0] != self.verdicts[1]

    def to_json(self) -> dict[str, Any]:
        """The documented shape."""
        call = self.call
        return {
            "file": call.file,
            "conversation": call.conversation,
            "trial": call.trial,
            "index": call.index,
            "tool": call.verdict.tool,
            "executed_ok": call.executed_ok,
            "reward": call.reward,
            "old": None if self.old is None else self.old.verdict.to_json(),
            "new": None if self.new is None else self.new.verdict.to_json(),
        }


@dataclass(frozen=True)
class LogComparison:
    """All decisions about some recordings, by both gates."""

    files: tuple[str, ...]
    conversations: int
    decisions: tuple[Compared, ...]

    @property
    def different(self) -> tuple[Compared, ...]:
        """The decisions on which the two gates part."""
        return tuple(decision for decision in self.decisions if decision.differs)

    @property
    def counts(self) -> dict[tuple[str, str], int]:
        """How often each pair of verdicts was given, the most frequent first."""
        return dict(Counter(decision.verdicts for decision in self.decisions).most_common())

    def to_json(self) -> dict[str, Any]:
        """The documented shape."""
        return {
            "files": list(self.files),
            "conversations": self.conversations,
            "writes": len(self.decisions),
            "verdicts": [
                {"old": old, "new": new, "count": count}
                for (old, new), count in self.counts.items()
            ],
            "different": [decision.to_json() for decision in self.different],
        }


def compare_logs(
    old: Gate,
    new: Gate,
    recordings: Sequence[Sequence[Conversation]],
    *,
    old_clock_us: int | None = None,
    new_clock_us: int | None = None,
    old_facts: Mapping[str, Any] | None = None,
    new_facts: Mapping[str, Any] | None = None,
) -> LogComparison:
    """Replay recordings, each the conversations of one file, through two gates.

    The clocks and the facts are as for `replay`. What the recordings say is observed by both sides,
    each by its own schema.
    """
    decisions: list[Compared] = []
    for conversations in recordings:
        before = replay(old, conversations, clock_us=old_clock_us, facts=old_facts)
        after = replay(new, conversations, clock_us=new_clock_us, facts=new_facts)
        for first, second in zip(before, after, strict=True):
            decisions += _side_by_side(first.decisions, second.decisions)
    return LogComparison(
        tuple(conversations[0].file for conversations in recordings),
        sum(map(len, recordings)),
        tuple(decisions),
    )


def _side_by_side(old: Sequence[ReplayedCall], new: Sequence[ReplayedCall]) -> Iterator[Compared]:
    before, after = ({call.index: call for call in side} for side in (old, new))
    for index in sorted(before | after):
        yield Compared(before.get(index), after.get(index))
