"""A refusal stays readable, however much was proposed: the ends of long lines, the heads of lists.

What is left out of the words is whole in the fields of the verdict.
"""

from __future__ import annotations

from collections.abc import Sequence

_LONGEST_LINE = 1_000
_TAIL = 200
MOST_LISTED = 20
"""So many rules, reads or paths are told one by one."""


def brief(text: str) -> str:
    """The text with the middle left out of every line that is too long."""
    if len(text) <= _LONGEST_LINE:
        return text
    return "\n".join(map(_brief_line, text.split("\n")))


def _brief_line(line: str) -> str:
    if len(line) <= _LONGEST_LINE:
        return line
    head, tail = line[: _LONGEST_LINE - _TAIL], line[-_TAIL:]
    return f"{head} ... ({len(line) - _LONGEST_LINE:,} characters left out) ... {tail}"


def listed(items: Sequence[str], what: str) -> list[str]:
    """The first items, and how many more there are of what."""
    more = len(items) - MOST_LISTED
    return [*items[:MOST_LISTED], f"and {more:,} more {what}"] if more > 0 else list(items)
