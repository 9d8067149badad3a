"""The same constraints with the symbols of one record exchanged for others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import z3

from ledger_verify.policy.evidence import MissingPath
from ledger_verify.solver.logic import Bool, Term, as_term
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
        if is_open(name) or _belongs(name, path)
    ]
    for name, (function, _) in symbols.functions.items():
        if is_open(name):
            exchanged.append((function, _elsewhere(function, f"{name}'", 0, lambda keys: True)))
        elif _belongs(name, path):
            exchanged.append((function, _elsewhere(function, f"{name}'", len(path.keys), is_it)))
    if not exchanged:
        return list(constraints)
    return [
        c if isinstance(c, bool) else z3.substitute_funs(as_term(c), *exchanged)
        for c in constraints
    ]


def _belongs(name: str, path: MissingPath) -> bool:
    whole = root(path.pattern)
    return name.startswith(partial_root(path.pattern, path.keys)) or (
        name.startswith(whole) and not name.startswith(f"{whole}[")
    )


def _elsewhere(
    function: Any, name: str, keys: int, is_it: Callable[[Sequence[Term]], Bool]
) -> Term:
    """The function with other values where its first arguments are the keys of the path."""
    sorts = [function.domain(i) for i in range(function.arity())]
    arguments = [z3.Var(i, sort) for i, sort in enumerate(sorts)]
    other = z3.Function(name, *sorts, function.range())(*arguments)
    return z3.If(as_term(is_it(arguments[:keys])), other, function(*arguments))
