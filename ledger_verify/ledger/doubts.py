"""Results that did not show what they may hold: until they do, not all records are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
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
    """By pattern, what may be there besides the records that were observed."""

    by_pattern: dict[str, list[Doubt]] = field(default_factory=dict)

    def add(self, doubt: Doubt) -> None:
        """One more."""
        known = self.by_pattern.setdefault(doubt.pattern, [])
        if doubt not in known:
            known.append(doubt)

    def seen(self, pattern: str, keys: Keys) -> None:
        """A record was observed: a result that may have shown it is made good."""
        self._keep(pattern, [d for d in self.by_pattern.get(pattern, ()) if d.keys != keys])

    def made_good(self, pattern: str, source: Frozen, *, wholly: bool) -> None:
        """A read was made anew; `wholly` tells whether all that it shows of the pattern fits."""
        self._keep(
            pattern,
            [
                doubt
                for doubt in self.by_pattern.get(pattern, ())
                if doubt.source != source and not (wholly and doubt.source is None)
            ],
        )

    def answer(self, pattern: str, is_answered: Callable[[Doubt], bool]) -> None:
        """What may have been there is known to be, or not to be."""
        left = [doubt for doubt in self.by_pattern.get(pattern, ()) if not is_answered(doubt)]
        self._keep(pattern, left)

    def has(self, pattern: str, keys: Keys) -> bool:
        """Whether something may be at just these keys."""
        return any(doubt.keys == keys for doubt in self.by_pattern.get(pattern, ()))

    def pages(self, pattern: str, keys: Keys) -> Iterator[Page]:
        """The open pages on which such a record may be."""
        for doubt in self.by_pattern.get(pattern, ()):
            pairs = zip(doubt.keys, keys, strict=True)
            if doubt.page is not None and all(a is None or b is None or a == b for a, b in pairs):
                yield doubt.page

    def missing(self, pattern: str) -> frozenset[MissingPath]:
        """The records of the pattern that may be there, as missing evidence."""
        found = self.by_pattern.get(pattern, ())
        return frozenset(MissingPath(pattern, doubt.keys) for doubt in found)

    def copy(self) -> Doubts:
        """Independent doubts."""
        return Doubts({pattern: list(found) for pattern, found in self.by_pattern.items()})

    def _keep(self, pattern: str, left: list[Doubt]) -> None:
        if left:
            self.by_pattern[pattern] = left
        else:
            self.by_pattern.pop(pattern, None)
