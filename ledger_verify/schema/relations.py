"""How two types stand to each other: the same values, fewer of them, or one type for both."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC
from fractions import Fraction
from typing import Any

from ledger_verify.lang.types import (
    FieldType,
    IntType,
    ListType,
    MapType,
    NullableType,
    NullType,
    NumberType,
    RecordType,
    StringType,
    TimestampType,
    Type,
)
from ledger_verify.schema.coerce import Misfit, coercer

Bound = int | Fraction | None


def same_values(left: Type, right: Type) -> bool:
    """Whether the same JSON fits both and becomes the same value; names do not count."""
    return within(left, right) and within(right, left)


def within(inner: Type, outer: Type) -> bool:
    """Whether all JSON that fits `inner` surely fits `outer`, and becomes the same value there."""
    match inner, outer:
        case NullableType(of=a), NullableType(of=b):
            return within(a, b)
        case NullType(), NullableType():
            return True
        case _, NullableType(of=of):
            return within(inner, of)
        case IntType(), IntType():
            return _range_within(inner.minimum, inner.maximum, outer.minimum, outer.maximum)
        case IntType(), NumberType():
            return _numbers_within(NumberType(inner.minimum, inner.maximum), outer)
        case NumberType(), NumberType():
            return _numbers_within(inner, outer)
        case StringType(), StringType():
            return _texts_within(inner, outer)
        case ListType(), ListType():
            sizes = (inner.min_items, inner.max_items, outer.min_items, outer.max_items)
            return within(inner.item, outer.item) and _range_within(*sizes)
        case MapType(), MapType():
            sizes = (inner.min_size, inner.max_size, outer.min_size, outer.max_size)
            return within(inner.value, outer.value) and _range_within(*sizes)
        case RecordType(), RecordType():
            return _records_within(inner, outer)
    return inner == outer


def _range_within(low: Bound, high: Bound, least: Bound, most: Bound) -> bool:
    above = least is None or (low is not None and low >= least)
    return above and (most is None or (high is not None and high <= most))


def _numbers_within(inner: NumberType, outer: NumberType) -> bool:
    if inner.text and not outer.text:
        return False
    low, strict_low = _tightest(inner.minimum, inner.exclusive_minimum, 1)
    high, strict_high = _tightest(inner.maximum, inner.exclusive_maximum, -1)
    above = all(
        bound is None or (low is not None and (low > bound or (low == bound and fits)))
        for bound, fits in ((outer.minimum, True), (outer.exclusive_minimum, strict_low))
    )
    return above and all(
        bound is None or (high is not None and (high < bound or (high == bound and fits)))
        for bound, fits in ((outer.maximum, True), (outer.exclusive_maximum, strict_high))
    )


def _tightest(closed: Bound, open_: Bound, sign: int) -> tuple[Bound, bool]:
    """The bound that counts of the two, and whether it is itself excluded."""
    if open_ is None:
        return closed, False
    if closed is None or sign * closed <= sign * open_:
        return open_, True
    return closed, False


def _texts_within(inner: StringType, outer: StringType) -> bool:
    if inner.enum is not None:
        return all(_fits(option, outer) for option in inner.enum)
    if outer.enum is not None or outer.pattern not in (None, inner.pattern):
        return False
    return _range_within(
        inner.min_length or 0, inner.max_length, outer.min_length or 0, outer.max_length
    )


def _fits(value: Any, type_: Type) -> bool:
    try:
        coercer(type_, UTC)(value)
    except Misfit:
        return False
    return True


def _records_within(inner: RecordType, outer: RecordType) -> bool:
    if outer.closed and not (inner.closed and set(inner.by_name) <= set(outer.by_name)):
        return False
    for name, there in outer.fields:
        here = inner.by_name.get(name)
        if here is None:
            # an open record may hold anything under a name that it does not declare
            if not (there.optional and inner.closed):
                return False
        elif (here.optional and not there.optional) or not within(here.type, there.type):
            return False
    # what only `inner` declares `outer` passes over, so the values are not the same
    return True


def joined(own: Type, other: Type) -> Type:
    """The type `own` with the fields that only `other` has, which its open records may hold."""
    match own, other:
        case NullableType(of=a), NullableType(of=b):
            return NullableType(joined(a, b))
        case NullableType(of=a), _:
            return NullableType(joined(a, other))
        case _, NullableType(of=b):
            return joined(own, b)
        case ListType(), ListType():
            return ListType(joined(own.item, other.item), own.min_items, own.max_items)
        case MapType(), MapType():
            return MapType(joined(own.value, other.value), own.min_size, own.max_size)
        case RecordType(), RecordType():
            fields = {
                name: FieldType(joined(f.type, other.by_name[name].type), f.optional)
                if name in other.by_name
                else f
                for name, f in own.fields
            }
            if not own.closed:
                for name, f in other.fields:
                    fields.setdefault(name, FieldType(f.type, optional=True))
            return RecordType(own.name, tuple(fields.items()), own.closed)
    return own


def undeclared(own: Type, other: Type, name: str = "") -> Iterator[str]:
    """The fields that only `other` declares and that open records of `own` may hold unchecked."""
    match own, other:
        case (NullableType(of=of), _):
            yield from undeclared(of, other, name)
        case (_, NullableType(of=of)):
            yield from undeclared(own, of, name)
        case (ListType(item=a), ListType(item=b)) | (MapType(value=a), MapType(value=b)):
            yield from undeclared(a, b, f"{name}[]")
        case RecordType(), RecordType():
            for key, f in other.fields:
                below = f"{name}.{key}" if name else key
                if key in own.by_name:
                    yield from undeclared(own.by_name[key].type, f.type, below)
                elif not own.closed:
                    yield below


def has_times(type_: Type) -> bool:
    """Whether a value of the type can hold a date or a time."""
    return any(isinstance(part, TimestampType) for part in _parts(type_))


def _parts(type_: Type) -> Iterator[Type]:
    yield type_
    match type_:
        case NullableType(of=of) | ListType(item=of) | MapType(value=of):
            yield from _parts(of)
        case RecordType(fields=fields):
            for _, f in fields:
                yield from _parts(f.type)


def has_forms(type_: Type) -> bool:
    """Whether a text in the type must have a pattern or a length."""
    return any(
        isinstance(part, StringType)
        and (part.pattern, part.min_length, part.max_length) != (None, None, None)
        for part in _parts(type_)
    )
