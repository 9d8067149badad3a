"""The same constraints with the symbols of some records exchanged for others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import z3

from ledger_verify.lang.deadline import Deadline
from ledger_verify.policy.evidence import MissingPath
from ledger_verify.solver.logic import Bool, Term, as_term, disjoin, identical
from ledger_verify.solver.names import is_open, partial_root, root
from ledger_verify.solver.symbols import Symbols

IsIt = Callable[[MissingPath, Sequence[Term]], Bool]


def vary(
    symbols: Symbols, paths: Sequence[MissingPath], constraints: Sequence[Bool], is_it: IsIt
) -> list[Bool]:
    """The constraints over completions in which only what is missing at the paths may differ.

    `is_it` says whether keys are those of a path. What the encoding leaves open (tails of lists,
    and what becomes of them) may differ as well, as far as it is a function of such records.
    """
    exchanged = [
        (constant.decl(), z3.Const(f"{name}'", constant.sort()))
        for name, constant in symbols.constants.items()
        if _may_differ(symbols, name, paths)
        or any(_is_part(name, path) or _is_whole(name, path) for path in paths)
    ]
    for name, (function, _) in symbols.functions.items():
        whole = [path for path in paths if _is_whole(name, path)]
        if _may_differ(symbols, name, paths) or any(_is_part(name, path) for path in paths):
            exchanged.append((function, _elsewhere(function, f"{name}'", 0, lambda keys: True)))
        elif whole:
            count = len(whole[0].keys)
            where = _any_of(whole, is_it)
            exchanged.append((function, _elsewhere(function, f"{name}'", count, where)))
    if not exchanged:
        return list(constraints)
    return [_exchange(constraint, exchanged, symbols.deadline) for constraint in constraints]


def _any_of(paths: Sequence[MissingPath], is_it: IsIt) -> Callable[[Sequence[Term]], Bool]:
    return lambda keys: disjoin(is_it(path, keys) for path in paths)


def _exchange(constraint: Bool, exchanged: Sequence[tuple[Any, Term]], deadline: Deadline) -> Bool:
    """The constraint with the exchanged functions, or itself where it has none of them."""
    deadline.check()
    if isinstance(constraint, bool):
        return constraint
    other = z3.substitute_funs(constraint, *exchanged)
    return constraint if identical(other, constraint) else other


def _may_differ(symbols: Symbols, name: str, paths: Sequence[MissingPath]) -> bool:
    """Whether the symbol is one that was left open, and may be a function of such a record."""
    if not is_open(name):
        return False
    origins = symbols.origins.get(name)
    return origins is None or any(path.pattern in origins for path in paths)


def _is_part(name: str, path: MissingPath) -> bool:
    """Whether the symbol is for a stale part of the record, which was observed otherwise."""
    return name.startswith(partial_root(path.pattern, path.keys))


def _is_whole(name: str, path: MissingPath) -> bool:
    """Whether the symbol is for a field of records of the pattern, by their keys, or for calls of
    the history that the path names.
    """
    if path.pattern.startswith("history."):
        return name.startswith((f"{path.pattern}#", f"{path.pattern}?"))
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
