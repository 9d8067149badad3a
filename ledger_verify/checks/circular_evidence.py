"""Records each of which can be read only after another one of them.

Each read needs an argument that only a record of the circle holds, so no agent can make the first
one: the rules that wait for them stay UNKNOWN for ever.

Faulty: the account names the contract, the contract names the account.

    get_account:
      kind: read
      arguments: {account_no: string}
      observes: {account: result}          # has a field `contract_no`
    get_contract:
      kind: read
      arguments: {contract_no: string}
      observes: {contract: result}         # has a field `account_no`

Right: one of the two can be found otherwise, here by what the person says.

    get_account:
      kind: read
      arguments: {account_no: string}
      asks: [account_no]
      observes: {account: result}

Claim: least fixpoint of what can be read for the calls of a tool, starting from the arguments of
the call and from what is in `asks`. A circle is reported where every way into it is a part of it;
where an argument has no source at all, `unknowable_argument` says so instead. What a read shows
without observing it does not count as a source; any field of a fitting name does, so that a circle
through such a field may be missed.
"""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx

from ledger_verify.checks.evidence.model import EvidenceModel
from ledger_verify.checks.evidence.places import argument_place
from ledger_verify.checks.evidence.reach import Reach, reach
from ledger_verify.checks.finding import Claim, Finding
from ledger_verify.policy.domain import Domain
from ledger_verify.solver.static import StaticSolver

CODE = "LV303"
NAME = "circular_evidence"
SEVERITY = "warning"

_Step = tuple[str, str]
"""A read and the argument for which it waits."""


def run(domain: Domain, solver: StaticSolver) -> Iterator[Claim]:
    """One claim for each tool whose rules wait for evidence; the same circle is reported once."""
    model = EvidenceModel(domain)
    waiting: dict[frozenset[str], list[str]] = {}
    steps: dict[frozenset[str], dict[tuple[str, str], _Step]] = {}
    for tool in model.uses:
        found = reach(model, tool)
        circles = list(_circles(found))
        for members, edges in circles:
            steps.setdefault(members, edges)
            uses = model.uses[tool]
            rules = [u.rule.id for u in uses if u.waits and u.pattern not in found.reached]
            known = waiting.setdefault(members, [])
            known += [rule for rule in dict.fromkeys(rules) if rule not in known]
        if found.waited_for and not circles:
            yield Claim()
    for members, rules in waiting.items():
        yield Claim(_finding(domain, steps[members], tuple(rules)))


def _circles(found: Reach) -> Iterator[tuple[frozenset[str], dict[tuple[str, str], _Step]]]:
    """The circles that no way leads into, with the step between each two of their paths."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    for pattern, reads in found.blocked():
        for sight, missing in reads.items():
            if not all(missing.values()):
                continue
            for needed, sources in missing.items():
                for source in sorted(sources):
                    if not graph.has_edge(source, pattern):
                        graph.add_edge(source, pattern, step=(sight.tool.name, needed.name))
    for members in nx.strongly_connected_components(graph):
        inside = graph.subgraph(members)
        entered = any(
            source not in members for _, source in graph.reverse(copy=False).edges(members)
        )
        if len(members) > 1 and not entered:
            yield frozenset(members), {(a, b): inside[a][b]["step"] for a, b in inside.edges}


def _finding(
    domain: Domain, steps: dict[tuple[str, str], _Step], rules: tuple[str, ...]
) -> Finding:
    graph: nx.DiGraph[str] = nx.DiGraph(sorted(steps))
    chain = nx.find_cycle(graph, min(graph.nodes))
    told = " -> ".join(f"`{path}`" for path in (chain[0][0], *(edge[1] for edge in chain)))
    needs = [steps[edge[0], edge[1]] for edge in chain]
    reads = ", ".join(f"`{tool}` needs `{argument}`" for tool, argument in needs)
    tool, argument = needs[0]
    return Finding(
        CODE, NAME, SEVERITY,
        f"each of these records can be read only after the one before it: {told}; {reads}",
        rules,
        argument_place(domain, tool, argument),
        fix=f"add `asks: [{argument}]` to `{tool}` if the person can say it, or declare a read "
        "that finds one of the records otherwise",
    )  # fmt: skip
