"""Smallest sets of constraints that conflict, found with few questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

_SMALL = 2


@dataclass(frozen=True)
class Conflict:
    """Some constraints conflict: `needed` are some of them that do so already."""

    needed: tuple[int, ...]


@dataclass(frozen=True)
class Harmony:
    """Some constraints can hold together; of all constraints, `broken` fail in a world where they
    do.
    """

    broken: frozenset[int]


@dataclass(frozen=True)
class Open:
    """A limit was reached before it was known whether some constraints conflict."""


@dataclass(frozen=True)
class Core:
    """Constraints that conflict; not `smallest` if it stayed open whether fewer of them do."""

    members: tuple[int, ...]
    smallest: bool


Oracle = Callable[[Sequence[int]], Conflict | Harmony | Open]


def smallest_core(count: int, ask: Oracle) -> Core:
    """Which of `count` constraints, known to conflict, are a smallest conflict.

    A core has a member that is broken in each world that was met, so only sets that hit all of
    those need be asked of. Beyond two members the core is irreducible, though perhaps not smallest.
    """
    worlds: list[frozenset[int]] = []
    sure = True
    for size in range(_SMALL + 1):
        for some in combinations(range(count), size):
            if all(not world.isdisjoint(some) for world in worlds):
                match ask(some):
                    case Conflict():
                        return Core(some, sure)
                    case Harmony(broken) if broken:
                        worlds.append(broken)
                    case Open():
                        sure = False
    match ask(range(count)):
        case Conflict(needed):
            core = _irreducible(needed, ask)
            return Core(core.members, core.smallest and sure)
        case Harmony():  # known to conflict for reasons that the oracle does not see
            core = _irreducible(range(count), ask)
            return Core(core.members, core.smallest and sure)
    return Core(tuple(range(count)), False)


def _irreducible(members: Iterable[int], ask: Oracle) -> Core:
    """The members without those that the conflict does not need."""
    kept, sure = sorted(members), True
    for member in tuple(kept):
        if member in kept:
            match ask([other for other in kept if other != member]):
                case Conflict(needed):
                    kept = sorted(needed)
                case Open():
                    sure = False
    return Core(tuple(kept), sure)
