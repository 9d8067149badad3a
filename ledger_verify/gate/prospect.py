"""What reads could still change about a refusal: that a record was observed, that a read was made.

`observed(...)` is false, `records(...)` lacks a record and a history a call because nobody has read
so far. Where a rule fails on that alone, the read that would make it so is advised, if it can lead
to ALLOW.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ledger_verify.evaluate.kleene import Scope, evaluate, listed_without, truth_of
from ledger_verify.gate.judge import Question, Standing, that_matter
from ledger_verify.gate.proposal import Proposal, load_solver
from ledger_verify.gate.reads import ReadPlanner
from ledger_verify.gate.verdict import MissingRead
from ledger_verify.lang.typed import Constant, walk
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.evidence import MissingPath, Reach, Statement, Unknown, Unlisted
from ledger_verify.policy.rules import Rule

HISTORY = "history"


@dataclass(frozen=True)
class _Prospect:
    """The ledger with `Unknown` for what a read could still make true."""

    ledger: Ledger
    planner: ReadPlanner
    asked: dict[MissingPath, None] = field(default_factory=dict)

    @property
    def facts(self) -> Mapping[str, Any]:
        return self.ledger.facts

    def lookup(self, pattern: str, keys: tuple[Any, ...]) -> Any:
        return self.ledger.lookup(pattern, keys)

    def observed(self, pattern: str, keys: tuple[Any, ...], field: str | None) -> Any:
        answer = self.ledger.observed(pattern, keys, field)
        here = MissingPath(pattern, keys)
        if answer is False and not self._is_gone(pattern, keys) and self._can_be_made(here):
            return Unknown(frozenset({here}))
        return answer

    def observed_records(self, pattern: str) -> Any:
        found = self.ledger.observed_records(pattern)
        if isinstance(found, Unknown) or self.ledger.absences.is_whole(pattern):
            return found
        here = MissingPath(pattern, (None,) * len(self.ledger.patterns[pattern].keys))
        self.asked[here] = None
        return Unknown(frozenset({here})) if self.planner.is_open(here) else found

    def earlier_calls(self, name: str) -> Any:
        wanted = [name] if name != HISTORY else self._of_any_tool()
        own = (MissingPath(each, ()) for each in wanted if each in self.planner.proposal.own_reads)
        made = frozenset(here for here in own if self._can_be_made(here))
        return Unknown(made) if made else self.ledger.earlier_calls(name)

    def _of_any_tool(self) -> list[str]:
        """The histories of the reads that the rules name; of all where they name no tool."""
        proposal = self.planner.proposal
        texts: set[str] = set()
        for rule in proposal.rules:
            for part in walk(rule.holds):
                if isinstance(part, Constant):
                    values = part.value if isinstance(part.value, tuple) else (part.value,)
                    texts.update(value for value in values if isinstance(value, str))
        named = {f"{HISTORY}.{name}" for name in texts & set(proposal.domain.tools)}
        return sorted(named & proposal.own_reads if named else proposal.own_reads)

    def messages(self) -> tuple[str, ...]:
        return self.ledger.messages()

    def _is_gone(self, pattern: str, keys: tuple[Any, ...]) -> bool:
        """Whether the record is known not to exist, so that no read can show it."""
        found = self.ledger.lookup(pattern, keys)
        return isinstance(found, Unlisted) and isinstance(
            listed_without(found, self.ledger), Statement
        )

    def _can_be_made(self, here: MissingPath) -> bool:
        self.asked[here] = None
        return self.planner.reach([here]).all_of([here])


@dataclass(frozen=True)
class Opening:
    """The reads after which all rules may hold, because they were made; empty if none helps.

    `asked` is what reads could have made true, whether they were tried already or not.
    """

    reads: Sequence[MissingRead] = ()
    asked: Sequence[MissingPath] = ()


def opening(
    proposal: Proposal, rules: Sequence[Rule], planner: ReadPlanner | None = None
) -> Opening:
    """What reads would open the way to ALLOW; raises what the solver raises at its limits.

    The `planner` is that of another proposal where this one is only supposed.
    """
    load_solver(proposal.deadline)
    from ledger_verify.solver.completions import Completions

    planner = planner or ReadPlanner(proposal)
    prospect = _Prospect(proposal.ledger, planner)
    scope = Scope(prospect, proposal.scope.names, hopeful=True, deadline=proposal.deadline)
    standings = []
    for rule in rules:
        proposal.deadline.check()
        result = evaluate(rule.holds, scope)
        missing = result.missing if isinstance(result, Unknown) else frozenset()
        standings.append(Standing(rule, truth_of(result), missing))
    asked = list(prospect.asked)
    if any(s.violated for s in standings):
        return Opening(asked=asked)
    opened = [s for s in standings if s.undetermined]
    missing_paths = [path for standing in opened for path in standing.missing]
    reach = planner.reach(missing_paths)
    if not opened or not any(reach.has(p.pattern, p.keys) for p in missing_paths):
        return Opening(asked=asked)
    lists = {p.pattern for p in missing_paths if p in prospect.asked and not p.determined}
    reach = Reach(reach.patterns, reach.lost, proposal.own_reads | lists)
    completions = Completions(proposal.situation(), [s.rule.holds for s in opened], reach)
    everything = range(len(opened))
    if not completions.reachable(everything, None):
        return Opening(asked=asked)
    readable = [path for path in missing_paths if reach.has(path.pattern, path.keys)]
    question = Question(completions, {s.rule.id: i for i, s in enumerate(opened)})
    kept = that_matter(proposal, opened, readable, question)
    return Opening(planner.plan(kept, [s.places for s in opened]), asked)
