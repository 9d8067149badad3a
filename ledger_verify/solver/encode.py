"""Typed expressions to symbolic values, in the meaning of the reference interpreter.

A predicate is TRUE iff its value holds and it has no gap. ERROR is a gap; so is evidence that is
missing for good. `&&`, `||`, `all` and `exists` absorb gaps, all else is strict.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Protocol

from ledger_verify.lang.typed import (
    HEARD,
    And,
    Apply,
    Choose,
    Constant,
    Expr,
    FieldOf,
    Fold,
    HasField,
    ListOf,
    MapOf,
    Observed,
    Or,
    Read,
    Records,
    Variable,
)
from ledger_verify.lang.types import BoolType, RecordType, Type, strip_null
from ledger_verify.solver.folds import FoldEncoder
from ledger_verify.solver.free_names import free_names
from ledger_verify.solver.logic import Bool, conjoin, disjoin, negate
from ledger_verify.solver.merging import map_of_entries, merge
from ledger_verify.solver.operations import apply_symbolic
from ledger_verify.solver.origins import Origins, patterns_read, together
from ledger_verify.solver.shapes import (
    NOTHING,
    Known,
    ListShape,
    Slot,
    Sym,
    as_list,
    as_record,
    is_hollow,
    known,
    list_sym,
)
from ledger_verify.solver.stated import free_condition, reads_messages
from ledger_verify.solver.symbols import Symbols
from ledger_verify.solver.truths import bool_sym, hopeless, junction, truth_of

_OUTSIDE = frozenset({"in_map", "value_at", "keys", "size", "item_at"})
"""Operations that do not look into parts of records and items of lists."""


class World(Protocol):
    """What stands for the ledger and the call in one query."""

    def read(self, expr: Read, keys: tuple[Sym, ...]) -> Sym:
        """The record at the path, without a gap for the keys' own gaps."""

    def observed(self, expr: Observed, keys: tuple[Sym, ...]) -> Bool:
        """Whether the record counts as observed."""

    def records(self, expr: Records) -> Sym:
        """The list of records observed at the pattern."""

    def variable(self, expr: Variable) -> Sym:
        """The value of `args`, `now`, `call` or a part of the history."""


class Encoder:
    """Encodes expressions over one world."""

    def __init__(self, symbols: Symbols, world: World) -> None:
        self._symbols = symbols
        self._world = world
        self._known: dict[tuple[int, ...], tuple[Sym, object]] = {}
        self._origins: Mapping[str, Origins] = {}

    def holds(self, predicate: Expr, bound: Mapping[str, Sym] | None = None) -> Bool:
        """The condition under which a predicate is TRUE."""
        value, gap = truth_of(self.encode(predicate, bound or {}))
        return conjoin((negate(gap), value))

    def fails(self, predicate: Expr) -> Bool:
        """The condition under which a predicate is FALSE."""
        value, gap = truth_of(self.encode(predicate, {}))
        return conjoin((negate(gap), negate(value)))

    def lacks(self, expr: Expr) -> Bool:
        """The condition under which an expression of any type has no value."""
        sym = self.encode(expr, {})
        is_bool = isinstance(strip_null(expr.type), BoolType)
        return disjoin((sym.gap, sym.null)) if is_bool else sym.gap

    def encode(self, expr: Expr, bound: Mapping[str, Sym]) -> Sym:
        """The symbolic value; `bound` are the variables of the macros around it.

        What means the same is encoded once: the same node under the same variables.
        """
        if isinstance(expr, Constant):
            return known(expr.value)
        if isinstance(expr, Variable):
            return bound[expr.name] if expr.name in bound else self._world.variable(expr)
        inside = [bound[name] for name in free_names(expr) if name in bound]
        place = (id(expr), *map(id, inside))
        if place not in self._known:
            self._symbols.deadline.check()
            with self._symbols.speaking_of(self._origins_of(expr, bound)):
                value = self._encode(expr, bound)
            # the ids stay theirs as long as what they are of is kept
            self._known[place] = value, (expr, inside)
        return self._known[place][0]

    def _origins_of(self, expr: Expr, bound: Mapping[str, Sym]) -> Origins:
        """What a value of the expression is a function of, besides the call and the present."""
        names = [name for name in free_names(expr) if name in bound]
        return together([patterns_read(expr), *(self._origins.get(name) for name in names)])

    def _encode(self, expr: Expr, bound: Mapping[str, Sym]) -> Sym:
        if HEARD.name in free_names(expr) and reads_messages(expr):
            heard = self._world.variable(HEARD)
            if not isinstance(heard.shape, Known):
                free = partial(self.encode, bound=bound)
                return free_condition(self._symbols, expr, heard, free)
        match expr:
            case Constant() | Variable():
                raise AssertionError(expr)
            case Read(keys=keys):
                return self._read(expr, tuple(self.encode(key, bound) for key in keys))
            case Records():
                return self._world.records(expr)
            case Observed(read=read):
                return self._observed(expr, tuple(self.encode(key, bound) for key in read.keys))
            case FieldOf(of=of, field_name=name):
                return self._field(self.encode(of, bound), of.type, name)
            case HasField(of=of, field_name=name):
                record = self.encode(of, bound)
                if hopeless(record):
                    return NOTHING
                present, value = as_record(record.shape, of.type).get(name)
                lost = conjoin((present, value.gap))
                return bool_sym(present, disjoin((record.gap, record.null, lost)))
            case Apply(operation=operation, operands=operands):
                return self._apply(operation, operands, expr.type, bound)
            case And(operands=operands):
                return junction([truth_of(self.encode(o, bound)) for o in operands], False)
            case Or(operands=operands):
                return junction([truth_of(self.encode(o, bound)) for o in operands], True)
            case Choose():
                return self._choose(expr, bound)
            case ListOf(items=items):
                values = [self.encode(item, bound) for item in items]
                slots = tuple(Slot(True, Sym(v.shape, v.null)) for v in values)
                gap = disjoin(part for v in values for part in (v.gap, is_hollow(v)))
                return NOTHING if gap is True else list_sym(ListShape(slots, 0, len(slots)), gap)
            case MapOf(keys=keys, values=parts):
                values = [self.encode(part, bound) for part in parts]
                gap = disjoin(value.gap for value in values)
                there = [(True, Sym(value.shape, value.null)) for value in values]
                entries = [(key, *entry) for key, entry in zip(keys, there, strict=True)]
                shape = map_of_entries(self._symbols, entries, expr.type.value)
                return NOTHING if gap is True else Sym(shape, gap=gap)
            case Fold():
                return self._fold(expr, bound)

    def _read(self, expr: Read, keys: tuple[Sym, ...]) -> Sym:
        if any(hopeless(key) for key in keys):
            return NOTHING
        record = self._world.read(expr, keys)
        gaps = [gap for key in keys for gap in (key.gap, key.null)]
        return Sym(record.shape, record.null, disjoin([*gaps, record.gap]))

    def _observed(self, expr: Observed, keys: tuple[Sym, ...]) -> Sym:
        if any(hopeless(key) for key in keys):
            return known(False)
        named = conjoin(negate(gap) for key in keys for gap in (key.gap, key.null))
        return bool_sym(conjoin((named, self._world.observed(expr, keys))), False)

    def _field(self, record: Sym, type_: Type, name: str) -> Sym:
        if hopeless(record):
            return NOTHING
        assert isinstance(strip_null(type_), RecordType)
        present, value = as_record(record.shape, type_).get(name)
        gap = disjoin((record.gap, record.null, negate(present), value.gap))
        return Sym(value.shape, value.null, gap)

    def _apply(
        self, operation: str, operands: tuple[Expr, ...], type_: Type, bound: Mapping[str, Sym]
    ) -> Sym:
        values = [self.encode(operand, bound) for operand in operands]
        result = apply_symbolic(
            self._symbols, operation, values, [operand.type for operand in operands], type_
        )
        # what has no value within an operand matters to all operations that look into it
        hollow = disjoin(map(is_hollow, values)) if operation not in _OUTSIDE else False
        return Sym(result.shape, result.null, disjoin((result.gap, hollow)))

    def _choose(self, expr: Choose, bound: Mapping[str, Sym]) -> Sym:
        condition, gap = truth_of(self.encode(expr.condition, bound))
        if gap is True:
            return NOTHING
        if condition is True:
            chosen = self.encode(expr.then, bound)
        elif condition is False:
            chosen = self.encode(expr.otherwise, bound)
        else:
            then, otherwise = self.encode(expr.then, bound), self.encode(expr.otherwise, bound)
            chosen = merge(self._symbols, condition, then, otherwise, expr.type)
        return Sym(chosen.shape, chosen.null, disjoin((gap, chosen.gap)))

    def _fold(self, expr: Fold, bound: Mapping[str, Sym]) -> Sym:
        range_ = self.encode(expr.range, bound)
        if hopeless(range_):
            return NOTHING
        origins = {name: self._origins_of(expr.range, bound) for name in _names(expr)}
        origins = {**self._origins, **origins}

        def at(body: Expr, item: Sym, position: Sym | None) -> Sym:
            inside = {**bound, expr.variable.name: item}
            if expr.index is not None and position is not None:
                inside[expr.index.name] = position
            outside, self._origins = self._origins, origins
            try:
                return self.encode(body, inside)
            finally:
                self._origins = outside

        result = FoldEncoder(self._symbols, expr, as_list(range_.shape), at).encode()
        outer = disjoin((range_.gap, range_.null))
        return Sym(result.shape, result.null, disjoin((outer, result.gap)))


def _names(fold: Fold) -> list[str]:
    return [variable.name for variable in fold.variables]
