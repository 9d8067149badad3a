"""What a host tells a session outright: records, earlier calls, what the user said."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from ledger_verify.gate.decide import Decider
from ledger_verify.lang.errors import InputError
from ledger_verify.ledger.observe import Observer
from ledger_verify.ledger.render import render
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.case import EarlierCall
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.session_facts import Facts, json_facts
from ledger_verify.policy.tool_loading import unknown_tool
from ledger_verify.policy.tools import Tool
from ledger_verify.schema.coerce import Misfit


class Told:
    """The ledger of one conversation, as far as it is told outright."""

    def __init__(self, domain: Domain, decider: Decider, observer: Observer, facts: Facts) -> None:
        self.domain = domain
        self.ledger = Ledger(domain.ledger, facts=facts)
        self._decider = decider
        self._observer = observer
        self._lock = threading.RLock()

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the host said of the session when it was opened, as JSON that cannot be changed."""
        return json_facts(self.ledger.facts, self.domain.session, self.domain.zone)

    def heard(self, text: str) -> None:
        """Take note of a message of the user; raises `InputError` if it is no text.

        What the user said counts for the calls after it. Nothing else counts as said: neither
        what a tool returned nor what the model wrote.
        """
        if not isinstance(text, str):
            raise InputError(f"a message of the user is text, not {type(text).__name__}")
        with self._lock:
            self.ledger.heard = (*self.ledger.heard, text)

    def record(self, path: str, value: Any) -> None:
        """Put a record into the ledger by its canonical path; raises `InputError`."""
        with self._lock:
            self._observer.record(self.ledger, path, value)

    def mark_stale(self, path: str) -> None:
        """Mark what is at a path - a record of the ledger, or a part of one - as stale.

        As after a write that touched it, until it is read again. Raises `InputError`.
        """
        with self._lock:
            self._observer.mark_stale(self.ledger, path)

    def record_absent(self, path: str) -> None:
        """There is no record at the path, as a read that shows all tells; raises `InputError`."""
        with self._lock:
            self._observer.record_absent(self.ledger, path)

    def recall(self, call: EarlierCall) -> None:
        """Add an earlier call to the history; raises `InputError` where it does not fit."""
        gate = self._decider.gates.get(call.tool)
        if gate is None:
            raise unknown_tool(call.tool, self.domain.tools)
        bound = self._bound(gate.tool, call.arguments)
        if isinstance(bound, Misfit):
            raise InputError(f"earlier call of `{call.tool}`: {bound.message}")
        with self._lock:
            self.ledger.history.add(call.tool, bound, call.verdict, call.time_us, ok=call.ok)

    def render(self) -> str:
        """Facts, then the ledger, as text for the prompt: path, then value, in stable order."""
        with self._lock:
            return render(self.ledger, self.domain)

    def _bound(self, tool: Tool, arguments: Any) -> Any:
        """The arguments as typed values, or how they do not fit the tool."""
        try:
            return self._decider.gates[tool.name].bind(arguments)
        except Misfit as misfit:
            return misfit
