"""What a writer of findings is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ledger_verify.checks.unloadable import Unloadable
from ledger_verify.lang.errors import Location

if TYPE_CHECKING:
    from ledger_verify.checks.base.finding import About, Finding
    from ledger_verify.checks.running.report import Report


@dataclass(frozen=True)
class Page:
    """A kind of finding: what it says of itself, and its documentation."""

    about: About
    text: str

    @property
    def summary(self) -> str:
        """The first line of the documentation."""
        return self.text.partition("\n")[0]


@dataclass(frozen=True)
class Section:
    """The findings on one thing, such as a domain.

    `seconds` has every check that was run with its time, `ignored` the findings that are accepted
    with the reason, `places` where the rules stand, by their ids.
    """

    name: str
    findings: Sequence[Finding]
    ignored: Sequence[tuple[Finding, str]] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    places: Mapping[str, Location] = field(default_factory=dict)

    @classmethod
    def of(cls, report: Report | Unloadable) -> Section:
        """The section for the report on a domain."""
        if isinstance(report, Unloadable):
            return cls(report.name, (report.finding,))
        return cls(
            report.title,
            report.findings,
            report.ignored,
            {summary.check: summary.milliseconds / 1000 for summary in report.checked},
            {rule.id: rule.location for rule in report.domain.rules},
        )


def below_here(file: str) -> str | None:
    """The file as a path from the working directory, with `/`; None for one that is not below."""
    try:
        return Path(file).resolve().relative_to(Path.cwd().resolve()).as_posix()
    except ValueError:
        return None
