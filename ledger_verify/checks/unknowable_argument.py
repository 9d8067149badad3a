"""A read that a rule waits for needs an argument that nothing gives.

The gate asks the agent to read a record and cannot say with which argument; the agent, which must
go on, makes one up. Most often it is something that the person knows, such as an e-mail address:
say so in `asks`. Else let a read observe the record that holds it.

Faulty:

    tools:
      find_customer:
        kind: read
        arguments: {email: string}
        observes: {customer: result}
    rules:
      - id: gold
        tools: [ship]
        require: ledger.customer.tier == "gold"
        clause: Gold customers only.

Right:

    tools:
      find_customer:
        kind: read
        arguments: {email: string}
        asks: [email]
        observes: {customer: result}
    rules:
      - id: gold
        tools: [ship]
        require: ledger.customer.tier == "gold"
        clause: Gold customers only.

Right:

    ledger: {customers.*: Customer}
    tools:
      get_customer:
        kind: read
        arguments: {customer_id: string}
        observes: {"customers.{args.customer_id}": result}
    rules:
      - id: gold
        tools: [ship]
        require: ledger.customers[ledger.orders[args.order_id].customer_id].tier == "gold"
        clause: Only the orders of gold customers.

Claim: some rule is UNKNOWN until a record at this path is read, every read of it needs such an
argument, and nothing declared gives it: no key of the rule (`ledger.orders[args.order_id]` says
what to look up), no argument of that name of the calls that wait, no field of that name of another
record that can be read, nobody in `asks`. Names are compared loosely: an item of `reservations`, or
the `id` of a reservation, is a `reservation_id`. What tools show without observing it does not
count. Only texts without an enum, and whole numbers that are ids by name, are looked at: an agent
can choose a limit or a date itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.reporting import file_finding
from ledger_verify.checks.evidence.model import Sight, evidence_model
from ledger_verify.checks.evidence.places import argument_region
from ledger_verify.checks.evidence.reach import Reach, reach
from ledger_verify.policy.domain import Domain

ABOUT = About("LV302", "unknowable_argument", "warning")


@dataclass
class _Gap:
    """A path that cannot be read for want of arguments: by read the first one, and who waits."""

    arguments: dict[str, str] = field(default_factory=dict)
    rules: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)


def run(domain: Domain) -> Iterator[Claim]:
    """One claim for each path that some rule waits for."""
    model = evidence_model(domain)
    gaps: dict[str, _Gap] = {}
    waited_for: dict[str, None] = {}
    for tool in model.uses:
        found = reach(model, tool)
        waited_for |= dict.fromkeys(found.waited_for)
        for pattern, reads in found.blocked():
            unknowable = {
                sight: needed.name
                for sight, missing in reads.items()
                for needed, sources in missing.items()
                if not sources
            }
            if len(unknowable) == len(reads):
                _note(gaps.setdefault(pattern, _Gap()), found, unknowable)
    for pattern, gap in gaps.items():
        yield _finding(domain, pattern, gap)
    for pattern in waited_for:
        if pattern not in gaps:
            yield Claim()


def _note(gap: _Gap, found: Reach, unknowable: dict[Sight, str]) -> None:
    gap.arguments |= {sight.tool.name: name for sight, name in unknowable.items()}
    uses = found.model.uses[found.tool]
    waiting = [u.rule.id for u in uses if u.waits and u.pattern not in found.reached]
    gap.rules += [rule for rule in dict.fromkeys(waiting) if rule not in gap.rules]
    gap.calls.append(found.tool)


def _finding(domain: Domain, pattern: str, gap: _Gap) -> Claim:
    reads = ", ".join(f"`{tool}` needs `{name}`" for tool, name in gap.arguments.items())
    calls = " or ".join(f"`{tool}`" for tool in gap.calls)
    tool, argument = next(iter(gap.arguments.items()))
    place = argument_region(domain, tool, argument)
    return file_finding(
        ABOUT,
        f"for a call of {calls} nothing says how to read `{pattern}`: {reads}, and neither the "
        "call nor another record that can be read has it",
        place.start,
        end=place.end,
        rules=gap.rules,
        tools=gap.calls,
        fix=f"add `asks: [{argument}]` to `{tool}` if the person can say it, or let a read observe "
        "a record that holds it",
    )
