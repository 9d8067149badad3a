"""A rule refuses with REVISE where nothing can ever lead to ALLOW.

`otherwise: revise` tells the agent to try again. Where no read, no other value of an argument and
no other tool can change the answer, the agent repeats the call until someone stops it; BLOCK, which
`auto` would give, tells it to explain the refusal to the person.

Faulty: no tool ever changes whether an order is `final`.

    refund:
      kind: write
      arguments: {order_id: string}
      touches: ["orders.{args.order_id}.status"]
    rules:
      - id: not_final
        tools: [refund]
        require: "!ledger.orders[args.order_id].final"
        otherwise: revise

Right: `otherwise` is left out; or a tool that changes it is declared, the person's own included.

    reopen_order:
      kind: write
      by: user
      arguments: {order_id: string}
      touches: ["orders.{args.order_id}.final"]

Faulty as well: `default: revise` and a write tool without rules, of which every call is refused.

Claim: the case that is shown is refused with REVISE, and with BLOCK once `otherwise` is `auto`: so
no read and no change of free arguments leads from it to ALLOW. The part of the rule that fails
there reads only records that the call is about, and fields that no other tool touches; no time, no
earlier calls, no argument but the key. Sound for what the domain declares, not complete: rules
whose violation can end in ways that are not looked at are passed over. A record that changes by
itself is one that no tool changes; there, declare who changes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ledger_verify.checks.evidence.lasting import Lasting
from ledger_verify.checks.evidence.model import EvidenceModel
from ledger_verify.checks.finding import Claim, Finding, case_json, undecided_claim
from ledger_verify.gate.cases import prune, replay_found
from ledger_verify.gate.session import Gate
from ledger_verify.gate.verdict import Decision
from ledger_verify.lang.typed import Expr
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Otherwise, Rule
from ledger_verify.policy.tools import Tool
from ledger_verify.solver.outcome import Outcome, Search
from ledger_verify.solver.static import Question, StaticSolver

CODE = "LV304"
NAME = "refusal_without_exit"
SEVERITY = "warning"


def run(domain: Domain, solver: StaticSolver) -> Iterator[Claim]:
    """One claim for each rule and tool with `otherwise: revise`, and one for `default: revise`."""
    model, gate = EvidenceModel(domain), Gate(domain)
    found: dict[str, tuple[Rule, Case, list[str]]] = {}
    for rule in domain.rules:
        if rule.otherwise is not Otherwise.REVISE:
            continue
        case: Case | None = None
        search = Search(Outcome.NONE)
        for part in Lasting(model, domain.tools[rule.tool]).conjuncts(rule):
            search = _violation(domain, solver, rule, part)
            case = None if search.case is None else _without_exit(gate, rule, search.case, part)
            if case is not None:
                break
        if case is not None:
            found.setdefault(rule.id, (rule, case, []))[2].append(rule.tool)
        elif search.outcome is Outcome.UNDECIDED:
            yield undecided_claim(
                NAME,
                f"could not tell whether `{rule.id}` refuses a call of `{rule.tool}` for ever",
                (rule.id,),
                rule.places["require"],
            )
        else:
            yield Claim()
    for rule, case, tools in found.values():
        yield Claim(_finding(domain, rule, case, tools))
    if domain.default == "revise":
        yield Claim(_of_default(domain, gate, solver))


def _violation(domain: Domain, solver: StaticSolver, rule: Rule, part: Expr) -> Search:
    """A case in which only this part is violated; else one in which it is, whatever else is."""
    tool = domain.tools[rule.tool]
    others = tuple(r.holds for r in domain.rules_by_tool[tool.name] if r is not rule)
    applies = () if rule.when is None else (rule.when,)
    search = solver.search(Question(tool, true=(*others, *applies), false=(part,)))
    if search.outcome is Outcome.FOUND:
        return search
    return solver.search(Question(tool, true=applies, false=(part,)))


def _without_exit(gate: Gate, rule: Rule, case: Case, part: Expr) -> Case | None:
    """The case, made small, if it is refused with REVISE only because the rule says so."""
    rules = tuple(
        replace(other, otherwise=Otherwise.AUTO) if other is rule else other
        for other in gate.domain.rules
    )
    plain = Gate(replace(gate.domain, rules=rules))
    verdict = replay_found(gate, case)
    if verdict is None or not _only_by_word(gate, plain, case):
        return None
    smaller = prune(gate, case, verdict, (part,))
    return smaller if _only_by_word(gate, plain, smaller) else case


def _only_by_word(gate: Gate, plain: Gate, case: Case) -> bool:
    said, meant = replay_found(gate, case), replay_found(plain, case)
    return (
        said is not None
        and meant is not None
        and said.decision is Decision.REVISE
        and meant.decision is Decision.BLOCK
        and meant.decided_by != "error"
    )


def _finding(domain: Domain, rule: Rule, case: Case, tools: list[str]) -> Finding:
    calls = ", ".join(f"`{tool}`" for tool in tools)
    return Finding(
        CODE, NAME, SEVERITY,
        f"`{rule.id}` refuses calls of {calls} with REVISE although nothing the agent can do leads "
        "to ALLOW",
        (rule.id,),
        rule.places["require"],
        counterexample=case_json(case, domain),
        fix="leave out `otherwise: revise`, or declare the tool that changes what the rule reads "
        "(`by: user` if it is the person's)",
    )  # fmt: skip


def _of_default(domain: Domain, gate: Gate, solver: StaticSolver) -> Finding | None:
    """Writes without rules, which `default: revise` refuses whatever the agent does."""
    bare = [tool for tool in domain.writes if not domain.rules_by_tool[tool.name]]
    if not bare:
        return None
    named = ", ".join(f"`{tool.name}`" for tool in bare)
    return Finding(
        CODE, NAME, SEVERITY,
        f"`default: revise` refuses every call of {named}, for which there is no rule, and nothing "
        "the agent can do leads to ALLOW",
        (),
        domain.sources["domain"].locate(("default",)),
        counterexample=_example(domain, gate, solver, bare[0]),
        fix="give each of these tools a rule, or leave out `default: revise`",
    )  # fmt: skip


def _example(
    domain: Domain, gate: Gate, solver: StaticSolver, tool: Tool
) -> dict[str, object] | None:
    case = solver.search(Question(tool)).case
    verdict = None if case is None else replay_found(gate, case)
    if case is None or verdict is None or verdict.decision is not Decision.REVISE:
        return None
    return case_json(case, domain)
