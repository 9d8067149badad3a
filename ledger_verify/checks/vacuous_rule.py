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
of any length and each tool of the rule: one that holds for some of its tools anyway is right. That
it has no value where a result is out of bounds (beyond 64 bits, beyond the calendar) is no reason
to keep it. A rule that is not vacuous is shown so by a case in which the interpreter finds it
violated. A rule whose guard can never be true is an `inapplicable_rule` instead, one with a literal
that cannot occur an `impossible_literal`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.job import Bench, Job
from ledger_verify.checks.base.reporting import rule_finding, undecided
from ledger_verify.checks.impossible_literal import blamed_rules
from ledger_verify.checks.inapplicable_rule import applies_never
from ledger_verify.policy.rules import Assumption, Rule
from ledger_verify.solver.outcome import Outcome, Ruling, Search
from ledger_verify.solver.question import Question

ABOUT = About("LV102", "vacuous_rule", "warning")


def jobs(bench: Bench) -> Iterator[Job]:
    """One for each rule."""
    blamed = blamed_rules(bench.domain)
    for rules in bench.domain.rules_by_id.values():
        first = rules[0]
        look = partial(_look, bench, rules, first.id in blamed)
        yield Job(first.id, first.tool, look)


def _look(bench: Bench, rules: tuple[Rule, ...], blamed: bool) -> Iterator[Claim]:
    open_: tuple[Rule, Search] | None = None
    for rule in rules:
        search = _violation(bench, rule)
        if search.outcome is Outcome.FOUND:
            yield Claim()
            return
        if search.outcome is not Outcome.NONE:
            open_ = rule, search
    if open_ is not None:
        rule, search = open_
        message = f"could not tell whether `{rule.id}` can be violated for `{rule.tool}`"
        yield undecided(ABOUT, bench.domain, rule, message, search)
    elif not blamed and not all(applies_never(bench, rule) for rule in rules):
        blame, sure = _assumptions(bench, rules[0])
        for rule in rules:
            yield rule_finding(
                ABOUT,
                bench.domain,
                rule,
                f"`{rule.id}` holds in every possible case: it forbids nothing",
                fix=f"check {'the assumption or ' if blame else ''}the condition for a slip, "
                "or delete the rule",
                notes=[
                    f"it does so because of the assumption `{' '.join(one.text.split())}` "
                    f"at {one.location}"
                    for one in blame
                ],
            )
        if not sure:
            message = f"could not tell which assumptions make `{rules[0].id}` hold"
            yield undecided(ABOUT, bench.domain, rules[0], message)


def _assumptions(bench: Bench, rule: Rule) -> tuple[tuple[Assumption, ...], bool]:
    """Assumptions without one of which the rule would forbid something, none if it holds anyway;
    and whether none of them can be left out for sure.
    """

    def holds_with(assumptions: tuple[Assumption, ...]) -> Ruling:
        return bench.assuming(assumptions).solver.impossible(_otherwise(bench, rule))

    kept = bench.domain.assumptions
    if not kept:
        return (), True
    without = holds_with(())
    sure = without is not Ruling.OPEN
    if without is Ruling.PROVED:
        return (), True
    for assumption in kept:
        fewer = tuple(one for one in kept if one is not assumption)
        match holds_with(fewer):
            case Ruling.PROVED:
                kept = fewer
            case Ruling.OPEN:
                sure = False
    return kept, sure


def _otherwise(bench: Bench, rule: Rule) -> Question:
    """Whether the rule can be other than TRUE, results out of bounds aside."""
    tool = bench.domain.tools[rule.tool]
    return Question(tool, untrue=(rule.holds,), in_bounds=True)


def _violation(bench: Bench, rule: Rule) -> Search:
    tool = bench.domain.tools[rule.tool]
    search = bench.search(Question(tool, false=(rule.holds,), in_bounds=True))
    if search.outcome in (Outcome.FOUND, Outcome.NONE):
        return search
    # never FALSE, but perhaps without a value, which counts as violated as well
    return bench.search(_otherwise(bench, rule))
