"""Ways in which the gaps of a case may turn out, beyond the ordinary ones of `strategies`."""

from __future__ import annotations

from collections.abc import Container
from random import Random
from typing import Any

from ledger_verify.ledger.parts import Keys
from ledger_verify.policy.evidence import Evidence, NoEvidence, Unknown
from tests.differential.strategies import PATTERNS, SESSION, Case, Completion
from tests.differential.values import ZONE
from tests.differential.wild import wild

COMPLETIONS = 3


class WildCompletion(Completion):
    """A completion in which the gaps turn out as the schema allows, however unusual."""

    def lookup(self, pattern: str, keys: Keys) -> Any:
        """The record that the completion has there."""
        if (pattern, keys) not in self._records:
            random = Random(f"{self._seed} {pattern} {keys}")
            drawn = wild(random, PATTERNS[pattern].record, ZONE)
            self._records[pattern, keys] = self._merged(pattern, keys, drawn)
        return self._records[pattern, keys]

    def _merged(self, pattern: str, keys: Keys, drawn: Any) -> Any:
        known = self._case.records.get((pattern, keys))
        if known is None or (pattern, keys) in self._case.unobserved:
            return drawn
        for stale_pattern, stale_keys, within in self._case.stale:
            if (stale_pattern, stale_keys) == (pattern, keys):
                known = with_part(known, drawn, within)
        return known


def with_part(known: Any, drawn: Any, within: tuple[str, ...]) -> Any:
    """`known` with the part at `within` as it is in `drawn`, at its old place; absent if absent."""
    if not within:
        return drawn
    step, rest = within[0], within[1:]
    if rest:
        return (
            {**known, step: with_part(known[step], drawn[step], rest)} if step in known else known
        )
    if step in drawn:
        return {**known, step: drawn[step]}
    return {key: value for key, value in known.items() if key != step}


def completions(case: Case, count: int = COMPLETIONS) -> list[Completion]:
    """Some ordinary and some wild ones."""
    return [
        *(Completion(case, seed) for seed in range(count)),
        *(WildCompletion(case, seed) for seed in range(count)),
    ]


class WholeWorld(NoEvidence):
    """A whole world, of which nothing counts as observed."""

    def __init__(self, case: Case, *, ordinary: bool) -> None:
        self.facts = case.facts if ordinary else wild(Random(case.text), SESSION, ZONE)
        self._case, self._ordinary = case, ordinary
        self._wild = WildCompletion(case, 0)

    def lookup(self, pattern: str, keys: Keys) -> Any:
        known = self._case.records.get((pattern, keys))
        return known if self._ordinary and known is not None else self._wild.lookup(pattern, keys)

    def observed(self, pattern: str, keys: Keys, field: str | None) -> bool | Unknown:
        return False


class Spliced(NoEvidence):
    """The evidence of `inside` at some places or patterns, and of `outside` elsewhere."""

    def __init__(self, inside: Evidence, outside: Evidence, where: Container[object]) -> None:
        self.facts = outside.facts
        self._inside, self._outside, self._where = inside, outside, where

    def lookup(self, pattern: str, keys: Keys) -> Any:
        """The record there."""
        is_inside = pattern in self._where or (pattern, keys) in self._where
        return (self._inside if is_inside else self._outside).lookup(pattern, keys)

    def observed(self, pattern: str, keys: Keys, field: str | None) -> bool | Unknown:
        """What is observed outside."""
        return self._outside.observed(pattern, keys, field)
