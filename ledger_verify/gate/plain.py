"""What a caller handed over, as JSON that is ours: copied, and fit to be written down."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from ledger_verify.schema.python_times import json_text

_MAX_DEPTH = 50


def plain_arguments(arguments: Any) -> dict[str, Any]:
    """A JSON copy of proposed arguments, decimals kept exact; empty if they are no object."""
    if not isinstance(arguments, Mapping):
        return {}
    return _plain_object(arguments, 1)


def _plain_object(given: Mapping[Any, Any], depth: int) -> dict[str, Any]:
    copied = {}
    for key, value in given.items():
        kind = type(value)
        if type(key) is not str or not key.isascii():
            key = str(_plain(key, depth))
        if (kind is str and value.isascii()) or kind is int or kind is bool:  # nearly all are
            copied[key] = value
        else:
            copied[key] = _plain(value, depth)
    return copied


def plain_name(name: Any) -> str:
    """What was given as the name of a tool, as text; never raises."""
    try:
        return str.__str__(name) if isinstance(name, str) else str(name)
    except Exception:
        return f"<{type(name).__name__}>"


def _plain(value: Any, depth: int) -> Any:
    """Anything that is not JSON, or nested beyond use, becomes a text that says so."""
    if type(value) is dict and depth < _MAX_DEPTH:  # nearly all that gets here is one
        return _plain_object(value, depth + 1)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Decimal):
        return value if value.is_finite() else str(value)
    if isinstance(value, date):
        return json_text(value) or f"<{type(value).__name__}>"
    if depth >= _MAX_DEPTH:
        return "..."
    if isinstance(value, Mapping):
        return _plain_object(value, depth + 1)
    if isinstance(value, list | tuple):
        return [_plain(inner, depth + 1) for inner in value]
    return f"<{type(value).__name__}>"
