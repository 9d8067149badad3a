"""The calls of one tool that one domain allows and another does not: proofs, and cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ledger_verify.lang.sharing import shared
from ledger_verify.lang.typed import Expr
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Assumption
from ledger_verify.solver.examples import Example
from ledger_verify.solver.logic import Bool, conjoin, disjoin, negate
from ledger_verify.solver.outcome import Outcome
from ledger_verify.solver.query import Answer, Limits, Workplace
from ledger_verify.solver.refit import Refit
from ledger_verify.solver.study import Mode, Study, example_now_us, study
from ledger_verify.solver.views import View, common_domain


@dataclass(frozen=True)
class Contrast:
    """A question: which calls of `tool` does `allowing` allow that `other` does not?

    `holding` are all rules of the first as predicates, `doubted` those rules of the second that
    may fail although they hold; without `other_allows` the second allows none at all. Only the
    `assumptions` are taken to hold. With `alike`, both have the same types and the same present, so
    what their rules have in common is one and the same. With `structured`, texts are looked into.
    The ledger is any that fits the schema of the first, or with `by_other` that of the second.

    The first allows a call for want of evidence only if it may whatever stands there. `stand_ins`
    are records, by pattern, with which its rules are tried in place of what it lacks.
    """

    allowing: Domain
    other: Domain
    tool: str
    holding: tuple[Expr, ...]
    doubted: tuple[Expr, ...]
    assumptions: tuple[Assumption, ...] = ()
    other_allows: bool = True
    alike: bool = False
    structured: bool = False
    by_other: bool = False
    stand_ins: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class _Scene:
    """One world with the views of both domains on it."""

    study: Study
    first: View
    second: View
    holds: Bool


@dataclass
class DifferenceSolver:
    """Answers one contrast. `scope` bounds lists for which the schema sets no limit.

    Unless `optimistic`, a value of which the solver cannot tell whether it fits need not fit in
    the cases either.
    """

    contrast: Contrast
    scope: int = 4
    limits: Limits = field(default_factory=lambda: Limits(timeout_ms=10_000, resources=100_000_000))
    optimistic: bool = True
    doubts: dict[str, None] = field(default_factory=dict, init=False)
    timed_out: bool = field(default=False, init=False)
    _workplace: Workplace = field(default_factory=Workplace, init=False, repr=False)
    _scenes: dict[tuple[Mode, int], _Scene] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        asked = self.contrast
        if asked.alike:
            both = shared((*asked.holding, *asked.doubted))
            own = len(asked.holding)
            self.contrast = replace(asked, holding=both[:own], doubted=both[own:])
        sides = (asked.allowing, asked.other)
        self._maker, twin = reversed(sides) if asked.by_other else sides
        self._domain = common_domain(self._maker, twin, asked.assumptions)

    def refuted_at_once(self) -> bool:
        """Whether the first attempt at a proof succeeds, for lists of any length."""
        return self._ask_all(Mode.FREE, self.scope) is Answer.UNSATISFIABLE

    def refute(self) -> Outcome:
        """Whether it is proved that there is no such call.

        NONE: "all rules of the first hold, and one of the second does not, or the arguments do
        not fit it" is unsatisfiable where every record has a value. NONE_UP_TO_BOUND: it is once
        no list is longer than twice the scope. UNDECIDED otherwise.
        """
        for scope in (self.scope, 2 * self.scope):
            for mode in (Mode.FREE, Mode.CLOSE):
                answer = self._ask_all(mode, scope)
                if answer is Answer.UNSATISFIABLE:
                    return Outcome.NONE
                if answer is Answer.UNDECIDED:
                    self.timed_out = True
                    return Outcome.UNDECIDED
            if not self._bounded(Mode.FREE, scope):
                return Outcome.UNDECIDED
        if self._ask_all(Mode.FREE, 2 * self.scope, bounded=True) is Answer.UNSATISFIABLE:
            return Outcome.NONE_UP_TO_BOUND
        return Outcome.UNDECIDED

    def cases(self) -> Iterator[Case]:
        """Candidates, the ones that are easiest to understand first.

        First those in which one rule alone makes the difference, by being FALSE; then those in
        which it is, among others; then those in which it has no value.
        """
        for scope in (self.scope, 2 * self.scope):
            scene = self._scene(Mode.STRICT, scope)
            some = self._ask(scene, self._refused(scene))
            if some is not Answer.UNSATISFIABLE:
                yield from self._by_reason(scene)
            if some is Answer.UNDECIDED or not self._bounded(Mode.STRICT, scope):
                return

    def witness(self) -> Case | None:
        """A call that the first domain allows."""
        scene = self._scene(Mode.STRICT, self.scope)
        return self._case(scene, scene.holds)

    def unobserved(self) -> Case | None:
        """A candidate that the first may allow whatever stands in records that are not observed."""
        scene = self._scene(Mode.FREE, self.scope)
        refused = self._refused(scene)
        with self._workplace.entered():
            both = conjoin((scene.holds, refused))
        return self._case(scene, both)

    def failing(self) -> Iterator[Case]:
        """For each rule of the first domain a call on which it is FALSE."""
        scene = self._scene(Mode.STRICT, self.scope)
        for rule in self.contrast.holding:
            with self._workplace.entered():
                fails = scene.first.encoder.fails(rule)
            case = self._case(scene, fails)
            if case is not None:
                yield case
            if self.timed_out:
                return

    def _by_reason(self, scene: _Scene) -> Iterator[Case]:
        encoder, fit = scene.second.encoder, scene.second.arguments_fit
        with self._workplace.entered():
            holds = [encoder.holds(rule) for rule in self.contrast.doubted]
            fails = [encoder.fails(rule) for rule in self.contrast.doubted]
            seen = conjoin(i.fresh for i in scene.study.world.instances.values())
            wanted: list[Bool] = []
            if not self.contrast.other_allows:
                wanted.append(True)
            for i, failure in enumerate(fails):
                others = conjoin((fit, *holds[:i], *holds[i + 1 :]))
                wanted += [conjoin((failure, others, seen)), conjoin((failure, others))]
            wanted += [conjoin((negate(fit), *holds)), negate(fit)]
            for i, failure in enumerate(fails):
                others = conjoin((fit, *holds[:i], *holds[i + 1 :]))
                open_ = negate(holds[i])
                wanted += [failure, conjoin((open_, others, seen)), conjoin((open_, others)), open_]
        for condition in wanted:
            case = None
            if condition is not False:
                with self._workplace.entered():
                    both = conjoin((scene.holds, condition))
                case = self._case(scene, both)
            if case is not None:
                yield case
            if self.timed_out:
                return

    def _case(self, scene: _Scene, condition: Bool) -> Case | None:
        with self._workplace.entered():
            made = scene.study
            tool = self._domain.tools[self.contrast.tool]
            supposed = conjoin((condition, *made.symbols.bounds))
            with made.query.supposing(supposed):
                answer, model = made.query.ask()
                if answer is Answer.UNDECIDED:
                    self.timed_out = True
                if answer is not Answer.SATISFIABLE:
                    return None
                now_us = example_now_us(self._domain)
                example = Example(self._domain, tool, made.world, made.query, now_us, asks=False)
                return example.case(model)

    def _refused(self, scene: _Scene) -> Bool:
        """The condition under which the second domain does not allow the call."""
        if not self.contrast.other_allows:
            return True
        with self._workplace.entered():
            rules = [scene.second.encoder.holds(rule) for rule in self.contrast.doubted]
            return disjoin((negate(scene.second.arguments_fit), *map(negate, rules)))

    def _ask_all(self, mode: Mode, scope: int, *, bounded: bool = False) -> Answer:
        if mode is Mode.CLOSE and not self._bounded(Mode.FREE, scope):
            return Answer.SATISFIABLE  # there are no tails
        scene = self._scene(mode, scope)
        return self._ask(scene, self._refused(scene), bounded=bounded)

    def _ask(self, scene: _Scene, condition: Bool, *, bounded: bool = False) -> Answer:
        with self._workplace.entered():
            strict = scene.study.world.strict
            limits = scene.study.symbols.bounds if bounded or strict else []
            return scene.study.query.ask([scene.holds, condition, *limits])[0]

    def _bounded(self, mode: Mode, scope: int) -> bool:
        """Whether the bound on lists plays a part."""
        return bool(self._scene(mode, scope).study.symbols.bounds)

    def _scene(self, mode: Mode, scope: int) -> _Scene:
        if (mode, scope) not in self._scenes:
            with self._workplace.entered():
                self._scenes[mode, scope] = self._made(mode, scope)
        return self._scenes[mode, scope]

    def _made(self, mode: Mode, scope: int) -> _Scene:
        asked = self.contrast
        made = study(
            self._domain,
            self._domain.tools[asked.tool],
            (*asked.holding, *asked.doubted),
            mode,
            scope,
            self.limits,
            structured=asked.structured,
        )
        optimistic = self.optimistic and mode is Mode.STRICT
        refit = Refit(made.symbols, optimistic, self.doubts)
        firsts = [
            View(made, asked.allowing, self._maker, asked.tool, refit, stand_ins)
            # what only the second takes as evidence has no value at all for the first
            for stand_ins in (asked.stand_ins if asked.by_other else ({}, *asked.stand_ins))
            or ({},)
        ]
        second = firsts[0]
        if not asked.alike:
            second = View(made, asked.other, self._maker, asked.tool, refit)
        holds = conjoin(
            condition
            for first in firsts
            for condition in (first.arguments_fit, *map(first.encoder.holds, asked.holding))
        )
        return _Scene(made, firsts[0], second, holds)
