"""Smallest sets of constraints that conflict, found with few questions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

_SMALL = 2


@dataclass(frozen=True)
class Verdict:
    """Whether some constraints conflict.

    If they do, `needed` are some of them that conflict already. If not, `broken` are those of all
    constraints that fail in a world in which the ones that were asked of hold.
    """

    conflict: bool
    needed: Collection[int] = ()
    broken: Collection[int] = ()


Oracle = Callable[[Sequence[int]], Verdict]


def smallest_core(count: int, ask: Oracle) -> tuple[int, ...]:
    """Which of `count` constraints, known to conflict, are a smallest conflict.

    A core has a member that is broken in each world that was met, so only sets that hit all of
    those need be asked of. Beyond two members the core is irreducible, though perhaps not smallest.
    """
    worlds: list[frozenset[int]] = []
    for size in range(_SMALL + 1):
        for some in combinations(range(count), size):
            if all(not world.isdisjoint(some) for world in worlds):
                answer = ask(some)
                if answer.conflict:
                    return some
                if answer.broken:
                    worlds.append(frozenset(answer.broken))
    whole = ask(range(count))
    return _irreducible(whole.needed if whole.conflict else range(count), ask)


def _irreducible(members: Iterable[int], ask: Oracle) -> tuple[int, ...]:
    """The members without those that the conflict does not need."""
    kept = sorted(members)
    for member in tuple(kept):
        if member in kept:
            answer = ask([other for other in kept if other != member])
            if answer.conflict:
                kept = sorted(answer.needed)
    return tuple(kept)
