"""Random values that fit a schema, made of what a call, its records and its rules mention."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from ledger_verify import Domain
from ledger_verify.lang.typed import Constant, walk
from ledger_verify.lang.types import (
    BoolType,
    DurationType,
    IntType,
    ListType,
    MapType,
    NullableType,
    NumberType,
    RecordType,
    StringType,
    TimestampType,
    Type,
    strip_null,
)
from ledger_verify.schema.sample import sample


@dataclass
class Filler:
    """Random values of types; `pool` are those that the call and the records mention.

    `likely` are those of them that the call and its rules mention.
    """

    domain: Domain
    random: Random
    pool: Sequence[Any]
    likely: Sequence[Any] = ()

    def of_few(self, count: int) -> Filler:
        """One that draws from a few of these values, so that equal ones meet."""
        few = [
            self.random.choice(pool)
            for pool in (self.pool, self.likely)
            if pool
            for _ in range(count)
        ]
        return Filler(self.domain, self.random, few)

    def value(self, type_: Type, name: str = "x") -> Any:
        """A value that fits the type."""
        choose = self.random
        match type_:
            case NullableType(of=of):
                return None if choose.random() < 0.2 else self.value(of, name)
            case BoolType():
                return choose.random() < 0.5
            case RecordType(fields=fields):
                return {
                    key: self.value(field_.type, key)
                    for key, field_ in fields
                    if not field_.optional or choose.random() < 0.6
                }
            case ListType(item=item, min_items=low, max_items=high):
                size = low + choose.randrange(5)
                size = size if high is None else min(size, high)
                return tuple(self.value(item, name) for _ in range(size))
            case MapType(value=value):
                texts = [text for text in self.pool if isinstance(text, str)] or ["k"]
                return {choose.choice(texts): self.value(value, name) for _ in range(2)}
            case StringType(enum=enum) if enum:
                return choose.choice(enum)
        return self._scalar(type_, name)

    def _scalar(self, type_: Type, name: str) -> Any:
        like = [value for value in self.pool if _is_like(value, type_)]
        if not like or self.random.random() < 0.1:
            return sample(type_, name, self.domain.clock_us or 0, self.domain.zone)
        value = self.random.choice(like)
        shifted = isinstance(type_, IntType | NumberType) and self.random.random() < 0.5
        return value + self.random.choice((-1, 1)) if shifted else value

    def changed(self, value: Any, type_: Type, name: str = "x") -> Any:
        """The value with some part of it exchanged, or another one altogether."""
        if self.random.random() < 0.1:
            return self.value(type_, name)
        match strip_null(type_), value:
            case RecordType(fields=fields), dict() if fields:
                key, field_ = self.random.choice(fields)
                rest = {k: v for k, v in value.items() if k != key}
                if field_.optional and self.random.random() < 0.3:
                    return rest
                return {**rest, key: self.changed(value.get(key), field_.type, key)}
            case MapType(value=inner), dict() if value:
                key = self.random.choice(sorted(value))
                return {**value, key: self.changed(value[key], inner, name)}
            case ListType(item=item), tuple() if value and self.random.random() < 0.8:
                index = self.random.randrange(len(value))
                changed = self.changed(value[index], item, name)
                return (*value[:index], changed, *value[index + 1 :])
        return self.value(type_, name)


def _is_like(value: Any, type_: Type) -> bool:
    match type_:
        case IntType() | TimestampType() | DurationType():
            return type(value) is int
        case NumberType():
            return type(value) in (int, Fraction)
        case StringType(pattern=None):
            return isinstance(value, str)
    return False


def scalars(value: Any) -> Iterator[Any]:
    """The keys and plain values in a value, but for null."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield key
            yield from scalars(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from scalars(inner)
    elif value is not None:
        yield value


def named(domain: Domain, tool: str) -> Iterator[Any]:
    """The values that the rules of a tool name themselves, which a record may have."""
    for rule in domain.rules_by_tool[tool]:
        for part in walk(rule.holds):
            if isinstance(part, Constant):
                yield from scalars(part.value)
