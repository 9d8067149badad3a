"""Results of static questions, in plain values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ledger_verify.policy.case import Case


class Outcome(Enum):
    """What became of the search for a case."""

    FOUND = "found"
    NONE = "none"
    NONE_UP_TO_BOUND = "none up to the bound"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Search:
    """The outcome, with the case if one was found."""

    outcome: Outcome
    case: Case | None = None
