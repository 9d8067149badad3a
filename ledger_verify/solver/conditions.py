"""When the parts of a predicate are true, false or without a value, each by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ledger_verify.lang.typed import Expr, Fold, parts
from ledger_verify.solver.encode import Encoder
from ledger_verify.solver.logic import Bool, conjoin, disjoin, negate
from ledger_verify.solver.positions import slot_positions, tail_position
from ledger_verify.solver.shapes import ListShape, Sym, as_list, item_type
from ledger_verify.solver.symbols import Symbols
from ledger_verify.solver.truths import hopeless, truth_of

Item = tuple[Bool, Sym, Sym | None]
"""When an item of a list is there, the item, and its position."""


@dataclass(frozen=True)
class Condition:
    """The terms under which a part is true, false or without a value somewhere."""

    true: Bool
    false: Bool
    valueless: Bool


@dataclass
class Conditions:
    """The conditions of parts of predicates over one world.

    Inside a macro a part speaks of any item of the list, with `beyond` also of one that the list's
    slots do not show. That one may be anything that all items of the list can be.
    """

    encoder: Encoder
    symbols: Symbols
    beyond: bool
    _ranges: dict[tuple[int, bool], tuple[ListShape, list[Item]]] = field(default_factory=dict)
    _found: dict[int, list[tuple[Bool, Bool, Bool]]] = field(default_factory=dict)
    _seen: dict[tuple[int, ...], object] = field(default_factory=dict)

    def of(self, predicates: Sequence[Expr], wanted: Sequence[Expr]) -> list[Condition]:
        """Those of the wanted parts, which stand somewhere in the predicates."""
        self._found = {id(part): [] for part in wanted}
        for predicate in predicates:
            self._visit(predicate, {}, True)
        return [
            Condition(
                disjoin(conjoin((here, negate(gap), value)) for here, value, gap in places),
                disjoin(conjoin((here, negate(gap), negate(value))) for here, value, gap in places),
                disjoin(conjoin((here, gap)) for here, value, gap in places),
            )
            for places in (self._found[id(part)] for part in wanted)
        ]

    def _visit(self, expr: Expr, bound: Mapping[str, Sym], here: Bool) -> None:
        place = (id(expr), *(id(sym) for sym in bound.values()))
        if place in self._seen or here is False:
            return
        self._seen[place] = expr, bound  # kept, so that the ids stay theirs
        if id(expr) in self._found:
            value, gap = truth_of(self.encoder.encode(expr, bound))
            self._found[id(expr)].append((here, value, gap))
        if not isinstance(expr, Fold):
            for part in parts(expr):
                self._visit(part, bound, here)
            return
        self._visit(expr.range, bound, here)
        bodies = [expr.body] if expr.condition is None else [expr.condition, expr.body]
        for active, item, position in self._items(expr, bound):
            inside = {**bound, expr.variable.name: item}
            if expr.index is not None and position is not None:
                inside[expr.index.name] = position
            for body in bodies:
                self._visit(body, inside, conjoin((here, active)))

    def _items(self, fold: Fold, bound: Mapping[str, Sym]) -> list[Item]:
        """The items of the range, with their positions if the macro has a variable for that."""
        range_ = self.encoder.encode(fold.range, bound)
        if hopeless(range_):
            return []
        wanted = fold.index is not None
        if (id(range_), wanted) not in self._ranges:
            shape = as_list(range_.shape)
            there = conjoin((negate(range_.gap), negate(range_.null)))
            positions: Sequence[Sym | None] = [None] * len(shape.slots)
            if wanted:
                positions = slot_positions(self.symbols, shape)
            items: list[Item] = [
                (conjoin((there, slot.active)), slot.value, position)
                for slot, position in zip(shape.slots, positions, strict=True)
            ]
            if shape.has_tail and self.beyond:
                further = conjoin((there, shape.tail > 0))
                item = self._beyond(fold, shape, further)
                place = tail_position(self.symbols, shape, item) if wanted else None
                items.append((further, item, place))
            self._ranges[id(range_), wanted] = shape, items
            self._seen[id(range_), 0] = range_
        return self._ranges[id(range_), wanted][1]

    def _beyond(self, fold: Fold, shape: ListShape, there: Bool) -> Sym:
        """An item of the tail, with what is known of all of its items."""
        if shape.source is not None:
            return shape.source.draw()
        name = f"beyond!{len(self._ranges)}"
        return self.symbols.make(item_type(fold.range.type), name, when=there)
