"""Values by their names: which ones a record or a call gives, and which one a read asks for.

A read's argument can be taken from any value of its name. Names are compared without the letter
case, and without an ending that says that the value is an id: `reservation_id` is an item of the
list `reservations`, and the field `id` of a reservation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ledger_verify.lang.environment import KEY
from ledger_verify.lang.types import (
    STRING,
    IntType,
    ListType,
    MapType,
    RecordType,
    StringType,
    Type,
    join,
    strip_null,
)

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ID = re.compile(r"(.+)_ids?")


@dataclass(frozen=True)
class Given:
    """A value that is there under a name; `field` is the outermost field that holds it."""

    name: str
    type: Type
    field: str

    def fits(self, names: frozenset[str], type_: Type) -> bool:
        """Whether it can be taken for an argument of one of the names."""
        return self.name in names and join(strip_null(self.type), strip_null(type_)) is not None


def values_of_call(arguments: RecordType) -> tuple[Given, ...]:
    """What the arguments of a call give."""
    return tuple(_of_record(arguments, ()))


def values_at(pattern: str, record: Type) -> tuple[Given, ...]:
    """What a record at the path gives."""
    owner = _last_name(pattern)
    bare = strip_null(record)
    if isinstance(bare, RecordType):
        return tuple(_of_record(bare, (_singular(owner), _snake(bare.name))))
    return tuple(Given(name, type_, owner) for name, type_ in _of_value(owner, bare, ()))


def wanted(argument: str, pattern: str) -> frozenset[str]:
    """The names under which the argument of a read of the path may be found."""
    own = _snake(argument)
    return frozenset({_bare(own), _bare(f"{_singular(_last_name(pattern))}_{own}")})


def must_be_told(argument: str, type_: Type) -> bool:
    """Whether an agent cannot choose the argument itself, as it can a limit or one of an enum.

    Those are texts without an enum, and whole numbers that are ids by their names.
    """
    match type_:
        case StringType(enum=None):
            return True
        case IntType():
            name = _snake(argument)
            return name == "id" or _bare(name) != name
    return False


def _of_record(record: RecordType, owners: tuple[str, ...]) -> Iterator[Given]:
    for name, field in record.fields:
        for found, type_ in _of_value(_snake(name), field.type, owners):
            yield Given(found, type_, name)


def _of_value(name: str, type_: Type, owners: tuple[str, ...]) -> Iterator[tuple[str, Type]]:
    match strip_null(type_):
        case RecordType() as record:
            yield from _of_fields(record, (name, _snake(record.name)))
        case ListType(item=item):
            yield from _of_value(_singular(name), item, owners)
        case MapType(value=value):
            yield _bare(_singular(name)), STRING
            yield from _of_value(_singular(name), value, owners)
        case bare:
            yield _bare(name), bare
            for owner in owners:
                yield _bare(f"{owner}_{name}"), bare


def _of_fields(record: RecordType, owners: tuple[str, ...]) -> Iterator[tuple[str, Type]]:
    for given in _of_record(record, owners):
        yield given.name, given.type


def _last_name(pattern: str) -> str:
    return _snake([segment for segment in pattern.split(".") if segment != KEY][-1])


def _snake(name: str) -> str:
    return _HUMP.sub("_", name).lower()


def _bare(name: str) -> str:
    """The name without an ending that says that it is an id."""
    match = _ID.fullmatch(name)
    return match[1] if match else name


def _singular(name: str) -> str:
    if name.endswith("ies"):
        return f"{name[:-3]}y"
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name
