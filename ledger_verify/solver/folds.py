"""Macros over symbolic lists: what each slot gives, and what the tail may add."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import z3

from ledger_verify.lang.environment import SESSION
from ledger_verify.lang.partial import may_lack_value
from ledger_verify.lang.typed import Expr, Fold, FoldKind, Observed, Read, Records, distinct
from ledger_verify.solver.equality import count_active
from ledger_verify.solver.free_names import free_names
from ledger_verify.solver.logic import Bool, Term, conjoin, disjoin, implies, negate
from ledger_verify.solver.positions import slot_positions, tail_position
from ledger_verify.solver.shapes import (
    NOTHING,
    ListShape,
    Slot,
    Sym,
    Tail,
    is_hollow,
    known,
    list_sym,
)
from ledger_verify.solver.symbols import Symbols
from ledger_verify.solver.tails import decide_tail
from ledger_verify.solver.truths import bool_sym, junction, truth_of

_ALWAYS_KNOWN = frozenset({"args", "call", "heard", "now", SESSION})


@dataclass(frozen=True)
class FoldEncoder:
    """One macro over one list; `at` encodes an expression with an item for its variable, and the
    position of the item if the macro has a variable for that.
    """

    symbols: Symbols
    fold: Fold
    items: ListShape
    at: Callable[[Expr, Sym, Sym | None], Sym]

    def _placed(self) -> Iterator[tuple[Slot, Sym | None]]:
        """The slots that may be active, with the positions of their items if they are asked for."""
        if self.fold.index is None:
            places: Sequence[Sym | None] = [None] * len(self.items.slots)
        else:
            places = slot_positions(self.symbols, self.items)
        for slot, place in zip(self.items.slots, places, strict=True):
            if slot.active is not False:
                yield slot, place

    def encode(self) -> Sym:
        """The symbolic value, without the gap of the list itself."""
        match self.fold.kind:
            case FoldKind.ALL | FoldKind.EXISTS:
                return self._quantify()
            case FoldKind.EXISTS_ONE:
                return self._exists_one()
            case FoldKind.FILTER:
                return self._filter()
            case FoldKind.MAP:
                return self._map()

    def _quantify(self) -> Sym:
        body, absorbing = self.fold.body, self.fold.kind is FoldKind.EXISTS
        parts: list[tuple[Bool, Bool]] = []
        for slot, place in self._placed():
            value, gap = truth_of(self.at(body, slot.value, place))
            # an inactive slot counts as the neutral value
            neutral = conjoin((slot.active, value)) if absorbing else implies(slot.active, value)
            parts.append((neutral, conjoin((slot.active, gap))))
        if self.items.has_tail:

            def decides(item: Sym) -> tuple[Bool, Bool]:
                value, gap = truth_of(self.at(body, item, self._tail_place(item)))
                return value if absorbing else negate(value), gap

            decided, gap = decide_tail(self.symbols, self.items, self.fold.kind.value, decides)
            parts.append((decided if absorbing else negate(decided), gap))
        return junction(parts, absorbing) if parts else known(not absorbing)

    def _kept(self, condition: Expr | None) -> tuple[list[tuple[Slot, Sym | None]], Bool]:
        """The slots that are active and meet a condition, with the positions that their items have
        before, and where the condition has a gap.
        """
        placed = list(self._placed())
        if condition is None:
            return placed, False
        kept: list[tuple[Slot, Sym | None]] = []
        gaps: list[Bool] = []
        for slot, place in placed:
            value, gap = truth_of(self.at(condition, slot.value, place))
            active = conjoin((slot.active, value))
            if active is not False:
                kept.append((Slot(active, slot.value), place))
            gaps.append(conjoin((slot.active, gap)))
        if self.items.has_tail:
            gaps.append(self._tail_gap(condition, is_condition=True))
        return kept, disjoin(gaps)

    def _tail_gap(
        self, body: Expr, condition: Expr | None = None, *, is_condition: bool = False
    ) -> Bool:
        """The body may have no value for an item of the tail that meets the condition."""
        if self._always_has_a_value(body):
            return False

        def lacks(item: Sym) -> tuple[Bool, Bool]:
            place = self._tail_place(item)
            value = self.at(body, item, place)
            gap = truth_of(value)[1] if is_condition else value.gap
            if condition is None:
                return gap, False
            met, unclear = truth_of(self.at(condition, item, place))
            return conjoin((met, negate(unclear), gap)), False

        return decide_tail(self.symbols, self.items, f"{self.fold.kind.value}_lacks", lacks)[0]

    def _tail_place(self, item: Sym) -> Sym | None:
        if self.fold.index is None:
            return None
        return tail_position(self.symbols, self.items, item)

    def _always_has_a_value(self, body: Expr) -> bool:
        """Whether it has one for every item that fits its type, whatever was observed."""
        outside = set(free_names(body)) - {own.name for own in self.fold.variables}
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
        kept, gap = self._kept(self.fold.body)
        count = count_active([slot.active for slot, _ in kept]) + self._some_of_tail()
        return bool_sym(count == 1, gap)

    def _filter(self) -> Sym:
        kept, gap = self._kept(self.fold.body)
        slots = [slot for slot, _ in kept]
        if gap is True:
            return NOTHING
        return list_sym(self._list(slots, self.fold.body, lambda item: item), gap)

    def _list(self, slots: list[Slot], condition: Expr, made_of: Callable[[Sym], Sym]) -> ListShape:
        """The list of the items in these slots, and of what is made of some of the tail."""
        tail = self._some_of_tail()
        dense = not self.items.has_tail and all(slot.active is True for slot in slots)
        length = count_active([slot.active for slot in slots]) + tail
        source = self.items.source
        if source is None or not self.items.has_tail:
            return ListShape(tuple(slots), tail, length, dense)
        draw = source.draw

        def draw_kept() -> Sym:
            item = draw()
            met, gap = truth_of(self.at(condition, item, self._tail_place(item)))
            self.symbols.facts.append(implies(tail > 0, conjoin((met, negate(gap)))))
            return made_of(item)

        return ListShape(tuple(slots), tail, length, dense, Tail(draw_kept, 0, length))

    def _made_of_all(self, made_of: Callable[[Sym], Sym]) -> Tail | None:
        """What the items beyond the slots are drawn from once something is made of each."""
        source = self.items.source
        if source is None:
            return None
        draw = source.draw
        return Tail(lambda: made_of(draw()), source.first, source.length)

    def _map(self) -> Sym:
        condition = self.fold.condition
        kept, gap = self._kept(condition)
        if gap is True:
            return NOTHING
        slots, gaps, body = list[Slot](), [gap], self.fold.body

        def made_of(item: Sym) -> Sym:
            value = self.at(body, item, self._tail_place(item))
            return Sym(value.shape, value.null)

        for slot, place in kept:
            value = self.at(body, slot.value, place)
            slots.append(Slot(slot.active, Sym(value.shape, value.null)))
            gaps.append(conjoin((slot.active, disjoin((value.gap, is_hollow(value))))))
        if self.items.has_tail:
            gaps.append(self._tail_gap(body, condition))
        gap = disjoin(gaps)
        if condition is None:
            shape = replace(self.items, slots=tuple(slots), source=self._made_of_all(made_of))
        else:
            shape = self._list(slots, condition, made_of)
        return NOTHING if gap is True else list_sym(shape, gap)
