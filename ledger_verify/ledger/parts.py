"""Parts of records: which of them a path means, and what is left of a record without them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ledger_verify.lang.environment import KEY
from ledger_verify.policy.evidence import MissingPath, Unknown

Keys = tuple[Any, ...]
Within = tuple[str, ...]


def covers(stale: frozenset[Within], field: str | None) -> bool:
    """Whether the record, or something of its field, is stale."""
    if not stale:
        return False
    return () in stale or (field is not None and any(path[0] == field for path in stale))


def expanded(value: Any, within: Within) -> Iterator[Within]:
    """The paths that a path with `*` steps stands for in the value."""
    if KEY not in within:
        yield within
        return
    at = within.index(KEY)
    for step in within[:at]:
        value = value.get(step) if isinstance(value, dict) else None
    if not isinstance(value, dict) or at == len(within) - 1:
        # entries may have come or gone, so nothing is known of the map as a whole
        yield within[:at]
        return
    for key in value:
        for rest in expanded(value[key], within[at + 1 :]):
            yield (*within[:at], key, *rest)


def match(known: Keys, wanted: tuple[Any | None, ...]) -> bool:
    """Whether keys are such as are wanted; None stands for any."""
    return all(want is None or want == have for have, want in zip(known, wanted, strict=True))


def with_gap(value: Any, within: Within, missing: MissingPath) -> Any:
    """A copy of the value with `Unknown` at the path.

    Where the path leaves what was observed - an absent field or entry, null on the way - the
    write may have made what it touched, so the first step that is not there is unknown.
    """
    if not within or not isinstance(value, dict):
        return Unknown(frozenset({missing}))
    step, rest = within[0], within[1:]
    return {**value, step: with_gap(value.get(step), rest, missing)}
