"""The state of the world between the calls of a sequence: all records, and the calls so far.

The first state is a function of keys, as in every world; a later one is the state before it with
what the call in between may have changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

import z3

from ledger_verify.lang.typed import Observed, Read, Records, Variable
from ledger_verify.lang.types import BOOL, STRING, ListType, RecordType
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Assumption
from ledger_verify.solver.changes import Change, Changer
from ledger_verify.solver.encode import Encoder
from ledger_verify.solver.list_operations import apply_to_lists
from ledger_verify.solver.logic import Bool, Term, conjoin, disjoin, implies, negate, same
from ledger_verify.solver.merging import merge
from ledger_verify.solver.past import any_earlier_calls
from ledger_verify.solver.shapes import (
    NOTHING,
    ListShape,
    RecordShape,
    Scalar,
    Slot,
    Sym,
    as_list,
    known,
)
from ledger_verify.solver.symbols import Symbols
from ledger_verify.solver.worlds import LedgerWorld


class Past(Enum):
    """The calls before those of the sequence.

    There are NONE, or ANY; or before each of them there are any calls that are IDLE: refused,
    failed, or of a tool that changes nothing.
    """

    NONE = "none"
    IDLE = "idle"
    ANY = "any"


@dataclass
class State(LedgerWorld):
    """The world after `index` calls.

    `stated` are the statements about records that hold here, each with its condition. In a
    `definite` one every effect has a value and a place, and what the agent has observed stays the
    same, read anew before each call; otherwise it, and what of it is stale, may differ from state
    to state. Tools that are not `changing` change nothing.
    """

    index: int = 0
    stated: Sequence[tuple[Assumption, Bool]] = ()
    definite: bool = False
    before: State | None = None
    changes: Sequence[Change] = ()
    call: PastCall | None = None
    past: Past = Past.NONE
    changing: frozenset[str] = frozenset()
    applied: list[tuple[Change, tuple[Sym, ...], Bool]] = field(default_factory=list)

    def _assumptions(self) -> Sequence[tuple[Assumption, Bool]]:
        return self.stated

    def label(self, name: str) -> str:
        return name if self.definite else f"{name}@{self.index}"

    def _record(self, pattern: str, keys: tuple[Sym, ...], terms: tuple[Term, ...]) -> Sym:
        if self.before is None:
            return super()._record(pattern, keys, terms)
        type_ = self.domain.ledger[pattern].record
        record = self.before.instance(pattern, keys).record
        for change in self.changes:
            if change.pattern == pattern:
                here = conjoin((change.when, self._is_meant(change, terms)))
                if here is not False:
                    self.applied.append((change, keys, here))
                    changer = Changer(self.symbols, change, terms, here, self.definite)
                    record = merge(self.symbols, here, changer.apply(record, type_), record, type_)
        return record

    def _is_meant(self, change: Change, terms: tuple[Term, ...]) -> Bool:
        types = self.domain.ledger[change.pattern].keys
        return conjoin(
            disjoin((key.gap, key.null, same(self.symbols.term(key, type_), term)))
            for key, term, type_ in zip(change.keys, terms, types, strict=True)
            if key is not None
        )

    def variable(self, expr: Variable) -> Sym:
        """The facts of the session, and what was heard; or the history, which is what was there at
        the start, then the calls of the sequence.
        """
        if expr.is_heard:
            return super().variable(expr)
        if not expr.is_history:
            return self.names[expr.name]
        if expr.name not in self.histories:
            self.histories[expr.name] = self._history(expr)
        return self.histories[expr.name]

    def _history(self, expr: Variable) -> Sym:
        if self.before is None and self.past is Past.ANY:
            return any_earlier_calls(self.symbols, expr, self.names["now"])
        calls = known(()) if self.before is None else self._with_last_call(self.before, expr)
        return self._with_idle_calls(calls, expr) if self.past is Past.IDLE else calls

    def _with_idle_calls(self, calls: Sym, expr: Variable) -> Sym:
        idle = self.symbols.make(expr.type, f"{expr.name}@{self.index}")
        if expr.name.partition(".")[2] in self.changing:
            for slot in as_list(idle.shape).slots:
                assert isinstance(slot.value.shape, RecordShape)
                ok = self.symbols.term(slot.value.shape.get("ok")[1], BOOL)
                self.symbols.facts.append(implies(slot.active, negate(ok)))
        return apply_to_lists(
            self.symbols, "concat_list", [calls, idle], [expr.type, expr.type], expr.type
        )

    def _with_last_call(self, before: State, expr: Variable) -> Sym:
        assert self.call is not None
        earlier = as_list(before.variable(expr).shape)
        slot = self.call.slot(self.symbols, expr)
        if slot.active is False:
            return before.variable(expr)
        one = 1 if slot.active is True else z3.If(slot.active, 1, 0)
        dense = earlier.dense and not earlier.has_tail and isinstance(earlier.length, int)
        shape = ListShape(
            (*earlier.slots, slot), earlier.tail, earlier.length + one, dense, earlier.source
        )
        return Sym(shape)


@dataclass(frozen=True)
class PastCall:
    """One call of a sequence as the history has it.

    `chosen` are the tools that it may be one of, each with its condition and its arguments.
    """

    chosen: dict[str, tuple[Bool, Sym]]
    remembered: frozenset[str]
    ok: Bool
    verdict: Sym
    now: Sym

    def slot(self, symbols: Symbols, expr: Variable) -> Slot:
        """The place of the call in `history` or `history.tool`."""
        only = expr.name.partition(".")[2]
        tools = {
            name: entry
            for name, entry in self.chosen.items()
            if name in self.remembered and only in ("", name)
        }
        common = {"ok": Sym(Scalar(self.ok)), "verdict": self.verdict, "time": self.now}
        tool = NOTHING
        for name, (condition, _) in tools.items():
            tool = merge(symbols, condition, known(name), tool, STRING)

        def make(name: str) -> tuple[bool, Sym]:
            if name == "args":
                return True, tools[only][1]
            return True, tool if name == "tool" else common[name]

        assert isinstance(expr.type, ListType)
        assert isinstance(expr.type.item, RecordType)
        item = expr.type.item
        active = disjoin(condition for condition, _ in tools.values())
        return Slot(active, Sym(RecordShape(item, make)))


class Step:
    """What a call of one tool in a state sees: a world for its rules and its effects.

    In a `strict` one a record that the agent has not observed has no value.
    """

    def __init__(self, state: State, names: dict[str, Sym], *, strict: bool) -> None:
        self._state, self._names, self._strict = state, names, strict
        self.encoder = Encoder(state.symbols, self)

    def variable(self, expr: Variable) -> Sym:
        """The value of `args`, `now`, `call` or a part of the history."""
        of_state = expr.is_history or expr.is_heard
        return self._state.variable(expr) if of_state else self._names[expr.name]

    def read(self, expr: Read, keys: tuple[Sym, ...]) -> Sym:
        """The record at the path."""
        instance = self._state.instance(expr.pattern, keys)
        record = instance.record
        gap = negate(instance.observed) if self._strict else False
        return Sym(record.shape, record.null, disjoin((record.gap, gap)))

    def observed(self, expr: Observed, keys: tuple[Sym, ...]) -> Bool:
        """Whether the agent has observed the record, or its field, and it is not stale."""
        return self._state.observed(expr, keys)

    def records(self, expr: Records) -> Sym:
        """The records that the agent has observed."""
        return self._state.records(expr)


def first_state(
    domain: Domain,
    symbols: Symbols,
    names: dict[str, Sym],
    stated: Sequence[tuple[Assumption, Bool]],
    *,
    definite: bool,
    past: Past,
    changing: frozenset[str],
) -> State:
    """A state of which nothing is known but the statements.

    `names` are the present, and the facts of the session, which are the same in all states.
    """
    state = State(
        domain, symbols, names, stated=stated, definite=definite, past=past,
        changing=changing, fresh=definite,
    )  # fmt: skip
    assert_plain(state)
    return state


def state_after(
    before: State,
    changes: Sequence[Change],
    call: PastCall,
    stated: Sequence[tuple[Assumption, Bool]],
) -> State:
    """The state that a call leads to."""
    state = State(
        before.domain,
        before.symbols,
        before.names,
        index=before.index + 1,
        stated=stated,
        definite=before.definite,
        past=before.past,
        changing=before.changing,
        before=before,
        changes=changes,
        call=call,
        fresh=before.fresh,
    )
    assert_plain(state)
    return state


def assert_plain(state: State) -> None:
    """State at once what speaks of no pattern: no record of the query may call it up."""
    for statement, when in state.stated:
        if statement.pattern is None:
            fact = state.encoder.holds(statement.body)
            state.symbols.facts.append(disjoin((negate(when), fact)))
