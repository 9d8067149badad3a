"""A session as JSON, so that another process goes on exactly where this one stopped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ledger_verify.gate.pending import Pending, PendingCalls
from ledger_verify.gate.state import VERSION, Reader, Writer, check_seal, sealed
from ledger_verify.lang.errors import InputError
from ledger_verify.ledger.absence import Absences, Chain, Listing
from ledger_verify.ledger.attempts import Attempt, Rejection
from ledger_verify.ledger.doubts import Doubt, Doubts, Page
from ledger_verify.ledger.entries import Entry, Mark
from ledger_verify.ledger.history import History
from ledger_verify.ledger.newcomers import Newcomer, Newcomers
from ledger_verify.ledger.overtaken import CallsUnderway, Underway
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.evidence import MissingCall, MissingPath, Unknown

if TYPE_CHECKING:
    from ledger_verify.gate.gate import Gate
    from ledger_verify.gate.session import Session

_TYPES: Mapping[str, type] = {
    type_.__name__: type_
    for type_ in (
        *(Absences, Attempt, Chain, Doubt, Doubts, Entry, History, Listing, Mark, MissingCall),
        *(CallsUnderway, MissingPath, Newcomer, Newcomers, Page, Pending, PendingCalls),
        *(Rejection, Underway, Unknown),
    )
}
_GIVEN = frozenset({"patterns", "facts"})
"""The fields of a ledger that the domain and the settings of the session give."""


def saved(session: Session) -> dict[str, Any]:
    """All that the session knows, as JSON. The clock is not part of it."""
    ledger = session.ledger
    known = {
        "ledger": {
            field.name: getattr(ledger, field.name)
            for field in fields(ledger)
            if field.name not in _GIVEN
        },
        **{name: getattr(session, f"_{name}") for name in _OWN},
    }
    domain = session.domain
    state = {
        "version": VERSION,
        "domain": domain.name,
        "revision": domain.revision,
        "settings": session.settings,
        "known": Writer(domain, _TYPES).write(known),
    }
    return sealed(state)


_OWN = ("pending", "unsound")


def resumed(gate: Gate, state: Any, clock_us: Any) -> Session:
    """A session that knows what the saved one knew.

    Raises `InputError` for what is no saved state, and for a state of another version, or of
    another policy: its rules may read what this one did not keep. So is a state that was damaged.
    """
    if not isinstance(state, Mapping) or "known" not in state:
        raise InputError("this is no saved state of a session")
    if state.get("version") != VERSION:
        raise InputError(f"the state is of version {state.get('version')!r}, expected {VERSION}")
    if state.get("domain") != gate.domain.name:
        raise InputError(
            f"the state belongs to the domain `{state.get('domain')}`, this is `{gate.domain.name}`"
        )
    if state.get("revision") != gate.domain.revision:
        raise InputError(
            f"the state belongs to revision `{state.get('revision')}` of the policy, this is "
            f"`{gate.domain.revision}`",
            hint="resume it under the policy that it was saved under, or begin a new session",
        )
    check_seal(state)
    session = gate.session(clock_us=clock_us, **_settings(state.get("settings")))
    known = Reader(gate.domain, _TYPES).read(state["known"])
    try:
        stored = known["ledger"]
        missing = {f.name for f in fields(Ledger)} - _GIVEN ^ stored.keys()
        if missing:
            raise KeyError(missing)
        for name, value in stored.items():
            setattr(session.ledger, name, value)
        for name in _OWN:
            setattr(session, f"_{name}", known[name])
    except (KeyError, TypeError, AttributeError):
        raise InputError("this is no saved state of a session") from None
    return session


def _settings(settings: Any) -> dict[str, Any]:
    if not isinstance(settings, Mapping) or not settings.keys() <= {"tools", "facts", "asks"}:
        raise InputError("this is no saved state of a session")
    return dict(settings)
