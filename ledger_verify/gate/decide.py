"""The decision procedure: one call on one ledger to a verdict.

The fast way is straight: bind the arguments, run the compiled predicates, ALLOW. Everything else
goes to `explain`.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ledger_verify.evaluate.compiled import Predicate, compile_all
from ledger_verify.gate.verdict import Decision, Verdict
from ledger_verify.lang.errors import near_match
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Tool, ToolKind
from ledger_verify.schema.coerce import Coerce, Misfit, coercer

log = logging.getLogger("ledger_verify.gate")


@dataclass(frozen=True)
class ToolGate:
    """What is prepared for calls of one tool; `predicate` is None without rules."""

    tool: Tool
    bind: Coerce
    predicate: Predicate | None
    call: Mapping[str, Any]


def prepare(domain: Domain) -> dict[str, ToolGate]:
    """Compile the rules of every tool."""
    gates = {}
    for name, tool in domain.tools.items():
        rules = domain.rules_by_tool[name]
        predicate = compile_all(tuple(rule.holds for rule in rules)) if rules else None
        gates[name] = ToolGate(tool, coercer(tool.arguments, domain.zone), predicate, {"tool": name})
    return gates


@dataclass(frozen=True)
class Decider:
    """Judges calls for one domain and one set of available tools (None for all)."""

    domain: Domain
    gates: Mapping[str, ToolGate]
    tools: frozenset[str] | None

    def decide(self, ledger: Ledger, name: str, arguments: Any, now_us: int) -> Verdict:
        """The verdict on one call; never raises, an internal error is a BLOCK."""
        try:
            return self._decide(ledger, name, arguments, now_us)
        except Exception as problem:
            log.exception("the gate failed on a call of `%s`", name)
            shown = arguments if isinstance(arguments, Mapping) else {}
            reason = f"`{name}` is not allowed: the gate failed ({type(problem).__name__})"
            return Verdict(Decision.BLOCK, name, shown, reason, decided_by="error")

    def _decide(self, ledger: Ledger, name: str, arguments: Any, now_us: int) -> Verdict:
        gate = self.gates.get(name)
        if gate is None or (self.tools is not None and name not in self.tools):
            return self._unknown_tool(name, arguments)
        try:
            bound = gate.bind(arguments)
        except Misfit as misfit:
            return _bad_arguments(gate.tool, arguments, misfit)
        if gate.predicate is None:
            return self._without_rules(gate.tool, arguments)
        try:
            if gate.predicate(ledger, bound, now_us, gate.call) is True:
                return Verdict(Decision.ALLOW, name, arguments, "")
        except Exception:  # noqa: S110, a gap of some kind; the interpreter tells which
            pass
        from ledger_verify.gate.explain import explain

        return explain(self.domain, self.tools, gate.tool, ledger, arguments, bound, now_us)

    def _unknown_tool(self, name: str, arguments: Any) -> Verdict:
        have = [tool for tool in self.gates if self.tools is None or tool in self.tools]
        hint = near_match(name, have)
        message = f"`{name}` is not allowed: there is no such tool"
        shown = arguments if isinstance(arguments, Mapping) else {}
        message = f"{message}; {hint}" if hint else message
        return Verdict(Decision.BLOCK, name, shown, message, decided_by="default")

    def _without_rules(self, tool: Tool, arguments: Mapping[str, Any]) -> Verdict:
        if tool.kind is not ToolKind.WRITE:
            return Verdict(Decision.ALLOW, tool.name, arguments, "", decided_by="default")
        decision = Decision.REVISE if self.domain.default == "revise" else Decision.BLOCK
        message = f"`{tool.name}` is not allowed: the policy has no rule for it"
        return Verdict(decision, tool.name, arguments, message, decided_by="default")


def _bad_arguments(tool: Tool, arguments: Any, misfit: Misfit) -> Verdict:
    shown = arguments if isinstance(arguments, Mapping) else {}
    hint = ""
    if misfit.path and misfit.path[0] not in tool.arguments.by_name:
        close = near_match(str(misfit.path[0]), tool.arguments.by_name)
        hint = f"; {close}" if close else ""
    message = (
        f"the arguments of `{tool.name}` do not fit its schema: {misfit.message}{hint}. "
        "Correct them and call again."
    )
    return Verdict(Decision.REVISE, tool.name, shown, message, decided_by="schema")
