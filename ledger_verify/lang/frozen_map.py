"""Maps that are constants of an expression."""

from __future__ import annotations

from typing import Any


class FrozenMap(dict[str, Any]):
    """A map that nothing changes, so that it can be hashed; its values must be hashable too."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))
