"""A case: a ledger and a proposed call, in plain values, such as a counterexample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class EarlierCall:
    """A call that was made before: `ok` if it ran without error, `time_us` since 1970."""

    tool: str
    arguments: Mapping[str, Any]
    ok: bool
    verdict: str
    time_us: int


@dataclass(frozen=True)
class Case:
    """A ledger (canonical path to JSON record), a call, and the present in microseconds.

    `tools` are the names of the tools that the agent has; None means all of the domain. `history`
    has earlier calls, oldest first, `heard` the messages of the user before the call; `facts` are
    those of the session, as JSON. `stale` are canonical paths of records in the ledger, or of parts
    of them, that went stale after they were observed; `absent` are those of records that are known
    not to exist.
    """

    tool: str
    arguments: Mapping[str, Any]
    ledger: Mapping[str, Any]
    now_us: int
    tools: tuple[str, ...] | None = None
    history: tuple[EarlierCall, ...] = ()
    heard: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    stale: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    def without_record(self, path: str) -> Case:
        """The case without one record, and what is said of its parts."""
        stale = tuple(p for p in self.stale if p != path and not p.startswith(f"{path}."))
        ledger = {other: record for other, record in self.ledger.items() if other != path}
        return replace(self, ledger=ledger, stale=stale)


@dataclass(frozen=True)
class Supposed:
    """What a part of a record is after a call that says nothing of it; absent without `there`.

    `path` is the record's, `within` leads to the part, `value` is JSON.
    """

    path: str
    within: tuple[str, ...]
    there: bool
    value: Any


@dataclass(frozen=True)
class SequenceCall:
    """One call of a sequence: `verdict` of the gate, `done` if it took effect.

    `ok` tells whether it counts as done in the history. `observed` are the paths of the records
    that the agent has read just before, `supposed` is what the call may leave behind where its
    tool declares no effect. `unread` are the paths that a refusal misses.
    """

    tool: str
    arguments: Mapping[str, Any]
    now_us: int
    verdict: str
    ok: bool
    done: bool
    observed: tuple[str, ...] = ()
    supposed: tuple[Supposed, ...] = ()
    unread: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sequence:
    """The records at the start of a session (canonical path to JSON), and calls in their order.

    `heard` are messages of the user before the first of them.
    `facts` are those of the session, as JSON; they are the same for every call.
    """

    ledger: Mapping[str, Any]
    calls: tuple[SequenceCall, ...]
    heard: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
