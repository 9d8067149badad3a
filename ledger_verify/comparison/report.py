"""What a comparison of two domains amounts to, in plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ledger_verify.gate.cases import case_data
from ledger_verify.gate.verdict import Verdict
from ledger_verify.lang.errors import Location
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.schema.render import time_text


class Change(Enum):
    """The outcome of one direction: proved that there is none, shown by a case, or open."""

    NONE = "NONE"
    FOUND = "FOUND"
    UNDECIDED = "UNDECIDED"


@dataclass(frozen=True)
class Blame:
    """A rule that does not hold of a counterexample on the side that refuses it.

    `place` is where it stands there, `twin` where the rule of that id stands on the other side,
    None if there is none for this tool; `same` tells that both demand the same.
    """

    id: str
    truth: str
    message: str
    clause: str
    place: Location
    twin: Location | None
    same: bool


@dataclass(frozen=True)
class Told:
    """What one side says of a counterexample.

    `misfits` are the parts that do not fit its schema and so are no evidence there.
    """

    verdict: Verdict
    moment_us: int
    misfits: tuple[str, ...]

    def to_json(self, domain: Domain) -> dict[str, Any]:
        """The verdict in its documented shape, the moment, and what does not fit."""
        clock = time_text(self.moment_us, False, domain.zone)
        return {**self.verdict.to_json(), "clock": clock, "misfits": list(self.misfits)}


@dataclass(frozen=True)
class Counterexample:
    """A call that one gate allows and the other does not, both verdicts replayed.

    `refused_by` is `OLD` or `NEW`; `blamed` are the rules of that side that do not hold.
    """

    case: Case
    old: Told
    new: Told
    refused_by: str
    blamed: tuple[Blame, ...]


@dataclass(frozen=True)
class Direction:
    """Whether any call was newly allowed (or refused).

    `bound` is the number of items of lists up to which a proof holds, None where it has no bound.
    `reason` says why it is as it is, where that is not a matter of rules.
    """

    change: Change
    bound: int | None = None
    reason: str | None = None
    counterexample: Counterexample | None = None

    @property
    def open(self) -> bool:
        """Whether it is undecided, or proved only up to a bound."""
        return self.change is Change.UNDECIDED or self.bound is not None

    def to_json(self, old: Domain, new: Domain) -> dict[str, Any]:
        """The direction in the documented shape; `old` and `new` are the verdicts."""
        found = self.counterexample
        data: dict[str, Any] = {
            "outcome": self.change.value, "bound": self.bound, "reason": self.reason,
            "counterexample": None, "old": None, "new": None, "rules": [],
        }  # fmt: skip
        if found is not None:
            side = old if found.refused_by == "NEW" else new
            data["counterexample"] = case_data(found.case, side)
            data["old"], data["new"] = found.old.to_json(old), found.new.to_json(new)
            data["rules"] = [
                {
                    "id": rule.id, "truth": rule.truth, "message": rule.message,
                    "clause": rule.clause, "location": _place(rule.place),
                    "other_location": None if rule.twin is None else _place(rule.twin),
                    "same_on_both_sides": rule.same,
                }
                for rule in found.blamed
            ]  # fmt: skip
        return data


def _place(location: Location) -> dict[str, Any]:
    return {"file": location.file, "line": location.line, "column": location.column}


@dataclass(frozen=True)
class ToolDiff:
    """Both directions for the calls of one tool."""

    tool: str
    allowed: Direction
    refused: Direction

    @property
    def unchanged(self) -> bool:
        """Whether it is proved that the same calls are allowed."""
        return not any(d.change is not Change.NONE or d.open for d in (self.allowed, self.refused))


@dataclass(frozen=True)
class RuleChanges:
    """The ids of rules that only one side has, and of those that demand something else.

    Texts for people (messages, clauses) do not count, nor how a condition is written down.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]

    def to_json(self) -> dict[str, list[str]]:
        """The ids by what became of them."""
        return {
            "added": list(self.added),
            "removed": list(self.removed),
            "changed": list(self.changed),
        }


@dataclass(frozen=True)
class DiffReport:
    """The comparison of two domains.

    `notes` say in words what else changed. `unproved` are those changes by which the ledger of one
    and the same conversation may become another, of which no proof speaks.
    """

    old: Domain
    new: Domain
    tools: tuple[ToolDiff, ...]
    rules: RuleChanges
    notes: tuple[str, ...]
    unproved: tuple[str, ...]

    @property
    def differs(self) -> bool:
        """Whether some call is judged otherwise, shown by a case."""
        return any(Change.FOUND in (t.allowed.change, t.refused.change) for t in self.tools)

    @property
    def widened(self) -> bool:
        """Whether some call became allowed, shown by a case."""
        return any(t.allowed.change is Change.FOUND for t in self.tools)

    @property
    def open(self) -> bool:
        """Whether anything stayed undecided."""
        return bool(self.unproved) or any(t.allowed.open or t.refused.open for t in self.tools)

    @property
    def widening_open(self) -> bool:
        """Whether it stayed undecided that nothing became allowed."""
        return bool(self.unproved) or any(t.allowed.open for t in self.tools)

    def to_json(self, logs: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The report in the documented shape; `logs` is what a replay of recordings amounts to."""
        return {
            "old": {"domain": self.old.name, "revision": self.old.revision},
            "new": {"domain": self.new.name, "revision": self.new.revision},
            "tools": [
                {
                    "tool": tool.tool,
                    "newly_allowed": tool.allowed.to_json(self.old, self.new),
                    "newly_refused": tool.refused.to_json(self.old, self.new),
                }
                for tool in self.tools
            ],
            "rules": self.rules.to_json(),
            "notes": list(self.notes),
            "unproved": list(self.unproved),
            "logs": logs,
        }
