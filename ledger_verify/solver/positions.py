"""At which positions the items of symbolic lists stand."""

from __future__ import annotations

import functools

import z3

from ledger_verify.solver.equality import count_active
from ledger_verify.solver.logic import Term, conjoin, implies
from ledger_verify.solver.shapes import ListShape, Scalar, Sym, known
from ledger_verify.solver.symbols import Symbols


def slot_positions(symbols: Symbols, items: ListShape) -> list[Sym]:
    """For each slot the position of its item, which means nothing where the slot is not active.

    In a thin list the tail may stand between the slots, so that any number of its items may come
    before an item.
    """
    if items.dense:
        return [_position(place) for place in range(len(items.slots))]
    positions: list[Sym] = []
    for place in range(len(items.slots)):
        before = count_active([slot.active for slot in items.slots[:place]])
        if not items.has_tail:
            positions.append(_position(before) if isinstance(before, int) else Sym(Scalar(before)))
            continue
        of_tail = symbols.unconstrained(z3.IntSort(), "before")
        symbols.facts.append(conjoin((of_tail >= 0, of_tail <= items.tail)))
        positions.append(Sym(Scalar(before + of_tail)))
    return positions


def tail_position(symbols: Symbols, items: ListShape, item: Sym) -> Sym:
    """The position of an item of the tail; it is the same whenever the item is asked about."""
    tail = items.source
    if tail is not None and id(item) in tail.places:
        return tail.places[id(item)][1]
    place = symbols.unconstrained(z3.IntSort(), "place")
    first: Term = len(items.slots) if items.dense else 0
    length = items.length
    if tail is not None:
        first, length = tail.first, tail.length
    symbols.facts.append(implies(length > first, conjoin((place >= first, place < length))))
    position = Sym(Scalar(place))
    if tail is not None:
        tail.places[id(item)] = item, position  # the item is kept, so that its id stays its own
    return position


@functools.cache
def _position(place: int) -> Sym:
    """The same object for the same position, so that what is over it is encoded once."""
    return known(place)
