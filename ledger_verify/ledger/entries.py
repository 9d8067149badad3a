"""Observed records with what of them is stale, and marks of what calls may change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ledger_verify.ledger.parts import Keys, Within, match
from ledger_verify.policy.tools import Touch


@dataclass(frozen=True, eq=False)
class Mark:
    """What one `touch` of a call of `tool` may change: records, and the part of them at `within`.

    A key of None stands for any key. Each mark equals only itself.
    """

    tool: str
    touch: Touch
    keys: tuple[Any | None, ...]
    within: Within

    def meets(self, keys: Keys) -> bool:
        """Whether the record of these keys is among them."""
        return match(keys, self.keys)


@dataclass
class Entry:
    """An observed record: its typed value, and what of it is stale.

    `stale` holds paths into the record; the empty path stands for all of it. `line` keeps its
    rendering until it changes. `changed` is what of `stale` does not hang on a call whose outcome
    is awaited.
    """

    value: Any
    stale: frozenset[Within] = frozenset()
    line: str | None = None
    changed: frozenset[Within] = frozenset()

    @property
    def wholly_stale(self) -> bool:
        """Whether nothing of the record counts as evidence any more."""
        return () in self.stale


def table_key(keys: Keys) -> Any:
    """The key of a record in its table: bare if there is one, a tuple otherwise."""
    return keys[0] if len(keys) == 1 else keys
