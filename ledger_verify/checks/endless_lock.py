"""A limit also counts calls that the gate itself refused, so trying again uses it up.

The history has refused calls as well. Where a limit counts those, an agent that is sent back to
read something first, and then tries again, is refused for good: each refused try makes the next one
worse, though nothing ever ran. Count what was let through: `c.ok`, or
`!(c.verdict in ["REVISE", "BLOCK"])`.

Faulty:

    rules:
      - id: three_times
        tools: [ship]
        require: size(history.ship.filter(c, now - c.time < duration("1h"))) < 3
        clause: At most three an hour.

Right:

    rules:
      - id: three_times
        tools: [ship]
        require: size(history.ship.filter(c, c.ok && now - c.time < duration("1h"))) < 3
        clause: At most three an hour.

The case that is shown was replayed: the gate finds the rule violated, and without the refused calls
in its history the rule holds. A rule about nothing but refusals, such as the template
`no_repeated_refusal`, means them and is not reported.

Claim of the solver: "the rule fails, and holds as if no call of the tool had been refused" is
satisfiable, and so is "it fails, and holds as if all had been". Where it is unsatisfiable for lists
up to the bound of `--scope`, nothing is reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ledger_verify.checks.base.finding import FOR_TOOLS, About, Claim
from ledger_verify.checks.base.job import Bench, Job
from ledger_verify.checks.base.reporting import rule_finding, undecided
from ledger_verify.checks.history.past_calls import (
    REFUSED,
    histories,
    tools_of,
    without_ran,
    without_refused,
)
from ledger_verify.checks.history.possible_past import Past, Possible
from ledger_verify.evaluate.kleene import Truth
from ledger_verify.gate.cases import prune
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Rule
from ledger_verify.solver.outcome import Outcome
from ledger_verify.solver.question import Question

ABOUT = About("LV505", "endless_lock", "warning")


def jobs(bench: Bench) -> Iterator[Job]:
    """One for each rule that reads earlier calls of its own tool."""
    for rule in bench.domain.rules:
        if _reads_own_calls(rule, bench.domain):
            subject = f"{rule.id} for {rule.tool}"
            yield Job(subject, rule.tool, partial(_look, bench, rule))


def _reads_own_calls(rule: Rule, domain: Domain) -> bool:
    return any(rule.tool in tools_of(calls, domain) for calls in histories(rule.holds))


def _look(bench: Bench, rule: Rule) -> Iterator[Claim]:
    only_refused = Past(bench.domain, {rule.tool: Possible(REFUSED)}).cut(rule.holds)
    if not any(rule.tool in tools_of(c, bench.domain) for c in histories(only_refused)):
        yield Claim()  # no condition lets a refused call count
        return
    tool, holds = bench.domain.tools[rule.tool], rule.holds
    mild = without_refused(holds, rule.tool)
    because = bench.shown(Question(tool, true=(mild,), false=(holds,)), within_bound=True)
    if because.outcome is Outcome.NONE_UP_TO_BOUND:
        yield Claim()
        return
    refusals = without_ran(holds, rule.tool)
    question = Question(tool, true=(refusals,), false=(holds,))
    besides = bench.solver.search_within_bound(question, pleasant=False)
    if besides.outcome is Outcome.NONE_UP_TO_BOUND:
        yield Claim()  # refusals are what the rule is about
        return
    found = None
    if because.case is not None and besides.case is not None:
        found = _finding(bench, rule, because.case)
    doubtful = because if because.case is None else besides
    message = f"could not tell whether `{rule.id}` counts refused calls of `{rule.tool}`"
    yield found or undecided(ABOUT, bench.domain, rule, message, doubtful)


def _finding(bench: Bench, rule: Rule, case: Case) -> Claim | None:
    """The finding that the case shows; None where the interpreter or the gate does not agree."""
    mild = without_refused(rule.holds, rule.tool)
    verdict = bench.replay(case)
    if bench.truths(case, (mild, rule.holds)) != (Truth.TRUE, Truth.FALSE) or verdict is None:
        return None
    if (rule.id, "FALSE") not in [(r.id, r.truth) for r in verdict.rules]:
        return None
    return rule_finding(
        ABOUT,
        bench.domain,
        rule,
        f"`{rule.id}` also counts calls that were refused{FOR_TOOLS}: each refused try "
        "brings the next refusal nearer, though nothing ran",
        case=prune(bench.gate, case, verdict, (mild, rule.holds)),
        fix='count what was let through: `c.ok`, or `!(c.verdict in ["REVISE", "BLOCK"])`',
    )
