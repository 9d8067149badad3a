"""A rule compares the owner of a record with an identity that the agent can pick for itself.

Such a rule keeps nobody out. The agent reads the record, then the profile of its owner, and the
rule holds: whoever asks is taken for that owner. The gate itself would advise those reads. Let the
host say who the user is (`session:`, and `session.user_id` in place of the identity), or let only
the user say it: `asks` for the arguments of the read, and `identifies` so that the first one stays.

Faulty:

    tools:
      find_customer:
        kind: read
        arguments: {customer_id: string}
        observes: {customer: result}
    rules:
      - id: own_orders
        tools: [ship]
        require: ledger.orders[args.order_id].customer_id == ledger.customer.customer_id
        clause: Customers act on their own orders.

Right:

    tools:
      find_customer:
        kind: read
        arguments: {customer_id: string}
        asks: [customer_id]
        observes: {customer: result}
    rules:
      - id: own_orders
        tools: [ship]
        require: ledger.orders[args.order_id].customer_id == ledger.customer.customer_id
        clause: Customers act on their own orders.

Right:

    session: {customer_id: string}
    rules:
      - id: own_orders
        tools: [ship]
        require: ledger.orders[args.order_id].customer_id == session.customer_id
        clause: Customers act on their own orders.

The identity is a record at a path without keys, or a field of one, that is shown by a read of which
the agent can choose what it says: ids and texts, none of them in `asks`, without `identifies` for
that path. A read without such arguments shows what the environment takes for the user. Also looked
at is an argument that names what the call touches and is sought in a list of the identity.

Claim of the solver: "all rules of the tool hold, the comparison is true, and no fact of the session
is that identity" is unsatisfiable iff other rules see to it. A case is shown only once a session
that began with nothing read got from read to read to ALLOW in it, through the gate, while the user
said nothing of that identity.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ledger_verify.checks.base.finding import FOR_TOOLS, About, Claim
from ledger_verify.checks.base.job import Bench, Job
from ledger_verify.checks.base.reporting import rule_finding, undecided, written
from ledger_verify.checks.identity.comparisons import (
    Comparison,
    choosing_reads,
    comparisons,
    somebody_else,
)
from ledger_verify.checks.identity.way_in import way_in
from ledger_verify.gate.cases import prune
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Rule
from ledger_verify.solver.outcome import Outcome
from ledger_verify.solver.question import Question

ABOUT = About("LV701", "self_chosen_identity", "error")


def jobs(bench: Bench) -> Iterator[Job]:
    """One for each rule and tool with such comparisons."""
    domain = bench.domain
    for rule in domain.rules:
        found = tuple(comparisons(domain, rule))
        if found and not domain.tools[rule.tool].by_user:
            look = partial(_look, bench, rule, found)
            yield Job(f"{rule.id} for {rule.tool}", rule.tool, look)


def _look(bench: Bench, rule: Rule, found: tuple[Comparison, ...]) -> Iterator[Claim]:
    for comparison in found:
        yield _claim(bench, rule, comparison)


def _claim(bench: Bench, rule: Rule, found: Comparison) -> Claim:
    domain, gate = bench.domain, bench.gate
    choosing = choosing_reads(domain, found.pattern)
    if not choosing:
        return Claim()
    holds = tuple(other.holds for other in domain.rules_by_tool[rule.tool])
    true = (*holds, found.at, *somebody_else(domain, found.identity))
    search = bench.shown(Question(domain.tools[rule.tool], true=true))
    if search.outcome is Outcome.NONE:
        return Claim()
    verdict = None if search.case is None else bench.replay(search.case)
    if search.case is None or verdict is None or not bench.all_true(search.case, true):
        message = f"could not tell whether the agent can pick `{written(domain, found.identity)}`"
        return undecided(ABOUT, domain, rule, message, search)
    case = prune(gate, search.case, verdict, true)
    steps = way_in(gate, case, found, choosing)
    if steps is None:
        return Claim()
    reads = " or ".join(dict.fromkeys(f"`{tool.name}`" for tool, _ in choosing))
    return rule_finding(
        ABOUT,
        domain,
        rule,
        f"`{rule.id}` trusts `{written(domain, found.identity)}`, which the agent picks itself "
        f"by {reads}{FOR_TOOLS}",
        at=found.at,
        case=case,
        fix=_fix(domain, found, choosing[0][0].name),
        notes=[f"the way in: {'; '.join(f'{n}. {step}' for n, step in enumerate(steps, 1))}"],
    )


def _fix(domain: Domain, found: Comparison, tool: str) -> str:
    listed = ", ".join(name for name, _ in domain.tools[tool].arguments.fields)
    return (
        "compare with a fact that the host gives (`session:`), or let only the user say who it is: "
        f"`asks: [{listed}]` and `identifies: {found.pattern}` for `{tool}`"
    )
