"""What a replay amounts to: counts by verdict, by rule and by what the environment did."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ledger_verify.audit.recordings import read_recording
from ledger_verify.audit.replay import ReplayedCall, ReplayedConversation, replay
from ledger_verify.conversation.formats.registry import Format
from ledger_verify.conversation.parts import USER
from ledger_verify.conversation.recorded import Conversation
from ledger_verify.gate.gate import Gate
from ledger_verify.gate.verdict import Decision
from ledger_verify.ledger.misfits import Drift

Timer = Callable[[], float]
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class FileReplay:
    """One file of recordings, replayed; times in seconds."""

    file: str
    conversations: tuple[ReplayedConversation, ...]
    reading_seconds: float
    replaying_seconds: float

    def _recorded(self) -> Iterator[Conversation]:
        return (replayed.conversation for replayed in self.conversations)

    @cached_property
    def decisions(self) -> tuple[ReplayedCall, ...]:
        """All decisions, in the order of the file."""
        return tuple(d for replayed in self.conversations for d in replayed.decisions)

    @property
    def drifts(self) -> tuple[Drift, ...]:
        """All results, or parts of them, that did not fit the schema."""
        return tuple(drift for replayed in self.conversations for drift in replayed.drifts)

    @property
    def calls(self) -> int:
        """How many calls the agent made."""
        return sum(1 for recorded in self._recorded() for _ in recorded.calls())

    @property
    def user_calls(self) -> int:
        """How many calls the user made with tools of their own; these are not judged."""
        return sum(1 for recorded in self._recorded() for _ in recorded.calls(USER))

    @property
    def unanswered(self) -> int:
        """How many calls the recording has no answer to."""
        return sum(recorded.unanswered for recorded in self._recorded())

    @property
    def unheard(self) -> int:
        """How many conversations have no message of the user."""
        return sum(not recorded.speaks for recorded in self._recorded())


@dataclass(frozen=True)
class ReplayReport:
    """All files of one replay."""

    domain: str
    files: tuple[FileReplay, ...]

    @property
    def decisions(self) -> tuple[ReplayedCall, ...]:
        """All decisions, file by file."""
        return tuple(decision for file in self.files for decision in file.decisions)

    @property
    def seconds(self) -> float:
        """The time that reading and replaying took."""
        return sum(file.reading_seconds + file.replaying_seconds for file in self.files)

    @property
    def reading_seconds(self) -> float:
        """The part of the time that went into reading the files."""
        return sum(file.reading_seconds for file in self.files)

    def to_json(self) -> dict[str, Any]:
        """The documented shape; the same in every run of the same replay."""
        decisions = self.decisions
        return {
            "domain": self.domain,
            "files": [file.file for file in self.files],
            "conversations": sum(len(file.conversations) for file in self.files),
            "calls": sum(file.calls for file in self.files),
            "writes": len(decisions),
            "verdicts": verdict_counts(decisions),
            "rules": {rule: dict(counts) for rule, counts in rule_counts(decisions).items()},
            "drift": sum(drift.records for file in self.files for drift in file.drifts),
            "user_calls": sum(file.user_calls for file in self.files),
            "unanswered_calls": sum(file.unanswered for file in self.files),
            "unheard_conversations": sum(file.unheard for file in self.files),
            "decisions": [decision.to_json() for decision in decisions],
        }


def replay_file(
    gate: Gate,
    path: str,
    *,
    clock_us: int | None = None,
    tools: frozenset[str] | None = None,
    facts: Mapping[str, Any] | None = None,
    wanted: Format | None = None,
    timer: Timer = time.perf_counter,
    progress: Progress | None = None,
) -> FileReplay:
    """Read a file and replay its conversations; raises `InputError`.

    With `wanted` all messages are in that format. `progress(done, total)` is called as
    conversations are done.
    """
    begun = timer()
    conversations = read_recording(path, wanted)
    read = timer()
    replayed: list[ReplayedConversation] = []
    for one in replay(gate, conversations, clock_us=clock_us, tools=tools, facts=facts):
        replayed.append(one)
        if progress is not None:
            progress(len(replayed), len(conversations))
    return FileReplay(
        file=conversations[0].file,
        conversations=tuple(replayed),
        reading_seconds=read - begun,
        replaying_seconds=timer() - read,
    )


def verdict_counts(decisions: tuple[ReplayedCall, ...]) -> dict[str, int]:
    """How often each verdict was given."""
    counts = Counter(decision.verdict.decision for decision in decisions)
    return {kind.value: counts[kind] for kind in Decision}


def rule_counts(decisions: tuple[ReplayedCall, ...]) -> Mapping[str, Counter[str]]:
    """By rule, how often it was FALSE, UNKNOWN or ERROR; rules that always held are left out."""
    counts: dict[str, Counter[str]] = {}
    for decision in decisions:
        for rule in decision.verdict.rules:
            if rule.truth != "TRUE":
                counts.setdefault(rule.id, Counter())[rule.truth] += 1
    order = sorted(counts, key=lambda rule: (-counts[rule].total(), rule))
    return {rule: counts[rule] for rule in order}


def rejected(decisions: tuple[ReplayedCall, ...]) -> tuple[ReplayedCall, ...]:
    """The calls that the recorded environment answered with an error."""
    return tuple(decision for decision in decisions if decision.executed_ok is False)
