"""Equal parts of several expressions as one object, so that they share one encoding."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from ledger_verify.lang.form import said_besides_parts
from ledger_verify.lang.rewrite import with_parts
from ledger_verify.lang.typed import Expr, parts


def shared(exprs: Iterable[Expr]) -> tuple[Expr, ...]:
    """The expressions, in which parts that say the same are one object.

    The bounds of types are those of the first one met, so all must be over the same types.
    """
    visited: dict[int, tuple[Expr, Expr]] = {}
    kept: dict[Hashable, Expr] = {}

    def visit(expr: Expr) -> Expr:
        if id(expr) not in visited:
            below = tuple(map(visit, parts(expr)))
            said = said_besides_parts(expr), str(expr.type)
            place = (type(expr), said, tuple(map(id, below)))
            if place not in kept:
                kept[place] = with_parts(expr, below)
            visited[id(expr)] = expr, kept[place]
        return visited[id(expr)][1]

    return tuple(map(visit, exprs))
