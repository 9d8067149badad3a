"""A rule may have no value although everything that it reads was observed.

An optional field that is absent, a key that a map lacks, an index beyond a list or a division by
zero has no value. A rule without one counts as violated, and the person reads a refusal that says
nothing of the reason. Say what is meant: guard with `has(...)`, `in`, `size(...) > 0`.

Faulty:

    rules:
      - id: coupon_is_spring
        tools: [ship]
        require: ledger.orders[args.order_id].coupon == "SPRING"
        clause: Only with the spring coupon.

Right:

    rules:
      - id: coupon_is_spring
        tools: [ship]
        let: {o: "ledger.orders[args.order_id]"}
        require: has(o.coupon) && o.coupon == "SPRING"
        clause: Only with the spring coupon.

Claim of the solver: unsatisfiable iff no ledger that fits the schema and the assumptions, with
everything observed, and no call leave the rule without a value, for lists up to the bound of
`--scope`. The case that is shown was replayed: the gate finds the rule to be an ERROR. What only a
result out of bounds can cause (beyond 64 bits, beyond the calendar, a decimal without end) is not
reported: no sensible value brings it about, and the gate refuses then all the same. Only what the
whole rule lacks counts: in `has(x.f) && x.f > 1` nothing is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ledger_verify.checks.base.finding import FOR_TOOLS, About, Claim
from ledger_verify.checks.base.job import Bench, Job
from ledger_verify.checks.base.reporting import rule_finding, undecided
from ledger_verify.evaluate.kleene import Failure
from ledger_verify.gate.cases import prune, value_in
from ledger_verify.lang.partial import absent_parts
from ledger_verify.lang.typed import Expr, distinct
from ledger_verify.policy.case import Case
from ledger_verify.policy.rules import Rule
from ledger_verify.solver.outcome import Outcome
from ledger_verify.solver.question import Question

ABOUT = About("LV401", "missing_value", "warning")


def jobs(bench: Bench) -> Iterator[Job]:
    """One for each rule and tool where some part may be absent."""
    for rule in bench.domain.rules:
        if absent_parts(rule.holds):
            subject = f"{rule.id} for {rule.tool}"
            yield Job(subject, rule.tool, partial(_look, bench, rule))


def _look(bench: Bench, rule: Rule) -> Iterator[Claim]:
    tool = bench.domain.tools[rule.tool]
    question = Question(tool, valueless=(rule.holds,), in_bounds=True)
    search = bench.shown(question, within_bound=True)
    if search.outcome is Outcome.NONE_UP_TO_BOUND:
        yield Claim()
        return
    found = None if search.case is None else _finding(bench, rule, search.case)
    message = f"could not tell whether `{rule.id}` always has a value for `{rule.tool}`"
    yield found or undecided(ABOUT, bench.domain, rule, message, search)


def _finding(bench: Bench, rule: Rule, case: Case) -> Claim | None:
    """The finding that the case shows; None where the gate does not agree."""
    failure = value_in(bench.gate, case, rule.holds)
    verdict = bench.replay(case)
    if not isinstance(failure, Failure) or verdict is None:
        return None
    if (rule.id, "ERROR") not in [(r.id, r.truth) for r in verdict.rules]:
        return None
    return rule_finding(
        ABOUT,
        bench.domain,
        rule,
        f"`{rule.id}` may have no value{FOR_TOOLS}, and then counts as violated: {failure.reason}",
        at=_place(rule, failure),
        case=prune(bench.gate, case, verdict, (rule.holds,)),
        fix="say what holds then: guard with `has(...)`, `in`, `size(...) > 0` or `!= null`",
    )


def _place(rule: Rule, failure: Failure) -> Expr | None:
    """The part of the rule that lacks the value, if it stands in the rule itself."""
    for part in distinct(rule.holds):
        if part.span == failure.span and part.span.place == failure.span.place:
            return part
    return None
