"""No call of a write tool can ever be allowed.

The rules of the tool contradict each other, or one of them contradicts the schema or the
assumptions. The core is a smallest set of rules that cannot hold together. Fix one of them, or
take the tool away from the agent.

Faulty:

    rules:
      - {id: many, tools: [ship], require: args.parcels >= 3, clause: Three or more.}
      - {id: few, tools: [ship], require: args.parcels <= 2, clause: At most two.}

Right:

    rules:
      - {id: many, tools: [ship], require: args.parcels >= 3, clause: Three or more.}
      - {id: few, tools: [ship], require: args.parcels <= 3, clause: At most three.}

Claim of the solver: unsatisfiable iff no ledger and call satisfy all rules of the tool. A tool
that is alive is shown so by a case on which the interpreter finds all of them TRUE. Where a rule of
the core has a literal that cannot occur, `impossible_literal` speaks instead; where one has a limit
that not even the first call meets, `zero_limit` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ledger_verify.checks.base.finding import TOOLS, About, Claim
from ledger_verify.checks.base.job import Bench, Job
from ledger_verify.checks.base.reporting import rule_finding, undecided
from ledger_verify.checks.impossible_literal import blamed_rules
from ledger_verify.checks.zero_limit import zero_limit
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Rule
from ledger_verify.policy.tools import Tool
from ledger_verify.solver.outcome import Outcome
from ledger_verify.solver.question import Question
from ledger_verify.solver.reach import lists_within

ABOUT = About("LV101", "dead_action", "error")


def jobs(bench: Bench) -> Iterator[Job]:
    """One for each write tool that has rules."""
    blamed = blamed_rules(bench.domain)
    for tool in bench.domain.writes:
        rules = bench.domain.rules_by_tool[tool.name]
        if rules:
            yield Job(tool.name, tool.name, partial(_look, bench, tool, rules, blamed))


def _look(
    bench: Bench, tool: Tool, rules: tuple[Rule, ...], blamed: frozenset[str]
) -> Iterator[Claim]:
    holds = tuple(rule.holds for rule in rules)
    question = Question(tool, true=holds)
    search = bench.search(question)
    if search.outcome is Outcome.NONE:
        found = bench.solver.core(tool, [(rule.id, rule.holds) for rule in rules])
        core = [rule for rule in rules if rule.id in found.names]
        if not core:  # nothing at all is possible, of which `contradictory_assumptions` speaks
            yield undecided(
                ABOUT, bench.domain, rules[0], f"no ledger allows a call of `{tool.name}`"
            )
        elif blamed.isdisjoint(found.names) and not any(zero_limit(bench, rule) for rule in core):
            yield _finding(bench.domain, core)
            if not found.smallest:
                message = f"could not tell whether fewer rules rule out all calls of `{tool.name}`"
                yield undecided(ABOUT, bench.domain, core[0], message, rules=core)
    elif search.outcome is Outcome.FOUND:
        yield Claim()
    else:
        message = _undecided_message(tool, search.outcome, 2 * bench.settings.scope)
        yield undecided(ABOUT, bench.domain, rules[0], message, search)


def _undecided_message(tool: Tool, outcome: Outcome, bound: int) -> str:
    if outcome is Outcome.NONE_UP_TO_BOUND:
        return f"no call of `{tool.name}` can be allowed with {lists_within(bound)}"
    return f"could not tell whether any call of `{tool.name}` can be allowed"


def _finding(domain: Domain, core: list[Rule]) -> Claim:
    # the rule that comes last in the file is the one most likely added by mistake
    last = max(core, key=lambda rule: rule.location.line)
    others = [rule for rule in core if rule is not last]
    if others:
        listed = ", ".join(f"`{rule.id}`" for rule in core)
        why, mend = f"{listed} contradict each other", "loosen one of these rules"
    else:
        why, mend = f"`{last.id}` never holds", "check the condition for a slip"
    return rule_finding(
        ABOUT,
        domain,
        last,
        f"no call of {TOOLS} can ever be allowed: {why}",
        rules=core,
        core=core,
        fix=f"{mend}, or take the tool away from the agent",
    )
