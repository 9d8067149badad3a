"""Answers of the solver that are kept between runs, each under all that it was computed from.

The key of an answer is the question itself: what was asked, every expression in it, and all of the
domain that a question can reach, which is all but the rules. A check that asks the same question
gets the same answer, whatever asked it; what the check makes of the answers is done anew each time.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

from ledger_verify.lang.content import ContentNames
from ledger_verify.lang.typed import Apply, Constant, Expr, distinct
from ledger_verify.lang.zone_data import zone_data
from ledger_verify.policy.case import Case, EarlierCall
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Tool
from ledger_verify.solver.asking import Asking
from ledger_verify.solver.outcome import (
    Constants,
    CoreNames,
    Doubt,
    Outcome,
    Reached,
    Ruling,
    Search,
)
from ledger_verify.solver.question import Question

log = logging.getLogger("ledger_verify.checks")
T = TypeVar("T")

_BESIDE = frozenset(
    {
        "name", "rules", "invariants", "always", "revision", "folder", "sources", "templates",
        "strays",
    }
)  # fmt: skip
"""The parts of a domain that no question reads but by the expressions that it holds itself."""


class Store(Protocol):
    """Where answers are kept, as text."""

    def get(self, key: str) -> str | None:
        """The answer of that key, None if there is none that can be believed."""

    def put(self, key: str, answer: str) -> None:
        """Keep an answer."""


class Missed(Exception):
    """An answer is not kept, and nobody is there to ask."""


@dataclass(frozen=True)
class Memory:
    """Kept answers, and the name of what gave them. Without `asks` nothing new is asked."""

    store: Store
    engine: str
    asks: bool = True


class KeptSolver:
    """Answers from the memory, and from a solver what is not there.

    `limits` are plain values that name how long and how far the solver looks, `made` makes it, and
    one that nothing was asked so far. What stayed undecided is not kept.
    """

    def __init__(
        self,
        domain: Domain,
        memory: Memory,
        limits: tuple[int, ...],
        made: Callable[[], Asking],
    ) -> None:
        self._domain = domain
        self._memory = memory
        self._limits = limits
        self._made = made
        self._names = ContentNames()

    def search(self, question: Question, *, pleasant: bool = True) -> Search:
        """A case, or the proof that there is none."""
        asked = ("search", pleasant, question)
        return self._kept(asked, _SEARCH, lambda s: s.search(question, pleasant=pleasant))

    def search_within_bound(self, question: Question, *, pleasant: bool = True) -> Search:
        """The same for lists up to the bound only."""
        asked = ("search_within_bound", pleasant, question)
        return self._kept(
            asked, _SEARCH, lambda s: s.search_within_bound(question, pleasant=pleasant)
        )

    def shown(self, question: Question, *, within_bound: bool) -> Search:
        """The same with a case that does not depend on what else was asked."""

        def ask(_: Asking) -> Search:
            alone = self._made()
            return alone.search_within_bound(question) if within_bound else alone.search(question)

        return self._kept(("shown", within_bound, question), _SEARCH, ask)

    def caseless(self, question: Question) -> Search:
        """A search that makes no case."""
        return self._kept(("caseless", question), _SEARCH, lambda s: s.caseless(question))

    def outcome(self, question: Question) -> Outcome:
        """The outcome of a search that makes no case."""
        return self.caseless(question).outcome

    def impossible(self, question: Question) -> Ruling:
        """Whether it is proved that no case exists."""
        return self._kept(("impossible", question), _RULING, lambda s: s.impossible(question))

    def core(
        self, tool: Tool, named: Sequence[tuple[str, Expr]], given: Question | None = None
    ) -> CoreNames:
        """A smallest set of predicates that cannot all be TRUE where `given` is met."""
        asked = ("core", tool, tuple(named), given)
        return self._kept(asked, _CORE, lambda s: s.core(tool, named, given))

    def reach(
        self,
        tool: Tool,
        goals: Sequence[tuple[Expr, ...]],
        given: tuple[Expr, ...] = (),
        family: tuple[Expr, ...] = (),
    ) -> Reached:
        """For which goals there is a case."""
        asked = ("reach", tool, tuple(goals), given, family)
        return self._kept(asked, _REACHED, lambda s: s.reach(tool, goals, given, family))

    def constants(self, of: Question, wanted: Sequence[Expr]) -> Constants:
        """Which of the wanted parts have one value only."""
        # equal parts at other places are told apart by where they stand among all of them
        parts = (part for predicate in of.true for part in distinct(predicate))
        order = {id(part): number for number, part in enumerate(parts)}
        places = tuple(order.get(id(part), -1) for part in wanted)
        asked = ("constants", of, tuple(wanted), places)
        return self._kept(asked, _CONSTANTS, lambda s: s.constants(of, wanted))

    @cached_property
    def _solver(self) -> Asking:
        return self._made()

    @cached_property
    def _world(self) -> bytes:
        """The name of all that every question may read."""
        domain = self._domain
        parts = tuple(
            (field.name, getattr(domain, field.name))
            for field in fields(domain)
            if field.name not in _BESIDE
        )
        zones = _zones([a.body for a in domain.assumptions]) | {domain.timezone}
        told = tuple((name, zone_data(name)) for name in sorted(zones))
        return self._names.name((self._memory.engine, self._limits, parts, told))

    def _kept(self, asked: tuple[Any, ...], codec: _Codec[T], ask: Callable[[Asking], T]) -> T:
        zones = tuple((name, zone_data(name)) for name in sorted(_zones(_expressions(asked))))
        try:
            key = self._names.name((self._world, asked, zones)).hex()
        except TypeError as problem:  # something that nobody gave a name: nothing is kept of it
            log.warning("an answer is not kept: %s", problem)
            if not self._memory.asks:
                raise Missed from None
            return ask(self._solver)
        text = self._memory.store.get(key)
        if text is not None:
            return codec.read(json.loads(text))
        if not self._memory.asks:
            raise Missed
        answer = ask(self._solver)
        try:
            data = codec.write(answer)
            told = None if data is None else json.dumps(data, ensure_ascii=False)
        except TypeError:  # a case with something in it that is no JSON
            return answer
        if told is not None and codec.read(json.loads(told)) == answer:
            self._memory.store.put(key, told)
        return answer


def _expressions(asked: Any) -> list[Any]:
    """All expressions in what is asked."""
    match asked:
        case Question():
            return [*asked.expressions, *asked.family]
        case tuple() | list():
            return [expr for part in asked for expr in _expressions(part)]
        case Tool() | str() | bool() | int() | None:
            return []
    return [asked]


def _zones(expressions: Sequence[Expr]) -> set[str]:
    """The time zones that the expressions name."""
    return {
        part.operands[2].value
        for expr in expressions
        for part in distinct(expr)
        if isinstance(part, Apply)
        and part.operation == "time_part"
        and isinstance(part.operands[2], Constant)
    }


@dataclass(frozen=True)
class _Codec(Generic[T]):
    """An answer as JSON, None for one that stayed undecided, and back."""

    write: Callable[[T], Any]
    read: Callable[[Any], T]


def _write_search(search: Search) -> Any:
    if search.outcome is Outcome.UNDECIDED:
        return None
    case = None if search.case is None else asdict(search.case)
    return [search.outcome.name, search.doubt and search.doubt.name, case]


def _read_search(data: Any) -> Search:
    outcome, doubt, case = data
    return Search(
        Outcome[outcome],
        None if case is None else _case(case),
        None if doubt is None else Doubt[doubt],
    )


def _case(data: dict[str, Any]) -> Case:
    parts: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in data.items()
    }
    parts["history"] = tuple(EarlierCall(**call) for call in data["history"])
    return Case(**parts)


_SEARCH = _Codec(_write_search, _read_search)
_RULING = _Codec[Ruling](
    lambda ruling: None if ruling is Ruling.OPEN else ruling.name, lambda name: Ruling[name]
)
_CORE = _Codec[CoreNames](
    lambda core: list(core.names) if core.smallest else None,
    lambda names: CoreNames(tuple(names), True),
)
_REACHED = _Codec[Reached](
    lambda reached: None if reached.undecided else sorted(reached.met),
    lambda met: Reached(frozenset(met), frozenset()),
)
_CONSTANTS = _Codec[Constants](
    lambda found: None if found.undecided else sorted(found.values.items()),
    lambda values: Constants(dict(values), ()),
)
