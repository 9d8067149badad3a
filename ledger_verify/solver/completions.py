"""The gate's questions: what holds in every completion of a ledger, and what would help."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

from ledger_verify.lang.sharing import shared
from ledger_verify.lang.typed import Expr
from ledger_verify.policy.evidence import MissingPath, Reach
from ledger_verify.policy.repairable import texts_in
from ledger_verify.solver.choice import Choice, is_among
from ledger_verify.solver.decode import ABSENT, Decoder
from ledger_verify.solver.equality import is_value
from ledger_verify.solver.logic import (
    Bool,
    Term,
    conjoin,
    disjoin,
    negate,
)
from ledger_verify.solver.outcome import Undecided
from ledger_verify.solver.query import Query, exclusive
from ledger_verify.solver.shapes import (
    RecordShape,
    Sym,
)
from ledger_verify.solver.shown import texts_read
from ledger_verify.solver.situation import Situation
from ledger_verify.solver.symbols import Symbols
from ledger_verify.solver.variation import vary
from ledger_verify.solver.worlds import plain_keys, symbols_for
from ledger_verify.solver.zones import DAY_US

SCOPE = 4
LONGEST = 100
"""Characters of a text of the call or the records that the solver looks into."""
ASK = object()
"""Stands for an argument of which no evidence shows the value so far."""


class Settled(Enum):
    """A predicate over all completions: TRUE in each, FALSE (or without value) in each, or OPEN."""

    TRUE = "TRUE"
    FALSE = "FALSE"
    OPEN = "OPEN"


class Contradiction(Exception):
    """No completion exists: what was observed contradicts the domain's assumptions."""


_MOST_KEPT = 1_000
_kept: dict[tuple[int, ...], tuple[Sequence[Expr], Sequence[Expr]]] = {}
"""Predicates that share what says the same, by the ids of the given ones, which are kept too."""


def _as_one(predicates: Sequence[Expr]) -> Sequence[Expr]:
    """The predicates, which are encoded alike where they say the same."""
    place = tuple(map(id, predicates))
    if place not in _kept:
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        _kept[place] = tuple(predicates), shared(predicates)
    return _kept[place][1]


class Completions:
    """All completions of one situation, and whether predicates hold in them.

    The predicates are encoded once, however many questions are asked. With `hopeful`, what it says
    can be read may also have been: `observed(...)` and histories of reads are open there. The
    arguments `free` may have any values.
    """

    def __init__(
        self,
        situation: Situation,
        predicates: Sequence[Expr],
        hopeful: Reach | None = None,
        free: Sequence[str] = (),
    ) -> None:
        self._situation = situation
        predicates = self._predicates = _as_one(predicates)
        self._free = free
        self._by_reach: dict[Reach, Sequence[Bool]] = {}
        with exclusive(situation.limits.deadline):
            self._symbols = _symbols(situation, predicates)
            self._world = situation.world(
                self._symbols, free=free, reach=hopeful, hopeful=hopeful is not None
            )
            holds = self._world.encoder.holds
            self._conditions = [holds(predicate) for predicate in predicates]
            self._query = Query(self._symbols, situation.limits)

    def settle(self) -> list[Settled]:
        """Each predicate over all completions.

        TRUE iff "not TRUE" is unsatisfiable, FALSE iff "TRUE" is. Raises `Undecided` at a limit
        and `Contradiction` where no completion exists.
        """
        with exclusive(self._situation.limits.deadline):
            together = self._query.possible(self._conditions)
            settled = []
            for condition in self._conditions:
                can_hold = together or self._query.possible([condition])
                can_fail = self._query.possible([negate(condition)])
                if not can_hold and not can_fail:
                    raise Contradiction
                answer = Settled.TRUE if can_hold else Settled.FALSE
                settled.append(Settled.OPEN if can_hold and can_fail else answer)
            return settled

    def reachable(self, chosen: Sequence[int], reach: Reach | None) -> bool:
        """Whether reads alone may make the chosen predicates TRUE.

        Satisfiable iff some completion of what is in `reach` (None: all that is missing) makes
        them TRUE while the rest stays unknown.
        """
        with exclusive(self._situation.limits.deadline):
            if reach is None:
                return self._query.possible(self._conditions[i] for i in chosen)
            predicates = [self._predicates[i] for i in chosen]
            symbols = _symbols(self._situation, predicates)
            world = self._situation.world(symbols, reach=reach)
            conditions = [world.encoder.holds(predicate) for predicate in predicates]
            return Query(symbols, self._situation.limits).possible(conditions)

    def matters(
        self,
        chosen: Sequence[int],
        path: MissingPath,
        affected: Sequence[int],
        besides: Sequence[MissingPath] = (),
        reach: Reach | None = None,
    ) -> bool:
        """Whether what is at the path can change whether all chosen predicates are TRUE.

        Satisfiable iff two completions that differ there only, and in what is `besides`, disagree
        on that: in one the predicates are TRUE whatever is not in `reach` (None: all is), in the
        other one is not. `affected` are the chosen predicates that may read what differs.
        """
        with exclusive(self._situation.limits.deadline):
            base = self._within(reach)
            read = [self._conditions[i] for i in affected]
            facts = list(self._symbols.facts)
            condition, *varied = vary(
                self._symbols, [path, *besides], [conjoin(read), *facts], self._is_it
            )
            new = [other for fact, other in zip(facts, varied, strict=True) if other is not fact]
            return self._query.possible([*(base[i] for i in chosen), *new, negate(condition)])

    def _within(self, reach: Reach | None) -> Sequence[Bool]:
        """The conditions under which the predicates are TRUE whatever is not in `reach`."""
        if reach is None:
            return self._conditions
        if reach not in self._by_reach:
            world = self._situation.world(self._symbols, free=self._free, reach=reach)
            self._by_reach[reach] = [world.encoder.holds(one) for one in self._predicates]
        return self._by_reach[reach]

    def _is_it(self, path: MissingPath, keys: Sequence[Term]) -> Bool:
        """Whether keys are those of the path, or none that are known where its own are not."""
        if path.determined:
            return self._world.is_at(path.pattern, keys, path.keys)
        known_ones = [
            plain
            for instance in self._world.instances.values()
            if instance.pattern == path.pattern and (plain := plain_keys(instance.keys)) is not None
        ]
        return negate(disjoin(self._world.is_at(path.pattern, keys, k) for k in known_ones))


def find_repair(
    situation: Situation, predicates: Sequence[Expr], reach: Reach, *, asking: bool = False
) -> dict[str, Any] | None:
    """The fewest other values of free arguments for which the predicates can all be TRUE.

    Values are typed; ABSENT stands for an argument to leave out. A text is one that the evidence
    shows; with `asking`, ASK stands for an argument whose text it does not show so far. None if
    there are none, for lists up to the bound.
    """
    free = situation.domain.repairable[situation.tool.name]
    if not free:
        return None
    with exclusive(situation.limits.deadline):
        symbols = _symbols(situation, predicates)
        symbols.around_us = situation.now_us - situation.now_us % DAY_US
        world = situation.world(symbols, free=free, reach=reach)
        query = Query(symbols, situation.limits)
        query.add(conjoin(world.encoder.holds(predicate) for predicate in predicates))
        args = world.names["args"].shape
        assert isinstance(args, RecordShape)
        touched = [name for name in free if name in args.fields]
        if not touched:
            return None
        query.add(conjoin(symbols.bounds))
        unchanged = {name: _unchanged(situation, args, name, symbols) for name in touched}
        texts = texts_read(situation, predicates)
        shown = conjoin(
            disjoin((unchanged[name], _is_shown(situation, args, name, symbols, texts)))
            for name in touched
        )
        is_shown = query.possible([shown])
        if is_shown:
            query.add(shown)
        elif not asking or not query.possible():
            return None
        _, model = query.ask()
        if model is None:
            raise Undecided
        choice = Choice(query, model, symbols, situation.tool.arguments, texts)
        kept = choice.keep_most(unchanged)
        changed = {name: args.get(name) for name in touched if name not in kept}
        choice.make(changed, situation.arguments)
        decoder = Decoder(choice.model, symbols, situation.now_us)
        return {
            name: ASK
            if not is_shown and any(texts_in(situation.tool, name))
            else _argument(decoder, situation, name, present, value)
            for name, (present, value) in changed.items()
        }


def _symbols(situation: Situation, predicates: Sequence[Expr]) -> Symbols:
    symbols = symbols_for(situation.domain, predicates, SCOPE)
    symbols.deadline, symbols.texts.longest = situation.limits.deadline, LONGEST
    return symbols


def _unchanged(situation: Situation, args: RecordShape, name: str, symbols: Symbols) -> Bool:
    """Whether the argument is what was proposed."""
    present, value = args.get(name)
    if name not in situation.arguments:
        return negate(present)
    type_ = situation.tool.arguments.by_name[name].type
    return conjoin((present, is_value(value, situation.arguments[name], type_, symbols)))


def _is_shown(
    situation: Situation, args: RecordShape, name: str, symbols: Symbols, texts: Sequence[str]
) -> Bool:
    """Whether the evidence shows all texts of the argument."""
    present, value = args.get(name)
    type_ = situation.tool.arguments.by_name[name].type
    return disjoin((negate(present), is_among(symbols, texts, value, type_)))


def _argument(decoder: Decoder, situation: Situation, name: str, present: Bool, value: Sym) -> Any:
    type_ = situation.tool.arguments.by_name[name].type
    if not decoder.truth(present):
        return ABSENT
    return decoder.complete(decoder.value(value, type_, name), type_, name)
