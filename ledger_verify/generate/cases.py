"""For every rule an allowed witness, a single-fault case, and a case beside each of its bounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from ledger_verify.gate.cases import confirms, prune, replay_found
from ledger_verify.gate.gate import Gate
from ledger_verify.gate.verdict import Verdict
from ledger_verify.generate.mutants import loosened
from ledger_verify.generate.scenario import Scenario
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Rule
from ledger_verify.policy.tools import Tool
from ledger_verify.solver.outcome import Outcome, Search
from ledger_verify.solver.question import Question
from ledger_verify.solver.static import StaticSolver


@dataclass(frozen=True)
class Skipped:
    """A case that could not be made, and why."""

    name: str
    outcome: Outcome


def generate(domain: Domain, solver: StaticSolver) -> Iterator[Scenario | Skipped]:
    """For each rule and tool: a call that is allowed and to which the rule applies, one on which
    only this rule is violated, and for each bound in it one that would be allowed if the bound
    were looser by one.

    Every case is replayed through the gate before it is given out, and the interpreter agrees that
    it is what it is meant to be.
    """
    gate = Gate(domain, explain_ms=None)
    solver = replace(solver, confirm=partial(confirms, gate))
    for rule in domain.rules:
        yield allowed_witness(domain, solver, gate, rule)
        yield single_fault(domain, solver, gate, rule)
        yield from boundary_faults(domain, solver, gate, rule)


def allowed_witness(
    domain: Domain, solver: StaticSolver, gate: Gate, rule: Rule
) -> Scenario | Skipped:
    """A call that is allowed and to which the rule applies."""
    tool = domain.tools[rule.tool]
    name = f"{tool.name}: {rule.id} holds"
    all_hold = tuple(other.holds for other in domain.rules_by_tool[tool.name])
    applies = () if rule.when is None else (rule.when,)
    search = solver.search(Question(tool, true=(*all_hold, *applies), family=all_hold))
    if search.case is None:
        return Skipped(name, search.outcome)
    verdict = replay_found(gate, search.case)
    if verdict is None or not verdict.allowed:
        return Skipped(name, Outcome.UNDECIDED)
    case = prune(gate, search.case, verdict, applies)
    return Scenario(name, case, "ALLOW", {rule.id: "TRUE"})


def single_fault(
    domain: Domain, solver: StaticSolver, gate: Gate, rule: Rule
) -> Scenario | Skipped:
    """A call on which this rule is violated while all others of its tool hold."""
    tool = domain.tools[rule.tool]
    name = f"{tool.name}: only {rule.id} is violated"
    search = _fault(domain, solver, rule, tool)
    if search.case is None:
        return Skipped(name, search.outcome)
    verdict = _verdict(gate, search.case)
    if verdict is None:
        return Skipped(name, Outcome.UNDECIDED)
    truths = {report.id: report.truth for report in verdict.rules}
    broken = {id_ for id_, truth in truths.items() if truth in ("FALSE", "ERROR")}
    if broken != {rule.id}:
        return Skipped(name, Outcome.UNDECIDED)
    case: Case = prune(gate, search.case, verdict)
    return Scenario(name, case, verdict.decision.value, {rule.id: truths[rule.id]})


def boundary_faults(
    domain: Domain, solver: StaticSolver, gate: Gate, rule: Rule
) -> Iterator[Scenario | Skipped]:
    """Calls that miss a bound of the rule by no more than one, and nothing else.

    A bound that can be moved without any difference has none.
    """
    tool = domain.tools[rule.tool]
    others = tuple(r.holds for r in domain.rules_by_tool[tool.name] if r is not rule)
    for number, mutant in enumerate(loosened(rule), 1):
        name = f"{tool.name}: {rule.id} is missed by one ({number})"
        question = Question(tool, true=(*others, mutant.holds), false=(rule.holds,))
        search = solver.search(question)
        if search.case is None:
            if search.outcome is not Outcome.NONE:
                yield Skipped(name, search.outcome)
            continue
        verdict = _verdict(gate, search.case)
        looser = Gate(with_rule(domain, rule, mutant), explain_ms=None)
        if verdict is None or verdict.allowed or not _is_allowed(looser, search.case):
            yield Skipped(name, Outcome.UNDECIDED)
            continue
        pruned = prune(gate, search.case, verdict)
        case = pruned if _is_allowed(looser, pruned) else search.case
        yield Scenario(name, case, verdict.decision.value, {rule.id: "FALSE"})


def with_rule(domain: Domain, rule: Rule, other: Rule | None) -> Domain:
    """The domain with another rule in place of one, or without it."""
    rules = tuple(other if r is rule else r for r in domain.rules)
    return replace(domain, rules=tuple(r for r in rules if r is not None))


def _verdict(gate: Gate, case: Case) -> Verdict | None:
    """The gate's verdict on a case; None where it is no case, or was not settled in time."""
    verdict = replay_found(gate, case)
    return None if verdict is None or verdict.decided_by == "error" else verdict


def _is_allowed(gate: Gate, case: Case) -> bool:
    verdict = replay_found(gate, case)
    return verdict is not None and verdict.allowed


def _fault(domain: Domain, solver: StaticSolver, rule: Rule, tool: Tool) -> Search:
    rules = domain.rules_by_tool[tool.name]
    family = tuple(other.holds for other in rules)
    others = tuple(other.holds for other in rules if other is not rule)
    search = solver.search(Question(tool, true=others, false=(rule.holds,), family=family))
    if search.case is not None:
        return search
    # never FALSE, but perhaps without a value, which counts as violated as well
    untrue = solver.search(Question(tool, true=others, untrue=(rule.holds,), family=family))
    if untrue.outcome is not Outcome.FOUND and search.outcome is not Outcome.NONE:
        return search
    return untrue
