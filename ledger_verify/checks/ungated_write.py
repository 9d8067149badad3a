"""A tool of the agent changes the environment, and no rule is about it.

The gate never allows it: a write without a rule gets the domain's `default`, BLOCK, or REVISE
without anything to change, which an agent can answer in circles. Write the rule, leave the tool out
of `domain.yaml` if the agent does not have it, or accept it where the tool stands:
`ignore: {LV202: only staff may do this}`.

Faulty:

    rules:
      - {id: one, tools: [ship], require: args.parcels >= 1, clause: One at least.}
    tools:
      cancel: {kind: write, arguments: {order_id: string}, touches: ["orders.{args.order_id}"]}

Right:

    rules:
      - {id: one, tools: [ship], require: args.parcels >= 1, clause: One at least.}
      - id: open
        tools: [cancel]
        require: ledger.orders[args.order_id].status == "open"
        clause: Open orders can be cancelled.
    tools:
      cancel: {kind: write, arguments: {order_id: string}, touches: ["orders.{args.order_id}"]}

Tools of the person (`by: user`) are not looked at, since the gate does not judge their use. A tool
that a rule names with a slip is an `unknown_tool` only. A policy without any rules is blamed for
every write.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.reporting import file_finding
from ledger_verify.lang.errors import nearest
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.regions import key_region

ABOUT = About("LV202", "ungated_write", "error")


def run(domain: Domain) -> Iterator[Claim]:
    """One claim for each write tool of the agent."""
    meant = {nearest(stray.name, domain.tools) for stray in domain.strays}
    for tool in domain.writes:
        if domain.rules_by_tool[tool.name] or tool.name in meant:
            yield Claim()
            continue
        place = key_region(domain.sources["domain"], ("tools", tool.name))
        always = "is always sent back" if domain.default == "revise" else "is always blocked"
        yield file_finding(
            ABOUT,
            f"`{tool.name}` {always}: it is a write, and the policy has no rule for it",
            place.start,
            end=place.end,
            tools=[tool.name],
            fix="write a rule for it; or say `kind: read` or `neutral` if it changes nothing; "
            "or accept it with `ignore: {LV202: ...}` on the tool",
        )
