"""How far a proof reaches that is not for all, and what makes it reach further: in the same words
wherever it is told.

A list has slots for so many items, and all further ones are a tail of which little is known. So are
the earlier calls of a session (`history`) and the records that were observed (`records`), so the
bound is one on their number, too.
"""

from __future__ import annotations

_OF_LISTS = "items, earlier calls or records"

LONGER_LISTS = (
    "raise `--scope`, or give the list a `maxItems` in the schema: only longer lists, more earlier "
    "calls or more records stand in the way"
)
"""What to do where a proof stays within the bound on lists."""

TIME_OR_LISTS = "raise `--timeout`, or `--scope` where the bound on lists is the reason"
"""What to do where either may be the reason."""

LONGER_SEQUENCES = (
    "longer sequences may break it: try a larger `--sequence`, or say more in `always`: what keeps "
    "it true, whatever was called before"
)
"""What to do where a proof stays within the bound on sequences."""


def lists_within(bound: int) -> str:
    """The lists that a bounded proof speaks of."""
    return f"lists of up to {bound} {_OF_LISTS}"


def sequences_within(calls: int) -> str:
    """The sequences that a bounded proof speaks of."""
    return f"sequences of up to {calls} {'call' if calls == 1 else 'calls'}"
