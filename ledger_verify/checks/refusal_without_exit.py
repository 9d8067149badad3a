"""A rule refuses with REVISE where nothing can ever lead to ALLOW.

`otherwise: revise` tells the agent to try again. Where no read, no other value of an argument and
no other tool can change the answer, the agent repeats the call until someone stops it; BLOCK, which
`auto` would give, tells it to explain the refusal to the person. Leave `otherwise` out, or declare
the tool that changes what the rule reads (`by: user` if it is the person's).

Faulty:

    rules:
      - id: not_cancelled
        tools: [ship]
        require: ledger.orders[args.order_id].status != "cancelled"
        otherwise: revise
        clause: Cancelled orders are not shipped.

Right:

    rules:
      - id: not_cancelled
        tools: [ship]
        require: ledger.orders[args.order_id].status != "cancelled"
        clause: Cancelled orders are not shipped.

Right:

    tools:
      reopen:
        kind: write
        by: user
        arguments: {order_id: string}
        touches: ["orders.{args.order_id}.status"]
    rules:
      - id: not_cancelled
        tools: [ship]
        require: ledger.orders[args.order_id].status != "cancelled"
        otherwise: revise
        clause: Cancelled orders are not shipped.

With `default: revise` the same holds of every write tool without rules. Where that is a slip it is
an `ungated_write`; here only tools for which that is accepted are looked at.

Faulty:

    default: revise
    tools:
      scrap: {kind: write, ignore: {ungated_write: only staff may scrap an order}}
    rules:
      - {id: some, tools: [ship], require: args.parcels >= 1, clause: One at least.}

Right:

    default: block
    tools:
      scrap: {kind: write, ignore: {ungated_write: only staff may scrap an order}}
    rules:
      - {id: some, tools: [ship], require: args.parcels >= 1, clause: One at least.}

Claim of the solver: the case that is shown is refused with REVISE, and with BLOCK once `otherwise`
is `auto`, so that no read and no change of free arguments leads from it to ALLOW. The part of the
rule that fails there reads only records that the call is about, and fields that no other tool
touches; no time, no earlier calls, no argument but the key. Sound for what the domain declares, not
complete: rules whose violation can end in ways that are not looked at are passed over. A record
that changes by itself is one that no tool changes; there, declare who changes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from ledger_verify.checks.base.finding import TOOLS, About, Claim
from ledger_verify.checks.base.job import Bench, Job
from ledger_verify.checks.base.reporting import file_finding, rule_finding, undecided
from ledger_verify.checks.evidence.lasting import Lasting, conditions
from ledger_verify.checks.evidence.model import evidence_model
from ledger_verify.checks.evidence.places import default_region
from ledger_verify.gate.cases import prune, replay_found
from ledger_verify.gate.gate import Gate
from ledger_verify.gate.verdict import Decision
from ledger_verify.lang.typed import Expr
from ledger_verify.policy.case import Case
from ledger_verify.policy.rules import Otherwise, Rule
from ledger_verify.policy.tools import Tool
from ledger_verify.solver.outcome import Outcome, Search, Undecided
from ledger_verify.solver.question import Question

ABOUT = About("LV304", "refusal_without_exit", "warning")
_UNGATED = frozenset({"LV202", "ungated_write"})


def jobs(bench: Bench) -> Iterator[Job]:
    """One for each rule and tool with `otherwise: revise`, and with `default: revise` one for each
    write whose lack of rules is accepted.

    What a repair or a read can do depends on all of the domain.
    """
    domain = bench.domain
    for rule in domain.rules:
        if rule.otherwise is Otherwise.REVISE:
            subject = f"{rule.id} for {rule.tool}"
            look = partial(_look, bench, rule)
            yield Job(subject, rule.tool, look)
    if domain.default == "revise":
        for tool in domain.writes:
            if not domain.rules_by_tool[tool.name] and _UNGATED & tool.ignored.keys():
                look = partial(_look_at_default, bench, tool)
                yield Job(f"default for {tool.name}", tool.name, look)


def _look(bench: Bench, rule: Rule) -> Iterator[Claim]:
    lasting = Lasting(evidence_model(bench.domain), bench.domain.tools[rule.tool])
    doubtful: Search | None = None
    for part in lasting.conditions(rule):
        search = _violation(bench, rule, part)
        case = None if search.case is None else _without_exit(bench.gate, rule, search.case, part)
        if case is not None:
            yield rule_finding(
                ABOUT,
                bench.domain,
                rule,
                f"`{rule.id}` refuses calls of {TOOLS} with REVISE although nothing the agent can "
                "do leads to ALLOW",
                at=part,
                case=case,
                fix="leave out `otherwise: revise`, or declare the tool that changes what the rule "
                "reads (`by: user` if it is the person's)",
            )
            return
        if search.outcome not in (Outcome.FOUND, Outcome.NONE):
            doubtful = search
        elif search.doubt is not None:
            doubtful = Search(Outcome.UNDECIDED, doubt=search.doubt)
    if doubtful is None:
        yield Claim()
        return
    message = f"could not tell whether `{rule.id}` refuses a call of `{rule.tool}` for ever"
    yield undecided(ABOUT, bench.domain, rule, message, doubtful)


def _violation(bench: Bench, rule: Rule, part: Expr) -> Search:
    """A case in which only this part is violated; else one in which it is, whatever else is, with
    the doubt whether there is one of the first kind.
    """
    tool = bench.domain.tools[rule.tool]
    others = [r.holds for r in bench.domain.rules_by_tool[tool.name] if r is not rule]
    others += [other for other in conditions(rule.require) if other is not part]
    applies = () if rule.when is None else (rule.when,)
    search = bench.shown(Question(tool, true=(*others, *applies), false=(part,)))
    if search.outcome is not Outcome.FOUND:
        alone = search
        search = bench.shown(Question(tool, true=applies, false=(part,)))
        if search.outcome is Outcome.FOUND:
            search = replace(search, doubt=alone.doubt)
    return search


def _without_exit(gate: Gate, rule: Rule, case: Case, part: Expr) -> Case | None:
    """The case, made small, if it is refused with REVISE only because the rule says so."""
    rules = tuple(
        replace(other, otherwise=Otherwise.AUTO) if other is rule else other
        for other in gate.domain.rules
    )
    plain = Gate(replace(gate.domain, rules=rules), explain_ms=None)
    verdict = replay_found(gate, case)
    if verdict is None or verdict.decided_by == "error":
        raise Undecided
    if not _only_by_word(gate, plain, case):
        return None
    smaller = prune(gate, case, verdict, (part,))
    return smaller if _only_by_word(gate, plain, smaller) else case


def _only_by_word(gate: Gate, plain: Gate, case: Case) -> bool:
    said, meant = replay_found(gate, case), replay_found(plain, case)
    if said is None or meant is None:
        return False
    if "error" in (said.decided_by, meant.decided_by):
        raise Undecided
    return said.decision is Decision.REVISE and meant.decision is Decision.BLOCK


def _look_at_default(bench: Bench, tool: Tool) -> Iterator[Claim]:
    place = default_region(bench.domain)
    yield file_finding(
        ABOUT,
        f"`default: revise` refuses every call of {TOOLS}, for which there is no rule, and nothing "
        "the agent can do leads to ALLOW",
        place.start,
        end=place.end,
        tools=[tool.name],
        fix="give each of these tools a rule, or leave out `default: revise`",
    )
