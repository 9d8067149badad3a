"""The domain, or the data to compare it with, cannot be loaded, so no rule of it was checked.

A file is malformed, names something that does not exist, or has an expression of the wrong type.
The message is that of every command that loads the domain, at the same place. A run that meets it
ends with exit status 2, whatever else it found; other domains of the run are checked all the same.

What to do: mend the place that the message names. Only the first problem of a domain is told, so
there may be another behind it.

`--select` and `--ignore` name checks, so this is none of theirs, and no `ignore` can accept it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ledger_verify.checks.base.finding import About, Finding
from ledger_verify.lang.errors import InputError, Location

ABOUT = About("LV002", "unloadable", "error", can_be_ignored=False)


@dataclass(frozen=True)
class Unloadable:
    """A domain, by the name that it was asked for, and what keeps it from being checked."""

    name: str
    problem: InputError

    @property
    def finding(self) -> Finding:
        """The problem as a finding; without a place of its own it is one of `domain.yaml`."""
        place = self.problem.location or Location(f"{self.name.rstrip('/')}/domain.yaml", 1, 1)
        return Finding(
            ABOUT.code, ABOUT.name, ABOUT.severity, self.problem.message, (), place,
            fix=self.problem.hint,
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """A report in the documented shape, of no revision and no rules."""
        return {
            "domain": self.name,
            "folder": self.name,
            "revision": None,
            "rules": 0,
            "findings": [self.finding.to_json()],
            "ignored": [],
            "checked": [],
            "compared": None,
        }
