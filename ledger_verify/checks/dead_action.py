"""No call of a write tool can ever be allowed.

The rules of the tool contradict each other, or one of them contradicts the schema or the
assumptions. The core is a smallest set of rules that cannot hold together. Fix one of them, or
take the tool away from the agent.

Dead: `args.bags >= 3` and `args.bags <= 2` for the same tool.
Alive: `args.bags >= 3` and `args.bags <= 3`.

Claim of the solver: unsatisfiable iff no ledger and call satisfy all rules of the tool. A tool
that is alive is shown so by a case that the gate allows.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.checks.finding import Claim, Finding, undecided_claim
from ledger_verify.gate.cases import replay_found
from ledger_verify.gate.session import Gate
from ledger_verify.lang.errors import Location
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Tool
from ledger_verify.solver.outcome import Outcome
from ledger_verify.solver.static import Question, StaticSolver

CODE = "LV101"
NAME = "dead_action"


def run(domain: Domain, solver: StaticSolver) -> Iterator[Claim]:
    """One claim for each write tool that has rules; the same core is reported once."""
    gate = Gate(domain)
    dead: dict[tuple[str, ...], list[Tool]] = {}
    for tool in domain.writes:
        rules = domain.rules_by_tool[tool.name]
        if not rules:
            continue
        search = solver.search(Question(tool, true=tuple(rule.holds for rule in rules)))
        if search.outcome is Outcome.NONE:
            core = solver.core(tool, [(rule.id, rule.holds) for rule in rules])
            dead.setdefault(core, []).append(tool)
        elif search.case is not None and _is_allowed(gate, search.case):
            yield Claim()
        else:
            yield undecided_claim(
                NAME,
                _undecided_message(tool, search.outcome),
                tuple(r.id for r in rules),
                rules[0].location,
            )
    for core, tools in dead.items():
        yield Claim(_finding(domain, core, tools))


def _is_allowed(gate: Gate, case: Case) -> bool:
    verdict = replay_found(gate, case)
    return verdict is not None and verdict.allowed


def _undecided_message(tool: Tool, outcome: Outcome) -> str:
    if outcome is Outcome.NONE_UP_TO_BOUND:
        return f"no call of `{tool.name}` with lists up to the bound can be allowed"
    return f"could not tell whether any call of `{tool.name}` can be allowed"


def _finding(domain: Domain, core: tuple[str, ...], tools: list[Tool]) -> Finding:
    named = ", ".join(f"`{tool.name}`" for tool in tools)
    rules = domain.rules_by_tool[tools[0].name]
    blamed = [rule for rule in rules if rule.id in core]
    # the rule that comes last in the file is the one most likely added by mistake
    location: Location = max((rule.places["require"] for rule in blamed), key=lambda p: p.line)
    if len(core) == 1:
        message = f"no call of {named} can ever be allowed: `{core[0]}` never holds"
    else:
        listed = ", ".join(f"`{rule}`" for rule in core)
        message = f"no call of {named} can ever be allowed: {listed} contradict each other"
    return Finding(
        CODE, NAME, "error", message, core, location, core=core,
        fix="loosen one of these rules, or take the tool away from the agent",
    )  # fmt: skip
