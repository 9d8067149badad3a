"""Messages as the packages build them, as plain JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from decimal import Decimal
from typing import Any

from ledger_verify.lang.errors import InputError

_DEEPEST = 100


def plain_message(message: Any) -> Any:
    """A copy of a message in dicts, lists and scalars.

    Takes mappings, dataclasses, and objects with `model_dump` (pydantic models, as all the
    packages have them). Raises `InputError` for what cannot be read.
    """
    try:
        return _plain(message, 0)
    except RecursionError:
        raise InputError("a message is nested too deeply") from None


def _plain(value: Any, depth: int) -> Any:
    if depth > _DEEPEST:
        raise InputError("a message is nested too deeply")
    if value is None or isinstance(value, bool | int | float | Decimal | str):
        return value
    if isinstance(value, bytes | bytearray):
        return f"<{len(value)} bytes>"
    if isinstance(value, Mapping):
        return {str(key): _plain(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner, depth + 1) for inner in value]
    if callable(getattr(value, "model_dump", None)) and not isinstance(value, type):
        return _plain(value.model_dump(), depth + 1)
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value), depth + 1)
    if callable(getattr(value, "isoformat", None)):
        return value.isoformat()
    if hasattr(value, "value") and type(value).__module__ != "builtins":  # members of enums
        return _plain(value.value, depth + 1)
    raise InputError(f"a message holds a `{type(value).__name__}`, which is no JSON")
