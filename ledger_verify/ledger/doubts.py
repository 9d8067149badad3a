"""Results that did not show what they may hold: until they do, not all records are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ledger_verify.ledger.attempts import Frozen
from ledger_verify.policy.evidence import MissingPath

Keys = tuple[Any | None, ...]


@dataclass(frozen=True)
class Doubt:
    """A result that may have shown a record of the pattern, at `keys` as far as those are told.

    `source` is the read that gave it, None where no read would give it again.
    """

    pattern: str
    keys: Keys
    source: Frozen | None


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
