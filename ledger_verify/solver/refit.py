"""A value of one schema as another schema has it: the condition that it fits, and its symbol."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import z3

from ledger_verify.lang.types import (
    IntType,
    ListType,
    MapType,
    NullableType,
    NullType,
    NumberType,
    RecordType,
    StringType,
    Type,
    strip_null,
)
from ledger_verify.schema.relations import same_values
from ledger_verify.solver.bounds import scalar_bounds, text_bounds
from ledger_verify.solver.logic import Bool, conjoin, disjoin, implies, negate
from ledger_verify.solver.merging import as_map
from ledger_verify.solver.regexes import to_z3_regex
from ledger_verify.solver.shapes import (
    NOTHING,
    ListShape,
    RecordShape,
    Scalar,
    Slot,
    Sym,
    as_list,
    as_record,
)
from ledger_verify.solver.symbols import Symbols

Fitted = tuple[Sym, Bool]
"""The value as the other schema has it, and whether the JSON fits that schema at all."""


@dataclass
class Refit:
    """Reads values of one schema by another.

    Where no term says whether a value fits, it is taken to fit when `optimistic` (for cases, which
    are replayed), and left open otherwise, so that proofs hold either way; `doubts` say why.
    """

    symbols: Symbols
    optimistic: bool
    doubts: dict[str, None] = field(default_factory=dict)

    def refit(self, sym: Sym, given: Type, wanted: Type, name: str) -> Fitted:
        """A value of type `given`, called `name` in doubts, as the type `wanted` has it."""
        if same_values(given, wanted):
            return sym, True
        bare, fits = self._bare(sym, strip_null(given), strip_null(wanted), name)
        if isinstance(given, NullType):
            return sym, isinstance(wanted, NullableType | NullType)
        null_fits = isinstance(wanted, NullableType)
        return (
            Sym(bare.shape, sym.null, sym.gap),
            conjoin((disjoin((negate(sym.null), null_fits)), disjoin((sym.null, fits)))),
        )

    def _bare(self, sym: Sym, given: Type, wanted: Type, name: str) -> Fitted:
        match given, wanted:
            case ((IntType() | NumberType()), (IntType() | NumberType())):
                return self._number(sym, given, wanted, name)
            case StringType(), StringType():
                return self._text(sym, given, wanted, name)
            case ListType(), ListType():
                return self._list(sym, given, wanted, name)
            case MapType(), MapType():
                return self._map(sym, given, wanted, name)
            case RecordType(), RecordType():
                return self._record(sym, given, wanted, name)
        return (sym, True) if given == wanted else (NOTHING, False)

    def open(self, doubt: str) -> Bool:
        """A condition of which no term tells whether it holds."""
        self.doubts[doubt] = None
        return True if self.optimistic else self.symbols.unconstrained(z3.BoolSort(), "fits")

    def _number(
        self, sym: Sym, given: IntType | NumberType, wanted: IntType | NumberType, name: str
    ) -> Fitted:
        term = self.symbols.term(sym, given)
        fits: list[Bool] = []
        if isinstance(given, NumberType) and given.text and not _takes_text(wanted):
            fits.append(self.open(f"`{name}` may be a number or a text that spells one"))
        if isinstance(given, NumberType) and isinstance(wanted, IntType):
            fits.append(z3.IsInt(term))
            term = z3.ToInt(term)
        elif isinstance(given, IntType) and isinstance(wanted, NumberType):
            term = z3.ToReal(term)
        return Sym(Scalar(term)), conjoin([*fits, scalar_bounds(wanted, term)])

    def _text(self, sym: Sym, given: StringType, wanted: StringType, name: str) -> Fitted:
        term = self.symbols.term(sym, given)
        looks = (wanted.pattern, wanted.min_length, wanted.max_length)
        formed = wanted.enum is None and looks != (None, None, None)
        spelt = wanted.pattern is None or to_z3_regex(wanted.pattern) is not None
        if formed and not (self.symbols.texts.structured and spelt):
            return sym, self.open(f"the solver cannot tell which texts `{name}` may be")
        return sym, text_bounds(wanted, term, self.symbols.texts)

    def _list(self, sym: Sym, given: ListType, wanted: ListType, name: str) -> Fitted:
        shape = as_list(sym.shape)
        fits: list[Bool] = [shape.length >= wanted.min_items]
        if wanted.max_items is not None:
            fits.append(shape.length <= wanted.max_items)
        if same_values(given.item, wanted.item):
            return sym, conjoin(fits)
        slots = []
        for slot in shape.slots:
            item, item_fits = self.refit(slot.value, given.item, wanted.item, f"{name}[]")
            slots.append(Slot(slot.active, item))
            fits.append(implies(slot.active, item_fits))
        if shape.has_tail:
            beyond = self.open(f"`{name}` may have more items than were looked at")
            fits.append(disjoin((shape.tail == 0, beyond)))
        kept = ListShape(tuple(slots), shape.tail, shape.length, shape.dense)
        return Sym(kept), conjoin(fits)

    def _map(self, sym: Sym, given: MapType, wanted: MapType, name: str) -> Fitted:
        fits: list[Bool] = []
        if (given.min_size, given.max_size) != (wanted.min_size, wanted.max_size):
            size = as_map(self.symbols, sym.shape, given).keys().length
            fits.append(size >= wanted.min_size)
            if wanted.max_size is not None:
                fits.append(size <= wanted.max_size)
        if same_values(given.value, wanted.value):
            return sym, conjoin(fits)
        shape = as_map(self.symbols, sym.shape, given)

        def lookup(key: Sym) -> tuple[Bool, Sym]:
            present, value = shape.get(key)
            return present, self.refit(value, given.value, wanted.value, f"{name}{{}}")[0]

        fits.append(self.open(f"the entries of `{name}` are of other types"))
        keys = shape.keys()
        for slot in keys.slots:
            entry_fits = self.refit(
                shape.get(slot.value)[1], given.value, wanted.value, f"{name}{{}}"
            )[1]
            fits.append(implies(slot.active, entry_fits))
        return Sym(replace(shape, lookup=lookup, touched=[])), conjoin(fits)

    def _record(self, sym: Sym, given: RecordType, wanted: RecordType, name: str) -> Fitted:
        shape = as_record(sym.shape, given)
        fits = [self._field_fits(shape, given, wanted, field) for field in wanted.by_name]
        if wanted.closed:
            undeclared = [field for field in given.by_name if field not in wanted.by_name]
            fits += [negate(shape.get(field)[0]) for field in undeclared]
            if not given.closed:
                fits.append(self.open(f"`{name}` may have fields that one schema refuses"))
        return Sym(RecordShape(wanted, _fields(self, shape, given, wanted, name))), conjoin(fits)

    def _field_fits(
        self, shape: RecordShape, given: RecordType, wanted: RecordType, name: str
    ) -> Bool:
        wish = wanted.by_name[name]
        have = given.by_name.get(name)
        if have is None:
            return wish.optional
        if same_values(have.type, wish.type) and (wish.optional or not have.optional):
            return True
        present, value = shape.get(name)
        fits = self.refit(value, have.type, wish.type, name)[1]
        return conjoin((wish.optional or present, implies(present, fits)))


def _takes_text(type_: IntType | NumberType) -> bool:
    return isinstance(type_, NumberType) and type_.text


def _fields(
    refit: Refit, shape: RecordShape, given: RecordType, wanted: RecordType, name: str
) -> Callable[[str], tuple[Bool, Sym]]:
    def make(field_name: str) -> tuple[Bool, Sym]:
        have = given.by_name.get(field_name)
        if have is None:
            return False, NOTHING
        present, value = shape.get(field_name)
        wish = wanted.by_name[field_name].type
        return present, refit.refit(value, have.type, wish, field_name)[0]

    return make
