"""The decision procedure: one call on one ledger to a verdict.

The fast way is straight: bind the arguments, run the compiled predicates, ALLOW. Everything else
goes to `explain`.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ledger_verify.evaluate.compiled import Predicate, compile_all
from ledger_verify.gate import collector
from ledger_verify.gate.brevity import brief
from ledger_verify.gate.heard import ENFORCED, IGNORED, ask_first, unsaid
from ledger_verify.gate.plain import plain_arguments, plain_name
from ledger_verify.gate.proposal import Proposal
from ledger_verify.gate.verdict import Decision, Verdict
from ledger_verify.lang.deadline import Deadline, Stopwatch
from ledger_verify.lang.errors import near_match
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Tool, ToolKind
from ledger_verify.schema.coerce import Coerce, Misfit, coercer

log = logging.getLogger("ledger_verify.gate")

Clock = Callable[[], int]
"""Tells the present in microseconds since 1970."""


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
        gates[name] = ToolGate(
            tool, coercer(tool.arguments, domain.zone), predicate, {"tool": name}
        )
    return gates


class Judged(NamedTuple):
    """A verdict, and what the call was judged by.

    `bound` are the typed arguments, None where the verdict does not rest on them; `now_us` is the
    present, None where nothing asked for it.
    """

    verdict: Verdict
    bound: Mapping[str, Any] | None = None
    now_us: int | None = None


@dataclass(frozen=True)
class Decider:
    """Judges calls for one domain and one set of available tools (None for all).

    With `asks` IGNORED, arguments that only the user can give need not have been said. A refusal is
    explained within `explain_ms` milliseconds by the `stopwatch`, None for no limit.
    """

    domain: Domain
    gates: Mapping[str, ToolGate]
    tools: frozenset[str] | None
    asks: str = ENFORCED
    explain_ms: int | None = None
    stopwatch: Stopwatch = time.monotonic

    def decide(self, ledger: Ledger, name: str, arguments: Any, clock: Clock) -> Judged:
        """The verdict on one call; never raises, an internal error is a BLOCK."""
        timed = self.explain_ms is not None
        if timed:
            collector.hold()
        try:
            judged = self._decide(ledger, name, arguments, clock)
            message = judged.verdict.message
            told = brief(message)
            if told is message:
                return judged
            return judged._replace(verdict=replace(judged.verdict, message=told))
        except Exception as problem:
            return Judged(failed(name, problem))
        finally:
            if timed:
                collector.release()

    def _decide(self, ledger: Ledger, name: str, arguments: Any, clock: Clock) -> Judged:
        start = self.stopwatch()
        shown = plain_arguments(arguments)
        gate = self.gates.get(name) if isinstance(name, str) else None
        if gate is None or (self.tools is not None and name not in self.tools):
            return Judged(self._unknown_tool(name, shown))
        tool = gate.tool
        if tool.by_user:
            message = f"`{name}` is the person's own tool: ask the person to use it."
            return Judged(Verdict(Decision.BLOCK, tool.name, shown, message, decided_by="default"))
        try:
            bound = gate.bind(arguments)
        except Misfit as misfit:
            return Judged(_bad_arguments(tool, shown, misfit))
        judged = self._judge(gate, ledger, bound, shown, clock, start)
        missing = self.unsaid(tool, bound, ledger)
        return judged._replace(verdict=ask_first(judged.verdict, missing)) if missing else judged

    def unsaid(self, tool: Tool, bound: Mapping[str, Any], ledger: Ledger) -> list[str]:
        """The arguments that only the user can give and that the user never said."""
        if not tool.asks or self.asks == IGNORED:
            return []
        return unsaid(self.domain, tool, bound, ledger)

    def _judge(
        self, gate: ToolGate, ledger: Ledger, bound: Any, shown: Mapping[str, Any], clock: Clock,
        start: float,
    ) -> Judged:  # fmt: skip
        tool, now_us = gate.tool, None
        try:
            if gate.predicate is None:
                if tool.name in self.domain.remembered:
                    now_us = checked_time(clock())
                return Judged(self._without_rules(tool, shown), bound, now_us)
            now_us = checked_time(clock())
            try:
                if gate.predicate(ledger, bound, now_us, gate.call) is True:
                    return Judged(Verdict(Decision.ALLOW, tool.name, shown, ""), bound, now_us)
            except Exception:
                pass  # a gap of some kind; the interpreter tells which
            from ledger_verify.gate.explain import explain

            deadline = Deadline(self.explain_ms, self.stopwatch, start)
            proposal = Proposal(
                self.domain, self.tools, tool, ledger, bound, now_us, deadline=deadline
            )
            return Judged(explain(proposal, shown), bound, now_us)
        except Exception as problem:
            return Judged(failed(tool.name, problem, shown), bound, now_us)

    def _unknown_tool(self, name: str, shown: Mapping[str, Any]) -> Verdict:
        have = [tool for tool in self.gates if self.tools is None or tool in self.tools]
        told = plain_name(name)
        hint = near_match(told, have)
        message = f"`{told}` is not allowed: there is no such tool"
        message = f"{message}; {hint}" if hint else message
        return Verdict(Decision.BLOCK, told, shown, message, decided_by="default")

    def _without_rules(self, tool: Tool, shown: Mapping[str, Any]) -> Verdict:
        if tool.kind is not ToolKind.WRITE:
            return Verdict(Decision.ALLOW, tool.name, shown, "", decided_by="default")
        revise = self.domain.default == "revise"
        message = f"`{tool.name}` is not allowed: the policy has no rule for it. " + (
            "Find another way, or ask the person."
            if revise
            else "Do not repeat this call; tell the person that it cannot be done here."
        )
        decision = Decision.REVISE if revise else Decision.BLOCK
        return Verdict(decision, tool.name, shown, message, decided_by="default")


def checked_time(now_us: Any) -> int:
    """What a clock said; raises `TypeError` where that is no time."""
    if type(now_us) is not int:
        raise TypeError(f"the clock gave a {type(now_us).__name__}, not whole microseconds")
    return now_us


def failed(name: Any, problem: BaseException, shown: Mapping[str, Any] | None = None) -> Verdict:
    """The refusal of a call that could not be judged."""
    told = plain_name(name)
    note_failure("the gate failed on a call of `%s`", told)
    message = (
        f"`{told}` is not allowed: the gate failed ({type(problem).__name__}). "
        "Do not repeat this call; tell the person that it cannot be done now."
    )
    return Verdict(Decision.BLOCK, told, shown or {}, message, decided_by="error")


def note_failure(text: str, *values: object) -> None:
    """Log the exception at hand; what the host's handlers of the log raise changes nothing."""
    with contextlib.suppress(Exception):
        log.exception(text, *values)


def _bad_arguments(tool: Tool, shown: Mapping[str, Any], misfit: Misfit) -> Verdict:
    message = (
        f"the arguments of `{tool.name}` do not fit its schema: {misfit.message}. "
        "Correct them and call again."
    )
    return Verdict(Decision.REVISE, tool.name, shown, message, decided_by="schema")
