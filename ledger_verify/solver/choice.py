"""The choice among the repairs that would do: as little change as possible.

Left to itself z3 takes any, and not always the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta, tzinfo
from fractions import Fraction
from typing import Any

import z3

from ledger_verify.lang.times import from_us
from ledger_verify.lang.types import (
    BoolType,
    ListType,
    MapType,
    NumberType,
    RecordType,
    StringType,
    TimestampType,
    Type,
    strip_null,
)
from ledger_verify.schema.coerce import Misfit, coercer
from ledger_verify.solver.equality import is_value
from ledger_verify.solver.logic import (
    Bool,
    Term,
    as_term,
    conjoin,
    disjoin,
    implies,
    is_number,
    negate,
    same,
)
from ledger_verify.solver.outcome import Undecided
from ledger_verify.solver.query import Answer, Query
from ledger_verify.solver.shapes import ListShape, RecordShape, Scalar, Sym
from ledger_verify.solver.symbols import Symbols

_FARTHEST = 2**62
_MAX_CLOSER = 8
_MAX_PLACES = 30

_TEXT_MS = 0.02
"""How long z3 takes for one text that a value may be; it looks at no clock before that is done."""


@dataclass
class Choice:
    """Makes demands of a query, one after the other, as long as they can be met.

    `model` meets all that was demanded so far. `texts` are those that the evidence shows.
    """

    query: Query
    model: z3.ModelRef
    symbols: Symbols
    arguments: RecordType
    texts: Sequence[str] = ()

    def make(self, changed: Mapping[str, tuple[Bool, Sym]], proposed: Mapping[str, Any]) -> None:
        """Choose values for the arguments; `proposed` are those of the call."""
        types = {name: self.arguments.by_name[name].type for name in changed}
        values = {name: value for name, (_, value) in changed.items()}
        self._prefer(conjoin(wish for value in values.values() for wish in _amounts(value)))
        for name, value in values.items():
            self._keep_items(value, types[name], proposed.get(name))
        for name, (present, value) in changed.items():
            if self._first([present, negate(present)]) == 0:
                self._settle(value, types[name], proposed.get(name))

    def keep_most(self, unchanged: Mapping[str, Bool]) -> list[str]:
        """The arguments that stay as they are: as many as can, of these the first ones."""
        self.fewest([negate(condition) for condition in unchanged.values()])
        return [name for name, condition in unchanged.items() if self._prefer(condition)]

    def fewest(self, costs: Sequence[Bool]) -> None:
        """Demand that as few of the conditions hold as can be."""
        total = z3.Sum([z3.If(as_term(cost), 1, 0) for cost in costs])
        self._first([as_term(total <= most) for most in range(len(costs) + 1)])

    def _keep_items(self, value: Sym, type_: Type, proposed: Any) -> None:
        """Of a list, change as few items as can be; one more or less counts as a change."""
        bare, shape = strip_null(type_), value.shape
        if not isinstance(bare, ListType) or not isinstance(shape, ListShape):
            return
        was = proposed or ()
        costs: list[Bool] = []
        for i, slot in enumerate(shape.slots):
            if i >= len(was):
                costs.append(slot.active)
            else:
                same_item = is_value(slot.value, was[i], bare.item, self.symbols)
                costs.append(negate(conjoin((slot.active, same_item))))
        self.fewest(costs)

    def _prefer(self, condition: Bool) -> bool:
        return self._first([condition]) == 0

    def _first(self, options: list[Bool]) -> int | None:
        """The first of the options that is possible, which is demanded from now on."""
        if not options:
            return None
        begin, end = 0, 1
        if options[0] is True:
            return 0
        if not self._can(options[0]):
            begin, end = 1, len(options)
            if not self._can(disjoin(options[1:])):
                return None
        while end - begin > 1:
            middle = (begin + end) // 2
            if self._can(disjoin(options[begin:middle])):
                end = middle
            else:
                begin = middle
        self._can(options[begin])
        self.query.add(options[begin])
        return begin

    def _can(self, condition: Bool) -> bool:
        """Whether the condition can be met; if so, the model meets it."""
        if z3.is_true(self.model.eval(as_term(condition), True)):
            return True
        answer, model = self.query.ask([condition])
        if answer is Answer.UNDECIDED:
            raise Undecided
        self.model = self.model if model is None else model
        return model is not None

    def _settle(self, value: Sym, type_: Type, proposed: Any) -> None:
        bare = strip_null(type_)
        nulls = [value.null, negate(value.null)]
        if self._first(nulls if proposed is None else nulls[::-1]) == (proposed is not None):
            return
        match value.shape:
            case Scalar(term=term):
                self._settle_scalar(term, bare, proposed)
            case ListShape() as shape if isinstance(bare, ListType):
                self._settle_list(shape, bare.item, proposed or ())
            case RecordShape(type=record, fields=fields):
                was = proposed or {}
                for name, (present, inner) in list(fields.items()):
                    there = [present, negate(present)]
                    options = there if name in was or not was else there[::-1]
                    chosen = self._first(options)
                    if chosen is not None and options[chosen] is present:
                        self._settle(inner, record.by_name[name].type, was.get(name))

    def _settle_list(self, shape: ListShape, item: Type, proposed: tuple[Any, ...]) -> None:
        most = len(shape.slots)
        sizes = sorted(range(most + 1), key=lambda size: abs(size - len(proposed)))
        chosen = self._first([shape.length == size for size in sizes])
        if chosen is None:
            return
        for i, slot in enumerate(shape.slots[: sizes[chosen]]):
            self._settle(slot.value, item, proposed[i] if i < len(proposed) else None)

    def _settle_scalar(self, term: Term, type_: Type, proposed: Any) -> None:
        if isinstance(type_, BoolType):
            self._first([term, negate(term)] if proposed else [negate(term), term])
        elif isinstance(type_, StringType):
            options = self.texts if type_.enum is None else type_.enum
            order = [proposed, *options] if proposed in options else list(options)
            self._first([same(term, self.symbols.texts.literal(text)) for text in order])
        elif isinstance(type_, TimestampType) and type_.date:
            self._settle_date(term, proposed or 0)
        else:
            self._settle_number(term, type_, proposed or 0)

    def _settle_number(self, term: Term, type_: Type, proposed: Any) -> None:
        """As near to what was proposed as can be, and of two equally near the smaller.

        Whole numbers and times are as near as whole units allow. Any other number is the limit
        itself, if there is one and it can be written; else the nearest one of the decimal places
        of what was proposed.
        """
        here = self.symbols.literal(proposed, type_)
        if self._prefer(as_term(term == here)) or self._is_determined(term):
            return
        unit = Fraction(1, 10 ** _places(proposed)) if isinstance(type_, NumberType) else 1
        steps = self._steps(lambda steps: self._within(term, here, steps * unit))
        if steps is None:
            return
        if isinstance(type_, NumberType) and self._settle_at_limit(term, type_, proposed):
            return
        away = self.symbols.literal(steps * unit, type_)
        self._first([as_term(term == here - away), as_term(term == here + away)])

    def _steps(self, within: Callable[[int], Bool]) -> int | None:
        """How many steps away the nearest value is, rounded up; all others are ruled out.

        `within` says of a number of steps that the value is no farther away.
        """
        low, high = -1, _FARTHEST
        while high - low > 1:
            middle = (low + high) // 2 if high < _FARTHEST else max(1, 4 * low)
            if middle >= _FARTHEST:
                return None
            if self._can(within(middle)):
                high = middle
            else:
                low = middle
        self.query.add(within(high))
        return high

    def _within(self, term: Term, here: Term, away: Fraction | int) -> Bool:
        far = z3.RealVal(str(away)) if z3.is_real(term) else z3.IntVal(int(away))
        return conjoin((term >= here - far, term <= here + far))

    def _settle_at_limit(self, term: Term, type_: Type, proposed: Any) -> bool:
        """Settle on the very nearest number, if there is one and it is a decimal."""
        here = self.symbols.literal(proposed, type_)
        for _ in range(_MAX_CLOSER):
            found = self.model.eval(term, True)
            if not z3.is_rational_value(found):
                return False
            away = abs(found.as_fraction() - Fraction(proposed))
            far = z3.RealVal(str(away))
            if not self._can(conjoin((term > here - far, term < here + far))):
                ends = [as_term(term == here - far), as_term(term == here + far)]
                return _is_decimal(away) and self._first(ends) is not None
        return False

    def _settle_date(self, term: Term, proposed: int) -> None:
        """As few days from what was proposed as can be, and of two such days the earlier."""
        here = self.symbols.literal(proposed, TimestampType())
        if self._prefer(as_term(term == here)) or self._is_determined(term):
            return
        away = self._steps(lambda days: self._within_days(term, proposed, days))
        if away is None:
            return
        ends = [self._day(proposed, days) for days in (-away, away)]
        self._first([as_term(term == end) for end in ends if end is not None])

    def _within_days(self, term: Term, proposed: int, days: int) -> Bool:
        """Whether a date is no more days away: a day of 23 hours is no nearer than one of 24."""
        first, last = self._day(proposed, -days), self._day(proposed, days)
        return conjoin((first is None or term >= first, last is None or term <= last))

    def _day(self, proposed: int, days: int) -> Term | None:
        """The beginning of the day so many days after another; None beyond the calendar."""
        day = _day_after(proposed, days, self.symbols.zone)
        return None if day is None else self.symbols.literal(day, TimestampType())

    def _is_determined(self, term: Term) -> bool:
        """Whether only one value is possible any more."""
        return not self.query.possible([term != self.model.eval(term, True)])


def is_among(symbols: Symbols, texts: Sequence[str], value: Sym, type_: Type) -> Bool:
    """Whether every text in the value, of those that the schema does not list, is one of these."""
    bare = strip_null(type_)
    match bare, value.shape:
        case StringType(enum=None), _:
            symbols.deadline.check(for_ms=_TEXT_MS * len(texts))
            term = symbols.term(value, bare)
            listed = [same(term, symbols.literal(text, bare)) for text in texts]
            return disjoin([value.null, *listed])
        case ListType(item=item), ListShape(slots=slots):
            return conjoin(
                implies(s.active, is_among(symbols, texts, s.value, item)) for s in slots
            )
        case RecordType() as record, RecordShape():
            fields = [(name, value.shape.get(name)) for name in record.by_name]
            return conjoin(
                implies(present, is_among(symbols, texts, inner, record.by_name[name].type))
                for name, (present, inner) in fields
            )
        case MapType(), _:
            return False
    return True


def _day_after(day: int, days: int, zone: tzinfo) -> int | None:
    """The beginning of the day so many days after another; None beyond the calendar."""
    try:
        there = from_us(day, zone).date() + timedelta(days=days)
        at: int = coercer(TimestampType(date=True), zone)(there.isoformat())
    except (OverflowError, Misfit):
        return None
    return at


def _places(number: Any) -> int:
    """The decimal places of a number, trailing zeros apart."""
    places = 0
    while places < _MAX_PLACES and (Fraction(number) * 10**places).denominator != 1:
        places += 1
    return places


def _is_decimal(number: Fraction) -> bool:
    return bool((number * 10**_MAX_PLACES).denominator == 1)


def _amounts(value: Sym) -> list[Bool]:
    """That the numbers in the items of a list are more than nothing."""
    if not isinstance(value.shape, ListShape):
        return []
    return [
        implies(slot.active, inner.shape.term > 0)
        for slot in value.shape.slots
        if isinstance(slot.value.shape, RecordShape)
        for _, inner in slot.value.shape.fields.values()
        if isinstance(inner.shape, Scalar) and is_number(inner.shape.term)
    ]
