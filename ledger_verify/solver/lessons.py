"""What is exact of the operations that the solver knows only roughly, learnt where it matters.

Such an operation is a free function of its operands, so a model may take a value for it that it
never has. What it really is at the operands of the model is a fact like any other: it is added,
and the question is asked again. So proofs become possible, and what is found is real.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import tzinfo
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import z3

from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.operations import apply, whole
from ledger_verify.lang.types import Type
from ledger_verify.solver.logic import Bool, Term, conjoin, implies, negate, same
from ledger_verify.solver.texts import text_of
from ledger_verify.solver.zones import DAY_US, offset_of, offsets_around, one_of_offsets

if TYPE_CHECKING:
    from ledger_verify.solver.symbols import Symbols


_HALF_A_YEAR_US = 183 * DAY_US


class Unclear(Enum):
    """Of a model it cannot be told whether it is right."""

    UNCLEAR = "unclear"


Lesson = Callable[[z3.ModelRef], Bool | Unclear]
"""Of a model a fact that it breaks and that every completion keeps; True if it breaks none."""


def of_operation(
    symbols: Symbols,
    operation: str,
    operands: Sequence[Term],
    value: Term,
    gap: Bool,
    result: Type,
    extra: tuple[Any, ...] = (),
) -> Lesson:
    """Of an operation on these terms, with the plain values `extra` behind them."""

    def learn(model: z3.ModelRef) -> Bool | Unclear:
        given = [model.eval(term, True) for term in operands]
        plain = [_plain(term, model, symbols) for term in given]
        if Unclear.UNCLEAR in plain:
            return Unclear.UNCLEAR
        here = conjoin(same(a, b) for a, b in zip(operands, given, strict=True))
        try:
            exact = apply(operation, (*plain, *extra))
        except NoValue:
            # where the gap is left out of account, nothing is said of the value
            return True if gap is False else _unless_kept(model, implies(here, gap))
        unheard = isinstance(exact, str) and exact not in symbols.texts.literals
        known = same(value, symbols.literal(exact, result))
        fact = implies(here, conjoin((negate(gap), known)))
        return fact if unheard else _unless_kept(model, fact)

    return learn


def of_offset(zone: tzinfo, moment: Term, meets: Callable[[int], Bool]) -> Lesson:
    """Of the offset of a zone at a moment: exact for half a year and more around that of the model.

    `meets` is the condition under which an offset is the one that the model takes.
    """

    def learn(model: z3.ModelRef) -> Bool | Unclear:
        at = model.eval(moment, True).as_long()
        try:
            if _is_met(model, meets(offset_of(zone, at))):
                return True
            around = offsets_around(zone, at - at % _HALF_A_YEAR_US)
        except (NoValue, OverflowError, ValueError):  # the ends of the calendar
            return Unclear.UNCLEAR
        return _unless_kept(model, one_of_offsets(zone, moment, meets, around))

    return learn


def _is_met(model: z3.ModelRef, fact: Bool) -> bool:
    return fact is True or (fact is not False and z3.is_true(model.eval(fact, True)))


def _unless_kept(model: z3.ModelRef, fact: Bool) -> Bool:
    """The fact, if the model breaks it."""
    return True if _is_met(model, fact) else fact


def _plain(value: Any, model: z3.ModelRef, symbols: Symbols) -> Any:
    """The plain value that a term of a model is."""
    if z3.is_int_value(value):
        return value.as_long()
    if z3.is_true(value) or z3.is_false(value):
        return z3.is_true(value)
    if z3.is_rational_value(value):
        return whole(Fraction(value.numerator_as_long(), value.denominator_as_long()))
    if z3.is_string_value(value):
        return text_of(value)
    return symbols.texts.spelled(model).get(str(value), Unclear.UNCLEAR)
