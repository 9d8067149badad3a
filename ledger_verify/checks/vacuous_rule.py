"""A rule holds in every case that the schema and the assumptions allow, so it forbids nothing.

Usually a condition was written the wrong way round, or the schema already says it. Fix the
condition or delete the rule.

Vacuous: `args.bags >= 0` where the schema says `minimum: 0`; `x != "a" || x != "b"`.
Not vacuous: `args.bags >= 1` there.

Claim of the solver: "the rule does not hold" is unsatisfiable iff the rule is vacuous, for lists
of any length. A rule that is not is shown so by a case that violates it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.checks.finding import Claim, Finding, undecided_claim
from ledger_verify.gate.cases import replay_found
from ledger_verify.gate.session import Gate
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Rule
from ledger_verify.solver.outcome import Outcome, Search
from ledger_verify.solver.static import Question, StaticSolver

CODE = "LV102"
NAME = "vacuous_rule"


def run(domain: Domain, solver: StaticSolver) -> Iterator[Claim]:
    """One claim for each rule and tool; a rule that is vacuous for several is reported once."""
    gate = Gate(domain)
    vacuous: dict[str, list[Rule]] = {}
    for rule in domain.rules:
        search = _violation(domain, solver, rule)
        if search.outcome is Outcome.NONE:
            vacuous.setdefault(rule.id, []).append(rule)
        elif search.case is not None and _violates(gate, search.case, rule):
            yield Claim()
        else:
            yield undecided_claim(
                NAME,
                f"could not tell whether `{rule.id}` can be violated for `{rule.tool}`",
                (rule.id,),
                rule.places["require"],
            )
    for rules in vacuous.values():
        yield Claim(_finding(domain, rules))


def _violation(domain: Domain, solver: StaticSolver, rule: Rule) -> Search:
    tool = domain.tools[rule.tool]
    search = solver.search(Question(tool, false=(rule.holds,)))
    if search.outcome in (Outcome.FOUND, Outcome.NONE):
        return search
    # never FALSE, but perhaps without a value, which counts as violated as well
    return solver.search(Question(tool, untrue=(rule.holds,)))


def _violates(gate: Gate, case: Case, rule: Rule) -> bool:
    verdict = replay_found(gate, case)
    reports = () if verdict is None else verdict.rules
    return any(report.id == rule.id and report.truth in ("FALSE", "ERROR") for report in reports)


def _finding(domain: Domain, rules: list[Rule]) -> Finding:
    first = rules[0]
    all_tools = [rule.tool for rule in domain.rules if rule.id == first.id]
    where = ""
    if len(rules) < len(all_tools):
        where = f" for {', '.join(f'`{rule.tool}`' for rule in rules)}"
    return Finding(
        CODE,
        NAME,
        "warning",
        f"`{first.id}` holds in every possible case{where}: it forbids nothing",
        (first.id,),
        first.places["require"],
        fix="check the condition for a slip, or delete the rule",
    )
