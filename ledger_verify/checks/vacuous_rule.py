"""A rule holds in every case that the schema and the assumptions allow, so it forbids nothing.

Usually a condition was written the wrong way round, or the schema already says it. Fix the
condition or delete the rule.

Faulty:

    rules:
      - {id: some, tools: [ship], require: args.parcels >= 0, clause: The schema says that already.}

Right:

    rules:
      - {id: some, tools: [ship], require: args.parcels >= 1, clause: One at least.}

Claim of the solver: "the rule does not hold" is unsatisfiable iff the rule is vacuous, for lists
of any length. A rule that is not is shown so by a case in which the interpreter finds it violated.
A rule whose guard can never be true is an `inapplicable_rule` instead, one with a literal that
cannot occur an `impossible_literal`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from ledger_verify.checks.base.finding import FOR_TOOLS, About, Claim
from ledger_verify.checks.base.job import Bench, Job
from ledger_verify.checks.base.reporting import rule_finding, undecided
from ledger_verify.checks.impossible_literal import blamed_rules
from ledger_verify.checks.inapplicable_rule import applies_never
from ledger_verify.evaluate.kleene import Truth
from ledger_verify.policy.case import Case
from ledger_verify.policy.rules import Assumption, Rule
from ledger_verify.solver.outcome import Outcome, Search
from ledger_verify.solver.question import Question

ABOUT = About("LV102", "vacuous_rule", "warning")
_VIOLATED = (Truth.FALSE, Truth.ERROR)


def jobs(bench: Bench) -> Iterator[Job]:
    """One for each rule and tool."""
    blamed = blamed_rules(bench.domain)
    for rule in bench.domain.rules:
        subject = f"{rule.id} for {rule.tool}"
        depends = (rule.when, rule.require, rule.id in blamed)
        look = partial(_look, bench, rule, rule.id in blamed)
        yield Job(subject, rule.tool, depends, look)


def _look(bench: Bench, rule: Rule, blamed: bool) -> Iterator[Claim]:
    search = _violation(bench, rule)
    if search.outcome is Outcome.NONE:
        if not blamed and not applies_never(bench, rule):
            blame = _assumptions(bench, rule)
            yield rule_finding(
                ABOUT,
                bench.domain,
                rule,
                f"`{rule.id}` holds in every possible case{FOR_TOOLS}: it forbids nothing",
                fix=f"check {'the assumption or ' if blame else ''}the condition for a slip, "
                "or delete the rule",
                notes=[
                    f"it does so because of the assumption `{' '.join(one.text.split())}` "
                    f"at {one.location}"
                    for one in blame
                ],
            )
        return
    if search.case is not None:
        yield Claim()
        return
    message = f"could not tell whether `{rule.id}` can be violated for `{rule.tool}`"
    yield undecided(ABOUT, bench.domain, rule, message, search)


def _assumptions(bench: Bench, rule: Rule) -> tuple[Assumption, ...]:
    """Assumptions without one of which the rule would forbid something; none if it holds anyway."""

    def holds_with(assumptions: tuple[Assumption, ...]) -> bool:
        solver = Bench(replace(bench.domain, assumptions=assumptions), bench.settings).solver
        question = Question(bench.domain.tools[rule.tool], untrue=(rule.holds,))
        return solver.impossible(question)

    kept = bench.domain.assumptions
    if not kept or holds_with(()):
        return ()
    for assumption in kept:
        fewer = tuple(one for one in kept if one is not assumption)
        if holds_with(fewer):
            kept = fewer
    return kept


def _violation(bench: Bench, rule: Rule) -> Search:
    def confirmed(case: Case) -> bool:
        truths = bench.truths(case, (rule.holds,))
        return truths is not None and truths[0] in _VIOLATED

    tool = bench.domain.tools[rule.tool]
    search = bench.search(Question(tool, false=(rule.holds,)), confirmed)
    if search.outcome in (Outcome.FOUND, Outcome.NONE):
        return search
    # never FALSE, but perhaps without a value, which counts as violated as well
    return bench.search(Question(tool, untrue=(rule.holds,)), confirmed)
