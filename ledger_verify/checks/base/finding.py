"""What a check reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ledger_verify.lang.errors import Location

TOOLS = "\ue000"
"""Stands in a message for the tools that the finding is about; no text of a user has it."""
FOR_TOOLS = "\ue001"
"""The same as ` for ...`, or nothing where it is about all tools of the rule."""


@dataclass(frozen=True)
class About:
    """What a check says of itself: its code, its name, and how bad its findings are.

    The severity is `error` where the policy cannot mean what it says, else `warning`. Findings
    that `can_be_ignored` are accepted by `ignore` at a rule or tool.
    """

    code: str
    name: str
    severity: str
    can_be_ignored: bool = True


@dataclass(frozen=True)
class Finding:
    """One defect, or one question that stayed undecided.

    `rules` are at fault; `core` names the smallest set of rules that brings it about. The region
    in the file goes from `location` up to `end`. `tools` are those that the finding is about,
    `fix` says what to do, `notes` tell more, `clause` is what the written policy says.
    """

    code: str
    check: str
    severity: str
    message: str
    rules: tuple[str, ...]
    location: Location
    end: Location | None = None
    tools: tuple[str, ...] = ()
    counterexample: Mapping[str, Any] | None = None
    core: tuple[str, ...] | None = None
    fix: str | None = None
    notes: tuple[str, ...] = ()
    clause: str = ""

    def to_json(self) -> dict[str, Any]:
        """The finding in the documented shape."""
        end = self.end or self.location
        return {
            "code": self.code,
            "check": self.check,
            "severity": self.severity,
            "message": self.message,
            "rules": list(self.rules),
            "tools": list(self.tools),
            "location": {
                "file": self.location.file,
                "line": self.location.line,
                "column": self.location.column,
                "end_line": end.line,
                "end_column": end.column,
            },
            "clause": self.clause,
            "counterexample": self.counterexample,
            "core": None if self.core is None else list(self.core),
            "fix": self.fix,
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class Claim:
    """The result for one thing that a check looked at: fine, a defect, or undecided."""

    finding: Finding | None = None
    undecided: bool = False
