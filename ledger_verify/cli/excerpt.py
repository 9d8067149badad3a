"""Lines of a file with a mark under a region of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from ledger_verify.cli.output import printable
from ledger_verify.cli.width import text_width
from ledger_verify.lang.errors import Location

_MOST_LINES = 6
_TAB = "    "
_WORD = re.compile(r"[\w.-]*")


def excerpt(
    lines: Sequence[str], start: Location, end: Location, strong: Callable[[str], str] = str
) -> Iterator[str]:
    """The lines of the region, numbered, with `^` under its part of the first one.

    A region that goes on below is marked to the end of its first line; of a long one only the
    first lines are shown. Where the region is a place without extent, the word there is marked.
    Nothing where the file has no such line. `strong` puts the mark in a style.
    """
    if not 1 <= start.line <= len(lines):
        return
    last = min(max(start.line, end.line), len(lines))
    shown = range(start.line, min(last, start.line + _MOST_LINES - 1) + 1)
    gutter = len(str(shown[-1]))
    first = lines[start.line - 1]
    before, rest = first[: start.column - 1], first[start.column - 1 :]
    if end.line > start.line:
        within = rest.rstrip()
    elif end.column > start.column:
        within = rest[: end.column - start.column]
    else:
        word = _WORD.match(rest)
        within = "" if word is None else word[0]
    yield _numbered(start.line, gutter, first)
    mark = strong("^" * max(1, text_width(_shown(within))))
    yield f"  {' ' * gutter} | {' ' * text_width(_shown(before))}{mark}"
    for number in shown[1:]:
        yield _numbered(number, gutter, lines[number - 1])
    if shown[-1] < last:
        yield f"  {' ' * gutter} | ..."


def _numbered(number: int, gutter: int, line: str) -> str:
    return f"  {number:{gutter}} | {_shown(line)}".rstrip()


def _shown(text: str) -> str:
    return printable(text.replace("\t", _TAB))
