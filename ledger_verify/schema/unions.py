"""One type for the options of a union."""

from __future__ import annotations

from dataclasses import replace

from ledger_verify.lang.types import (
    FieldType,
    NumberType,
    RecordType,
    StringType,
    Type,
    join,
)


def merge(types: list[Type], name: str) -> Type | None:
    """One type for a union, or None if there is none.

    Records are merged, fields that only some have become optional.
    """
    merged = types[0]
    combined: Type | None
    for other in types[1:]:
        if isinstance(merged, RecordType) and isinstance(other, RecordType):
            combined = _merge_records(merged, other, name)
        else:
            combined = (
                _merge_decimal(merged, other)
                or _merge_strings(merged, other)
                or join(merged, other)
            )
        if combined is None:
            return None
        merged = combined
    return merged


def _merge_records(left: RecordType, right: RecordType, name: str) -> RecordType | None:
    fields: dict[str, FieldType] = {}
    for key in [*left.by_name, *(key for key in right.by_name if key not in left.by_name)]:
        ours, theirs = left.by_name.get(key), right.by_name.get(key)
        if ours is None or theirs is None:
            present = ours or theirs
            assert present is not None
            fields[key] = FieldType(present.type, optional=True)
            continue
        type_ = merge([ours.type, theirs.type], key)
        if type_ is None:
            return None
        fields[key] = FieldType(type_, ours.optional or theirs.optional)
    return RecordType(name, tuple(fields.items()), closed=left.closed and right.closed)


def _merge_strings(left: Type, right: Type) -> Type | None:
    if isinstance(left, StringType) and isinstance(right, StringType) and left.enum and right.enum:
        return StringType(enum=tuple(dict.fromkeys(left.enum + right.enum)))
    return None


def _merge_decimal(left: Type, right: Type) -> Type | None:
    """Pydantic describes a Decimal as a number or a string with a pattern."""
    match left, right:
        case (NumberType() as number, StringType(pattern=str())) | (
            StringType(pattern=str()),
            NumberType() as number,
        ):
            return replace(number, text=True)
        case _:
            return None
