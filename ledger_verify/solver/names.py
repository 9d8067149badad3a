"""How symbols are named: never so that two different places share a name.

Fields, positions, keys and marks are told apart by the sign before them (`.`, `#`, `[`, `?`), and
what could hold such a sign itself is quoted.
"""

from __future__ import annotations

import re
from typing import Any


def is_open(name: str) -> bool:
    """Whether a symbol stands for what the encoding says nothing of."""
    return "!" in name


def root(pattern: str) -> str:
    """How the names of the symbols of a pattern's records begin."""
    return f"<{pattern}>"


def partial_root(pattern: str, keys: tuple[Any, ...]) -> str:
    """How those of an observed record with stale parts begin."""
    return f"{root(pattern)}{list(keys)!r}"


def step(name: str) -> str:
    """How a field shows in the names of symbols: never so that two different places share one."""
    return f".{name}" if name.isidentifier() else f".{name!r}"


def without_positions(name: str) -> str:
    """The name of a symbol without the positions of items in it."""
    return re.sub(r"#\d+", "#", name).removesuffix("?keys")
