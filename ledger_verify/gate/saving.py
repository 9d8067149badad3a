"""A session as JSON, so that another process goes on exactly where this one stopped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ledger_verify.gate.pending import Pending, PendingCalls
from ledger_verify.gate.shape import Shape, hints_of, wrong
from ledger_verify.gate.state import VERSION, Reader, Writer, check_seal, sealed
from ledger_verify.gate.verdict import Decision
from ledger_verify.lang.errors import InputError
from ledger_verify.ledger.absence import Absences, Chain, Listing
from ledger_verify.ledger.attempts import Attempt, Rejection
from ledger_verify.ledger.doubts import Doubt, Doubts, Page
from ledger_verify.ledger.entries import Entry, Mark, table_key
from ledger_verify.ledger.history import UNCHECKED, History
from ledger_verify.ledger.newcomers import Newcomer, Newcomers
from ledger_verify.ledger.overtaken import CallsUnderway, Underway
from ledger_verify.ledger.render import line_of
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.evidence import MissingCall, MissingPath, Unknown
from ledger_verify.policy.identity import identity_type

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


_OWN = {"pending": PendingCalls, "unsound": bool}


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
    session = gate.session(clock_us=clock_us, **_settings(gate.domain, state.get("settings")))
    known = Reader(gate.domain, _TYPES).read(state["known"], "known")
    _check(gate.domain, known)
    for name, value in known["ledger"].items():
        setattr(session.ledger, name, value)
    for name in _OWN:
        setattr(session, f"_{name}", known[name])
    return session


def _check(domain: Domain, known: Any) -> None:
    """Raises `InputError` that names what is not of its type, or does not agree with the rest."""
    shape = Shape(domain, _TYPES)
    shape.named(known, {"ledger": dict, **_OWN}, "known")
    where = "known.ledger"
    shape.named(known["ledger"], hints_of(Ledger, *_GIVEN), where)
    ledger = Ledger(domain.ledger, **known["ledger"])
    for pattern, who in ledger.identities.items():
        if pattern not in domain.identified:
            raise InputError(f"the saved state is damaged: `{pattern}` identifies nobody")
        shape.typed(who, identity_type(domain.ledger[pattern]), f"{where}.identities.{pattern}")
    for pattern in (*ledger.entries, *ledger.fresh):
        if pattern not in domain.ledger:
            wrong(f"{where}.entries", "records of the domain", pattern)
    for pattern, keys in ledger.rejected:
        shape.keys(pattern, keys, f"{where}.rejected")
    for call in ledger.underway.calls.values():
        for pattern, keys, _ in call.changed:
            shape.keys(pattern, keys, f"{where}.underway")
    fresh: dict[str, dict[Any, Any]] = {pattern: {} for pattern in ledger.fresh}
    for pattern, table in ledger.entries.items():
        here = f"{where}.entries.{pattern}"
        for keys, entry in table.items():
            shape.keys(pattern, keys, here, any_=False)
            shape.typed(entry.value, domain.ledger[pattern].record, here)
            if entry.line not in (None, line_of(domain, pattern, keys, entry)):
                wrong(f"{here}.line", "what `render` says of the record", entry.line)
            if not entry.stale:
                fresh[pattern][table_key(keys)] = entry.value
        single = len(domain.ledger[pattern].keys) == 1
        for key in ledger.fresh[pattern]:
            shape.keys(pattern, (key,) if single else key, f"{where}.fresh", any_=False)
    if ledger.fresh != fresh:
        wrong(f"{where}.fresh", "what `entries` has that is not stale", ledger.fresh)
    _check_history(shape, domain, ledger.history, f"{where}.history")


def _check_history(shape: Shape, domain: Domain, history: History, where: str) -> None:
    again = History()
    for number, call in enumerate(history.all):
        here = f"{where}.all.{number}"
        shape.named(call, _CALL, here)
        tool = domain.tools.get(call["tool"])
        if tool is None:
            wrong(f"{here}.tool", "the name of a tool", call["tool"])
        if call["verdict"] not in _VERDICTS:
            wrong(f"{here}.verdict", "a verdict", call["verdict"])
        if not isinstance(call["args"], Unknown):
            shape.typed(call["args"], tool.arguments, f"{here}.args")
        again.add(call["tool"], call["args"], call["verdict"], call["time"], ok=call["ok"])
    if history.by_tool != again.by_tool:
        wrong(f"{where}.by_tool", "the calls of `all` by their tools", history.by_tool)
    if history._unsure != again._unsure:
        wrong(f"{where}._unsure", "the number of calls of which something is not known", None)


_VERDICTS = (*(decision.value for decision in Decision), UNCHECKED)
_CALL = {
    "tool": str, "args": dict[str, Any] | Unknown, "ok": bool | Unknown,
    "verdict": str, "time": int | Unknown,
}  # fmt: skip


def _settings(domain: Domain, settings: Any) -> dict[str, Any]:
    hints = {"tools": list[str] | None, "facts": dict[str, Any] | None, "asks": str}
    Shape(domain, {}).named(settings, hints, "settings")
    return dict(settings)
