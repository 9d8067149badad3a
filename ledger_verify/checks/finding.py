"""What a check reports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from ledger_verify.gate.cases import case_data
from ledger_verify.lang.errors import Location
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.schema.render import time_text
from ledger_verify.solver.static import StaticSolver


@dataclass(frozen=True)
class Finding:
    """One defect, or one question that stayed undecided.

    `core` names the smallest set of rules that is to blame, `fix` says what to do.
    """

    code: str
    check: str
    severity: str
    message: str
    rules: tuple[str, ...]
    location: Location
    counterexample: dict[str, Any] | None = None
    core: tuple[str, ...] | None = None
    fix: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The finding in the documented shape."""
        return {
            "code": self.code,
            "check": self.check,
            "severity": self.severity,
            "message": self.message,
            "rules": list(self.rules),
            "location": {
                "file": self.location.file,
                "line": self.location.line,
                "column": self.location.column,
            },
            "counterexample": self.counterexample,
            "core": None if self.core is None else list(self.core),
            "fix": self.fix,
        }


@dataclass(frozen=True)
class Claim:
    """The result for one thing that a check looked at: fine, a defect, or undecided."""

    finding: Finding | None = None
    undecided: bool = False


class Check(Protocol):
    """A module of this package that holds a check."""

    CODE: str
    NAME: str

    def run(self, domain: Domain, solver: StaticSolver) -> Iterator[Claim]:
        """One claim for each thing that the check looks at."""


def undecided_claim(check: str, message: str, rules: tuple[str, ...], location: Location) -> Claim:
    """A claim that the solver could not decide within its limits."""
    finding = Finding(
        "LV001", check, "undecided", message, rules, location,
        fix="raise `--timeout`, or `--scope` where the bound on lists is the reason",
    )  # fmt: skip
    return Claim(finding, undecided=True)


def case_json(case: Case, domain: Domain) -> dict[str, Any]:
    """A case as JSON: the ledger, earlier calls, the call, and the moment in the domain's time."""
    return {"clock": time_text(case.now_us, False, domain.zone), **case_data(case, domain)}
