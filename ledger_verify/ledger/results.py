"""The JSON in a tool's result, and the way from there to records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from ledger_verify.lang.environment import KEY
from ledger_verify.lang.types import (
    BoolType,
    IntType,
    ListType,
    NumberType,
    RecordType,
    Type,
    strip_null,
)
from ledger_verify.schema.coerce import Misfit
from ledger_verify.source.json_file import parse_value


def parse_result(result: Any, *, as_text: bool = False) -> Any:
    """The JSON that a tool's result holds; text that is not JSON stays text.

    With `as_text` a text result is never taken for JSON, so that an identifier such as `12` stays
    what it is.
    """
    if not isinstance(result, str) or as_text:
        return result
    try:
        return parse_value(result)
    except ValueError:
        return result


def _exact(text: str) -> Decimal:
    try:
        return Decimal(text)
    except ArithmeticError:
        raise ValueError("an exponent beyond all bounds") from None


def typed_groups(groups: Mapping[str, str], type_: Type) -> Any:
    """The groups of a match as the JSON of a record: numbers and booleans read from their text.

    A list is the parts of the text between commas. A record that is no object is the group
    `value`.
    """
    bare = strip_null(type_)
    if not isinstance(bare, RecordType):
        return _typed(groups.get("value"), bare)
    return {name: _typed(text, bare.by_name[name].type) for name, text in groups.items()}


def _typed(text: str | None, type_: Type) -> Any:
    match strip_null(type_):
        case IntType() | NumberType() if text is not None:
            try:
                return _exact(text.replace(",", ""))
            except ValueError:
                return text
        case BoolType():
            return {"true": True, "false": False}.get(str(text).lower(), text)
        case ListType(item=item) if text is not None:
            parts = [part.strip() for part in text.split(",")]
            return [_typed(part, item) for part in parts] if text.strip() else []
    return text


def follow(value: Any, steps: tuple[str, ...], place: str) -> Iterator[Any]:
    """The values at the end of the steps, `*` for each item of a list; raises `Misfit`."""
    if not steps:
        yield value
        return
    step, rest = steps[0], steps[1:]
    if step == KEY:
        if not isinstance(value, list | tuple):
            raise Misfit(f"a list at `{place}`", value)
        for item in value:
            yield from follow(item, rest, f"{place}[*]")
        return
    if not isinstance(value, Mapping) or step not in value:
        raise Misfit(f"an object with `{step}` at `{place}`", value)
    yield from follow(value[step], rest, f"{place}.{step}")
