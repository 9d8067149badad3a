"""The entry point: the compiled policy of a domain, which opens sessions."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from ledger_verify.evaluate.kleene import Failure, Scope, evaluate
from ledger_verify.gate.clock import session_clock
from ledger_verify.gate.decide import (
    Clock,
    Decider,
    prepare,
)
from ledger_verify.gate.heard import ENFORCED, asks_setting, warn_if_ignored
from ledger_verify.gate.proposal import load_solver
from ledger_verify.gate.session import Session
from ledger_verify.lang.deadline import Stopwatch
from ledger_verify.lang.errors import InputError
from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.typed import Expr
from ledger_verify.ledger.observe import Observer
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.evidence import Unknown
from ledger_verify.policy.session_facts import typed_facts
from ledger_verify.policy.tool_loading import unknown_tool


def _value(expr: Expr, names: Mapping[str, Any], ledger: Ledger) -> Any:
    """The value of an expression, by what was observed; raises `NoValue`."""
    value = evaluate(expr, Scope(ledger, names))
    if isinstance(value, Unknown | Failure):
        raise NoValue("unknown" if isinstance(value, Unknown) else value.reason)
    return value


EXPLAIN_MS = 250


def explain_setting(given: int | None) -> int | None:
    """The setting `explain_ms`, if it is one; raises `InputError`."""
    if given is None or (type(given) is int and given > 0):
        return given
    raise InputError(
        f"`explain_ms` is {given!r}, expected whole milliseconds, 1 or more, or None for no limit"
    )


class Gate:
    """The compiled policy of a domain. One gate serves any number of sessions and threads."""

    def __init__(
        self,
        domain: Domain,
        *,
        asks: str = ENFORCED,
        explain_ms: int | None = EXPLAIN_MS,
        stopwatch: Stopwatch = time.monotonic,
    ) -> None:
        """`asks` is "enforced", or "ignored" for a host that cannot feed what the user says (see
        `Session.heard`): then arguments that only the user can give are taken from anywhere, which
        is logged once.

        `explain_ms` is how many milliseconds after the call was proposed the explanation of a
        refusal may go on: what makes it REVISE or BLOCK, which reads or other values would help.
        Past it the call is refused by what is known then, and the verdict says what is open. None
        is no limit: then verdicts do not depend on the speed of the machine. The first use of the
        solver, which loads it, does not count; see `warm`. `stopwatch` tells seconds. Raises
        `InputError` for other settings.
        """
        self.domain = domain
        self.explain_ms = explain_setting(explain_ms)
        self._stopwatch = stopwatch
        self.asks = asks_setting(asks)
        warn_if_ignored(domain, asks)
        self._gates = prepare(domain)
        self._observer = Observer(domain, _value)

    def session(
        self,
        *,
        clock_us: int | Clock | None = None,
        tools: Iterable[str] | None = None,
        asks: str | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> Session:
        """A new conversation with an empty ledger.

        `clock_us` is the present in microseconds since 1970, or a function that tells it; without
        it the domain's pinned clock or the system's counts. `tools` are the names of the tools
        that this agent has; without it, all of the domain. `asks` is "enforced" or "ignored" for
        this conversation, without it what the gate says. `facts` are what the host knows of whom
        the session is for, as JSON: those that the domain declares below `session:`, which stay
        as they are. Raises `InputError` for an unknown tool, a clock that is neither, and facts
        that are missing, unknown or unfitting.
        """
        clock = session_clock(clock_us, self.domain.clock_us)
        if tools is not None:
            tools = frozenset(tools)
            for name in sorted(tools):
                if name not in self.domain.tools:
                    raise unknown_tool(name, self.domain.tools)
        asks = self.asks if asks is None else asks_setting(asks)
        decider = Decider(self.domain, self._gates, tools, asks, self.explain_ms, self._stopwatch)
        domain = self.domain
        known = typed_facts(facts, domain.session, domain.name, domain.zone)
        return Session(domain, decider, self._observer, clock, known)

    def warm(self) -> None:
        """Load what the first refusal would have to load: the solver, some tenths of a second."""
        load_solver()

    def resume(self, state: Any, *, clock_us: int | Clock | None = None) -> Session:
        """The session that was saved as `state`: with all that it knew, and its settings.

        Raises `InputError` for what is no saved state, and for one under another revision of the
        policy.
        """
        from ledger_verify.gate.saving import resumed

        return resumed(self, state, clock_us)
