"""The guard of a rule can never be true, so the rule never applies.

Usually the guard contradicts itself, the schema or an assumption. What the rule was to forbid is
allowed. Fix the guard or delete the rule.

Faulty:

    rules:
      - id: many_go_fast
        tools: [ship]
        when: args.parcels > 10 && args.parcels < 5
        require: args.speed == "fast"
        clause: Many parcels go fast.

Right:

    rules:
      - id: many_go_fast
        tools: [ship]
        when: args.parcels > 5 && args.parcels < 10
        require: args.speed == "fast"
        clause: Many parcels go fast.

Claim of the solver: "the guard is true or has no value" is unsatisfiable for each tool of the
rule iff the rule is inapplicable, for lists of any length; a guard without a value counts as
applicable. A rule that applies is shown to by a case that the solver found. A rule that applies to
some of its tools only is right. A guard that never holds because of a literal that cannot occur is
an `impossible_literal`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.job import Bench, Job
from ledger_verify.checks.base.reporting import rule_finding, undecided
from ledger_verify.checks.impossible_literal import blamed_rules
from ledger_verify.lang.typed import Apply, Expr
from ledger_verify.lang.types import BOOL
from ledger_verify.policy.rules import Rule
from ledger_verify.solver.outcome import Outcome, Search
from ledger_verify.solver.question import Question

ABOUT = About("LV103", "inapplicable_rule", "warning")


def jobs(bench: Bench) -> Iterator[Job]:
    """One for each rule with a guard."""
    blamed = blamed_rules(bench.domain)
    for rules in bench.domain.rules_by_id.values():
        guards = tuple(rule.when for rule in rules if rule.when is not None)
        if guards:
            look = partial(_look, bench, rules, rules[0].id in blamed)
            yield Job(rules[0].id, rules[0].tool, look)


def _look(bench: Bench, rules: tuple[Rule, ...], blamed: bool) -> Iterator[Claim]:
    doubtful = None
    for rule in rules:
        search = _application(bench, rule)
        if search.outcome is Outcome.FOUND:
            yield Claim()
            return
        if search.outcome is not Outcome.NONE:
            doubtful = search
    if doubtful is not None:
        message = f"could not tell whether `{rules[0].id}` ever applies"
        yield undecided(ABOUT, bench.domain, rules[0], message, doubtful)
    elif not blamed and not all(_is_no_case(bench, rule) for rule in rules):
        for rule in rules:
            yield rule_finding(
                ABOUT,
                bench.domain,
                rule,
                f"`{rule.id}` never applies: its guard can never be true",
                at=rule.when,
                fix="check the guard for a slip, or delete the rule",
            )


def applies_never(bench: Bench, rule: Rule) -> bool:
    """Whether it is proved that the guard is never true, nor without a value.

    Raises `Undecided` at a limit.
    """
    if rule.when is None:
        return False
    return bench.solver.impossible(_question(bench, rule, untrue=(_not(rule.when),))).decided


def _application(bench: Bench, rule: Rule) -> Search:
    """Whether there is a case to which the rule applies."""
    assert rule.when is not None
    search = bench.solver.caseless(_question(bench, rule, true=(rule.when,)))
    if search.outcome is Outcome.FOUND:
        return search
    return bench.solver.caseless(_question(bench, rule, untrue=(_not(rule.when),)))


def _is_no_case(bench: Bench, rule: Rule) -> bool:
    """Whether nothing is possible at all, as where assumptions contradict each other."""
    return bench.solver.impossible(_question(bench, rule, true=(rule.holds,))).decided


def _question(
    bench: Bench, rule: Rule, true: tuple[Expr, ...] = (), untrue: tuple[Expr, ...] = ()
) -> Question:
    tool = bench.domain.tools[rule.tool]
    return Question(tool, true=true, untrue=untrue, family=(rule.holds,))


def _not(guard: Expr) -> Expr:
    return Apply("not", (guard,), BOOL)
