"""A rule needs an earlier call that can never be made, or never be one that counts.

The call that is needed is one of a tool of which no call can be allowed, of a write without a rule,
or one that the rules of its own tool forbid. So no call of this tool can ever be allowed, although
its rules do not contradict each other. Allow the earlier call, or ask for another one.

Faulty:

    tools:
      approve: {kind: write, arguments: {order_id: string, limit: {type: integer, minimum: 0}}}
    rules:
      - {id: small, tools: [approve], require: args.limit <= 100, clause: Limits up to 100.}
      - id: approved
        tools: [ship]
        require: history.approve.exists(c, c.ok && c.args.limit >= 500)
        clause: Shipped once 500 are approved.

Right:

    tools:
      approve: {kind: write, arguments: {order_id: string, limit: {type: integer, minimum: 0}}}
    rules:
      - {id: small, tools: [approve], require: args.limit <= 500, clause: Limits up to 500.}
      - id: approved
        tools: [ship]
        require: history.approve.exists(c, c.ok && c.args.limit >= 500)
        clause: Shipped once 500 are approved.

An earlier call that was allowed met the rules of its tool, with a ledger that may have been another
one then. A call that was
refused is in the history as well, with that verdict and not `ok`. Reads and neutral tools may have
run without being asked about; what the person did with a tool of their own always did. Writes that
went past the gate do not count as possible.

Claim of the solver: "all rules hold" is unsatisfiable iff every earlier call is one that the gate
could have let happen or refused, and satisfiable iff earlier calls are free, for lists of any
length. Tools that wait for each other in a circle are a `prerequisite_cycle` instead; one that
waits for a tool that is reported itself is not reported again.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.checks.base.finding import TOOLS, About, Claim
from ledger_verify.checks.base.job import Bench, Job
from ledger_verify.checks.base.reporting import rule_finding, undecided
from ledger_verify.checks.history.past_calls import histories, tools_of
from ledger_verify.checks.history.prerequisites import (
    Blocked,
    Prerequisites,
    can_be_first,
    cycles,
    jobs_of_readers,
    prerequisites,
)
from ledger_verify.lang.typed import Variable
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Rule
from ledger_verify.policy.tools import Tool, ToolKind

ABOUT = About("LV501", "unreachable_prerequisite", "error")


def jobs(bench: Bench) -> Iterator[Job]:
    """One for each tool with rules that read earlier calls."""
    return jobs_of_readers(bench, _look)


def _look(bench: Bench, tool: Tool) -> Iterator[Claim]:
    if can_be_first(bench, tool):
        yield Claim()
        return
    found, domain = prerequisites(bench), bench.domain
    if tool.name in found.undecided:
        message = f"could not tell whether the earlier calls that `{tool.name}` needs can be made"
        yield undecided(ABOUT, domain, domain.rules_by_tool[tool.name][0], message)
    elif tool.name in found.blocked:
        blocked = found.blocked[tool.name]
        if set(blocked.needs) <= found.blocked.keys():
            return  # each of those is reported itself
        if not any(tool.name in cycle for cycle in cycles(found)):
            yield _finding(domain, found, blocked)
    elif tool.name in found.allowed:
        yield Claim()


def _finding(domain: Domain, found: Prerequisites, blocked: Blocked) -> Claim:
    rule, place = needing(domain, blocked)
    needs = " or ".join(f"`{name}`" for name in blocked.needs)
    why = "; ".join(dict.fromkeys(_why(domain, found, name) for name in blocked.needs))
    return rule_finding(
        ABOUT,
        domain,
        rule,
        f"no call of {TOOLS} can ever be allowed: `{rule.id}` needs an earlier call of {needs}, "
        f"and {why}",
        at=place,
        core=blocked.core,
        fix="ask for a call that can be made, or let that one be made",
    )


def needing(domain: Domain, blocked: Blocked) -> tuple[Rule, Variable]:
    """The rule that needs the earlier call, and the history that it reads."""
    for rule in blocked.core:
        for calls in histories(rule.holds):
            if set(tools_of(calls, domain)) & set(blocked.needs):
                return rule, calls
    raise AssertionError("what is needed is read by a rule of the core")


def _why(domain: Domain, found: Prerequisites, name: str) -> str:
    tool, has_rules = domain.tools[name], bool(domain.rules_by_tool[name])
    if tool.by_user:
        return f"`{name}` is the person's own tool, of which no call is one that it asks for"
    if tool.kind is ToolKind.WRITE and not has_rules:
        return f"`{name}` has no rule, so the gate lets no call of it run"
    if name not in found.allowed:
        return f"no call of `{name}` can be allowed"
    return f"no call of `{name}` that can be made is one that it asks for"
