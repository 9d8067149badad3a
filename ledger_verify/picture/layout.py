"""Where the boxes of a picture stand: in columns, ordered so that few arrows cross.

Lengths are in pixels of the SVG.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ledger_verify.picture.model import Box, Column, Kind, Picture
from ledger_verify.picture.texts import cells, one_line, shortened

CHARACTER = 7.3
LINE = 15
_MOST_CELLS = 44
_PADDING_X, _PADDING_Y = 12, 7
_GAP_Y, _GAP_X = 14, 130
_MARGIN, _TOP = 24, 84
_LEAST_WIDTH = 680  # of the legend
_SWEEPS = 4


@dataclass(frozen=True)
class Placed:
    """A box with its lines as they are shown, its upper left corner, and its size."""

    box: Box
    lines: tuple[str, ...]
    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        """The height at which arrows come and go."""
        return self.y + self.height / 2


@dataclass(frozen=True)
class Layout:
    """All boxes placed, in the order of the picture; headings by where they begin."""

    placed: tuple[Placed, ...]
    headings: tuple[tuple[float, str], ...]
    width: float
    height: float


def layout(picture: Picture) -> Layout:
    """Place the boxes of a picture; no two overlap, and each is as wide as its text."""
    columns = _ordered(picture)
    lines = [tuple(shortened(one_line(t), _MOST_CELLS) for t in b.lines) for b in picture.boxes]
    heights = [LINE * len(text) + 2 * _PADDING_Y for text in lines]
    totals = {c: sum(heights[n] + _GAP_Y for n in members) for c, members in columns.items()}
    tallest = max(totals.values(), default=0)
    placed: dict[int, Placed] = {}
    headings = []
    x: float = _MARGIN
    for column, members in columns.items():
        texts = [column.value, *(text for n in members for text in lines[n])]
        width = max(map(cells, texts)) * CHARACTER + 2 * _PADDING_X
        spare = tallest - totals[column]
        # a short column is spread, but not so far that it falls apart
        more = min(spare / (len(members) + 1), 30)
        y = _TOP + (spare - more * (len(members) - 1)) / 2
        headings.append((x, column.value))
        for n in members:
            placed[n] = Placed(picture.boxes[n], lines[n], x, y, width, heights[n])
            y += heights[n] + _GAP_Y + more
        x += width + _GAP_X
    return Layout(
        tuple(placed[n] for n in range(len(placed))),
        tuple(headings),
        max(x - _GAP_X + _MARGIN, _LEAST_WIDTH),
        _TOP + tallest + _MARGIN,
    )


def _ordered(picture: Picture) -> dict[Column, list[int]]:
    """The boxes of each column, sorted by where their neighbours stand, to and fro."""
    columns = {
        column: [n for n, box in enumerate(picture.boxes) if box.column is column]
        for column in Column
    }
    before: list[list[int]] = [[] for _ in picture.boxes]
    after: list[list[int]] = [[] for _ in picture.boxes]
    for arrow in picture.arrows:
        if arrow.kind is Kind.EVIDENCE:
            before[arrow.target].append(arrow.source)
            after[arrow.source].append(arrow.target)
    rank = {n: _rank(i, members) for members in columns.values() for i, n in enumerate(members)}
    order = list(Column)
    for sweep in range(_SWEEPS):
        forward = sweep % 2 == 0
        for column in order[1:] if forward else order[-2::-1]:
            members = _sorted(columns[column], before if forward else after, rank)
            columns[column] = members
            rank |= {n: _rank(i, members) for i, n in enumerate(members)}
    return columns


def _rank(index: int, members: Sequence[int]) -> float:
    """How far down in its column a box stands, from 0 to 1."""
    return (index + 0.5) / len(members)


def _sorted(
    members: Sequence[int], neighbours: Sequence[Sequence[int]], rank: Mapping[int, float]
) -> list[int]:
    def barycentre(n: int) -> float:
        near = neighbours[n]
        return sum(rank[other] for other in near) / len(near) if near else rank[n]

    return sorted(members, key=lambda n: (barycentre(n), rank[n]))
