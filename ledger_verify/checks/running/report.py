"""What a run of checks found on a domain."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ledger_verify.checks.base.finding import FOR_TOOLS, TOOLS, About, Claim, Finding
from ledger_verify.checks.base.job import Check, ReviewCheck
from ledger_verify.policy.domain import Domain


@dataclass
class Tally:
    """The answers of one check so far, by subject, in the order in which it looks."""

    check: str
    seconds: float = 0
    cached: int = 0
    answered: set[str] = field(default_factory=set)
    doubted: bool = False
    _claims: dict[str, tuple[Claim, ...]] = field(default_factory=dict)

    def expect(self, subject: str) -> None:
        """Keep the place of an answer that comes later."""
        self._claims[subject] = ()

    def answer(
        self, subject: str, claims: Iterable[Claim], seconds: float, *, cached: bool = False
    ) -> None:
        """Note what became of a subject."""
        self._claims[subject] = tuple(claims)
        self.answered.add(subject)
        self.seconds += seconds
        self.cached += len(self._claims[subject]) if cached else 0

    def doubt(self) -> None:
        """Let nothing count that was found out."""
        self.doubted = True
        for subject, claims in self._claims.items():
            self._claims[subject] = (Claim(undecided=True),) * len(claims)

    @property
    def claims(self) -> list[Claim]:
        """All claims so far."""
        return [claim for claims in self._claims.values() for claim in claims]


@dataclass(frozen=True)
class CheckSummary:
    """How many claims of one check were proved, refuted or left undecided, and its time.

    Of all claims, `cached` were known from an earlier run.
    """

    check: str
    proved: int
    refuted: int
    undecided: int
    cached: int
    milliseconds: int

    def to_json(self) -> dict[str, Any]:
        """The summary in the documented shape."""
        return {
            "check": self.check,
            "proved": self.proved,
            "refuted": self.refuted,
            "undecided": self.undecided,
            "cached": self.cached,
            "milliseconds": self.milliseconds,
        }


@dataclass(frozen=True)
class Report:
    """All findings on a domain, in the order of their places.

    `ignored` are findings that the domain's files accept, each with the reason. `compared` has the
    number of records of data for each path of the ledger, None where the run had no data. `label`
    is what the report is called where the domain's name would not do.
    """

    domain: Domain
    findings: tuple[Finding, ...]
    checked: tuple[CheckSummary, ...]
    ignored: tuple[tuple[Finding, str], ...] = ()
    compared: Mapping[str, int] | None = None
    label: str | None = None

    @property
    def title(self) -> str:
        """What the report is called."""
        return self.label or self.domain.name

    @property
    def undecided(self) -> bool:
        """Whether some question stayed open."""
        return any(finding.severity == "undecided" for finding in self.findings)

    @property
    def defects(self) -> tuple[Finding, ...]:
        """The findings that are defects."""
        return tuple(f for f in self.findings if f.severity != "undecided")

    def to_json(self) -> dict[str, Any]:
        """The report in the documented shape."""
        return {
            "domain": self.domain.name,
            "folder": None if self.domain.folder is None else str(self.domain.folder),
            "revision": self.domain.revision,
            "rules": len({rule.id for rule in self.domain.rules}),
            "findings": [finding.to_json() for finding in self.findings],
            "ignored": [
                {**finding.to_json(), "reason": reason} for finding, reason in self.ignored
            ],
            "checked": [summary.to_json() for summary in self.checked],
            "compared": None if self.compared is None else dict(self.compared),
        }


def told_apart(reports: Sequence[Report]) -> list[Report]:
    """The reports, those of domains of one name with the folder in their titles."""
    names = Counter(report.domain.name for report in reports)
    return [
        replace(report, label=f"{report.domain.name} ({report.domain.folder})")
        if names[report.domain.name] > 1
        else report
        for report in reports
    ]


def assembled(domain: Domain, tallies: Sequence[Tally], checks: Sequence[Check]) -> Report:
    """The report of what the tallies hold, one for each check that ran; equal findings on several
    tools become one. Checks that review the others are done here.
    """
    by_name = {tally.check: tally for tally in tallies}
    abouts = {c.ABOUT.name: c.ABOUT for c in checks if c.ABOUT.name in by_name}
    findings: list[Finding] = []
    ignored: list[tuple[Finding, str]] = []
    used: set[tuple[str, str, str]] = set()
    for finding in _joined(_found(tallies), domain):
        reasons = _reasons(finding, domain, abouts[finding.check])
        used |= reasons.keys()
        if reasons:
            ignored.append((finding, next(iter(reasons.values()))))
        else:
            findings.append(finding)
    for check in checks:
        if isinstance(check, ReviewCheck):
            tally = by_name[check.ABOUT.name]
            started = time.perf_counter()
            ran = tuple(about for name, about in abouts.items() if not by_name[name].doubted)
            claims = list(check.review(domain, ran, used))
            tally.answer("", claims, time.perf_counter() - started)
            findings += _found([tally])
    findings.sort(key=lambda f: (f.location.file, f.location.line, f.location.column, f.code))
    return Report(domain, tuple(findings), tuple(map(_summary, tallies)), tuple(ignored))


def _found(tallies: Iterable[Tally]) -> list[Finding]:
    return [claim.finding for tally in tallies for claim in tally.claims if claim.finding]


def _summary(tally: Tally) -> CheckSummary:
    claims = tally.claims
    undecided = sum(claim.undecided for claim in claims)
    refuted = sum(claim.finding is not None and not claim.undecided for claim in claims)
    return CheckSummary(
        tally.check,
        len(claims) - refuted - undecided,
        refuted,
        undecided,
        tally.cached,
        round(tally.seconds * 1000),
    )


def _joined(findings: Iterable[Finding], domain: Domain) -> Iterable[Finding]:
    """One finding for those that differ in their tools only; the first has the counterexample."""
    groups: dict[tuple[Any, ...], list[Finding]] = {}
    for f in findings:
        groups.setdefault((f.code, f.message, f.rules, f.location, f.core), []).append(f)
    for group in groups.values():
        tools = tuple(dict.fromkeys(tool for f in group for tool in f.tools))
        listed = ", ".join(f"`{tool}`" for tool in tools)
        first = group[0]
        all_tools = {rule.tool for rule in domain.rules if rule.id in first.rules[:1]}
        partial = f" for {listed}" if set(tools) < all_tools else ""
        message = first.message.replace(TOOLS, listed).replace(FOR_TOOLS, partial)
        yield replace(first, message=message, tools=tools)


def _reasons(finding: Finding, domain: Domain, about: About) -> dict[tuple[str, str, str], str]:
    """The entries of `ignore` in the domain's files that accept the finding, with their reasons.

    A question of the check that stayed undecided is accepted like a defect.
    """
    if not about.can_be_ignored:
        return {}
    owners: dict[tuple[str, str], Mapping[str, str]]
    if finding.rules:
        owners = {("rules", r.id): r.ignored for r in domain.rules if r.id in finding.rules}
    else:
        tools = [domain.tools[name] for name in finding.tools if name in domain.tools]
        owners = {("tools", tool.name): tool.ignored for tool in tools}
    return {
        (*owner, name): ignored[name]
        for owner, ignored in owners.items()
        for name in (about.code, about.name)
        if name in ignored
    }
