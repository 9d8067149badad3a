"""Results of static questions, in plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from ledger_verify.policy.case import Case


class Undecided(Exception):
    """The solver reached a limit before it had an answer."""


class Outcome(Enum):
    """What became of the search for a case."""

    FOUND = "found"
    NONE = "none"
    NONE_UP_TO_BOUND = "none up to the bound"
    UNDECIDED = "undecided"

    def __bool__(self) -> bool:
        raise TypeError("an outcome is one of several; ask which")


class Ruling(Enum):
    """Whether something is proved; OPEN if a limit was reached before it could be told."""

    PROVED = "proved"
    NOT = "not"
    OPEN = "open"

    def __bool__(self) -> bool:
        raise TypeError("a ruling is one of three; ask which")

    @property
    def decided(self) -> bool:
        """Whether it is proved; raises `Undecided` where that is open."""
        if self is Ruling.OPEN:
            raise Undecided
        return self is Ruling.PROVED


class Doubt(Enum):
    """Why a question stayed undecided: contradiction is never among the reasons."""

    TIME = "the solver ran out of time"
    INEXACT = "an operation in it has no exact counterpart in the solver"
    UNTOLD = (
        "no sequence was found that breaks it, but an effect may have no value or no place, "
        "or an operation no exact counterpart in the solver"
    )
    HALF_STALE = (
        "it can only be broken where a part of a record is stale and the rest is not, and no "
        "sequence that leads there is searched for"
    )
    UNCONFIRMED = "the case that the solver found was not confirmed by the interpreter"


@dataclass(frozen=True)
class Search:
    """The outcome, with the case if one was found, or the doubt that stayed."""

    outcome: Outcome
    case: Case | None = None
    doubt: Doubt | None = None

    @property
    def found(self) -> bool:
        """Whether there is a case; raises `Undecided` where that is open."""
        if self.outcome in (Outcome.UNDECIDED, Outcome.NONE_UP_TO_BOUND):
            raise Undecided
        return self.outcome is Outcome.FOUND


@dataclass(frozen=True)
class CoreNames:
    """The names of a core; not `smallest` if it stayed open whether fewer would do."""

    names: tuple[str, ...]
    smallest: bool


@dataclass(frozen=True)
class Reached:
    """Of some goals those that were met, and those for which a limit was reached first."""

    met: frozenset[int]
    undecided: frozenset[int]


@dataclass(frozen=True)
class Constants:
    """Of some parts the values of those that have only one, and those that stayed undecided."""

    values: Mapping[int, bool]
    undecided: tuple[int, ...]
