"""Results that did not show what they may hold: until they do, not all records are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from ledger_verify.ledger.attempts import Frozen
from ledger_verify.policy.evidence import MissingPath

Keys = tuple[Any | None, ...]


@dataclass(frozen=True)
class Page:
    """A page of a list that is open, of the list `series`: what the read of `producer` left.

    `arguments` are those of the read that shows it, typed, None where nobody can say them; those
    that are the same for all pages are `known`.
    """

    tool: str
    series: Frozen
    producer: Frozen
    arguments: Mapping[str, Any] | None
    known: Mapping[str, Any]


@dataclass(frozen=True)
class Doubt:
    """A result that may have shown a record of the pattern, at `keys` as far as those are told.

    `source` is the read that gave it, None where no read would give it again. With a `page` it is
    the rest of a list, and the source the read that shows that page.
    """

    pattern: str
    keys: Keys
    source: Frozen | None
    page: Page | None = None


@dataclass
class Doubts:
    """By pattern and keys, what may be there besides the records that were observed."""

    by_pattern: dict[str, dict[Keys, list[Doubt]]] = field(default_factory=dict)

    def of(self, pattern: str) -> Iterator[Doubt]:
        """All doubts about one pattern."""
        return chain.from_iterable(self.by_pattern.get(pattern, {}).values())

    def add(self, doubt: Doubt) -> None:
        """One more."""
        known = self.by_pattern.setdefault(doubt.pattern, {}).setdefault(doubt.keys, [])
        if doubt not in known:
            known.append(doubt)

    def seen(self, pattern: str, keys: Keys) -> None:
        """A record was observed: a result that may have shown it is made good."""
        found = self.by_pattern.get(pattern, {})
        if keys in found:
            del found[keys]
            if not found:
                del self.by_pattern[pattern]

    def made_good(self, pattern: str, source: Frozen, *, wholly: bool) -> None:
        """A read was made anew; `wholly` tells whether all that it shows of the pattern fits."""
        self.answer(
            pattern, lambda doubt: doubt.source == source or (wholly and doubt.source is None)
        )

    def answer(self, pattern: str, is_answered: Callable[[Doubt], bool]) -> None:
        """What may have been there is known to be, or not to be."""
        left: dict[Keys, list[Doubt]] = {}
        for doubt in self.of(pattern):
            if not is_answered(doubt):
                left.setdefault(doubt.keys, []).append(doubt)
        if left:
            self.by_pattern[pattern] = left
        else:
            self.by_pattern.pop(pattern, None)

    def has(self, pattern: str, keys: Keys) -> bool:
        """Whether something may be at just these keys."""
        return keys in self.by_pattern.get(pattern, {})

    def pages(self, pattern: str, keys: Keys) -> Iterator[Page]:
        """The open pages on which such a record may be."""
        for doubt in self.of(pattern):
            pairs = zip(doubt.keys, keys, strict=True)
            if doubt.page is not None and all(a is None or b is None or a == b for a, b in pairs):
                yield doubt.page

    def missing(self, pattern: str) -> frozenset[MissingPath]:
        """The records of the pattern that may be there, as missing evidence."""
        return frozenset(MissingPath(pattern, keys) for keys in self.by_pattern.get(pattern, {}))

    def copy(self) -> Doubts:
        """Independent doubts."""
        return Doubts(
            {
                pattern: {keys: list(doubts) for keys, doubts in found.items()}
                for pattern, found in self.by_pattern.items()
            }
        )
