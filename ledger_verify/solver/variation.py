"""The same constraints with the symbols of one record exchanged for others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import z3

from ledger_verify.lang.deadline import Deadline
from ledger_verify.policy.evidence import MissingPath
from ledger_verify.solver.logic import Bool, Term, as_term, identical
from ledger_verify.solver.names import is_open, partial_root, root
from ledger_verify.solver.symbols import Symbols


def vary(
    symbols: Symbols,
    path: MissingPath,
    constraints: Sequence[Bool],
    is_it: Callable[[Sequence[Term]], Bool],
) -> list[Bool]:
    """The constraints over completions in which only what is missing at the path may differ.

    `is_it` says whether keys are those of the path. What the encoding leaves open (tails of
    lists, and what becomes of them) may differ as well.
    """
    exchanged = [
        (constant.decl(), z3.Const(f"{name}'", constant.sort()))
        for name, constant in symbols.constants.items()
        if is_open(name) or _is_part(name, path) or _is_whole(name, path)
    ]
    for name, (function, _) in symbols.functions.items():
        if is_open(name) or _is_part(name, path):
            exchanged.append((function, _elsewhere(function, f"{name}'", 0, lambda keys: True)))
        elif _is_whole(name, path):
            exchanged.append((function, _elsewhere(function, f"{name}'", len(path.keys), is_it)))
    if not exchanged:
        return list(constraints)
    return [_exchange(constraint, exchanged, symbols.deadline) for constraint in constraints]


def _exchange(constraint: Bool, exchanged: Sequence[tuple[Any, Term]], deadline: Deadline) -> Bool:
    """The constraint with the exchanged functions, or itself where it has none of them."""
    deadline.check()
    if isinstance(constraint, bool):
        return constraint
    other = z3.substitute_funs(constraint, *exchanged)
    return constraint if identical(other, constraint) else other


def _is_part(name: str, path: MissingPath) -> bool:
    """Whether the symbol is for a stale part of the record, which was observed otherwise."""
    return name.startswith(partial_root(path.pattern, path.keys))


def _is_whole(name: str, path: MissingPath) -> bool:
    """Whether the symbol is for a field of records of the pattern, by their keys."""
    whole = root(path.pattern)
    return name.startswith(whole) and not name.startswith(f"{whole}[")


def _elsewhere(
    function: Any, name: str, keys: int, is_it: Callable[[Sequence[Term]], Bool]
) -> Term:
    """The function with other values where its first arguments are the keys of the path."""
    sorts = [function.domain(i) for i in range(function.arity())]
    arguments = [z3.Var(i, sort) for i, sort in enumerate(sorts)]
    other = z3.Function(name, *sorts, function.range())(*arguments)
    return z3.If(as_term(is_it(arguments[:keys])), other, function(*arguments))
