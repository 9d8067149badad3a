"""What the last call of a sequence must keep of what the domain states, and what is shown of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ledger_verify.lang.errors import Location
from ledger_verify.solver.logic import Bool
from ledger_verify.solver.query import Answer, Query
from ledger_verify.solver.reach import lists_within
from ledger_verify.solver.symbols import Symbols


@dataclass(frozen=True)
class Obligation:
    """A statement of the domain, and when the last call breaks it.

    `keeps` and `breaks` say of the effect at the place that it does not, and that it can.
    """

    place: Location
    keeps: str
    breaks: str
    broken: Bool

    @property
    def name(self) -> tuple[Location, str]:
        """What tells it from others, in all worlds."""
        return self.place, self.keeps


class Kept(Enum):
    """What is shown of an obligation.

    ALWAYS: "the call breaks it" is unsatisfiable. UP_TO_BOUND: it is with lists that have no more
    items than slots. BROKEN: with such lists there is a model of it, and nothing in it is rough.
    UNTOLD: the solver knows something in it only roughly. TIMED_OUT: a limit was reached.
    """

    ALWAYS = "always"
    UP_TO_BOUND = "up to the bound"
    BROKEN = "broken"
    UNTOLD = "untold"
    TIMED_OUT = "timed out"


def always_kept(query: Query, obligation: Obligation) -> Kept:
    """ALWAYS, or what it is not known to be: UNTOLD or TIMED_OUT."""
    match query.ask([obligation.broken])[0]:
        case Answer.UNSATISFIABLE:
            return Kept.ALWAYS
        case Answer.UNDECIDED:
            return Kept.TIMED_OUT
    return Kept.UNTOLD


def else_kept(query: Query, symbols: Symbols, obligation: Obligation) -> Kept:
    """What is shown of an obligation that is not known to be kept always."""
    answer = query.ask([obligation.broken, *symbols.bounds])[0]
    if answer is Answer.UNSATISFIABLE:
        return Kept.UP_TO_BOUND
    if answer is Answer.SATISFIABLE and symbols.left_open:
        answer = query.ask([obligation.broken, *symbols.bounds, *symbols.left_open])[0]
    if answer is Answer.UNDECIDED:
        return Kept.TIMED_OUT
    return Kept.BROKEN if answer is Answer.SATISFIABLE and query.sure else Kept.UNTOLD


def told(obligation: Obligation, kept: Kept, bound: int) -> str:
    """What there is to say of an obligation that is not always kept."""
    match kept:
        case Kept.BROKEN:
            said = obligation.breaks
        case Kept.UP_TO_BOUND:
            said = f"only for {lists_within(bound)} it is shown that {obligation.keeps}"
        case _:
            said = f"it could not be shown that {obligation.keeps}"
    return f"{obligation.place}: {said}"
