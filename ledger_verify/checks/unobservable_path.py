"""A rule reads a path of the ledger that no read tool observes.

Nothing ever stands there, so the rule is never settled: the gate answers BLOCK, since what is
missing can be observed by none of the agent's tools. Where the rule only asks whether something was
observed, or goes through `records`, the answer is always no, and the rule says less than it seems
to say.

Faulty: no tool observes `accounts.*`.

    ledger: {orders.*: Order, accounts.*: Account}
    tools:
      get_order:
        kind: read
        arguments: {order_id: string}
        observes: {"orders.{args.order_id}": result}
    require: ledger.accounts[ledger.orders[args.order_id].owner].open

Right: a read tool that observes it is declared.

      get_account:
        kind: read
        arguments: {account_id: string}
        observes: {"accounts.{args.account_id}": result}

Claim: no tool of kind `read` names the path in its `observes`. The person's tools observe nothing
for the agent. A path that only the program fills, by `session.record`, has no tool and is reported
as well. Paths that messages, assumptions and invariants alone read are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.checks.evidence.model import EvidenceModel
from ledger_verify.checks.finding import Claim, Finding
from ledger_verify.policy.domain import Domain
from ledger_verify.solver.static import StaticSolver

CODE = "LV301"
NAME = "unobservable_path"
SEVERITY = "error"


def run(domain: Domain, solver: StaticSolver) -> Iterator[Claim]:
    """One claim for each path that some rule reads."""
    model = EvidenceModel(domain)
    for pattern, uses in model.uses_by_pattern.items():
        if not uses:
            continue
        if model.sights[pattern]:
            yield Claim()
            continue
        rules = tuple(dict.fromkeys(use.rule.id for use in uses))
        named = ", ".join(f"`{rule}`" for rule in rules)
        verb = "reads" if len(rules) == 1 else "read"
        yield Claim(
            Finding(
                CODE, NAME, SEVERITY,
                f"no read tool observes `{pattern}`, which {named} {verb}",
                rules,
                uses[0].rule.places["require"],
                fix=f"add `{pattern}` to the `observes` of the read tool that shows it, or take it "
                "out of the rule",
            )
        )  # fmt: skip
