"""Models to plain values: ledgers and calls that a person can read and the gate can replay."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import z3

from ledger_verify.lang.operations import whole
from ledger_verify.lang.times import TIMESTAMP_MAX_US, TIMESTAMP_MIN_US
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
from ledger_verify.schema.sample import sample, start_of_day, text_sample, text_samples
from ledger_verify.solver.logic import Bool, Term, as_term
from ledger_verify.solver.shapes import Known, ListShape, MapShape, RecordShape, Scalar, Sym
from ledger_verify.solver.symbols import Symbols
from ledger_verify.solver.texts import text_of
from ledger_verify.solver.zones import DAY_US, zone_offsets

_SPELLINGS = {
    "first_name": "Mia", "last_name": "Garcia", "name": "Mia Garcia", "full_name": "Mia Garcia",
    "email": "mia.garcia@example.com", "phone": "555-0100", "phone_number": "555-0100",
    "address1": "12 Elm Street", "street": "12 Elm Street", "city": "Springfield", "zip": "10001",
    "country": "USA", "last_four": "1234",
}  # fmt: skip
_BIRTHS = ("dob", "date_of_birth", "birth_date", "birthday")
_BORN_US = 642_600_000_000_000  # noon of 1990-05-13
_DIGITS_OF_ROOTS = 30
ABSENT = object()
"""Stands for a value that the model does not settle."""


@dataclass
class Decoder:
    """Reads values out of one model.

    Texts that stand for no literal get readable names after the field in which they are first
    met; parts that the query does not touch get small valid values.
    """

    model: z3.ModelRef
    symbols: Symbols
    now_us: int
    _names: dict[str, str] = field(default_factory=dict)
    _spelled: dict[str, str] | None = None

    def value(self, sym: Sym, type_: Type, name: str) -> Any:
        """The typed value of a symbol; fields that were never touched are left out of records."""
        if self.truth(sym.gap):
            return ABSENT
        if self.truth(sym.null):
            return None
        bare = strip_null(type_)
        match sym.shape:
            case Known(value=value):
                return value
            case Scalar(term=term):
                return self._scalar(term, bare, name)
            case RecordShape() as shape:
                return self._record(shape, bare)
            case ListShape() as shape:
                assert isinstance(bare, ListType)
                return tuple(
                    self.value(slot.value, bare.item, singular(name))
                    for slot in shape.slots
                    if self.truth(slot.active)
                )
            case MapShape() as shape:
                assert isinstance(bare, MapType)
                return self._map(shape, bare, name)

    def truth(self, condition: Bool) -> bool:
        """Whether a condition holds in the model."""
        if isinstance(condition, bool):
            return condition
        return bool(z3.is_true(self.model.eval(as_term(condition), True)))

    def _scalar(self, term: Term, type_: Type, name: str) -> Any:
        value = self.model.eval(term, True)
        match type_:
            case BoolType():
                return z3.is_true(value)
            case NumberType():
                value = z3.simplify(z3.ToReal(value)) if z3.is_int(value) else value
                if z3.is_algebraic_value(value):  # a root: no decimal is it, so none is confirmed
                    value = value.approx(_DIGITS_OF_ROOTS)
                return whole(Fraction(value.numerator_as_long(), value.denominator_as_long()))
            case StringType():
                return self._text(value, type_, name)
            case TimestampType(date=True):
                return self._day(value.as_long())
        return value.as_long()

    def _day(self, moment_us: int) -> int:
        """The start of the day that the model means, with the offset that really holds then."""
        for offset in zone_offsets(self.symbols.zone)[0]:
            if (moment_us + offset) % DAY_US == 0:
                noon_utc = moment_us + offset + DAY_US // 2
                return start_of_day(noon_utc - offset, self.symbols.zone)
        return start_of_day(moment_us, self.symbols.zone)

    def _text(self, value: Any, type_: StringType, name: str) -> str:
        if self._spelled is None:
            self._spelled = self.symbols.texts.spelled(self.model)
        if self.symbols.texts.structured:
            text = text_of(value)
            return self._spelled.get(text, text)
        key = str(value)
        if key in self._spelled:
            return self._spelled[key]
        if key not in self._names:
            taken = {*self._names.values(), *self._spelled.values()}
            names = (f"{name}_{number}" for number in range(1, 1000))
            new = (text for text in text_samples(type_, names) if text not in taken)
            self._names[key] = next(new, None) or text_sample(type_, name)
        return self._names[key]

    def is_named(self, text: str) -> bool:
        """Whether a text was made up for an element that stands for no literal."""
        return text in self._names.values()

    def _record(self, shape: RecordShape, type_: Type) -> dict[str, Any]:
        assert isinstance(type_, RecordType)
        out = {}
        for name in type_.by_name:
            if name not in shape.fields:
                continue
            present, value = shape.fields[name]
            if self.truth(present):
                decoded = self.value(value, type_.by_name[name].type, name)
                if decoded is not ABSENT:
                    out[name] = decoded
            elif type_.by_name[name].optional:
                out[name] = ABSENT
        return out

    def _map(self, shape: MapShape, type_: MapType, name: str) -> dict[str, Any]:
        out: dict[str, Any] = {}
        slots = shape.listed.slots if shape.listed else ()
        for key in [slot.value for slot in slots if self.truth(slot.active)]:
            out.setdefault(self.value(key, StringType(), f"{singular(name)}_id"), ABSENT)
        for key, present, value in list(shape.touched):
            if self.truth(present):
                text = self.value(key, StringType(), f"{singular(name)}_id")
                decoded = self.value(value, type_.value, singular(name))
                out[text] = combine(out.get(text, ABSENT), decoded)
        return out

    def complete(self, value: Any, type_: Type, name: str) -> Any:
        """The value with everything filled in that the schema demands and the model left open."""
        bare = strip_null(type_)
        if value is ABSENT:
            return self._made_up(type_, name)
        if value is None:
            return None
        match bare:
            case RecordType():
                out = {}
                for key, declared in bare.fields:
                    if key in value:
                        if value[key] is not ABSENT or not declared.optional:
                            out[key] = self.complete(value[key], declared.type, key)
                    elif not declared.optional:
                        out[key] = self._made_up(declared.type, key)
                return out
            case ListType(item=item):
                return tuple(self.complete(element, item, singular(name)) for element in value)
            case MapType(value=inner, min_size=size):
                one = singular(name)
                filled = {k: self.complete(v, inner, one) for k, v in value.items()}
                spare = (f"{one}_{number}" for number in itertools.count(1))
                while len(filled) < size:
                    filled.setdefault(next(spare), self._made_up(inner, one))
                return filled
        return value

    def _made_up(self, type_: Type, name: str) -> Any:
        """A valid value for what nothing depends on, such as a person might write."""
        match type_:
            case StringType(enum=None) if name in _SPELLINGS:
                return text_sample(type_, _SPELLINGS[name])
            case TimestampType(date=True) if name in _BIRTHS:
                return start_of_day(_BORN_US, self.symbols.zone)
            case TimestampType(date=True):
                return start_of_day(self._present_us + DAY_US, self.symbols.zone)
            case RecordType(fields=fields):
                return {n: self._made_up(f.type, n) for n, f in fields if not f.optional}
            case ListType(item=item, min_items=count):
                return tuple(self._made_up(item, singular(name)) for _ in range(count))
        return sample(type_, name, self._present_us, self.symbols.zone)

    @property
    def _present_us(self) -> int:
        """The present, away from the ends of the calendar, where not every day can be told."""
        early, late = TIMESTAMP_MIN_US + 3 * DAY_US, TIMESTAMP_MAX_US - 3 * DAY_US
        return min(max(self.now_us, early), late)


def combine(left: Any, right: Any) -> Any:
    """Two partial views of the same value as one."""
    if left is ABSENT:
        return right
    if right is ABSENT:
        return left
    if isinstance(left, dict) and isinstance(right, dict):
        return {
            key: combine(left.get(key, ABSENT), right.get(key, ABSENT))
            for key in dict.fromkeys((*left, *right))
        }
    if isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right):
        return tuple(combine(a, b) for a, b in zip(left, right, strict=True))
    return left


def singular(word: str) -> str:
    """The word for one of many, for names of made-up values."""
    plural = word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 2
    return word[:-1] if plural else word
