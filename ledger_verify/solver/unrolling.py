"""A sequence of calls as one set of constraints: a state, a call, the state after it, and so on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import z3

from ledger_verify.lang.environment import KEY, VERDICTS
from ledger_verify.lang.typed import Expr, Variable, distinct
from ledger_verify.lang.types import STRING, TIMESTAMP, MapType, StringType, strip_null
from ledger_verify.policy.cone import Cone
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.effects import type_at
from ledger_verify.policy.footprint import field_changed, fields_of, overlap
from ledger_verify.policy.rules import Always, Assumption
from ledger_verify.policy.tools import Effect, Tool, ToolKind, Touch
from ledger_verify.solver.changes import Change, value_or_lost
from ledger_verify.solver.fitting import fits, has_room
from ledger_verify.solver.logic import Bool, conjoin, disjoin, implies, negate, same
from ledger_verify.solver.obligations import Obligation
from ledger_verify.solver.shapes import Scalar, Sym, known
from ledger_verify.solver.sizes import wanted_sizes
from ledger_verify.solver.states import Past, PastCall, State, Step, first_state, state_after
from ledger_verify.solver.study import Mode, example_now_us, session_symbols
from ledger_verify.solver.symbols import Symbols
from ledger_verify.solver.wishes import Wishes
from ledger_verify.solver.worlds import symbols_for

_NAMELESS = frozenset({"item", "result"})
_RAN = StringType(enum=VERDICTS)


@dataclass(frozen=True)
class MadeCall:
    """One call of the sequence in symbols: `done` if it took effect, `ok` if it counts as such."""

    past: PastCall
    done: Bool
    steps: dict[str, Step]
    changes: tuple[Change, ...]


class Unrolling:
    """`length` calls from a state, and what may be wrong after the last of them.

    With Past.ANY they start in any state in which the invariant and all that the domain states of
    records hold, else at the start of a session. They hold in all states but the last as well.
    With Past.IDLE only calls that may change something are counted.
    """

    def __init__(
        self, domain: Domain, cone: Cone, always: Always, length: int, mode: Mode, scope: int,
        past: Past,
    ) -> None:  # fmt: skip
        self.domain, self.cone, self.always, self.mode = domain, cone, always, mode
        self.past = past
        self.tools = [t for t in cone.tools if past is not Past.IDLE or cone.changes(t)]
        predicates = [*_expressions(cone), always.always.body]
        predicates += [always.initially.body] if always.initially else []
        now_us = example_now_us(domain)
        symbols = symbols_for(domain, predicates, scope)
        symbols.drawing = mode is Mode.CLOSE
        symbols.wishes = Wishes(now_us) if mode is Mode.STRICT else None
        symbols.around_us = now_us
        symbols.sizes = self._sizes(predicates, length)
        self.symbols: Symbols = symbols
        self.session = session_symbols(domain, symbols)
        self.calls: list[MadeCall] = []
        now = self._now(0)
        state = first_state(
            domain, symbols, {"now": now, **self.session}, self._stated(0, length),
            definite=mode is Mode.STRICT, past=past,
            changing=frozenset(tool.name for tool in cone.tools if cone.changes(tool)),
        )  # fmt: skip
        self.states = [state]
        for index in range(length if self.tools else 0):
            if index:
                symbols.facts += [fit for _, _, fit in self._fitting(self.calls[-1])]
                earlier, now = now, self._now(index)
                if isinstance(now.shape, Scalar):
                    symbols.facts.append(now.shape.term >= symbols.term(earlier, TIMESTAMP))
            call = self._call(index, state, now)
            self.calls.append(call)
            stated = self._stated(index + 1, length)
            state = state_after(state, call.changes, call.past, stated)
            self.states.append(state)
            if mode is Mode.STRICT:
                self._bring_in_what_changes(call)

    def _sizes(self, predicates: Sequence[Expr], length: int) -> dict[str, int]:
        """How long lists must be, with those of arguments under the names that they have here."""
        sizes = wanted_sizes(predicates)
        calls = [f"call{i}/{n}" for i in range(length) for n in range(len(self.tools))]
        of_args = {name: size for name, size in sizes.items() if name.startswith("args.")}
        return sizes | {
            name.replace("args", call, 1): size for call in calls for name, size in of_args.items()
        }

    def _now(self, index: int) -> Sym:
        if self.domain.clock_us is not None:
            return known(self.domain.clock_us)
        return self.symbols.make(TIMESTAMP, f"now{index}")

    def _stated(self, index: int, length: int) -> list[tuple[Assumption, Bool]]:
        """What holds of the records of one state."""
        if index < length or not length:
            stated: list[tuple[Assumption, Bool]] = [(a, True) for a in self.cone.assumptions]
            if index == 0 and self.past is not Past.ANY and self.always.initially is not None:
                stated.append((self.always.initially, True))
                return stated if not length else [*stated, (self.always.always, True)]
            return [*stated, (self.always.always, True)]
        return [
            (assumption, negate(disjoin(self._assigning(assumption))))
            for assumption in self.cone.assumptions
        ]

    def _assigning(self, assumption: Assumption) -> Iterator[Bool]:
        """The last call may break the assumption: it is one that assigns what that reads."""
        call = self.calls[-1]
        for tool in self.tools:
            changed = map(field_changed, self.cone.effects(tool))
            if overlap(changed, fields_of(assumption)):
                yield conjoin((call.past.chosen[tool.name][0], call.done))

    def _call(self, index: int, state: State, now: Sym) -> MadeCall:
        symbols, tools = self.symbols, self.tools
        which = symbols.unconstrained(z3.IntSort(), f"which{index}")
        symbols.facts.append(z3.And(which >= 0, which < len(tools)))
        ok, done = symbols.flag(f"ok{index}"), symbols.flag(f"done{index}")
        verdict = symbols.make(_RAN, f"verdict{index}")
        symbols.facts.append(done if self.past is Past.IDLE else implies(ok, done))
        chosen: dict[str, tuple[Bool, Sym]] = {}
        steps: dict[str, Step] = {}
        changes: list[Change] = []
        for number, tool in enumerate(tools):
            here: Bool = which == number
            # in an example the arguments of calls that are not made have values, too
            fit = True if self.mode is Mode.STRICT else here
            args = symbols.make(tool.arguments, f"call{index}/{number}", when=fit)
            chosen[tool.name] = (here, args)
            names = {"args": args, "now": now, "call": known({"tool": tool.name})}
            names |= self.session
            step = Step(state, names, strict=self.mode is Mode.STRICT)
            steps[tool.name] = step
            symbols.facts.append(implies(here, self._may_be(tool, step, ok, done, verdict)))
            truth = Step(state, names, strict=False)
            when = conjoin((here, done))
            changes += self._changes(f"after{index}/{number}", tool, truth, when)
        past = PastCall(chosen, self.cone.remembered, ok, verdict, now)
        return MadeCall(past, done, steps, tuple(changes))

    def _may_be(self, tool: Tool, step: Step, ok: Bool, done: Bool, verdict: Sym) -> Bool:
        """What a call of the tool is like: allowed by all rules, or without any effect."""
        is_ = {
            text: same(self.symbols.term(verdict, STRING), self.symbols.literal(text, STRING))
            for text in VERDICTS
        }
        declared = implies(done, ok) if tool.result is None else True
        unjudged = conjoin((is_["UNCHECKED"], declared))
        if tool.by_user:
            return unjudged
        rules = self.cone.rules[tool.name]
        holds = [step.encoder.holds(rule.holds) for rule in rules]
        if not self.domain.rules_by_tool[tool.name] and tool.kind is ToolKind.WRITE:
            holds = [False]
        allowed = conjoin((is_["ALLOW"], declared, *holds))
        if tool.name not in self.cone.remembered:
            return allowed
        refused = conjoin((disjoin((is_["REVISE"], is_["BLOCK"])), negate(done)))
        if self.mode is Mode.STRICT:
            refused = conjoin((refused, negate(conjoin(holds))))
        return disjoin((allowed, refused, unjudged if tool.kind is not ToolKind.WRITE else False))

    def _changes(self, name: str, tool: Tool, step: Step, when: Bool) -> Iterator[Change]:
        """What the call may do: anything to what it touches, then its effects."""
        effects = self.cone.effects(tool)
        for number, touch in enumerate(self.cone.touches(tool)):
            if not any(_same_place(touch, effect) for effect in effects):
                keys = tuple(
                    None if key is None or _nameless(key) else self._value(step, key)
                    for key in touch.keys
                )
                within = tuple(self._steps(touch, step))
                yield Change(f"{name}~{number}", when, touch.pattern, keys, within, None)
        for number, effect in enumerate(effects):
            named = tuple(self._value(step, key) for key in effect.keys)
            within = tuple(s if isinstance(s, str) else self._value(step, s) for s in effect.within)
            value, gap = value_or_lost(self._value(step, effect.value))
            places = [*named, *(s for s in within if isinstance(s, Sym))]
            lost = disjoin([gap, *(sym.gap for sym in places), *(sym.null for sym in places)])
            yield Change(f"{name}={number}", when, effect.pattern, named, within, value, lost)

    def _bring_in_what_changes(self, call: MadeCall) -> None:
        """Have the records that effects change in the example, though nothing may read them."""
        for change in call.changes:
            keys = tuple(key for key in change.keys if key is not None)
            if change.value is not None:
                self.states[-1].instance(change.pattern, keys)

    def _value(self, step: Step, expr: Expr) -> Sym:
        return step.encoder.encode(expr, {})

    def _steps(self, touch: Touch, step: Step) -> Iterator[str | Sym]:
        """The steps into the record, up to one that is not known."""
        for part in touch.within:
            if part == KEY or (not isinstance(part, str) and _nameless(part)):
                return
            if isinstance(part, str):
                yield part
                continue
            value = self._value(step, part)
            if value.gap is not False or value.null is not False:
                return
            yield value

    def _fitting(self, call: MadeCall) -> Iterator[tuple[Tool, Effect, Bool]]:
        """For each effect, that the call leaves there what the schema allows."""
        effects = [(tool, effect) for tool in self.tools for effect in self.cone.effects(tool)]
        changes = [change for change in call.changes if change.value is not None]
        for (tool, effect), change in zip(effects, changes, strict=True):
            assert change.value is not None
            fit = fits(self.symbols, change.value, effect.value.type, effect.type)
            told = conjoin((change.when, negate(change.lost)))
            yield tool, effect, implies(told, conjoin((fit, self._has_room(effect, change))))

    def _has_room(self, effect: Effect, change: Change) -> Bool:
        """That the map which the effect may add an entry to does not get too big."""
        type_ = self.domain.ledger[effect.pattern].record
        around = effect.within[:-1]
        grown = strip_null(type_at(type_, around))
        if not effect.within or not isinstance(grown, MapType) or grown.max_size is None:
            return True
        keys = tuple(key for key in change.keys if key is not None)
        record = self.states[-1].instance(effect.pattern, keys).record
        return has_room(self.symbols, record, type_, change.within[:-1])

    def fitted(self) -> Bool:
        """Whether the last call leaves what the schema allows where it has effects."""
        return conjoin(fit for call in self.calls[-1:] for _, _, fit in self._fitting(call))

    def broken(self) -> Bool:
        """Whether the invariant is not true in the last state."""
        return self._is_broken(self.always.always, "some")

    def _is_broken(self, statement: Assumption, name: str) -> Bool:
        """Whether the statement is not true of some record of the last state."""
        state = self.states[-1]
        if statement.pattern is None or statement.variable is None:
            return negate(state.encoder.holds(statement.body))
        types = self.domain.ledger[statement.pattern].keys
        keys = tuple(self.symbols.make(type_, f"{name}{i}") for i, type_ in enumerate(types))
        record = state.instance(statement.pattern, keys).record
        return negate(state.encoder.holds(statement.body, {statement.variable.name: record}))

    def obligations(self) -> Iterator[Obligation]:
        """The ways in which the last call can break the schema or an assumption."""
        if not self.calls:
            return
        call = self.calls[-1]
        for tool, effect, fit in self._fitting(call):
            keeps = f"`{tool.name}` puts there only what the schema allows"
            breaks = f"`{tool.name}` can put there what the schema forbids"
            yield Obligation(effect.location, keeps, breaks, negate(fit))
        for number, assumption in enumerate(self.cone.assumptions):
            assigning = disjoin(self._assigning(assumption))
            if assigning is not False:
                broken = conjoin((assigning, self._is_broken(assumption, f"other{number}.")))
                keeps = "no effect breaks this assumption"
                breaks = "an effect can break this assumption"
                yield Obligation(assumption.location, keeps, breaks, broken)


def _nameless(expr: Expr) -> bool:
    """Whether the expression speaks of what no call tells: a result, or an item of a list."""
    return any(isinstance(part, Variable) and part.name in _NAMELESS for part in distinct(expr))


def _same_place(touch: Touch, effect: Effect) -> bool:
    places = (touch.pattern, touch.keys, touch.within) == (
        effect.pattern, effect.keys, effect.within,
    )  # fmt: skip
    return places and touch.each is None


def _expressions(cone: Cone) -> Iterator[Expr]:
    """All expressions that the calls have."""
    for tool in cone.tools:
        yield from (rule.holds for rule in cone.rules[tool.name])
        for effect in cone.effects(tool):
            yield from (effect.value, *effect.keys)
            yield from (step for step in effect.within if not isinstance(step, str))
        for touch in cone.touches(tool):
            yield from (key for key in touch.keys if key is not None)
            yield from (step for step in touch.within if not isinstance(step, str))
