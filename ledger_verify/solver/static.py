"""Questions before deployment: is there any call and ledger such that ... ?

Two worlds answer them. In the *strict* one a record that is not observed has no value, so a model
is a case that the interpreter judges the same way. In the *free* one every record has a value
whether or not it is observed; it has all the cases that the gate could ever allow, so a proof
there holds for the gate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ledger_verify.lang.environment import earlier_calls
from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.typed import Expr
from ledger_verify.lang.types import TIMESTAMP
from ledger_verify.ledger.paths import path_text
from ledger_verify.policy.case import Case, EarlierCall
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Tool
from ledger_verify.schema.render import to_json
from ledger_verify.solver.decode import ABSENT, Decoder, combine, singular
from ledger_verify.solver.logic import Bool, conjoin, negate
from ledger_verify.solver.outcome import Outcome, Search
from ledger_verify.solver.query import EXCLUSIVE, Answer, Limits, Query
from ledger_verify.solver.shapes import Scalar, Sym, known
from ledger_verify.solver.symbols import Symbols
from ledger_verify.solver.worlds import LedgerWorld, symbols_for

_EXAMPLE_NOW_US = 1_767_279_600_000_000  # 2026-01-01T15:00:00Z, where a domain pins no clock


@dataclass(frozen=True)
class Question:
    """A call of `tool` on which the `true` predicates are TRUE and the `false` ones FALSE.

    With `untrue`, those need only be other than TRUE, for want of a value.
    """

    tool: Tool
    true: tuple[Expr, ...] = ()
    false: tuple[Expr, ...] = ()
    untrue: tuple[Expr, ...] = ()

    @property
    def predicates(self) -> tuple[Expr, ...]:
        """All predicates of the question."""
        return (*self.true, *self.false, *self.untrue)


@dataclass(frozen=True)
class StaticSolver:
    """Puts questions about one domain. `scope` bounds lists for which the schema sets no limit."""

    domain: Domain
    scope: int = 4
    limits: Limits = field(default_factory=lambda: Limits(timeout_ms=10_000, resources=100_000_000))

    def search(self, question: Question) -> Search:
        """A case, or the proof that there is none.

        FOUND: the strict, bounded query is satisfiable. NONE: the free query is unsatisfiable.
        NONE_UP_TO_BOUND: it is once no list exceeds the bound. UNDECIDED otherwise. Where the
        bound decides, twice the bound is tried as well.
        """
        with EXCLUSIVE:
            found, undecided = self._find(question)
            if found is not None:
                return Search(Outcome.FOUND, found)
            outcome = self._refute(question, undecided)
            if outcome is Outcome.NONE:
                return Search(outcome)
            wider = replace(self, scope=2 * self.scope)
            found, undecided = wider._find(question)
            if found is not None:
                return Search(Outcome.FOUND, found)
            return Search(wider._refute(question, undecided))

    def impossible(self, question: Question) -> bool:
        """Whether it is proved that no case exists, for lists of any length."""
        with EXCLUSIVE:
            query, _, conditions = self._free(question)
            return query.ask(conditions)[0] is Answer.UNSATISFIABLE

    def _refute(self, question: Question, undecided: bool) -> Outcome:
        query, symbols, conditions = self._free(question)
        answer, _ = query.ask(conditions)
        if answer is Answer.UNSATISFIABLE:
            return Outcome.NONE
        if undecided:
            return Outcome.UNDECIDED
        answer, _ = query.ask([*conditions, *symbols.bounds])
        return Outcome.NONE_UP_TO_BOUND if answer is Answer.UNSATISFIABLE else Outcome.UNDECIDED

    def _free(self, question: Question) -> tuple[Query, Symbols, list[Bool]]:
        symbols, world, _ = self._world(question, strict=False)
        conditions = [world.encoder.holds(predicate) for predicate in question.true]
        conditions += [
            negate(world.encoder.holds(predicate))
            for predicate in (*question.false, *question.untrue)
        ]
        return Query(symbols, self.limits), symbols, conditions

    def _world(self, question: Question, *, strict: bool) -> tuple[Symbols, LedgerWorld, Sym]:
        symbols = symbols_for(self.domain, question.predicates, self.scope)
        symbols.now_us, symbols.wishing = self._now_us, strict
        now = known(self._now_us)
        if self.domain.clock_us is None:
            now = symbols.make(TIMESTAMP, "now")
        args = symbols.make(question.tool.arguments, "args")
        names = {"args": args, "now": now, "call": known({"tool": question.tool.name})}
        return symbols, LedgerWorld(self.domain, symbols, names, strict=strict), args

    @property
    def _now_us(self) -> int:
        return _EXAMPLE_NOW_US if self.domain.clock_us is None else self.domain.clock_us

    def _find(self, question: Question) -> tuple[Case | None, bool]:
        symbols, world, args = self._world(question, strict=True)
        conditions = [world.encoder.holds(predicate) for predicate in question.true]
        conditions += [world.encoder.fails(predicate) for predicate in question.false]
        conditions += [negate(world.encoder.holds(predicate)) for predicate in question.untrue]
        if question.untrue:
            # only a missing value may be the reason, not a missing observation
            conditions += [instance.observed for instance in world.instances.values()]
        query = Query(symbols, self.limits)
        query.add(conjoin([*conditions, *symbols.bounds]))
        answer, model = query.ask()
        if answer is Answer.SATISFIABLE:
            model = improve(query, list(symbols.wishes), model)
            return self._decode(model, symbols, world, args, question.tool), False
        return None, answer is Answer.UNDECIDED

    def _decode(
        self, model: Any, symbols: Symbols, world: LedgerWorld, args: Sym, tool: Tool
    ) -> Case:
        now_sym = world.names["now"]
        now_us = self._now_us
        if isinstance(now_sym.shape, Scalar):
            now_us = model.eval(now_sym.shape.term, True).as_long()
        decoder = Decoder(model, symbols, now_us)
        partial: dict[tuple[str, tuple[Any, ...]], Any] = {}
        for instance in world.instances.values():
            spec = self.domain.ledger[instance.pattern]
            try:
                keys = tuple(
                    decoder.value(key, type_, _key_name(spec.text, i))
                    for i, (key, type_) in enumerate(zip(instance.keys, spec.keys, strict=True))
                )
            except NoValue:  # the key of an inactive slot, of which nothing was demanded
                continue
            if None in keys or ABSENT in keys or not decoder.truth(instance.observed):
                continue
            value = decoder.value(instance.record, spec.record, _key_name(spec.text, 0))
            place = (instance.pattern, keys)
            partial[place] = combine(partial.get(place, ABSENT), value)
        arguments = decoder.complete(
            decoder.value(args, tool.arguments, "args"), tool.arguments, "args"
        )
        zone = self.domain.zone
        ledger = {}
        for (pattern, keys), value in partial.items():
            type_ = self.domain.ledger[pattern].record
            whole = decoder.complete(value, type_, _key_name(pattern, 0))
            ledger[path_text(self.domain, pattern, keys)] = to_json(whole, type_, zone)
        history = self._decode_history(decoder, world)
        proposed = to_json(arguments, tool.arguments, zone)
        return Case(tool.name, proposed, ledger, now_us, history=history)

    def _decode_history(self, decoder: Decoder, world: LedgerWorld) -> tuple[EarlierCall, ...]:
        calls = []
        for name, sym in world.histories.items():
            own = name.partition(".")[2]
            type_ = earlier_calls(own or None, self.domain.tools[own].arguments if own else None)
            for call in decoder.complete(decoder.value(sym, type_, "call"), type_, "call"):
                tool = self.domain.tools.get(own or call["tool"])
                if tool is None:  # a name that no tool has
                    continue
                bound = decoder.complete(call.get("args", ABSENT), tool.arguments, "args")
                raw = to_json(bound, tool.arguments, self.domain.zone)
                calls.append(EarlierCall(tool.name, raw, call["ok"], call["verdict"], call["time"]))
        return tuple(sorted(calls, key=lambda call: call.time_us))

    def core(self, tool: Tool, named: Sequence[tuple[str, Expr]]) -> tuple[str, ...]:
        """The names of a smallest set of predicates that cannot all be TRUE.

        Sets of one and two are tried in turn; beyond that, members are dropped from the whole
        while the rest stays impossible, so that the result is irreducible.
        """
        items = list(named)
        for i, first in enumerate(items):
            if self.impossible(Question(tool, true=(first[1],))):
                return (first[0],)
            for second in items[:i]:
                if self.impossible(Question(tool, true=(second[1], first[1]))):
                    return (second[0], first[0])
        kept = items
        for item in items:
            rest = [other for other in kept if other is not item]
            if self.impossible(Question(tool, true=tuple(expr for _, expr in rest))):
                kept = rest
        return tuple(name for name, _ in kept)


def improve(query: Query, wishes: list[Bool], model: Any) -> Any:
    """A model that meets as many wishes as halving finds together."""
    pending = [[wish for wish in wishes if wish is not True]]
    while pending:
        group = pending.pop()
        if not group:
            continue
        answer, better = query.ask(group)
        if answer is Answer.SATISFIABLE:
            query.add(conjoin(group))
            model = better
        elif len(group) > 1:
            middle = len(group) // 2
            pending += [group[middle:], group[:middle]]
    return model


def _key_name(pattern: str, index: int) -> str:
    """What a made-up key is called, after the pattern's words."""
    words = [segment for segment in pattern.split(".") if segment != "*"]
    word = words[min(index, len(words) - 1)]
    return singular(word)


