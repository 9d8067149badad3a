"""Typed expressions to symbolic values, in the meaning of the reference interpreter.

A predicate is TRUE iff its value holds and it has no gap. ERROR is a gap; so is evidence that is
missing for good. `&&`, `||`, `all` and `exists` absorb gaps, all else is strict.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import z3

from ledger_verify.lang.typed import (
    And,
    Apply,
    Choose,
    Constant,
    Expr,
    FieldOf,
    Fold,
    FoldKind,
    HasField,
    ListOf,
    Observed,
    Or,
    Read,
    Records,
    Variable,
)
from ledger_verify.lang.types import RecordType, Type, strip_null
from ledger_verify.solver.equality import count_active
from ledger_verify.solver.free_names import free_names
from ledger_verify.solver.logic import Bool, conjoin, disjoin, implies, negate
from ledger_verify.solver.merging import merge
from ledger_verify.solver.operations import apply_symbolic
from ledger_verify.solver.shapes import (
    NOTHING,
    Known,
    ListShape,
    Scalar,
    Slot,
    Sym,
    as_list,
    as_record,
    known,
    list_sym,
)
from ledger_verify.solver.symbols import Symbols


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

    def holds(self, predicate: Expr, bound: Mapping[str, Sym] | None = None) -> Bool:
        """The condition under which a predicate is TRUE."""
        value, gap = self._truth(self.encode(predicate, bound or {}))
        return conjoin((negate(gap), value))

    def fails(self, predicate: Expr) -> Bool:
        """The condition under which a predicate is FALSE."""
        value, gap = self._truth(self.encode(predicate, {}))
        return conjoin((negate(gap), negate(value)))

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
            # the ids stay theirs as long as what they are of is kept
            self._known[place] = self._encode(expr, bound), (expr, inside)
        return self._known[place][0]

    def _encode(self, expr: Expr, bound: Mapping[str, Sym]) -> Sym:
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
                if self._hopeless(record):
                    return NOTHING
                present, _ = as_record(record.shape, of.type).get(name)
                return self._bool(present, disjoin((record.gap, record.null)))
            case Apply(operation=operation, operands=operands):
                return self._apply(operation, operands, expr.type, bound)
            case And(operands=operands):
                return self._junction([self._truth(self.encode(o, bound)) for o in operands], False)
            case Or(operands=operands):
                return self._junction([self._truth(self.encode(o, bound)) for o in operands], True)
            case Choose():
                return self._choose(expr, bound)
            case ListOf(items=items):
                values = [self.encode(item, bound) for item in items]
                slots = tuple(Slot(True, Sym(v.shape, v.null)) for v in values)
                gap = disjoin(v.gap for v in values)
                return NOTHING if gap is True else list_sym(ListShape(slots, 0, len(slots)), gap)
            case Fold():
                return self._fold(expr, bound)

    def _hopeless(self, sym: Sym) -> bool:
        return sym.gap is True or sym.null is True

    def _read(self, expr: Read, keys: tuple[Sym, ...]) -> Sym:
        if any(self._hopeless(key) for key in keys):
            return NOTHING
        record = self._world.read(expr, keys)
        gaps = [gap for key in keys for gap in (key.gap, key.null)]
        return Sym(record.shape, record.null, disjoin([*gaps, record.gap]))

    def _observed(self, expr: Observed, keys: tuple[Sym, ...]) -> Sym:
        if any(self._hopeless(key) for key in keys):
            return known(False)
        named = conjoin(negate(gap) for key in keys for gap in (key.gap, key.null))
        return self._bool(conjoin((named, self._world.observed(expr, keys))), False)

    def _field(self, record: Sym, type_: Type, name: str) -> Sym:
        if self._hopeless(record):
            return NOTHING
        assert isinstance(strip_null(type_), RecordType)
        present, value = as_record(record.shape, type_).get(name)
        gap = disjoin((record.gap, record.null, negate(present), value.gap))
        return Sym(value.shape, value.null, gap)

    def _apply(
        self, operation: str, operands: tuple[Expr, ...], type_: Type, bound: Mapping[str, Sym]
    ) -> Sym:
        values = [self.encode(operand, bound) for operand in operands]
        return apply_symbolic(
            self._symbols, operation, values, [operand.type for operand in operands], type_
        )

    def _truth(self, sym: Sym) -> tuple[Bool, Bool]:
        """A Boolean symbolic value as (value, gap); null where a bool is needed is a gap."""
        gap = disjoin((sym.gap, sym.null))
        if gap is True:
            return False, True
        match sym.shape:
            case Known(value=value):
                return bool(value), gap
            case Scalar(term=term):
                return term, gap
        raise AssertionError(sym)

    def _bool(self, value: Bool, gap: Bool) -> Sym:
        if isinstance(value, bool):
            return Sym(Known(value), gap=gap)
        return Sym(Scalar(value), gap=gap)

    def _junction(self, parts: list[tuple[Bool, Bool]], absorbing: bool) -> Sym:
        """Conjunction (absorbing False) or disjunction (absorbing True)."""
        absorbed = disjoin(
            conjoin((negate(gap), value if absorbing else negate(value))) for value, gap in parts
        )
        gap = conjoin((negate(absorbed), disjoin(gap for _, gap in parts)))
        return self._bool(absorbed if absorbing else negate(absorbed), gap)

    def _choose(self, expr: Choose, bound: Mapping[str, Sym]) -> Sym:
        condition, gap = self._truth(self.encode(expr.condition, bound))
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
        if self._hopeless(range_):
            return NOTHING
        outer = disjoin((range_.gap, range_.null))
        items = as_list(range_.shape)
        inner = [{**bound, expr.variable.name: slot.value} for slot in items.slots]
        match expr.kind:
            case FoldKind.ALL | FoldKind.EXISTS:
                result = self._quantify(expr, items, inner)
            case FoldKind.EXISTS_ONE:
                result = self._exists_one(expr, items, inner)
            case FoldKind.FILTER:
                result = self._filter(expr.body, items, inner)
            case FoldKind.MAP:
                result = self._map(expr, items, inner, bound)
        return Sym(result.shape, result.null, disjoin((outer, result.gap)))

    def _tail_guess(self, items: ListShape, hint: str) -> tuple[Bool, Bool]:
        """What a predicate makes of the tail: it may be anything, or have no value."""
        if not items.has_tail:
            return False, False
        beyond = items.tail > 0
        value = self._symbols.unconstrained(z3.BoolSort(), f"{hint}_tail")
        gap = self._symbols.unconstrained(z3.BoolSort(), f"{hint}_tail_gap")
        return conjoin((beyond, value)), conjoin((beyond, gap))

    def _quantify(self, expr: Fold, items: ListShape, inner: list[dict[str, Sym]]) -> Sym:
        absorbing = expr.kind is FoldKind.EXISTS
        parts: list[tuple[Bool, Bool]] = []
        for slot, variables in zip(items.slots, inner, strict=True):
            if slot.active is False:
                continue
            value, gap = self._truth(self.encode(expr.body, variables))
            # an inactive slot counts as the neutral value
            neutral = (
                conjoin((slot.active, value)) if absorbing else implies(slot.active, value)
            )
            parts.append((neutral, conjoin((slot.active, gap))))
        if items.has_tail:
            guess, gap = self._tail_guess(items, expr.kind.value)
            parts.append((guess if absorbing else negate(guess), gap))
        return self._junction(parts, absorbing) if parts else known(not absorbing)

    def _flags(
        self, body: Expr, items: ListShape, inner: list[dict[str, Sym]]
    ) -> tuple[list[Bool], Bool]:
        """For each slot whether it is active and meets the condition, and where that has a gap."""
        flags: list[Bool] = []
        gaps: list[Bool] = []
        for slot, variables in zip(items.slots, inner, strict=True):
            if slot.active is False:
                flags.append(False)
                continue
            value, gap = self._truth(self.encode(body, variables))
            flags.append(conjoin((slot.active, value)))
            gaps.append(conjoin((slot.active, gap)))
        return flags, disjoin(gaps)

    def _exists_one(self, expr: Fold, items: ListShape, inner: list[dict[str, Sym]]) -> Sym:
        flags, gap = self._flags(expr.body, items, inner)
        total = count_active(flags)
        if items.has_tail:
            more = self._some_of(items.tail, "exists_one_tail")
            _, tail_gap = self._tail_guess(items, "exists_one")
            total, gap = total + more, disjoin((gap, tail_gap))
        return self._bool(total == 1, gap)

    def _some_of(self, limit: z3.ArithRef, hint: str) -> z3.ArithRef:
        """A number from 0 to `limit`."""
        count = self._symbols.unconstrained(z3.IntSort(), hint)
        self._symbols.facts.append(z3.And(count >= 0, count <= limit))
        return count

    def _filter(self, body: Expr, items: ListShape, inner: list[dict[str, Sym]]) -> Sym:
        flags, gap = self._flags(body, items, inner)
        slots = tuple(Slot(f, s.value) for f, s in zip(flags, items.slots, strict=True))
        if gap is True:
            return NOTHING
        if all(isinstance(flag, bool) for flag in flags) and not items.has_tail:
            slots = tuple(slot for slot in slots if slot.active)
            return list_sym(ListShape(slots, 0, len(slots)), gap)
        tail: z3.ArithRef | int = 0
        if items.has_tail:
            tail = self._some_of(items.tail, "filter_tail")
            _, tail_gap = self._tail_guess(items, "filter")
            gap = disjoin((gap, tail_gap))
        return Sym(ListShape(slots, tail, count_active(flags) + tail, dense=False), gap=gap)

    def _map(
        self, expr: Fold, items: ListShape, inner: list[dict[str, Sym]], bound: Mapping[str, Sym]
    ) -> Sym:
        gap: Bool = False
        if expr.condition is not None:
            kept = self._filter(expr.condition, items, inner)
            if kept.gap is True:
                return NOTHING
            items, gap = as_list(kept.shape), kept.gap
            inner = [{**bound, expr.variable.name: slot.value} for slot in items.slots]
        slots = []
        gaps = [gap]
        for slot, variables in zip(items.slots, inner, strict=True):
            value = self.encode(expr.body, variables) if slot.active is not False else NOTHING
            slots.append(Slot(slot.active, Sym(value.shape, value.null)))
            gaps.append(conjoin((slot.active, value.gap)))
        if items.has_tail:
            gaps.append(self._tail_guess(items, "map")[1])
        gap = disjoin(gaps)
        shape = ListShape(tuple(slots), items.tail, items.length, items.dense)
        return NOTHING if gap is True else list_sym(shape, gap)


