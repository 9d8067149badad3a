"""Running checks over a domain."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from ledger_verify.checks import dead_action, vacuous_rule
from ledger_verify.checks.finding import Finding
from ledger_verify.policy.domain import Domain
from ledger_verify.solver.static import StaticSolver

CHECKS: tuple[ModuleType, ...] = (dead_action, vacuous_rule)


@dataclass(frozen=True)
class CheckSummary:
    """How many claims of one check were proved, refuted or left undecided, and its time."""

    check: str
    proved: int
    refuted: int
    undecided: int
    milliseconds: int


@dataclass(frozen=True)
class Report:
    """All findings on a domain, in the order of their places."""

    domain: Domain
    findings: tuple[Finding, ...]
    checked: tuple[CheckSummary, ...]

    @property
    def undecided(self) -> bool:
        """Whether some question stayed open."""
        return any(summary.undecided for summary in self.checked)

    @property
    def defects(self) -> tuple[Finding, ...]:
        """The findings that are defects."""
        return tuple(f for f in self.findings if f.severity != "undecided")

    def to_json(self) -> dict[str, Any]:
        """The report in the documented shape."""
        return {
            "domain": self.domain.name,
            "revision": self.domain.revision,
            "rules": len({rule.id for rule in self.domain.rules}),
            "findings": [finding.to_json() for finding in self.findings],
            "checked": [
                {
                    "check": s.check,
                    "proved": s.proved,
                    "refuted": s.refuted,
                    "undecided": s.undecided,
                    "milliseconds": s.milliseconds,
                }
                for s in self.checked
            ],
        }


def run_checks(
    domain: Domain,
    solver: StaticSolver,
    checks: Sequence[ModuleType] = CHECKS,
    progress: Callable[[str], None] = lambda name: None,
) -> Report:
    """Run the checks; `progress` is told the name of each before it starts."""
    findings: list[Finding] = []
    summaries = []
    for check in checks:
        progress(check.NAME)
        started = time.perf_counter()
        claims = list(check.run(domain, solver))
        elapsed = round((time.perf_counter() - started) * 1000)
        findings += [claim.finding for claim in claims if claim.finding is not None]
        undecided = sum(claim.undecided for claim in claims)
        refuted = sum(claim.finding is not None for claim in claims) - undecided
        summaries.append(
            CheckSummary(check.NAME, len(claims) - refuted - undecided, refuted, undecided, elapsed)
        )
    findings.sort(key=lambda f: (f.location.file, f.location.line, f.location.column, f.code))
    return Report(domain, tuple(findings), tuple(summaries))
