"""What a schema says of the value of a scalar, as a constraint on its term."""

from __future__ import annotations

import z3

from ledger_verify.lang import regex, times
from ledger_verify.lang.literals import INT_MAX, INT_MIN
from ledger_verify.lang.types import (
    DurationType,
    IntType,
    NumberType,
    StringType,
    TimestampType,
    Type,
)
from ledger_verify.solver.logic import Bool, Term, conjoin, disjoin, same
from ledger_verify.solver.regexes import to_z3_regex
from ledger_verify.solver.texts import Texts


def scalar_bounds(type_: Type, term: Term) -> Bool:
    """The range of the type; of a date only that of all times."""
    match type_:
        case IntType(minimum=low, maximum=high):
            return _between(
                term, INT_MIN if low is None else low, INT_MAX if high is None else high
            )
        case NumberType():
            return _number_bounds(type_, term)
        case TimestampType():
            return _between(term, times.TIMESTAMP_MIN_US, times.TIMESTAMP_MAX_US)
        case DurationType():
            return _between(term, -times.DURATION_MAX_US, times.DURATION_MAX_US)
    return True


def _between(term: Term, low: int, high: int) -> Bool:
    return conjoin((term >= low, term <= high))


def _number_bounds(type_: NumberType, term: Term) -> Bool:
    limits: list[Bool] = []
    if type_.minimum is not None:
        limits.append(term >= z3.RealVal(str(type_.minimum)))
    if type_.maximum is not None:
        limits.append(term <= z3.RealVal(str(type_.maximum)))
    if type_.exclusive_minimum is not None:
        limits.append(term > z3.RealVal(str(type_.exclusive_minimum)))
    if type_.exclusive_maximum is not None:
        limits.append(term < z3.RealVal(str(type_.exclusive_maximum)))
    return conjoin(limits)


def text_bounds(type_: StringType, term: Term, texts: Texts) -> Bool:
    """One of the values of an enum; a text of the pattern and length of the schema.

    Where texts have no structure, that means not to be a literal of another form.
    """
    if type_.enum is not None:
        return disjoin(same(term, texts.literal(option)) for option in type_.enum)
    if not texts.structured:
        if (type_.pattern, type_.min_length, type_.max_length) != (None, None, None):
            texts.formed.append((term, lambda text: fits_form(type_, text)))
        return True
    limits: list[Bool] = []
    regex = None if type_.pattern is None else to_z3_regex(type_.pattern)
    if regex is not None:
        limits.append(z3.InRe(term, regex))
    if type_.min_length is not None:
        limits.append(z3.Length(term) >= type_.min_length)
    if type_.max_length is not None:
        limits.append(z3.Length(term) <= type_.max_length)
    return conjoin(limits)


def fits_form(type_: StringType, text: str) -> bool:
    """Whether a text has the pattern and length that the schema demands."""
    low, high = type_.min_length or 0, type_.max_length
    if not (low <= len(text) and (high is None or len(text) <= high)):
        return False
    return type_.pattern is None or regex.matches(text, type_.pattern)
