"""What a regular expression says, as a tree: read by the solver, and by makers of examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

LAST = 0x10FFFF
Ranges = tuple[tuple[int, int], ...]
"""Code points from and to, both included; sorted, apart, and not touching each other."""


@dataclass(frozen=True)
class Characters:
    """One character out of the ranges."""

    ranges: Ranges


@dataclass(frozen=True)
class InOrder:
    """The items one behind the other."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class OneOf:
    """One of the options."""

    options: tuple[Node, ...]


@dataclass(frozen=True)
class Repeat:
    """The body `low` to `high` times; without end if `high` is None."""

    body: Node
    low: int
    high: int | None


@dataclass(frozen=True)
class Begin:
    """The beginning of the text."""


@dataclass(frozen=True)
class End:
    """The end of the text."""


@dataclass(frozen=True)
class Boundary:
    """The edge of a word in ASCII, or with `negated` any place that is none."""

    negated: bool


Node: TypeAlias = Characters | InOrder | OneOf | Repeat | Begin | End | Boundary


def merged(ranges: list[tuple[int, int]]) -> Ranges:
    """The same characters, sorted and without overlaps."""
    out: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if out and low <= out[-1][1] + 1:
            out[-1] = out[-1][0], max(high, out[-1][1])
        else:
            out.append((low, high))
    return tuple(out)


def complement(ranges: Ranges) -> Ranges:
    """All other characters."""
    out, start = [], 0
    for low, high in ranges:
        if low > start:
            out.append((start, low - 1))
        start = high + 1
    return (*out, (start, LAST)) if start <= LAST else tuple(out)
