"""What follows from what a read that shows all did not show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ledger_verify.lang.typed import Constant, Expr, Variable, walk
from ledger_verify.ledger.absence import Listing, Mask, covers
from ledger_verify.ledger.attempts import frozen
from ledger_verify.ledger.doubts import Doubt
from ledger_verify.ledger.found import Found
from ledger_verify.ledger.pages import Turn, turn_pages
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.tools import Observation

Value = Callable[[Expr, Mapping[str, Any]], Any]
"""The value of an expression with these names bound, or None."""


def conclude(
    turn: Turn, seen: Sequence[Found], value: Value, *, fits: bool
) -> Iterator[tuple[str, str]]:
    """Take note of pages that are open and of what does not exist, by the result of one read.

    Its records are stored; `seen` is what it showed by each observation, `fits` tells that none
    were those of somebody else. Gives what could not be told of the pages, by the pattern.
    """

    def part(found: Found) -> Mask | None:
        return _part(found.observation, turn.arguments, value)

    pages = turn_pages(turn, seen, part, fits=fits)
    for place, turned in pages.items():
        if turned.problem is not None:
            yield seen[place].observation.pattern, turned.problem
    if fits:
        _state_all(turn, seen, value, {place: turned.shown for place, turned in pages.items()})


def _state_all(
    turn: Turn, seen: Sequence[Found], value: Value, pages: Mapping[int, set[Mask] | None]
) -> None:
    """What does not exist; nothing follows for a pattern of which the result may have shown more
    than could be taken as evidence.
    """
    ledger, tool, arguments = turn.ledger, turn.tool, turn.arguments
    source = frozen(tool.name, arguments)
    shown: dict[str, set[tuple[Any, ...]]] = {}
    for found in seen:
        shown.setdefault(found.observation.pattern, set()).update(found.records)
    for place, found in enumerate(seen):
        observation, pattern = found.observation, found.observation.pattern
        if observation.complete is None or any(other.misfits for other in seen):
            continue
        before = pages.get(place, set())
        if before is None:
            continue  # not the last page, or not all before it were read
        if not any(doubt.source == source for doubt in ledger.doubtful.of(pattern)):
            keys = _part(observation, arguments, value)
            if keys is not None:
                listing = Listing(keys, tool.name, arguments, observation)
                _state(ledger, listing, pattern, shown[pattern] | before, value)


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
