"""Questions about sequences of calls: can one of them lead to a state that breaks an invariant?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from ledger_verify.policy.case import Sequence
from ledger_verify.policy.cone import Cone, cone_of
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Always, Assumption
from ledger_verify.solver.logic import Bool, negate
from ledger_verify.solver.outcome import Doubt, Ruling
from ledger_verify.solver.query import Answer, Limits, Query, Workplace
from ledger_verify.solver.sequence_examples import sequence_of
from ledger_verify.solver.states import Past
from ledger_verify.solver.study import Mode
from ledger_verify.solver.unrolling import Unrolling


class Strength(Enum):
    """Whether no sequence of one length breaks the claim: for lists of any length, for lists up to
    the bound, or that could not be shown.
    """

    ALL = "all"
    UP_TO_BOUND = "up to the bound"
    OPEN = "open"


@dataclass(frozen=True)
class Shown:
    """What is shown of all sequences of one length.

    `unkept` tells of the effects that may break what the domain states of records: of what
    follows such a call nothing is known. `doubt` says why it is open, or why it could not be told
    of an effect.
    """

    strength: Strength
    unkept: tuple[str, ...] = ()
    doubt: Doubt | None = None

    @property
    def complete(self) -> bool:
        """Whether nothing is left open."""
        return self.strength is Strength.ALL and not self.unkept


@dataclass(frozen=True)
class SequenceSolver:
    """Answers questions about the sequences of calls that one policy allows."""

    domain: Domain
    scope: int = 4
    limits: Limits = field(default_factory=lambda: Limits(timeout_ms=10_000, resources=100_000_000))
    _workplace: Workplace = field(default_factory=Workplace, repr=False, compare=False)

    def after(self, always: Always, length: int, *, whole: bool) -> Shown:
        """Whether the invariant holds after every allowed sequence of that many calls from the
        start, if it does after every shorter one.

        ALL: "it is broken after the last call" is unsatisfiable. Without `whole` only the rules
        that read little more than the invariant are looked at, which may show it much sooner.
        """
        shown = self._show_in(self._cone(always, whole), always, length, Past.NONE)
        if not whole or shown.strength is not Strength.OPEN:
            return shown
        with self._workplace.entered():
            made = self._unroll(self._cone(always, True), always, length, Mode.FREE, Past.NONE)
            answer, _ = Query(made.symbols, self.limits).ask([made.broken(), *made.symbols.bounds])
            half = _without_half_stale(made)
            if answer is Answer.SATISFIABLE and half:
                asked = [made.broken(), *made.symbols.bounds, *half]
                rest, _ = Query(made.symbols, self.limits).ask(asked)
                if rest is Answer.UNSATISFIABLE:
                    return Shown(Strength.OPEN, shown.unkept, Doubt.HALF_STALE)
        if answer is Answer.UNSATISFIABLE:
            return Shown(Strength.UP_TO_BOUND, shown.unkept)
        timed_out = answer is Answer.UNDECIDED or shown.doubt is Doubt.TIME
        return Shown(Strength.OPEN, shown.unkept, Doubt.TIME if timed_out else Doubt.UNTOLD)

    def kept(self, assumption: Assumption) -> Shown:
        """Whether no call of any tool breaks an assumption, from any state in which all hold.

        Complete iff "it and all that bears on it hold, and not after the call" is unsatisfiable.
        """
        always = Always("", assumption, None, "", assumption.location)
        shown = self._show_in(self._cone(always, False), always, 1, Past.ANY)
        whole = self._cone(always, True)
        if not shown.unkept or whole == self._cone(always, False):
            return shown
        return self._show_in(whole, always, 1, Past.ANY)

    def after_changes(self, always: Always, length: int) -> Ruling:
        """The same for sequences of that many calls that may change something, with any others
        between them; the invariant must not read the history.
        """
        return self._show(always, length, Past.IDLE)

    def step(self, always: Always, length: int) -> Ruling:
        """Whether that many calls preserve the invariant, from any state and after any calls.

        PROVED iff "it holds, as do the schema and the assumptions, before each of the calls, and
        one of them is broken after the last" is unsatisfiable.
        """
        return self._show(always, length, Past.ANY)

    def unstartable(self, always: Always) -> Ruling:
        """Whether no session can start: PROVED iff "a record is as it must be" is
        unsatisfiable.
        """
        with self._workplace.entered():
            made = self._unroll(self._cone(always, True), always, 0, Mode.FREE, Past.NONE)
            made.broken()  # brings in a record of which the invariant speaks
            return _never(Query(made.symbols, self.limits), True)

    def exhausted(self, always: Always, length: int) -> Ruling:
        """Whether no session has that many calls that may change something.

        PROVED iff "that many calls are allowed, any others between them" is unsatisfiable.
        """
        with self._workplace.entered():
            made = self._unroll(self._cone(always, False), always, length, Mode.FREE, Past.IDLE)
            if not made.tools:
                return Ruling.PROVED
            return _never(Query(made.symbols, self.limits), True)

    def find(self, always: Always, length: int) -> Iterator[Sequence | Doubt]:
        """A sequence of that many calls from the start that breaks the invariant; at most one for
        each bound on lists. At the end a doubt, if a limit was reached.
        """
        cone = cone_of(self.domain, always, whole=True, concrete=True)
        for scope in (self.scope, 2 * self.scope):
            with self._workplace.entered():
                made = self._unroll(cone, always, length, Mode.STRICT, Past.NONE, scope)
                query = Query(made.symbols, self.limits)
                query.add(made.broken())
                answer, model = query.ask(made.symbols.bounds)
                found = None
                if answer is Answer.SATISFIABLE:
                    with query.supposing(True):
                        for bound in made.symbols.bounds:
                            query.add(bound)
                        found = sequence_of(made, query, model)
                bounded = bool(made.symbols.bounds)
            if found is not None:
                yield found
            if answer is Answer.UNDECIDED:
                yield Doubt.TIME
            if not bounded or answer is Answer.UNDECIDED:
                return

    def _show(self, always: Always, length: int, past: Past) -> Ruling:
        """Whether nothing is left open, first with the few rules that bear on it directly."""
        near, whole = self._cone(always, False), self._cone(always, True)
        shown = self._show_in(near, always, length, past)
        if not shown.complete and near != whole:
            shown = self._show_in(whole, always, length, past)
        if shown.complete:
            return Ruling.PROVED
        return Ruling.NOT if shown.doubt is None else Ruling.OPEN

    def _show_in(self, cone: Cone, always: Always, length: int, past: Past) -> Shown:
        """Free worlds are tried before those in which predicates know of each other's items."""
        strength, unkept, timed_out = Strength.OPEN, None, False
        for mode in (Mode.FREE, Mode.CLOSE):
            with self._workplace.entered():
                made = self._unroll(cone, always, length, mode, past)
                query = Query(made.symbols, self.limits)
                rulings = []
                if strength is Strength.OPEN:
                    rulings.append(_never(query, made.broken()))
                    if rulings[0] is Ruling.PROVED:
                        strength = Strength.ALL
                obligations = [o for o in made.obligations() if unkept is None or o.told in unkept]
                kept = [_never(query, obligation.broken) for obligation in obligations]
                pairs = zip(obligations, kept, strict=True)
                unkept = tuple(o.told for o, ruling in pairs if ruling is not Ruling.PROVED)
                timed_out = Ruling.OPEN in (*rulings, *kept)
                bounded = bool(made.symbols.bounds)
            if (strength is Strength.ALL and not unkept) or not bounded:
                break
        doubt = Doubt.TIME if timed_out else None
        return Shown(strength, tuple(dict.fromkeys(unkept or ())), doubt)

    def _cone(self, always: Always, whole: bool) -> Cone:
        return cone_of(self.domain, always, whole=whole)

    def _unroll(
        self, cone: Cone, always: Always, length: int, mode: Mode, past: Past,
        scope: int | None = None,
    ) -> Unrolling:  # fmt: skip
        slots = self.scope if scope is None else scope
        return Unrolling(self.domain, cone, always, length, mode, slots, past=past)


def _never(query: Query, condition: object) -> Ruling:
    """Whether the condition is unsatisfiable."""
    match query.ask([condition])[0]:
        case Answer.UNSATISFIABLE:
            return Ruling.PROVED
        case Answer.SATISFIABLE:
            return Ruling.NOT
    return Ruling.OPEN


def _without_half_stale(made: Unrolling) -> list[Bool]:
    """That no record is stale by a part only, in any state; empty where none can be."""
    return [
        negate(state.parting(instance.pattern).stale_field(name, instance.terms))
        for state in made.states
        for instance in state.instances.values()
        for name in state.parting(instance.pattern).parts.below
        if isinstance(name, str)
    ]
