"""Records wait for each other: each can be read only after another one of them.

Each read needs an argument that only a record of the circle holds, so no agent can make the first
one: the rules that wait for them stay UNKNOWN for ever. Say in `asks` what the person knows, or
declare a read that finds one of the records otherwise.

Faulty:

    ledger: {account: Account, contract: Contract}
    $defs:
      Account:
        type: object
        required: [contract_no, open]
        properties: {contract_no: {type: string}, open: {type: boolean}}
      Contract:
        type: object
        required: [account_no]
        properties: {account_no: {type: string}}
    tools:
      get_account:
        kind: read
        arguments: {account_no: string}
        observes: {account: result}
      get_contract:
        kind: read
        arguments: {contract_no: string}
        observes: {contract: result}
    rules:
      - {id: open, tools: [ship], require: ledger.account.open, clause: Open accounts only.}

Right:

    ledger: {account: Account, contract: Contract}
    $defs:
      Account:
        type: object
        required: [contract_no, open]
        properties: {contract_no: {type: string}, open: {type: boolean}}
      Contract:
        type: object
        required: [account_no]
        properties: {account_no: {type: string}}
    tools:
      get_account:
        kind: read
        arguments: {account_no: string}
        asks: [account_no]
        observes: {account: result}
      get_contract:
        kind: read
        arguments: {contract_no: string}
        observes: {contract: result}
    rules:
      - {id: open, tools: [ship], require: ledger.account.open, clause: Open accounts only.}

Claim: least fixpoint of what can be read for the calls of a tool, starting from the arguments of
the call and from what is in `asks`. A circle is reported where every way into it is a part of it;
where an argument has no source at all, `unknowable_argument` says so instead. What a read shows
without observing it does not count as a source; any field of a fitting name does, so that a circle
through such a field may be missed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.reporting import file_finding
from ledger_verify.checks.evidence.model import evidence_model
from ledger_verify.checks.evidence.places import argument_region
from ledger_verify.checks.evidence.reach import Reach, reach
from ledger_verify.policy.domain import Domain

ABOUT = About("LV303", "circular_evidence", "warning")

_Steps = Mapping[tuple[str, str], tuple[str, str]]
"""By two paths the read that leads from one to the other, and the argument for which it waits."""


@dataclass
class _Circle:
    """Records that wait for each other, the calls that wait for them, and the rules of those."""

    steps: _Steps
    rules: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)


def run(domain: Domain) -> Iterator[Claim]:
    """One claim for each tool whose rules wait for evidence; the same circle is reported once."""
    model = evidence_model(domain)
    circles: dict[frozenset[str], _Circle] = {}
    for tool in model.uses:
        found = reach(model, tool)
        here = list(_circles(found))
        waiting = [
            u.rule.id for u in model.uses[tool] if u.waits and u.pattern not in found.reached
        ]
        for steps in here:
            members = frozenset(path for step in steps for path in step)
            circle = circles.setdefault(members, _Circle(steps))
            circle.rules += waiting
            circle.calls.append(tool)
        if found.waited_for and not here:
            yield Claim()
    for circle in circles.values():
        yield _finding(domain, circle)


def _circles(found: Reach) -> Iterator[_Steps]:
    """The circles that no way leads into."""
    steps: dict[tuple[str, str], tuple[str, str]] = {}
    for pattern, reads in found.blocked():
        for sight, missing in reads.items():
            if all(missing.values()):
                for needed, sources in missing.items():
                    for source in sorted(sources):
                        steps.setdefault((source, pattern), (sight.tool.name, needed.name))
    if not steps:
        return
    import networkx as nx  # takes long to import, and policies are rarely circular

    graph: nx.DiGraph[str] = nx.DiGraph(list(steps))
    for members in nx.strongly_connected_components(graph):
        inside = {(a, b): step for (a, b), step in steps.items() if b in members}
        if len(members) > 1 and all(a in members for a, _ in inside):
            yield inside


def _finding(domain: Domain, circle: _Circle) -> Claim:
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph(sorted(circle.steps))
    chain = nx.find_cycle(graph, min(graph.nodes))
    told = " -> ".join(f"`{path}`" for path in (chain[0][0], *(edge[1] for edge in chain)))
    needs = [circle.steps[edge[0], edge[1]] for edge in chain]
    reads = ", ".join(f"`{tool}` needs `{argument}`" for tool, argument in needs)
    tool, argument = needs[0]
    place = argument_region(domain, tool, argument)
    return file_finding(
        ABOUT,
        f"each of these records can be read only after the one before it: {told}; {reads}",
        place.start,
        end=place.end,
        rules=list(dict.fromkeys(circle.rules)),
        tools=circle.calls,
        fix=f"add `asks: [{argument}]` to `{tool}` if the person can say it, or declare a read "
        "that finds one of the records otherwise",
    )
