"""How the rules stand for one call, and which reads can still change that.

The interpreter says which rules are TRUE, FALSE, UNKNOWN or ERROR; the solver settles UNKNOWN over
all completions. Whatever asks the solver may raise its `Undecided` and `Contradiction`. What it
does not settle in half the time stays open: the rest is for saying what to read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ledger_verify.evaluate.kleene import Truth, evaluate, truth_of
from ledger_verify.gate.awaited import of_records, with_outcomes
from ledger_verify.gate.proposal import Proposal, load_solver
from ledger_verify.gate.reads import ReadPlanner
from ledger_verify.gate.remarks import place_text
from ledger_verify.gate.verdict import MissingRead
from ledger_verify.lang.deadline import Expired
from ledger_verify.lang.typed import Expr, Read, parts
from ledger_verify.policy.evidence import MissingPath, Reach, Unknown
from ledger_verify.policy.rules import Rule
from ledger_verify.solver.origins import patterns_read

if TYPE_CHECKING:
    from ledger_verify.solver.completions import Completions


@dataclass(frozen=True)
class Standing:
    """One rule, its truth over all completions, and the missing evidence that it met."""

    rule: Rule
    truth: Truth
    missing: frozenset[MissingPath]

    @property
    def violated(self) -> bool:
        """FALSE or ERROR in every completion."""
        return self.truth in (Truth.FALSE, Truth.ERROR)

    @property
    def undetermined(self) -> bool:
        """TRUE in some completions and not in others."""
        return self.truth is Truth.UNKNOWN

    @cached_property
    def places(self) -> frozenset[tuple[str, tuple[Any, ...]]]:
        """The records that are missing: patterns and keys."""
        return frozenset((path.pattern, path.keys) for path in self.missing)


def stand(proposal: Proposal, rules: Iterable[Rule]) -> tuple[Standing, ...]:
    """How the rules stand by what was observed, as the interpreter has it."""
    standings = []
    for rule in rules:
        standings.append(stand_of(proposal, rule))
    return tuple(standings)


def stand_of(proposal: Proposal, rule: Rule) -> Standing:
    """How one rule stands by what was observed."""
    proposal.deadline.check()
    result = evaluate(rule.holds, proposal.scope)
    missing = result.missing if isinstance(result, Unknown) else frozenset()
    return Standing(rule, truth_of(result), missing)


class Judgement:
    """The rules of a proposal, settled over all completions of its ledger."""

    def __init__(
        self, proposal: Proposal, rules: Sequence[Rule], standings: Sequence[Standing] | None = None
    ) -> None:
        """`standings` are those of the rules by the interpreter, if they are known already.

        `unsettled` tells that the solver had not enough time: what is open by the interpreter may
        be known, or not be settled by reads.
        """
        self.proposal = proposal
        self.standings = stand(proposal, rules) if standings is None else tuple(standings)
        self.planner = ReadPlanner(proposal)
        self.asked_solver = False
        self.unsettled = False
        self._index: dict[str, int] = {}
        self._completions: Completions
        if any(s.undetermined for s in self.standings):
            self._settle()

    def _settle(self) -> None:
        """UNKNOWN rules that hold, or fail, in every completion are known after all."""
        load_solver(self.proposal.deadline)
        from ledger_verify.solver.completions import Completions, Settled

        self.asked_solver = True
        unknown = [s for s in self.standings if s.undetermined]
        situation = self.proposal.situation(self.proposal.deadline.halfway())
        self._index = {s.rule.id: i for i, s in enumerate(unknown)}
        try:
            self._completions = Completions(situation, [s.rule.holds for s in unknown])
            answers = dict(zip(self._index, self._completions.settle(), strict=True))
        except Expired:
            self.unsettled = True
            return
        self.standings = tuple(
            s
            if answers.get(s.rule.id, Settled.OPEN) is Settled.OPEN
            else Standing(s.rule, Truth[answers[s.rule.id].value], s.missing)
            for s in self.standings
        )

    def reads_suffice(self, undetermined: Sequence[Standing]) -> bool:
        """Whether what this agent can read may show that these rules hold."""
        if not undetermined:
            return True
        missing = [path for standing in undetermined for path in standing.missing]
        told = self.planner.reach(of_records(missing))
        reach = with_outcomes(told, missing, self.proposal.ledger)
        only = None if reach.all_of(missing) else reach
        chosen = [self._index[s.rule.id] for s in undetermined]
        if not self.unsettled:
            try:
                return self._completions.reachable(chosen, only)
            except Expired:
                self.unsettled = True
        if not self._readable(undetermined):
            raise Expired
        return True

    def reads(self, undetermined: Sequence[Standing]) -> list[MissingRead]:
        """The reads whose value can still change the verdict, in the order to make them."""
        if not undetermined:
            return []
        readable = self._readable(undetermined)
        rules = [standing.places for standing in undetermined]
        if self.unsettled:
            return self.planner.plan(in_order(self.proposal, undetermined, readable), rules)
        missing = [path for standing in undetermined for path in standing.missing]
        told = self.planner.reach(of_records(missing))
        reach = with_outcomes(told, missing, self.proposal.ledger)
        chosen = {s.rule.id: self._index[s.rule.id] for s in undetermined}
        question = Question(self._completions, chosen, None if reach.all_of(missing) else reach)
        kept = that_matter(self.proposal, undetermined, readable, question)
        return self.planner.plan(kept, rules)

    def _readable(self, undetermined: Sequence[Standing]) -> list[MissingPath]:
        """What is missing that this agent can read."""
        missing = of_records(p for standing in undetermined for p in standing.missing)
        told = self.planner.reach(missing)
        places = {(p.pattern, p.keys): p for p in missing}
        return [p for p in places.values() if told.has(p.pattern, p.keys)]


@dataclass(frozen=True)
class Question:
    """What to ask of reads: whether they can change that the `chosen` predicates all hold.

    `chosen` are numbers of the completions' predicates, by rule. Only what is in `reach` may become
    known; None for all.
    """

    completions: Completions
    chosen: Mapping[str, int]
    reach: Reach | None = None

    def matters(
        self, path: MissingPath, besides: Sequence[MissingPath], read_by: Sequence[Standing]
    ) -> bool:
        """Whether what is at the path may matter once all is known but that and what is `besides`;
        so it may where the solver cannot tell, or not in time.
        """
        from ledger_verify.solver.outcome import Undecided

        numbers = [self.chosen[s.rule.id] for s in read_by]
        try:
            chosen = list(self.chosen.values())
            return self.completions.matters(chosen, path, numbers, besides, self.reach)
        except (Undecided, Expired):
            return True


def that_matter(
    proposal: Proposal,
    standings: Sequence[Standing],
    missing: Iterable[MissingPath],
    question: Question,
) -> list[MissingPath]:
    """Those of what is missing that it takes to know whether the rules hold, in the order to read.

    The last ones are the first to go: what the others tell, whatever they show, need not be read.
    Once half of the time is over, what was not asked about is kept.
    """
    paths = {(path.pattern, path.keys): path for path in missing}
    kept: list[MissingPath] = []
    spared: list[MissingPath] = []
    for path in reversed(in_order(proposal, standings, paths.values())):
        read_by = [s for s in standings if any(_meets(s, p) for p in (path, *spared))]
        # a rule may be open because of this record alone
        alone = any(_meets(s, path) and len(s.places) == 1 for s in read_by)
        sure = alone and not _is_tied(proposal, path)
        if sure or _is_late(proposal) or question.matters(path, spared, read_by):
            kept.insert(0, path)
        else:
            spared.append(path)
    return kept


def _is_late(proposal: Proposal) -> bool:
    """Whether the time that is left is better spent on saying what to read."""
    left, limit = proposal.deadline.left_ms(), proposal.deadline.limit_ms
    return left is not None and limit is not None and left < limit / 2


def _is_tied(proposal: Proposal, path: MissingPath) -> bool:
    """Whether an assumption may let another record tell what this one shows."""
    for assumption in proposal.domain.assumptions:
        own = () if assumption.pattern is None else (assumption.pattern,)
        spoken_of = {*patterns_read(assumption.body), *own}
        several = len(spoken_of) > 1 or path.pattern in patterns_read(assumption.body)
        if several and path.pattern in spoken_of:
            return True
    return False


def in_order(
    proposal: Proposal, standings: Sequence[Standing], paths: Iterable[MissingPath]
) -> list[MissingPath]:
    """The records in the order to read them.

    Those whose keys are known first, for what they show may be the keys of others; among them
    those that settle the most rules by themselves, then those that the most rules read.
    """
    patterns = _evaluation_order(proposal)
    met = Counter(place for s in standings for place in s.places)
    alone = Counter(place for s in standings if len(s.places) == 1 for place in s.places)

    def rank(path: MissingPath) -> tuple[Any, ...]:
        place = (path.pattern, path.keys)
        settles = (-alone[place], -met[place]) if path.determined else (0, 0)
        order = patterns.index(path.pattern) if path.pattern in patterns else len(patterns)
        text = place_text(proposal.domain, path.pattern, path.keys)
        return (not path.determined, *settles, order, None in path.keys, text)

    return sorted(paths, key=rank)


def _meets(standing: Standing, path: MissingPath) -> bool:
    return (path.pattern, path.keys) in standing.places


def _evaluation_order(proposal: Proposal) -> list[str]:
    """Patterns as evaluation meets them: those that keys depend on before those they key."""
    order: dict[str, None] = {}

    def visit(expr: Expr) -> None:
        for part in parts(expr):
            visit(part)
        if isinstance(expr, Read):
            order[expr.pattern] = None

    for rule in proposal.rules:
        visit(rule.holds)
    return list(order)
