"""The entry point: a gate for a domain, and sessions with a ledger each."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from ledger_verify.evaluate.kleene import Failure, Scope, evaluate
from ledger_verify.gate.decide import Clock, Decider, prepare
from ledger_verify.gate.verdict import Decision, Verdict
from ledger_verify.lang.errors import InputError
from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.typed import Expr
from ledger_verify.ledger.observe import Drift, Observer
from ledger_verify.ledger.render import render
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.case import EarlierCall
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.evidence import NoEvidence, Unknown
from ledger_verify.policy.tool_loading import unknown_tool
from ledger_verify.policy.tools import Tool, ToolKind
from ledger_verify.schema.coerce import Misfit

log = logging.getLogger("ledger_verify.gate")


def _value(expr: Expr, names: Mapping[str, Any], ledger: Ledger | None) -> Any:
    """The value of an expression, by what was observed; raises `NoValue`."""
    value = evaluate(expr, Scope(NoEvidence() if ledger is None else ledger, names))
    if isinstance(value, Unknown | Failure):
        raise NoValue("unknown" if isinstance(value, Unknown) else value.reason)
    return value


def system_clock() -> int:
    """Microseconds since 1970, now."""
    return time.time_ns() // 1000


class Gate:
    """The compiled policy of a domain. One gate serves any number of sessions and threads."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self._gates = prepare(domain)
        self._observer = Observer(domain, _value)

    def session(
        self, *, clock_us: int | Clock | None = None, tools: Iterable[str] | None = None
    ) -> Session:
        """A new conversation with an empty ledger.

        `clock_us` is the present in microseconds since 1970, or a function that tells it; without
        it the domain's pinned clock or the system's counts. `tools` are the names of the tools
        that this agent has; without it, all of the domain. Raises `InputError` for an unknown one,
        and for a clock that is neither.
        """
        if not (clock_us is None or callable(clock_us) or type(clock_us) is int):
            raise InputError(
                f"`clock_us` is {clock_us!r}, expected whole microseconds since 1970, or a "
                "function that tells them"
            )
        if tools is not None:
            tools = frozenset(tools)
            for name in sorted(tools):
                if name not in self.domain.tools:
                    raise unknown_tool(name, self.domain.tools)
        if clock_us is None:
            pinned = self.domain.clock_us
            clock = system_clock if pinned is None else lambda: pinned
        elif callable(clock_us):
            clock = clock_us
        else:
            fixed = clock_us
            clock = lambda: fixed  # noqa: E731
        decider = Decider(self.domain, self._gates, tools)
        return Session(self.domain, decider, self._observer, clock)


_MAX_PENDING = 4


@dataclass(frozen=True)
class _Pending:
    """An allowed call of a message, not run so far; `number` is its place in the history."""

    tool: Tool
    arguments: Mapping[str, Any]
    number: int | None


@dataclass(frozen=True)
class _Outcome:
    """What the text of a result says: whether the call did what it was for.

    `nothing` tells that it surely did not. `groups` are those of the declared form.
    """

    ok: bool = False
    nothing: bool = False
    groups: dict[str, str] | None = None
    drifts: tuple[Drift, ...] = ()


def _outcome(tool: Tool, result: Any) -> _Outcome:
    if tool.result is None:
        return _Outcome(ok=True)
    try:
        found = tool.result.read(result)
    except Misfit as misfit:
        return _Outcome(drifts=(Drift(tool.name, "result", misfit.message),))
    return _Outcome(ok=True, groups=found[0]) if found else _Outcome(nothing=True)


class Session:
    """One conversation: what was observed, and verdicts on what is proposed."""

    def __init__(self, domain: Domain, decider: Decider, observer: Observer, clock: Clock) -> None:
        self.domain = domain
        self.ledger = Ledger(domain.ledger)
        self._decider = decider
        self._observer = observer
        self._clock = clock
        self._lock = threading.RLock()

    def observe(
        self, tool: str, arguments: Any, result: Any = None, *, error: bool = False
    ) -> list[Drift]:
        """Take note of a tool call that was run and what it returned.

        `result` is JSON, or the text that the tool returned. A failed call changes nothing. A
        read fills the ledger, a write makes what it touches stale, a tool that the domain does
        not know makes everything stale. Returns the parts that did not fit the schema; those are
        kept out of the ledger.
        """
        with self._lock:
            known = self.domain.tools.get(tool) if isinstance(tool, str) else None
            if known is None:
                if not error:
                    self.ledger.touch_all()
                return []
            try:
                outcome = _Outcome() if error else _outcome(known, result)
                if tool in self.domain.remembered:
                    self._remember(tool, arguments, None, ok=outcome.ok)
                if error or outcome.nothing:
                    self._failed(known, arguments, result)
                    return []
                return [*outcome.drifts, *self._observe(known, arguments, result, outcome)]
            except Exception as problem:
                # half of it may have been observed: nothing counts until it is read again
                log.exception("the gate failed to observe a call of `%s`", tool)
                self.ledger.touch_all()
                return [Drift(tool, "*", f"internal error: {type(problem).__name__}")]

    def interrupted(self, tool: str, arguments: Any) -> None:
        """Take note of a call of which nobody knows whether it ran, such as one that timed out.

        What it may have touched is stale; nothing is observed. If it is a write, rules that read
        its history cannot be decided any more: whether it counts is not known.
        """
        with self._lock:
            known = self.domain.tools.get(tool) if isinstance(tool, str) else None
            if known is None or known.kind is ToolKind.READ:
                if known is None:
                    self.ledger.touch_all()
                else:
                    self._failed(known, arguments, None, heard=False)
                return
            if known.kind is ToolKind.WRITE:
                self.ledger.history.unread(tool)
            elif tool in self.domain.remembered:
                self._remember(tool, arguments, None, ok=False)
            self._observe(known, arguments, None, _Outcome())

    def _observe(self, tool: Tool, arguments: Any, result: Any, outcome: _Outcome) -> list[Drift]:
        if tool.kind is ToolKind.NEUTRAL:
            return []
        try:
            bound = self._decider.gates[tool.name].bind(arguments)
        except Misfit as misfit:
            return self._observe_unbound(tool, misfit)
        if tool.kind is ToolKind.READ:
            return self._observer.read(self.ledger, tool, bound, result)
        self._observer.write(self.ledger, tool, bound, outcome.groups)
        return []

    def _failed(self, tool: Tool, arguments: Any, answer: Any, *, heard: bool = True) -> None:
        """Take note of a read that showed nothing, so that it is not advised again."""
        if tool.kind is ToolKind.READ:
            try:
                bound = self._decider.gates[tool.name].bind(arguments)
            except Misfit:
                return
            self._observer.failed(self.ledger, tool, bound, answer, heard=heard)

    def _observe_unbound(self, tool: Tool, misfit: Misfit) -> list[Drift]:
        """A call ran although its arguments do not fit: what it touched cannot be told."""
        if tool.kind is ToolKind.WRITE:
            self.ledger.change()
        for touch in tool.touches:
            self.ledger.touch(touch.pattern, (None,) * len(touch.keys), ())
        return [
            Drift(tool.name, observation.pattern, f"arguments: {misfit.message}")
            for observation in tool.observes
        ]

    def record(self, path: str, value: Any) -> None:
        """Put a record into the ledger by its canonical path; raises `InputError`."""
        with self._lock:
            self._observer.record(self.ledger, path, value)

    def check(self, tool: str, arguments: Any) -> Verdict:
        """The verdict on a proposed call; never raises."""
        with self._lock:
            verdict = self._decider.decide(self.ledger, tool, arguments, self._clock)
            if verdict.tool in self.domain.remembered:
                self._remember(verdict.tool, arguments, verdict, ok=False)
            return verdict

    def _remember(self, tool: str, arguments: Any, verdict: Verdict | None, *, ok: bool) -> None:
        """Add a call to the history, for the rules that read it."""
        try:
            bound = self._decider.gates[tool].bind(arguments)
        except Misfit:
            # a refused call is of no account, one that ran may be what a rule asks about
            if verdict is None and ok:
                self.ledger.history.unread(tool)
            return
        now_us = self._clock()
        if verdict is None:
            self.ledger.history.ran(tool, bound, now_us, ok=ok)
        else:
            self.ledger.history.proposed(tool, bound, verdict.decision.value, now_us)

    def recall(self, call: EarlierCall) -> None:
        """Add an earlier call to the history; raises `InputError` where it does not fit."""
        gate = self._decider.gates.get(call.tool)
        if gate is None:
            raise unknown_tool(call.tool, self.domain.tools)
        try:
            bound = gate.bind(call.arguments)
        except Misfit as misfit:
            raise InputError(f"earlier call of `{call.tool}`: {misfit.message}") from None
        with self._lock:
            history = self.ledger.history
            history.add(call.tool, bound, call.verdict, call.time_us, ok=call.ok)

    def check_message(self, calls: Sequence[tuple[str, Any]]) -> list[Verdict]:
        """Verdicts on the calls of one message, each on its own and in order; never raises.

        What an allowed call touches is stale for the calls behind it. Whether it succeeds is open,
        so the calls behind it must be allowed either way; behind more than four of them a call
        must wait for a message of its own.
        """
        with self._lock:
            before: list[_Pending] = []
            verdicts: list[Verdict] = []
            for call in calls:
                name, arguments = call if isinstance(call, tuple) and len(call) == 2 else ("", call)
                verdict = self._verdict_behind(before, name, arguments)
                verdicts.append(verdict)
                tool = self.domain.tools.get(verdict.tool)
                number = None
                if verdict.tool in self.domain.remembered:
                    number = self.ledger.history.open
                    self._remember(verdict.tool, arguments, verdict, ok=False)
                if verdict.allowed and tool is not None and (number is not None or tool.touches):
                    bound = self._decider.gates[name].bind(arguments)
                    before.append(_Pending(tool, bound, number))
            return verdicts

    def _verdict_behind(self, before: Sequence[_Pending], name: str, arguments: Any) -> Verdict:
        """The verdict if all calls before ran, and if that allows, the worst if only some did."""
        verdict = self._decide_after(before, name, arguments)
        if not verdict.allowed or not before:
            return verdict
        if len(before) > _MAX_PENDING:
            message = f"`{name}` cannot run yet: send it in a message of its own."
            return replace(verdict, decision=Decision.REVISE, message=message)
        for count in range(len(before)):
            for ran in combinations(before, count):
                other = self._decide_after(ran, name, arguments)
                if not other.allowed:
                    return other
        return verdict

    def _decide_after(self, ran: Sequence[_Pending], name: str, arguments: Any) -> Verdict:
        ledger = self.ledger
        if ran:
            numbers = [call.number for call in ran if call.number is not None]
            ledger = replace(ledger.copy(), history=ledger.history.supposing(numbers))
            for call in ran:
                self._observer.write(ledger, call.tool, call.arguments)
        return self._decider.decide(ledger, name, arguments, self._clock)

    def render(self) -> str:
        """The ledger as a block of text for the prompt: path, then value, in stable order."""
        with self._lock:
            return render(self.ledger, self.domain)
