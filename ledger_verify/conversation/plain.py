"""Messages as the packages build them, as plain JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from decimal import Decimal
from typing import Any

from ledger_verify.lang.errors import InputError

_CUT_AT = 130
"""Deeper than arguments and answers may be, wherever they stand in a message (see `sound`)."""


class Bytes(str):
    """Stands for bytes, which JSON does not have."""


def plain_message(message: Any) -> Any:
    """A copy of a message in dicts, lists and scalars, cut off where it is nested very deeply.

    Takes mappings, dataclasses, and objects with `model_dump` (pydantic models, as all the
    packages have them). Raises `InputError` for what cannot be read.
    """
    try:
        return _plain(message, 0)
    except RecursionError:
        raise InputError("a message is nested too deeply") from None


def _plain(value: Any, depth: int) -> Any:
    if depth > _CUT_AT:
        return "..."
    if value is None or isinstance(value, bool | int | float | Decimal | str):
        return value
    if isinstance(value, bytes | bytearray):
        return Bytes(f"<{len(value)} bytes>")
    if isinstance(value, Mapping):
        return _plain_object(value, depth)
    if isinstance(value, list | tuple):
        return [_plain(inner, depth + 1) for inner in value]
    if callable(getattr(value, "model_dump", None)) and not isinstance(value, type):
        return _plain(_dumped(value), depth + 1)
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value), depth + 1)
    if callable(getattr(value, "isoformat", None)):
        return value.isoformat()
    if hasattr(value, "value") and type(value).__module__ != "builtins":  # members of enums
        return _plain(value.value, depth + 1)
    raise InputError(f"a message holds a `{type(value).__name__}`, which is no JSON")


def _plain_object(value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
    out = {_plain_key(key): _plain(inner, depth + 1) for key, inner in value.items()}
    if len(out) != len(value):
        raise InputError("a message has an object with two keys that are the same as text")
    return out


def _plain_key(key: Any) -> str:
    """A key as JSON has it."""
    if isinstance(key, str):
        return str(key)
    if key is None or isinstance(key, bool | int | float):
        return json.dumps(key)
    raise InputError(f"a message has a key that is a `{type(key).__name__}`, which is no JSON")


def _dumped(value: Any) -> Any:
    try:
        return value.model_dump()
    except RecursionError:
        raise
    except Exception as problem:  # whatever a class of somebody else's raises
        kind = type(value).__name__
        raise InputError(f"a message holds a `{kind}` that cannot be read: {problem}") from None
