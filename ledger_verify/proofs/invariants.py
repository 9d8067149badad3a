"""Invariants: what no allowed call may do, proved or refuted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from ledger_verify.checks.base.reporting import case_json
from ledger_verify.checks.contradictory_assumptions import contradiction, described
from ledger_verify.gate.cases import prune, replay_found
from ledger_verify.gate.session import Gate
from ledger_verify.lang.errors import InputError
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Invariant
from ledger_verify.solver.outcome import Outcome, Search
from ledger_verify.solver.question import Question
from ledger_verify.solver.static import StaticSolver


class Proof(Enum):
    """The outcome for one invariant and tool."""

    PROVED = "PROVED"
    PROVED_UP_TO_BOUND = "PROVED up to the bound"
    REFUTED = "REFUTED"
    UNDECIDED = "UNDECIDED"


_WITHOUT_CASE = {
    Outcome.NONE: Proof.PROVED,
    Outcome.NONE_UP_TO_BOUND: Proof.PROVED_UP_TO_BOUND,
    Outcome.UNDECIDED: Proof.UNDECIDED,
}


@dataclass(frozen=True)
class ProofResult:
    """What became of an invariant for one tool.

    `bound` is the number of items of lists up to which it holds, None where the proof has none.
    `without_rules` tells that it holds whatever the rules say, as where the schema forbids it.
    """

    invariant: Invariant
    proof: Proof
    bound: int | None = None
    counterexample: Case | None = None
    without_rules: bool = False

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
            "clause": self.invariant.clause,
            "location": {
                "file": location.file, "line": location.line, "column": location.column,
            },
            "counterexample": None if case is None else case_json(case, domain),
        }  # fmt: skip


def prove(domain: Domain, solver: StaticSolver, only: str | None = None) -> Iterator[ProofResult]:
    """Each invariant (or the one named `only`) for each of its tools.

    PROVED: "all rules hold and the invariant is broken" is unsatisfiable. REFUTED: it has a case
    that the gate allows when it is replayed. Raises `InputError` where the assumptions contradict
    each other, since anything could be proved then.
    """
    free = StaticSolver(replace(domain, assumptions=()), solver.scope, solver.limits)
    core = contradiction(domain, free) if domain.assumptions and domain.invariants else ()
    if core:
        problem = f"{described(core)}, so everything would be proved"
        raise InputError(problem, location=core[-1].location)
    gate = Gate(domain)
    for invariant in domain.invariants:
        if only is None or invariant.id == only:
            yield _prove(domain, solver, gate, invariant)


def _prove(domain: Domain, solver: StaticSolver, gate: Gate, invariant: Invariant) -> ProofResult:
    rules = tuple(rule.holds for rule in domain.rules_by_tool[invariant.tool])
    tool = domain.tools[invariant.tool]
    search: Search = solver.search(Question(tool, true=(*rules, invariant.never)))
    if search.case is None:
        proof = _WITHOUT_CASE[search.outcome]
        bound = 2 * solver.scope if proof is Proof.PROVED_UP_TO_BOUND else None
        alone = proof is Proof.PROVED and solver.impossible(Question(tool, true=(invariant.never,)))
        return ProofResult(invariant, proof, bound, without_rules=alone)
    verdict = replay_found(gate, search.case)
    if verdict is None or not verdict.allowed:
        return ProofResult(invariant, Proof.UNDECIDED)
    return ProofResult(
        invariant,
        Proof.REFUTED,
        counterexample=prune(gate, search.case, verdict, (invariant.never,)),
    )
