"""What `all` and `exists` make of the items of a list beyond its slots.

Nothing is known of those items, so what a predicate makes of them is a free value. Proofs for
lists of any length need one thing more: two predicates over one list speak of the same items. So
each predicate gets items of the tail that bear it out, and is asked of the items of the others.
"""

from __future__ import annotations

import z3

from ledger_verify.solver.logic import Bool, conjoin, implies, negate
from ledger_verify.solver.shapes import ListShape, Predicate, Sym, Tail, Use
from ledger_verify.solver.symbols import Symbols

_MAX_ITEMS = 8


def decide_tail(
    symbols: Symbols, shape: ListShape, hint: str, predicate: Predicate
) -> tuple[Bool, Bool]:
    """Whether an item of the tail decides, and whether one has a gap.

    `predicate` says of an item whether it is one that decides (true for `exists`, false for
    `all`) and whether it has a gap. A tail that cannot be drawn from may do either.
    """
    beyond = shape.tail > 0
    decided = symbols.unconstrained(z3.BoolSort(), f"{hint}_tail")
    gap = symbols.unconstrained(z3.BoolSort(), f"{hint}_tail_gap")
    tail = shape.source
    if tail is not None and not tail.busy and len(tail.items) < _MAX_ITEMS:
        tail.busy = True  # what the predicate itself makes of the same tail stays open
        symbols.facts += [
            implies(beyond, fact) for fact in _relate(tail, Use(predicate, decided, gap))
        ]
        tail.busy = False
    return conjoin((beyond, decided)), conjoin((beyond, gap))


def _relate(tail: Tail, use: Use) -> list[Bool]:
    """The use is borne out by items of its own, and all uses hold of all items."""
    bears, lacks = tail.draw(), tail.draw()
    decides, no_value = use.predicate(bears)
    facts = [
        implies(use.decided, conjoin((decides, negate(no_value)))),
        implies(use.gap, use.predicate(lacks)[1]),
    ]
    facts += [fact for item in tail.items for fact in _seen(use, item)]
    tail.items += [bears, lacks]
    tail.uses.append(use)
    facts += [fact for other in tail.uses for item in (bears, lacks) for fact in _seen(other, item)]
    return facts


def _seen(use: Use, item: Sym) -> list[Bool]:
    """If the item decides, so does the tail; if it has a gap, so has the tail."""
    decides, gap = use.predicate(item)
    return [implies(conjoin((decides, negate(gap))), use.decided), implies(gap, use.gap)]
