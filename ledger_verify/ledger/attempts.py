"""Reads that were tried, and what they said: evidence about where no further evidence is.

An attempt counts until something changed: a write that took effect, or may have, ends it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ledger_verify.ledger.object_signs import texts_below

Frozen = tuple[str, Any]
"""A tool and its typed arguments as a key of a table."""

MOST_INTERRUPTIONS = 2
"""How often a read that nobody heard back from is tried, before it counts as failed."""

_LONGEST_QUOTE = 120
_MOST_TEXTS = 3


@dataclass(frozen=True)
class Attempt:
    """A read that was made.

    `said` quotes its answer, empty where that is no text; of a failure also the texts of an object.
    One that `failed` showed nothing; `interrupted` says how often nobody heard what came of it.
    `passed_over` are the patterns of which it could observe nothing for want of its `when`.
    """

    tool: str
    arguments: Mapping[str, Any]
    said: str = ""
    failed: bool = False
    interrupted: int = 0
    passed_over: frozenset[str] = frozenset()

    @property
    def may_be_repeated(self) -> bool:
        """Whether the same read may be tried once more, since nothing is known of the last."""
        return 0 < self.interrupted < MOST_INTERRUPTIONS


@dataclass(frozen=True)
class Rejection:
    """A record, or part of a result, that did not fit and was kept out; `reason` says why.

    `arguments` are those of the read that showed it, typed.
    """

    tool: str
    arguments: Mapping[str, Any]
    reason: str


def frozen(tool: str, arguments: Mapping[str, Any]) -> Frozen:
    """The call as a key of a table."""
    return tool, _frozen(arguments)


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return "map", tuple((key, _frozen(inner)) for key, inner in sorted(value.items()))
    if isinstance(value, list | tuple):
        return "list", tuple(map(_frozen, value))
    return type(value).__name__, value


def is_frozen(value: Any) -> bool:
    """Whether a value is what `frozen` makes of a call."""
    match value:
        case (str(), ("map", _) as arguments):
            return _is_frozen(arguments)
    return False


def _is_frozen(value: Any) -> bool:
    match value:
        case ("map", tuple(pairs)):
            return all(
                isinstance(pair, tuple)
                and len(pair) == 2
                and isinstance(pair[0], str)
                and _is_frozen(pair[1])
                for pair in pairs
            )
        case ("list", tuple(items)):
            return all(map(_is_frozen, items))
        case (str(kind), inner):
            return isinstance(value, tuple) and kind == type(inner).__name__
    return False


def quote_failure(answer: Any) -> str:
    """What an answer that tells of a failure says: the text, or the first texts of an object."""
    if isinstance(answer, str):
        return quote(answer)
    return quote("; ".join(text for text in islice(texts_below(answer), _MOST_TEXTS) if text))


def quote(answer: Any) -> str:
    """The beginning of an answer that is text, on one line and without control characters."""
    if not isinstance(answer, str):
        return ""
    line = "".join(c if c.isprintable() else " " for c in answer[: 4 * _LONGEST_QUOTE])
    line = " ".join(line.split())
    return line if len(line) <= _LONGEST_QUOTE else line[: _LONGEST_QUOTE - 3] + "..."
