"""A rule reads a path of the ledger that no read tool observes.

Nothing ever stands there, so the rule is never settled: the gate answers BLOCK, since what is
missing can be observed by none of the agent's tools. Where the rule only asks whether something was
observed, or goes through `records`, the answer is always no, and the rule says less than it seems
to say. Declare the read tool that shows it, or take the path out of the rule.

Faulty:

    ledger: {accounts.*: Account}
    $defs:
      Account: {type: object, required: [open], properties: {open: {type: boolean}}}
    rules:
      - id: open_account
        tools: [ship]
        require: ledger.accounts[ledger.orders[args.order_id].customer_id].open
        clause: We ship to open accounts.

Right:

    ledger: {accounts.*: Account}
    $defs:
      Account: {type: object, required: [open], properties: {open: {type: boolean}}}
    tools:
      get_account:
        kind: read
        arguments: {customer_id: string}
        observes: {"accounts.{args.customer_id}": result}
    rules:
      - id: open_account
        tools: [ship]
        require: ledger.accounts[ledger.orders[args.order_id].customer_id].open
        clause: We ship to open accounts.

Claim: no tool of the agent names the path in its `observes`, neither a read nor a write that
returns the record. The person's tools observe nothing for the agent. A path that only the program
fills, by `session.record`, has no tool and is reported as well. Paths that messages, assumptions
and invariants alone read are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.reporting import rule_finding
from ledger_verify.checks.evidence.model import evidence_model
from ledger_verify.policy.domain import Domain

ABOUT = About("LV301", "unobservable_path", "error")


def run(domain: Domain) -> Iterator[Claim]:
    """One claim for each path that some rule reads."""
    model = evidence_model(domain)
    returned = {sight.pattern for sights in model.results.values() for sight in sights}
    for pattern, uses in model.uses_by_pattern.items():
        if not uses:
            continue
        if model.sights[pattern] or pattern in returned:
            yield Claim()
            continue
        rules = dict.fromkeys(use.rule.id for use in uses)
        named = ", ".join(f"`{rule}`" for rule in rules)
        reads = f"{named} {'reads' if len(rules) == 1 else 'read'}"
        yield rule_finding(
            ABOUT,
            domain,
            uses[0].rule,
            f"no read tool observes `{pattern}`, which {reads}",
            at=uses[0].at,
            rules=[use.rule for use in uses],
            fix=f"add `{pattern}` to the `observes` of the read tool that shows it, or take it out "
            "of the rule",
        )
