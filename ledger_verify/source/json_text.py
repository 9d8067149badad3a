"""JSON values as text, numbers exact."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ledger_verify.lang.errors import InputError
from ledger_verify.lang.operations import decimal_text


def json_text(value: Any, *, indent: int | None = 2, ascii_only: bool = False) -> str:
    """JSON text of a value; decimals are written digit by digit, never as floats.

    Keys keep their order. Raises `TypeError` for a value that JSON does not have,
    `InputError` for one nested too deeply.
    """
    try:
        return "".join(_parts(value, indent, 0, ascii_only))
    except RecursionError:
        raise InputError("a value is nested too deeply to be written as JSON") from None


def _parts(value: Any, indent: int | None, depth: int, ascii_only: bool) -> Iterator[str]:
    match value:
        case None:
            yield "null"
        case bool():
            yield "true" if value else "false"
        case str():
            yield json.dumps(value, ensure_ascii=ascii_only)
        case int() | float() | Decimal() | Fraction():
            yield _number(value)
        case Mapping():
            items = [(_key(key, ascii_only), element) for key, element in value.items()]
            yield from _block("{", "}", items, indent, depth, ascii_only)
        case list() | tuple():
            yield from _block(
                "[", "]", [("", element) for element in value], indent, depth, ascii_only
            )
        case _:
            raise TypeError(f"no JSON value: {type(value).__name__}")


def _key(key: Any, ascii_only: bool) -> str:
    if not isinstance(key, str):
        raise TypeError(f"no JSON key: {type(key).__name__}")
    return json.dumps(key, ensure_ascii=ascii_only) + ": "


def _block(
    opening: str,
    closing: str,
    items: list[tuple[str, Any]],
    indent: int | None,
    depth: int,
    ascii_only: bool,
) -> Iterator[str]:
    if not items:
        yield opening + closing
        return
    yield opening
    inner = "" if indent is None else "\n" + " " * (indent * (depth + 1))
    between = ", " if indent is None else "," + inner
    for index, (key, element) in enumerate(items):
        yield between if index else inner
        yield key
        yield from _parts(element, indent, depth + 1, ascii_only)
    yield ("" if indent is None else "\n" + " " * (indent * depth)) + closing


def _number(value: float | Decimal | Fraction) -> str:
    if isinstance(value, Fraction):
        text = decimal_text(value)
        if text is None:
            return json.dumps(f"{value.numerator}/{value.denominator}")
        return text
    finite = value.is_finite() if isinstance(value, Decimal) else value - value == 0
    if not finite:
        raise TypeError(f"no JSON number: {value}")
    return str(value) if isinstance(value, Decimal) else json.dumps(value)
