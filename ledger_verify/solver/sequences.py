"""Questions about sequences of calls: can one of them lead to a state that breaks an invariant?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from ledger_verify.policy.case import Sequence as CallSequence
from ledger_verify.policy.cone import Cone, cone_of
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Always, Assumption
from ledger_verify.solver.logic import Bool, negate
from ledger_verify.solver.obligations import Kept, Obligation, always_kept, else_kept, told
from ledger_verify.solver.outcome import Doubt, Ruling
from ledger_verify.solver.query import Answer, Limits, Query, Workplace
from ledger_verify.solver.sequence_examples import sequence_of
from ledger_verify.solver.states import Past
from ledger_verify.solver.study import Mode
from ledger_verify.solver.symbols import Symbols
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
    follows such a call nothing is known. `bounded` tells of those that keep it for lists up to the
    bound; then nothing is shown for ALL. `doubt` says why it is open, or why it could not be told
    of an effect.
    """

    strength: Strength
    unkept: tuple[str, ...] = ()
    bounded: tuple[str, ...] = ()
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
                    return replace(shown, doubt=Doubt.HALF_STALE)
        if answer is Answer.UNSATISFIABLE:
            return replace(shown, strength=Strength.UP_TO_BOUND, doubt=None)
        timed_out = answer is Answer.UNDECIDED or shown.doubt is Doubt.TIME
        return replace(shown, doubt=Doubt.TIME if timed_out else Doubt.UNTOLD)

    def kept(self, assumption: Assumption) -> Shown:
        """Whether no call of any tool breaks an assumption, from any state in which all hold.

        Complete iff "it and all that bears on it hold, and not after the call" is unsatisfiable.
        """
        always = Always("", assumption, None, "", assumption.location)
        shown = self._show_in(self._cone(always, False), always, 1, Past.ANY)
        whole = self._cone(always, True)
        if not (shown.unkept or shown.bounded) or whole == self._cone(always, False):
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

    def find(self, always: Always, length: int) -> Iterator[CallSequence | Doubt]:
        """A sequence of that many calls from the start that breaks the invariant, if there is one
        by leaving what the schema allows; at most one for each bound on lists. At the end a doubt,
        if a limit was reached.
        """
        cone = cone_of(self.domain, always, whole=True, concrete=True)
        for scope in (self.scope, 2 * self.scope):
            with self._workplace.entered():
                made = self._unroll(cone, always, length, Mode.STRICT, Past.NONE, scope)
                query = Query(made.symbols, self.limits)
                query.add(made.broken())
                found = None
                for demanded in (made.fitted(), True):
                    answer, model = query.ask([demanded, *made.symbols.bounds])
                    if answer is Answer.SATISFIABLE:
                        with query.supposing(demanded):
                            for bound in made.symbols.bounds:
                                query.add(bound)
                            found = sequence_of(made, query, model)
                    if demanded is True or answer is not Answer.UNSATISFIABLE:
                        break
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
        strength, left = Strength.OPEN, None
        for mode in (Mode.FREE, Mode.CLOSE):
            with self._workplace.entered():
                made = self._unroll(cone, always, length, mode, past)
                query, ruling = Query(made.symbols, self.limits), Ruling.PROVED
                if strength is Strength.OPEN:
                    ruling = _never(query, made.broken())
                    strength = Strength.ALL if ruling is Ruling.PROVED else Strength.OPEN
                asked = [o for o in made.obligations() if left is None or o.name in left]
                kept = [(one, always_kept(query, one)) for one in asked]
                kept = [(one, how) for one, how in kept if how is not Kept.ALWAYS]
                left = {one.name for one, _ in kept}
                done = strength is Strength.ALL and not left
                if done or mode is Mode.CLOSE or not made.symbols.bounds:
                    return self._shown(made.symbols, query, strength, ruling, kept)
        raise AssertionError(mode)

    def _shown(
        self, symbols: Symbols, query: Query, strength: Strength, ruling: Ruling,
        left: Sequence[tuple[Obligation, Kept]],
    ) -> Shown:  # fmt: skip
        """What is shown where some obligations are not known to be kept always."""
        unkept, bounded = list[str](), list[str]()
        timed_out = ruling is Ruling.OPEN
        for obligation, kept in left:
            how = else_kept(query, symbols, obligation)
            timed_out = timed_out or (Kept.TIMED_OUT in (kept, how) and how is not Kept.BROKEN)
            if how is Kept.UP_TO_BOUND:
                bounded.append(told(obligation, how, self.scope))
            else:
                unkept.append(told(obligation, how, self.scope))
        if bounded and strength is Strength.ALL:
            strength = Strength.UP_TO_BOUND
        return Shown(
            strength, tuple(dict.fromkeys(unkept)), tuple(dict.fromkeys(bounded)),
            Doubt.TIME if timed_out else None,
        )  # fmt: skip

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
