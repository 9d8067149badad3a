"""What follows from what a read that shows all did not show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ledger_verify.lang.typed import Constant, Expr, Variable, walk
from ledger_verify.ledger.absence import Listing, covers
from ledger_verify.ledger.attempts import frozen
from ledger_verify.ledger.doubts import Doubt
from ledger_verify.ledger.found import Found
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.tools import Observation, Tool

Value = Callable[[Expr, Mapping[str, Any]], Any]
"""The value of an expression with these names bound, or None."""


def state_all(
    ledger: Ledger, tool: Tool, arguments: Mapping[str, Any], seen: Sequence[Found], value: Value
) -> None:
    """Take note of what does not exist by the result of a read, whose records are stored.

    `seen` is what it showed by each observation. Nothing follows for a pattern of which the
    result may have shown more than could be taken as evidence.
    """
    source = frozen(tool.name, arguments)
    shown: dict[str, set[tuple[Any, ...]]] = {}
    for found in seen:
        shown.setdefault(found.observation.pattern, set()).update(found.records)
    for found in seen:
        observation, pattern = found.observation, found.observation.pattern
        if observation.complete is None or any(other.misfits for other in seen):
            continue
        doubts = ledger.doubtful.by_pattern.get(pattern, ())
        if not any(doubt.source == source for doubt in doubts):
            keys = _part(observation, arguments, value)
            if keys is not None:
                listing = Listing(keys, tool.name, arguments, observation)
                _state(ledger, listing, pattern, shown[pattern], value)


def _part(
    observation: Observation, arguments: Mapping[str, Any], value: Value
) -> tuple[Any | None, ...] | None:
    """The keys that the arguments fix, None for each that comes from the records.

    None where one of those that are fixed cannot be told.
    """
    keys: list[Any | None] = []
    for key in observation.keys:
        if any(isinstance(part, Variable) and part.name == "item" for part in walk(key)):
            keys.append(None)
            continue
        fixed = value(key, {"args": arguments})
        if fixed is None:
            return None
        keys.append(fixed)
    return tuple(keys)


def _state(
    ledger: Ledger, listing: Listing, pattern: str, shown: set[tuple[Any, ...]], value: Value
) -> None:
    """Records that were known and are not among those `shown` are gone, or may be."""

    def applies(keys: tuple[Any, ...]) -> Any:
        return value(listing.scope, listing.names(keys))

    for keys in [keys for keys in ledger.entries[pattern] if keys not in shown]:
        if covers(listing.keys, keys):
            gone = applies(keys)
            if gone is True:
                ledger.drop(pattern, keys)
            elif gone is None:
                ledger.touch(pattern, keys, ())
    always = isinstance(listing.scope, Constant) and listing.scope.value is True

    def is_answered(doubt: Doubt) -> bool:
        if not covers(listing.keys, doubt.keys):
            return False
        return always or (None not in doubt.keys and applies(doubt.keys) is True)

    ledger.doubtful.answer(pattern, is_answered)
    ledger.absences.state(pattern, listing)
