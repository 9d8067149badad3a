"""Worlds before deployment: nothing is observed, and a call of one tool is all symbols."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from ledger_verify.lang.environment import SESSION
from ledger_verify.lang.typed import Expr
from ledger_verify.lang.types import TIMESTAMP
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Tool
from ledger_verify.solver.query import Limits, Query
from ledger_verify.solver.shapes import Sym, known
from ledger_verify.solver.sizes import wanted_sizes
from ledger_verify.solver.symbols import Symbols
from ledger_verify.solver.wishes import Wishes
from ledger_verify.solver.worlds import LedgerWorld, symbols_for

_EXAMPLE_NOW_US = 1_767_279_600_000_000  # 2026-01-01T15:00:00Z, where a domain pins no clock


class Mode(Enum):
    """What a world is good for.

    In a STRICT one a record that is not observed has no value, so a model is a case that the
    interpreter judges the same way. In a FREE one every record has a value whether or not it is
    observed; it has all the cases that the gate could ever allow, so a proof there holds for the
    gate. A CLOSE one is free, and predicates over the tail of one list know of each other.
    """

    STRICT = "strict"
    FREE = "free"
    CLOSE = "close"


@dataclass(frozen=True)
class Study:
    """One world with its query."""

    symbols: Symbols
    world: LedgerWorld
    query: Query


def study(
    domain: Domain,
    tool: Tool,
    family: Iterable[Expr],
    mode: Mode,
    scope: int,
    limits: Limits,
    *,
    structured: bool = False,
    ranged: bool = True,
) -> Study:
    """A world for questions about predicates of the family and their parts.

    With `structured`, texts are z3's strings even where the predicates only compare them. Without
    `ranged`, results beyond the bounds of their type count as values.
    """
    predicates = tuple(family)
    now_us = example_now_us(domain)
    symbols = symbols_for(domain, predicates, scope, structured=structured)
    symbols.drawing = mode is Mode.CLOSE
    symbols.ranged = ranged
    symbols.wishes = Wishes(now_us) if mode is Mode.STRICT else None
    symbols.around_us = now_us
    symbols.sizes = wanted_sizes(predicates)
    now = symbols.make(TIMESTAMP, "now") if domain.clock_us is None else known(now_us)
    args = symbols.make(tool.arguments, "args")
    names = {"args": args, "now": now, "call": known({"tool": tool.name})}
    names |= session_symbols(domain, symbols)
    world = LedgerWorld(domain, symbols, names, strict=mode is Mode.STRICT)
    return Study(symbols, world, Query(symbols, limits))


def session_symbols(domain: Domain, symbols: Symbols) -> dict[str, Sym]:
    """The facts of any session, by the name that expressions have for them; none if none are
    declared.
    """
    return {} if domain.session is None else {SESSION: symbols.make(domain.session, SESSION)}


def example_now_us(domain: Domain) -> int:
    """The present of examples."""
    return _EXAMPLE_NOW_US if domain.clock_us is None else domain.clock_us
