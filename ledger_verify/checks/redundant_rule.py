"""A rule is implied by other rules of its tools, so it forbids nothing that they do not forbid.

Usually a stricter rule was added later, or a limit was written twice. Delete the rule, or tell the
two apart. A rule that is there for its message can keep it with `ignore` and the reason.

Faulty:

    rules:
      - {id: up_to_five, tools: [ship], require: args.parcels <= 5, clause: Five at most.}
      - {id: up_to_ten, tools: [ship], require: args.parcels <= 10, clause: Ten at most.}

Right:

    rules:
      - {id: up_to_five, tools: [ship], require: args.parcels <= 5, clause: Five at most.}
      - id: three_if_fast
        tools: [ship]
        when: args.speed == "fast"
        require: args.parcels <= 3
        clause: Three at most if it is to be fast.

Claim of the solver: "the core holds and the rule does not" is unsatisfiable for each tool of the
rule, for lists of any length. The core names implying rules for the first tool: the fewest if one
or two are enough, else none of them can be left out. A rule that is not redundant is shown so by a
case that the solver found, in which only it does not hold.

Only rules with the same `otherwise` count as implying, so that a violation leads to the same
verdict. Of rules that imply each other one is reported, that for fewer tools, or else the later
one. A rule that is implied for some of its tools only is right, since it is one rule for all of
them. Nothing is said of a tool that is a `dead_action`, of a `vacuous_rule` or an
`inapplicable_rule` or an `idle_limit`, of the same condition written twice, of rules with a
`constant_condition` or an `impossible_literal`, or where the core is a case of `conflicting_rules`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from ledger_verify.checks import constant_condition
from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.job import Bench, Job
from ledger_verify.checks.base.reporting import rule_finding, undecided
from ledger_verify.checks.idle_limit import idle_limits
from ledger_verify.checks.impossible_literal import blamed_rules
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Rule
from ledger_verify.solver.outcome import Outcome, Search, Undecided
from ledger_verify.solver.question import Question

ABOUT = About("LV104", "redundant_rule", "warning")


def jobs(bench: Bench) -> Iterator[Job]:
    """One for each rule that is not alone."""
    domain = bench.domain
    blamed = blamed_rules(domain)
    idle = {limit.rule.id for limit, spacing in idle_limits(domain) if spacing is not None}
    for rules in domain.rules_by_id.values():
        if rules[0].id not in idle and all(_alike(domain, rule) for rule in rules):
            yield Job(rules[0].id, rules[0].tool, partial(_look, bench, rules, blamed))


def _alike(domain: Domain, rule: Rule) -> list[Rule]:
    """The other rules of its tool whose violation leads to the same verdict."""
    return [
        other
        for other in domain.rules_by_tool[rule.tool]
        if other.id != rule.id and other.otherwise is rule.otherwise
    ]


def _look(bench: Bench, rules: tuple[Rule, ...], blamed: frozenset[str]) -> Iterator[Claim]:
    for rule in rules:
        search = _exception(bench, rule, _alike(bench.domain, rule))
        if search.outcome is Outcome.FOUND:
            yield Claim()
            return
        if search.outcome is not Outcome.NONE:
            message = f"could not tell whether `{rule.id}` is implied by other rules"
            yield undecided(ABOUT, bench.domain, rule, message, search)
            return
    if rules[0].id in blamed:
        return
    cores = [_core(bench, rule, blamed) for rule in rules if not _is_dead(bench, rule)]
    if not cores:
        return
    found = [core for core in cores if core is not None]
    if len(found) < len(cores):
        return
    for rule in rules:
        listed = ", ".join(f"`{other.id}`" for other in found[0])
        verb = "imply" if len(found[0]) > 1 else "implies"
        yield rule_finding(
            ABOUT,
            bench.domain,
            rule,
            f"`{rule.id}` is redundant: {listed} {verb} it",
            core=found[0],
            fix="delete the rule, or keep it with `ignore` and the reason",
        )


def _exception(bench: Bench, rule: Rule, others: Sequence[Rule]) -> Search:
    """Whether there is a case in which the others hold and the rule does not."""
    search = bench.solver.caseless(_question(bench, rule, others, fails=True))
    if search.outcome in (Outcome.FOUND, Outcome.NONE):
        return search
    return bench.solver.caseless(_question(bench, rule, others, fails=False))


def _question(bench: Bench, rule: Rule, others: Sequence[Rule], *, fails: bool) -> Question:
    """Whether the others can hold and the rule be FALSE, or be other than TRUE."""
    true = tuple(other.holds for other in others)
    lacks = (rule.holds,)
    return Question(
        bench.domain.tools[rule.tool],
        true=true,
        false=lacks if fails else (),
        untrue=() if fails else lacks,
        family=_family(bench, rule),
    )


def _family(bench: Bench, rule: Rule) -> tuple[Any, ...]:
    return tuple(one.holds for one in bench.domain.rules_by_tool[rule.tool])


def _core(bench: Bench, rule: Rule, blamed: frozenset[str]) -> list[Rule] | None:
    """The rules to be named; None where another finding says what is wrong, or would be wrong."""
    others = _alike(bench.domain, rule)
    if any(other.holds == rule.holds for other in others):
        return None
    core = _implying(bench, rule, others)
    while gone := {other.id for other in core if _goes(bench, rule, other)}:
        others = [other for other in others if other.id not in gone]
        if not _implied(bench, rule, others):
            return None
        core = _implying(bench, rule, others)
    if not core:  # the rule forbids nothing at all
        return None
    if any(one.id in blamed for one in core) or _is_conflict(bench, rule, core):
        return None
    if any(constant_condition.is_blamed(bench, one) for one in (rule, *core)):
        return None
    return core


def _implying(bench: Bench, rule: Rule, others: Sequence[Rule]) -> list[Rule]:
    """A smallest set among the others, which imply the rule, that does so."""
    tool = bench.domain.tools[rule.tool]
    named = [(other.id, other.holds) for other in others]
    given = Question(tool, untrue=(rule.holds,), family=_family(bench, rule))
    core = bench.solver.core(tool, named, given)
    if not core.smallest:
        raise Undecided
    return [other for other in others if other.id in core.names]


def _goes(bench: Bench, rule: Rule, other: Rule) -> bool:
    """Whether the other rule may itself be reported because of this one."""
    if _rank(bench.domain, other) < _rank(bench.domain, rule):
        return False
    return _implied(bench, other, _alike(bench.domain, other))


def _rank(domain: Domain, rule: Rule) -> tuple[int, int]:
    """Rules for many tools come first, then those that stand first."""
    order = list(domain.rules_by_id)
    return -len(domain.rules_by_id[rule.id]), order.index(rule.id)


def _implied(bench: Bench, rule: Rule, others: Sequence[Rule]) -> bool:
    return bench.solver.impossible(_question(bench, rule, others, fails=False)).decided


def _is_dead(bench: Bench, rule: Rule) -> bool:
    """Whether no call of its tool can be allowed."""
    tool = bench.domain.tools[rule.tool]
    family = _family(bench, rule)
    return bench.solver.impossible(Question(tool, true=family, family=family)).decided


def _is_conflict(bench: Bench, rule: Rule, core: Sequence[Rule]) -> bool:
    """Whether the rules of the core exclude each other wherever all of them apply."""
    guards = tuple(one.when for one in core if one.when is not None)
    if len(core) < 2 or not guards:
        return False
    true = (*(one.holds for one in core), *guards)
    tool = bench.domain.tools[rule.tool]
    return bench.solver.impossible(Question(tool, true=true, family=_family(bench, rule))).decided
