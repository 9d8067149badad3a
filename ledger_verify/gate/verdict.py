"""The gate's answer about one proposed call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

NOT_OBSERVED = "<not observed>"
"""Stands in messages for a value that is missing."""

NOT_SETTLED = "not settled: "
"""Begins what is said of a rule that is open for want of an outcome, in place of its message."""


class Decision(Enum):
    """ALLOW: run the call. REVISE: read or change something first. BLOCK: do not do it."""

    ALLOW = "ALLOW"
    REVISE = "REVISE"
    BLOCK = "BLOCK"


@dataclass(frozen=True)
class RuleReport:
    """How one applicable rule stands: TRUE, FALSE, UNKNOWN or ERROR.

    TRUE and FALSE are meant in every completion of the ledger; `message` has the values filled in
    (empty for a rule that holds).
    """

    id: str
    truth: str
    message: str
    clause: str


@dataclass(frozen=True)
class ReadCall:
    """A read to make; an argument is None where only the person can say it."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class MissingRead:
    """A record that can still change the verdict, and the read that observes it."""

    path: str
    read: ReadCall | None


@dataclass(frozen=True)
class Repair:
    """A change of the call's free arguments with which it would be allowed.

    `arguments` are the new values, None for those in `ask`: a value that only the person can say.
    Those in `without` are to be left out. `needs_reads` tells that the missing reads, or the
    person's answer, must confirm it as well.
    """

    arguments: Mapping[str, Any]
    needs_reads: bool = False
    without: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The repair as JSON."""
        return {
            "arguments": dict(self.arguments),
            "without": list(self.without),
            "ask": list(self.ask),
            "needs_reads": self.needs_reads,
        }


@dataclass(frozen=True)
class Verdict:
    """The decision with its reasons, in JSON values throughout.

    `message` speaks to the model: what is wrong, and what to do next. `decided_by` is one of
    `compiled`, `solver`, `schema`, `default`, `asks`, `limit`, `error`. `tried` says what reads of
    missing records were made or are refused, and what they said. `ask` names the arguments that
    the user has to say first. `absent` tells of records that the rules read and that do not exist.
    """

    decision: Decision
    tool: str
    arguments: Mapping[str, Any]
    message: str
    rules: tuple[RuleReport, ...] = ()
    missing: tuple[MissingRead, ...] = ()
    repair: Repair | None = None
    decided_by: str = "compiled"
    tried: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    @property
    def allowed(self) -> bool:
        """Whether the call may run."""
        return self.decision is Decision.ALLOW

    @property
    def reasons(self) -> tuple[str, ...]:
        """What to tell a user: the messages of the violated rules, or else what is not settled.

        Empty where no rule was the reason, or where only evidence lacks: what an open rule would
        say is no fact.
        """
        violated = tuple(r.message for r in self.rules if r.truth in ("FALSE", "ERROR"))
        unsettled = (r.message for r in self.rules if r.truth == "UNKNOWN")
        return violated or tuple(text for text in unsettled if text.startswith(NOT_SETTLED))

    def to_json(self) -> dict[str, Any]:
        """The verdict in the documented shape."""
        return {
            "verdict": self.decision.value,
            "tool": self.tool,
            "arguments": dict(self.arguments),
            "message": self.message,
            "rules": [
                {"id": r.id, "truth": r.truth, "message": r.message, "clause": r.clause}
                for r in self.rules
            ],
            "missing": [
                {
                    "path": m.path,
                    "read": None
                    if m.read is None
                    else {"name": m.read.name, "arguments": dict(m.read.arguments)},
                }
                for m in self.missing
            ],
            "repair": None if self.repair is None else self.repair.to_json(),
            "ask": list(self.ask),
            "decided_by": self.decided_by,
            **({"tried": list(self.tried)} if self.tried else {}),
            **({"absent": list(self.absent)} if self.absent else {}),
        }
