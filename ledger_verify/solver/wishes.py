"""What would make an example pleasant to read. No proof rests on it."""

from __future__ import annotations

from dataclasses import dataclass, field

import z3

from ledger_verify.lang import times
from ledger_verify.lang.types import IntType, NumberType, StringType, TimestampType, Type
from ledger_verify.solver.logic import Bool, Term, conjoin, implies, negate, same
from ledger_verify.solver.texts import Texts
from ledger_verify.solver.zones import DAY_US

_MONTH_US = 30 * DAY_US


@dataclass
class Wishes:
    """Short lists, small numbers, days to come, times just past, texts that are no literals."""

    now_us: int
    wanted: list[Bool] = field(default_factory=list)
    _texts: list[tuple[Term, Bool]] = field(default_factory=list)

    def of_scalar(self, type_: Type, term: Term, when: Bool) -> None:
        """A wish for a symbol of the type that exists where `when` holds."""
        match type_:
            case IntType():
                wish = z3.And(term >= 0, term <= 9)
            case NumberType():
                wish = z3.And(z3.IsInt(term), term >= 0, term <= 999)
                self.wanted.append(implies(when, term >= 1))
            case TimestampType(date=True):
                wish = z3.And(term > self.now_us, term <= self.now_us + _MONTH_US)
            case TimestampType():
                past = z3.And(term >= self.now_us - _MONTH_US, term <= self.now_us)
                wish = z3.And(past, term % (60 * times.SECOND_US) == 0)
            case StringType(enum=None):
                self._texts.append((term, when))
                return
            case _:
                return
        self.wanted.append(implies(when, wish))

    def of_length(self, least: int, length: Term, when: Bool) -> None:
        """A wish for a list with a few items."""
        self.wanted += [implies(when, length <= max(1, least)), implies(when, length <= 2)]

    def all(self, texts: Texts) -> list[Bool]:
        """All wishes, once all literals are known."""
        literals = [texts.literal(text) for text in texts.literals]
        word = z3.Range("a", "z")
        plain = z3.Concat(word, z3.Star(z3.Union(word, z3.Range("0", "9"), z3.Re("_"))))
        wishes = []
        for term, when in self._texts:
            own = conjoin(negate(same(term, literal)) for literal in literals)
            if texts.structured:
                own = conjoin((own, z3.InRe(term, plain)))
            wishes.append(implies(when, own))
        return [wish for wish in (*wishes, *self.wanted) if wish is not True]
