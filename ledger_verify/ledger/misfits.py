"""Records of one result that do not count as evidence: kept out, told of, and in doubt.

However many there are, this takes time in proportion, and leaves behind no more than a few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ledger_verify.ledger.attempts import Frozen, Rejection
from ledger_verify.ledger.doubts import Doubt
from ledger_verify.ledger.found import MOST_TOLD
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.tools import Tool

Keys = tuple[Any | None, ...]
Reason = Callable[[], str]
Misfits = Sequence[tuple[Keys | None, Reason]]
"""Keys of a record, as far as they can be told, and why it does not count."""


@dataclass(frozen=True)
class Drift:
    """A part of a tool's result that was kept out of the ledger, and why.

    Of very many the last stands for all `records` that are not told of one by one.
    """

    tool: str
    pattern: str
    reason: str
    records: int = 1


@dataclass(frozen=True)
class Kept:
    """What one call showed of a pattern; `source` is the call if it was a read."""

    ledger: Ledger
    tool: Tool
    arguments: Mapping[str, Any]
    pattern: str
    source: Frozen | None

    def keep_out(self, misfits: Misfits) -> list[Drift]:
        """What was known of these records is stale, and others that they may be are in doubt."""
        ledger, pattern = self.ledger, self.pattern
        places = {self._mask(keys): None for keys, _ in misfits}
        told = self._few(places)
        absent = [ledger.absences.forget(pattern, mask) for mask in told]
        known = self._stale({keys for keys, _ in misfits if keys is not None})
        if known or any(absent):
            ledger.forget_other_tries(self.tool.name, self.arguments)
        table = ledger.entries[pattern]
        open_ = {mask: None for mask in places if None in mask or mask not in table}
        for mask in self._few(open_):
            ledger.doubtful.add(Doubt(pattern, mask, self.source))

        def in_full(mask: Keys, reason: str) -> str:
            more = f"; not all of `{pattern}` is known until it fits"
            return reason + more if mask in open_ else reason

        return self._told(misfits, in_full)

    def refuse(self, others: Misfits) -> list[Drift]:
        """These records are those of somebody else."""
        return self._told(others, lambda _, reason: reason)

    def _told(self, misfits: Misfits, in_full: Callable[[Keys, str], str]) -> list[Drift]:
        """Take note of why records were kept out, and tell of it."""
        name, pattern, more = self.tool.name, self.pattern, len(misfits) - MOST_TOLD
        reasons: dict[Keys, Reason] = {}
        for keys, reason in misfits:
            reasons.setdefault(self._mask(keys), reason)
        if len(reasons) > MOST_TOLD:
            text = f"{len(misfits):,} records do not count, the first of them: {misfits[0][1]()}"
            reasons = {self._mask(None): lambda: text}
        for mask, reason in reasons.items():
            rejection = Rejection(name, self.arguments, in_full(mask, reason()))
            self.ledger.rejected[pattern, mask] = rejection
        drifts = [
            Drift(name, pattern, in_full(self._mask(keys), reason()))
            for keys, reason in misfits[:MOST_TOLD]
        ]
        if more > 0:
            drifts.append(Drift(name, pattern, f"{more:,} more records do not count", more))
        return drifts

    def _mask(self, keys: Keys | None) -> Keys:
        return (None,) * len(self.ledger.patterns[self.pattern].keys) if keys is None else keys

    def _few(self, places: Mapping[Keys, Any]) -> Iterable[Keys]:
        """The places, or one that stands for all of them if they are many."""
        return places if len(places) <= MOST_TOLD else [self._mask(None)]

    def _stale(self, masks: set[Keys]) -> bool:
        """Mark all records as stale that one of the masks meets; whether one was wholly known."""
        table = self.ledger.entries[self.pattern]
        met = [mask for mask in masks if mask in table]
        by_told: dict[tuple[int, ...], set[Keys]] = {}
        for mask in masks:
            if None in mask:
                told = tuple(place for place, key in enumerate(mask) if key is not None)
                by_told.setdefault(told, set()).add(tuple(mask[place] for place in told))
        for told, wanted in by_told.items():
            met += [keys for keys in table if tuple(keys[place] for place in told) in wanted]
        return self.ledger.make_stale(self.pattern, met, ())
