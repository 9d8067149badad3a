"""Tools wait for earlier calls of each other, or a tool for one of its own, so none can be first.

Each needs an earlier call that can only be made after its own. Take the demand from one of them,
or let another call do instead.

Faulty:

    tools:
      pack: {kind: write, arguments: {order_id: string}}
    rules:
      - {id: packed, tools: [ship], require: "history.pack.exists(c, c.ok)", clause: Pack first.}
      - {id: shipped, tools: [pack], require: "history.ship.exists(c, c.ok)", clause: Ship first.}

Right:

    tools:
      pack: {kind: write, arguments: {order_id: string}}
    rules:
      - {id: packed, tools: [ship], require: "history.pack.exists(c, c.ok)", clause: Pack first.}
      - id: shipped
        tools: [pack]
        require: history.ship.exists(c, c.ok) || history.weigh.exists(c, c.ok)
        clause: Ship or weigh first.

Tools are taken to be possible one after another, beginning with those that need no earlier call; a
cycle is among those that are never reached. So a tool that can do with another call instead is in
no cycle.

Claim of the solver: as for `unreachable_prerequisite`; each tool of the cycle is alive if the
earlier calls are free, and dead if those of the tools that it waits for can only have been refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.job import Bench, Job
from ledger_verify.checks.base.reporting import rule_finding, undecided
from ledger_verify.checks.history.prerequisites import (
    Prerequisites,
    can_be_first,
    cycles,
    jobs_of_readers,
    prerequisites,
)
from ledger_verify.checks.unreachable_prerequisite import needing
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Tool

ABOUT = About("LV502", "prerequisite_cycle", "error")


def jobs(bench: Bench) -> Iterator[Job]:
    """One for each tool with rules that read earlier calls."""
    return jobs_of_readers(bench, _look)


def _look(bench: Bench, tool: Tool) -> Iterator[Claim]:
    """What is in a cycle is reported for the first tool of it."""
    if can_be_first(bench, tool):
        yield Claim()
        return
    found = prerequisites(bench)
    for cycle in cycles(found):
        if cycle[0] == tool.name:
            yield _finding(bench.domain, found, cycle)
    if tool.name in found.undecided:
        message = f"could not tell whether `{tool.name}` waits for calls that wait for its own"
        yield undecided(ABOUT, bench.domain, bench.domain.rules_by_tool[tool.name][0], message)
    elif tool.name in found.allowed:
        yield Claim()


def _finding(domain: Domain, found: Prerequisites, cycle: tuple[str, ...]) -> Claim:
    first, *others = cycle
    rules = [needing(domain, found.blocked[name])[0] for name in cycle]
    if others:
        steps = "".join(
            f", `{a}` of `{b}`" for a, b in zip(others, [*others[1:], first], strict=True)
        )
        why = f"`{first}` needs an earlier call of `{others[0]}`{steps}"
    else:
        why = f"`{rules[0].id}` needs an earlier call of `{first}` itself"
    listed = ", ".join(f"`{name}`" for name in cycle)
    return rule_finding(
        ABOUT,
        domain,
        rules[0],
        f"no call of {listed} can ever be allowed: {why}",
        at=needing(domain, found.blocked[first])[1],
        rules=rules,
        fix="let one of them be called without the other, or let another call do instead",
    )
