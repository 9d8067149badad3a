"""Macros over symbolic lists: what each slot gives, and what the tail may add."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import z3

from ledger_verify.lang.partial import may_lack_value
from ledger_verify.lang.typed import Expr, Fold, FoldKind, Observed, Read, Records, distinct
from ledger_verify.solver.equality import count_active
from ledger_verify.solver.free_names import free_names
from ledger_verify.solver.logic import Bool, Term, conjoin, disjoin, implies, negate
from ledger_verify.solver.shapes import NOTHING, ListShape, Slot, Sym, as_list, known, list_sym
from ledger_verify.solver.symbols import Symbols
from ledger_verify.solver.tails import decide_tail
from ledger_verify.solver.truths import bool_sym, junction, truth_of

_ALWAYS_KNOWN = frozenset({"args", "call", "now"})


@dataclass(frozen=True)
class FoldEncoder:
    """One macro over one list; `at` encodes an expression with an item for its variable."""

    symbols: Symbols
    fold: Fold
    items: ListShape
    at: Callable[[Expr, Sym], Sym]

    def encode(self) -> Sym:
        """The symbolic value, without the gap of the list itself."""
        match self.fold.kind:
            case FoldKind.ALL | FoldKind.EXISTS:
                return self._quantify()
            case FoldKind.EXISTS_ONE:
                return self._exists_one()
            case FoldKind.FILTER:
                return self._filter(self.fold.body)
            case FoldKind.MAP:
                return self._map()

    def _quantify(self) -> Sym:
        body, absorbing = self.fold.body, self.fold.kind is FoldKind.EXISTS
        parts: list[tuple[Bool, Bool]] = []
        for slot in self.items.slots:
            if slot.active is False:
                continue
            value, gap = truth_of(self.at(body, slot.value))
            # an inactive slot counts as the neutral value
            neutral = conjoin((slot.active, value)) if absorbing else implies(slot.active, value)
            parts.append((neutral, conjoin((slot.active, gap))))
        if self.items.has_tail:

            def decides(item: Sym) -> tuple[Bool, Bool]:
                value, gap = truth_of(self.at(body, item))
                return value if absorbing else negate(value), gap

            decided, gap = decide_tail(self.symbols, self.items, self.fold.kind.value, decides)
            parts.append((decided if absorbing else negate(decided), gap))
        return junction(parts, absorbing) if parts else known(not absorbing)

    def _flags(self, body: Expr) -> tuple[list[Bool], Bool]:
        """For each slot whether it is active and meets the condition, and where that has a gap."""
        flags: list[Bool] = []
        gaps: list[Bool] = []
        for slot in self.items.slots:
            if slot.active is False:
                flags.append(False)
                continue
            value, gap = truth_of(self.at(body, slot.value))
            flags.append(conjoin((slot.active, value)))
            gaps.append(conjoin((slot.active, gap)))
        if self.items.has_tail:
            gaps.append(self._tail_gap(body))
        return flags, disjoin(gaps)

    def _tail_gap(self, body: Expr) -> Bool:
        """The body may have no value for an item of the tail."""
        if self._always_has_a_value(body):
            return False
        gap = self.symbols.unconstrained(z3.BoolSort(), f"{self.fold.kind.value}_tail_gap")
        return conjoin((self.items.tail > 0, gap))

    def _always_has_a_value(self, body: Expr) -> bool:
        """Whether it has one for every item that fits its type, whatever was observed."""
        outside = set(free_names(body)) - {self.fold.variable.name}
        reads = any(isinstance(part, Read | Records | Observed) for part in distinct(body))
        return outside <= _ALWAYS_KNOWN and not reads and not may_lack_value(body)

    def _some_of_tail(self) -> Term:
        """How many items of the tail meet the condition: any number of them."""
        if not self.items.has_tail:
            return 0
        count = self.symbols.unconstrained(z3.IntSort(), f"{self.fold.kind.value}_tail")
        self.symbols.facts.append(z3.And(count >= 0, count <= self.items.tail))
        return count

    def _exists_one(self) -> Sym:
        flags, gap = self._flags(self.fold.body)
        return bool_sym(count_active(flags) + self._some_of_tail() == 1, gap)

    def _filter(self, condition: Expr) -> Sym:
        flags, gap = self._flags(condition)
        if gap is True:
            return NOTHING
        slots = [Slot(f, s.value) for f, s in zip(flags, self.items.slots, strict=True)]
        kept = tuple(slot for slot in slots if slot.active is not False)
        tail = self._some_of_tail()
        dense = not self.items.has_tail and all(slot.active is True for slot in kept)
        return list_sym(ListShape(kept, tail, count_active(flags) + tail, dense), gap)

    def _map(self) -> Sym:
        items, gaps = self.items, list[Bool]()
        if self.fold.condition is not None:
            kept = self._filter(self.fold.condition)
            if kept.gap is True:
                return NOTHING
            items, gaps = as_list(kept.shape), [kept.gap]
        slots = []
        for slot in items.slots:
            value = NOTHING if slot.active is False else self.at(self.fold.body, slot.value)
            slots.append(Slot(slot.active, Sym(value.shape, value.null)))
            gaps.append(conjoin((slot.active, value.gap)))
        if items.has_tail:
            gaps.append(self._tail_gap(self.fold.body))
        gap = disjoin(gaps)
        shape = ListShape(tuple(slots), items.tail, items.length, items.dense)
        return NOTHING if gap is True else list_sym(shape, gap)
