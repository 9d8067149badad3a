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


class Doubt(Enum):
    """Why a question stayed undecided: contradiction is never among the reasons."""

    TIME = "the solver ran out of time"
    INEXACT = "an operation in it has no exact counterpart in the solver"
    UNCONFIRMED = "the case that the solver found was not confirmed by the interpreter"


@dataclass(frozen=True)
class Search:
    """The outcome, with the case if one was found, or the doubt that stayed."""

    outcome: Outcome
    case: Case | None = None
    doubt: Doubt | None = None
