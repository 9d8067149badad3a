"""Invariants: what no allowed call may do, proved or refuted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Any

from ledger_verify.checks.base.reporting import case_json
from ledger_verify.checks.contradictory_assumptions import contradiction, described
from ledger_verify.gate.cases import confirms, prune, replay_found
from ledger_verify.gate.gate import Gate
from ledger_verify.lang.errors import InputError
from ledger_verify.lang.typed import Expr
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Assumption, Invariant
from ledger_verify.policy.tools import Tool, ToolKind
from ledger_verify.solver.outcome import Doubt, Outcome, Ruling
from ledger_verify.solver.question import Question
from ledger_verify.solver.sequences import SequenceSolver
from ledger_verify.solver.static import Confirm, StaticSolver


class Proof(Enum):
    """The outcome for one invariant and tool."""

    PROVED = "PROVED"
    PROVED_UP_TO_BOUND = "PROVED up to the bound"
    REFUTED = "REFUTED"
    UNDECIDED = "UNDECIDED"


@dataclass(frozen=True)
class ProofResult:
    """What became of an invariant for one tool.

    `bound` is the number of items of lists up to which it holds, None where the proof has none.
    `without_rules` tells that it holds whatever the rules say, as where the schema forbids it; None
    where that is open. `reasons` say what stands in the way of a proof, or that no call of the tool
    is allowed, which is a proof; what is UNDECIDED has one at least.
    """

    invariant: Invariant
    proof: Proof
    bound: int | None = None
    counterexample: Case | None = None
    without_rules: bool | None = False
    reasons: tuple[str, ...] = ()

    def to_json(self, domain: Domain) -> dict[str, Any]:
        """The result as JSON."""
        case = self.counterexample
        location = self.invariant.location
        return {
            "id": self.invariant.id,
            "tool": self.invariant.tool,
            "outcome": self.proof.name,
            "bound": self.bound,
            "without_rules": self.without_rules,
            "reasons": list(self.reasons),
            "clause": self.invariant.clause,
            "location": {
                "file": location.file, "line": location.line, "column": location.column,
            },
            "counterexample": None if case is None else case_json(case, domain),
        }  # fmt: skip


def prove(domain: Domain, solver: StaticSolver, only: str | None = None) -> Iterator[ProofResult]:
    """Each invariant (or the one named `only`) for each of its tools.

    PROVED: "all rules hold and the invariant is broken" is unsatisfiable, and so it is without the
    assumptions that an effect of some tool may break. REFUTED: it has a case of which the
    interpreter says that it breaks the invariant, and that the gate allows. Raises `InputError`
    where the assumptions contradict each other, since anything could be proved then.
    """
    chosen = [one for one in domain.invariants if only is None or one.id == only]
    if not chosen:
        return
    prover = _Prover.of(domain, solver)
    for invariant in chosen:
        yield prover.prove(invariant)


@dataclass(frozen=True)
class _Prover:
    """What one domain's invariants are proved with.

    `firm` has only the assumptions that no effect may break, None where those are all. `doubts`
    say why the others may not hold, `contradiction` is what is not known of all of them.
    """

    gate: Gate
    solver: StaticSolver
    firm: StaticSolver | None
    doubts: tuple[str, ...]
    contradiction: str | None

    @classmethod
    def of(cls, domain: Domain, solver: StaticSolver) -> _Prover:
        """The prover; raises `InputError` where the assumptions contradict each other."""
        gate, contradictory = Gate(domain, explain_ms=None), None
        if domain.assumptions:
            bare = replace(domain, assumptions=())
            free = StaticSolver(
                bare, solver.scope, solver.limits, _agreeing(Gate(bare, explain_ms=None))
            )
            core = contradiction(domain, free)
            if core:
                problem = f"{described(core)}, so everything would be proved"
                raise InputError(problem, location=core[-1].location)
            if core is None:
                place = domain.assumptions[0].location
                contradictory = f"{place}: it could not be told whether the assumptions can be met"
        solver = replace(solver, confirm=_agreeing(gate))
        broken = _unkept(domain, solver)
        firm = None
        if broken:
            kept = tuple(a for a in domain.assumptions if a not in broken)
            firm = StaticSolver(replace(domain, assumptions=kept), solver.scope, solver.limits)
        doubts = tuple(told for reasons in broken.values() for told in reasons)
        return cls(gate, solver, firm, tuple(dict.fromkeys(doubts)), contradictory)

    def prove(self, invariant: Invariant) -> ProofResult:
        """What becomes of one invariant."""
        domain = self.gate.domain
        rules = tuple(rule.holds for rule in domain.rules_by_tool[invariant.tool])
        tool = domain.tools[invariant.tool]
        never = _never_allowed(tool, rules)
        if never is not None:
            return ProofResult(invariant, Proof.PROVED, reasons=(never,))
        question = Question(tool, true=(*rules, invariant.never))
        search = self.solver.search(question)
        if search.case is not None:
            return self._refuted(invariant, search.case)
        if search.outcome is Outcome.UNDECIDED:
            return _undecided(invariant, search.doubt or Doubt.TIME)
        if self.contradiction is not None:
            return ProofResult(invariant, Proof.UNDECIDED, reasons=(self.contradiction,))
        if self.firm is not None and self.firm.caseless(question).outcome is not search.outcome:
            return ProofResult(invariant, Proof.UNDECIDED, reasons=self.doubts)
        if search.outcome is Outcome.NONE_UP_TO_BOUND:
            bound = 2 * self.solver.scope
            return ProofResult(invariant, Proof.PROVED_UP_TO_BOUND, bound)
        alone = (self.firm or self.solver).impossible(Question(tool, true=(invariant.never,)))
        without = None if alone is Ruling.OPEN else alone.decided
        return ProofResult(invariant, Proof.PROVED, without_rules=without)

    def _refuted(self, invariant: Invariant, case: Case) -> ProofResult:
        """REFUTED by a case that breaks the invariant, if the gate allows the call."""
        verdict = replay_found(self.gate, case)
        if verdict is None or not verdict.allowed:
            return _undecided(invariant, Doubt.UNCONFIRMED)
        pruned = prune(self.gate, case, verdict, (invariant.never,))
        return ProofResult(invariant, Proof.REFUTED, counterexample=pruned)


def _never_allowed(tool: Tool, rules: Sequence[Expr]) -> str | None:
    """Why no call of the tool is allowed, whatever it holds; None if some may be."""
    if tool.by_user:
        return f"no call of `{tool.name}` is allowed: it is the user's own tool"
    if tool.kind is ToolKind.WRITE and not rules:
        return f"no call of `{tool.name}` is allowed: the policy has no rule for it"
    return None


def _undecided(invariant: Invariant, doubt: Doubt) -> ProofResult:
    return ProofResult(invariant, Proof.UNDECIDED, reasons=(doubt.value,))


def _agreeing(gate: Gate) -> Confirm:
    return partial(confirms, gate)


def _unkept(domain: Domain, solver: StaticSolver) -> dict[Assumption, tuple[str, ...]]:
    """The assumptions that an effect may break, or one of those that bear on them, and why."""
    if not any(tool.effects for tool in domain.tools.values()):
        return {}
    sequences = SequenceSolver(domain, solver.scope, solver.limits)
    found = {assumption: sequences.kept(assumption) for assumption in domain.assumptions}
    return {
        assumption: (*shown.unkept, *shown.bounded)
        for assumption, shown in found.items()
        if shown.unkept or shown.bounded
    }
