"""Records that may have come into being: by calls whose outcome is not known, or not seen since."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ledger_verify.lang.typed import Expr
from ledger_verify.policy.evidence import MissingPath
from ledger_verify.policy.tools import Tool, ToolKind

Keys = tuple[Any | None, ...]


@dataclass(frozen=True)
class Newcomer:
    """A record that a call of `tool` may make, at `keys` as far as those are told."""

    tool: str
    pattern: str
    keys: Keys


@dataclass
class Newcomers:
    """What pending calls may make and show, once for each of the calls."""

    waiting: list[Newcomer] = field(default_factory=list)

    def expect(self, new: Iterable[Newcomer]) -> None:
        """A call is pending."""
        self.waiting.extend(new)

    def told(self, new: Sequence[Newcomer]) -> None:
        """Its outcome was told."""
        for one in new:
            if one in self.waiting:
                self.waiting.remove(one)

    def at(self, pattern: str) -> list[Newcomer]:
        """Those of one pattern."""
        return [one for one in self.waiting if one.pattern == pattern]

    def copy(self) -> Newcomers:
        """Independent ones."""
        return Newcomers(list(self.waiting))


def newcomers(tool: Tool, value: Callable[[Expr], Any]) -> list[Newcomer]:
    """The records that a call of a write may make and show; `value` tells those keys it can."""
    shown = tool.observes if tool.kind is ToolKind.WRITE else ()
    return [Newcomer(tool.name, one.pattern, tuple(map(value, one.keys))) for one in shown]


def changes_records(tool: Tool) -> bool:
    """Whether a call of the tool may change a record, or make one."""
    return bool(tool.touches) or (tool.kind is ToolKind.WRITE and bool(tool.observes))


def unseen(
    pattern: str, table: Mapping[Keys, Any], touched: Iterable[Keys], new: Iterable[Newcomer]
) -> frozenset[MissingPath]:
    """The records that calls may make of which nobody has told the outcome."""
    places = [*touched, *(one.keys for one in new)]
    return frozenset(MissingPath(pattern, at) for at in places if None in at or at not in table)
