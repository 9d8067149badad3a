"""What reads did not show although they show all: records that are known not to exist."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ledger_verify.lang.typed import Constant, Expr
from ledger_verify.lang.types import BOOL
from ledger_verify.ledger.attempts import Frozen
from ledger_verify.policy.evidence import Statement
from ledger_verify.policy.tools import Observation

Mask = tuple[Any | None, ...]
"""Keys of records, None for any."""

_ALWAYS = Constant(True, BOOL)


@dataclass(frozen=True)
class Listing:
    """That one read, with these typed arguments, showed all records at the keys.

    All but those at the keys `since`, which may have come into being after it. Without a tool and
    an observation it is plainly known that there are none.
    """

    keys: Mask
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    observation: Observation | None = None
    since: tuple[Mask, ...] = ()

    @property
    def scope(self) -> Expr:
        """For which of the records it says something, over `args`, `item` and the ledger."""
        complete = None if self.observation is None else self.observation.complete
        return _ALWAYS if complete is None else complete

    @property
    def reads(self) -> frozenset[str]:
        """The patterns on whose records that hangs."""
        return frozenset() if self.observation is None else self.observation.reads

    def names(self, keys: tuple[Any, ...]) -> dict[str, Any]:
        """What the scope is evaluated with for the record at the keys."""
        item: dict[str, Any] = {}
        for index, key in enumerate(keys if self.observation is not None else ()):
            assert self.observation is not None
            name = self.observation.field_of_key(index)
            if name is not None:
                item[name] = key
        return {"args": self.arguments, "item": item}

    def meets(self, keys: tuple[Any, ...]) -> bool:
        """Whether it is about the record of these keys, if its scope is true of it."""
        return covers(self.keys, keys) and not any(covers(mask, keys) for mask in self.since)


@dataclass(frozen=True)
class Chain:
    """The pages of a list that were read so far, from the first on: what they have `shown`.

    It goes on with the read that it `awaits`. `reads` are patterns on which the list hangs.
    """

    pattern: str
    keys: Mask
    shown: frozenset[tuple[Any, ...]]
    awaits: Frozen
    reads: frozenset[str] = frozenset()


@dataclass
class Absences:
    """By pattern, the listings from which it follows that other records do not exist.

    `begun` are lists of which some pages were read, by the list.
    """

    by_pattern: dict[str, list[Listing]] = field(default_factory=dict)
    begun: dict[Frozen, Chain] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether anything is stated, or begun to be."""
        return bool(self.by_pattern or self.begun)

    def state(self, pattern: str, listing: Listing) -> None:
        """A listing, in place of an earlier one by the same call."""
        others = [
            other
            for other in self.by_pattern.get(pattern, ())
            if other.observation is not listing.observation
            or (other.arguments, other.keys) != (listing.arguments, listing.keys)
        ]
        self.by_pattern[pattern] = [*others, listing]

    def about(self, pattern: str, keys: tuple[Any, ...]) -> tuple[Statement, ...]:
        """What is stated about a record that was not observed."""
        return tuple(
            Statement(listing.scope, listing.names(keys), listing)
            for listing in self.by_pattern.get(pattern, ())
            if listing.meets(keys)
        )

    def forget(self, pattern: str, keys: Mask) -> bool:
        """There may be records at the keys by now, or others may be what scopes hang on.

        Returns whether it was stated that some of those do not exist.
        """
        before = self.by_pattern.get(pattern, ())
        if self.begun:
            self.begun = {
                series: chain
                for series, chain in self.begun.items()
                if pattern not in chain.reads
                and (pattern != chain.pattern or not overlap(keys, chain.keys))
            }
        for stated in list(self.by_pattern):
            kept = []
            for listing in self.by_pattern[stated]:
                if pattern in listing.reads:
                    continue
                if stated == pattern and overlap(keys, listing.keys):
                    if covers(keys, listing.keys):
                        continue
                    if keys not in listing.since:
                        listing = replace(listing, since=(*listing.since, keys))
                kept.append(listing)
            self._keep(stated, kept)
        return list(before) != self.by_pattern.get(pattern, [])

    def rest_on(self, pattern: str) -> bool:
        """Whether some statement hangs on records of the pattern."""
        stated = [listing.reads for found in self.by_pattern.values() for listing in found]
        return any(pattern in reads for reads in [*stated, *(c.reads for c in self.begun.values())])

    def is_whole(self, pattern: str) -> bool:
        """Whether there are no records of the pattern but those that were shown."""
        return any(
            isinstance(listing.scope, Constant)
            and listing.scope.value is True
            and not listing.since
            and all(key is None for key in listing.keys)
            for listing in self.by_pattern.get(pattern, ())
        )

    def clear(self) -> None:
        """Nothing is known any more of what does not exist."""
        self.by_pattern.clear()
        self.begun.clear()

    def copy(self) -> Absences:
        """Independent knowledge of the same."""
        listings = {pattern: list(found) for pattern, found in self.by_pattern.items()}
        return Absences(listings, dict(self.begun))

    def _keep(self, pattern: str, kept: list[Listing]) -> None:
        if kept:
            self.by_pattern[pattern] = kept
        else:
            self.by_pattern.pop(pattern, None)


def covers(mask: Mask, keys: Mask) -> bool:
    """Whether all records at the keys are at those of the mask, too."""
    return all(want is None or want == have for want, have in zip(mask, keys, strict=True))


def overlap(one: Mask, other: Mask) -> bool:
    """Whether some record may be at both."""
    return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))
