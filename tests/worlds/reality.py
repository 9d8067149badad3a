"""Things as they are, for the interpreter; and whether what a session knows is so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.evidence import MissingPath, Unknown, Unlisted
from tests.worlds.environment import Environment


class Reality:
    """The records and the fates of calls as they are; what was observed or said, as `seen` has it.

    A record that does not exist may be anything, as long as nobody knows that it does not: then
    whatever is TRUE or FALSE here is so in all completions that differ from this in nothing else.
    `ran` has, by the place in the history, whether a call of unknown outcome took effect.
    """

    def __init__(self, environment: Environment, seen: Ledger, ran: Mapping[int, bool]) -> None:
        self._environment, self._seen, self._ran = environment, seen, ran
        self.facts = environment.world.facts

    def lookup(self, pattern: str, keys: tuple[Any, ...]) -> Any:
        if pattern == "desk":
            desk = desk_of(self._seen)
            return _gap(pattern, keys) if desk is None else self._environment.desks[desk]
        if keys in self._environment.world.entries[pattern]:
            return self._environment.world.lookup(pattern, keys)
        known = self._seen.lookup(pattern, keys)
        return known if isinstance(known, Unlisted) else _gap(pattern, keys)

    def observed(self, pattern: str, keys: tuple[Any, ...], field: str | None) -> Any:
        return self._seen.observed(pattern, keys, field)

    def observed_records(self, pattern: str) -> Any:
        if isinstance(found := self._seen.observed_records(pattern), Unknown):
            return found
        return tuple(self.lookup(pattern, keys) for keys in self._seen.entries[pattern])

    def earlier_calls(self, name: str) -> Any:
        history = self._seen.history
        if history.is_lost(name):
            return history.value(name)
        number = {id(call): at for at, call in enumerate(history.all)}
        return tuple(
            {**call, "ok": self._ran[number[id(call)]]}
            if isinstance(call["ok"], Unknown) and number[id(call)] in self._ran
            else call
            for call in history.calls(name)
        )

    def messages(self) -> tuple[str, ...]:
        return self._seen.heard


def desk_of(seen: Ledger) -> str | None:
    """The desk with which the session is: the one that was shown."""
    entry = seen.entries["desk"].get(())
    return None if entry is None else str(entry.value["id"])


def _gap(pattern: str, keys: tuple[Any, ...]) -> Unknown:
    return Unknown(frozenset({MissingPath(pattern, keys)}))


def untrue_evidence(environment: Environment, seen: Ledger) -> str | None:
    """What counts as known to the session, and is not so; None if all of it is."""
    reality = Reality(environment, seen, {})
    for pattern, keys, _ in seen.records():
        known = seen.lookup(pattern, keys)
        really = reality.lookup(pattern, keys)
        if not _within(known, really):
            return f"`{pattern}` {keys} is known as {known}, and is {really}"
    for keys in environment.world.entries["lots.*"]:
        if isinstance(seen.lookup("lots.*", keys), Unlisted) and _surely_absent(seen, keys):
            return f"the lot {keys} is known not to exist, and does"
    return None


def _surely_absent(seen: Ledger, keys: tuple[Any, ...]) -> bool:
    return any(
        getattr(statement.scope, "value", None) is True
        for statement in seen.absences.about("lots.*", keys)
    )


def _within(known: Any, really: Any) -> bool:
    """Whether what is known of a value, with gaps, is so."""
    if isinstance(known, Unknown):
        return True
    if not isinstance(known, dict):
        return bool(known == really)
    if not isinstance(really, dict) or really.keys() - known.keys():
        return False
    return all(
        isinstance(inner, Unknown) or (name in really and _within(inner, really[name]))
        for name, inner in known.items()
    )
