"""A case: a ledger and a proposed call, in plain values, such as a counterexample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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
    has earlier calls, oldest first.
    """

    tool: str
    arguments: Mapping[str, Any]
    ledger: Mapping[str, Any]
    now_us: int
    tools: tuple[str, ...] | None = None
    history: tuple[EarlierCall, ...] = ()
