"""Which paths of the ledger a rule reads, by which keys, and which fields of the records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ledger_verify.lang.typed import (
    Expr,
    FieldOf,
    Fold,
    FoldKind,
    HasField,
    Observed,
    Read,
    Records,
    Variable,
    distinct,
    parts,
)
from ledger_verify.policy.rules import Rule

Fields = frozenset[str] | None
"""Names of fields, or None for all of a record."""


@dataclass(frozen=True)
class Use:
    """One way in which a rule reads the records of a path.

    `keys` has for each key the paths on whose records it depends; it is None for `records(...)`,
    which takes what was observed before. `waits` tells that the rule is UNKNOWN until the record
    is read; `observed(...)` and `records(...)` never wait.
    """

    rule: Rule
    pattern: str
    keys: tuple[frozenset[str], ...] | None
    fields: Fields
    waits: bool

    def reads_part(self, part: Fields) -> bool:
        """Whether it reads one of the fields."""
        return part is None or self.fields is None or bool(self.fields & part)


def uses_of(rule: Rule) -> tuple[Use, ...]:
    """All uses in the guard and the requirement, equal ones joined, in order of appearance."""
    joined: dict[object, Use] = {}
    for use in _Finder(rule).visit(rule.holds, {}):
        same = (use.pattern, use.keys, use.waits)
        known = joined.get(same)
        joined[same] = (
            use if known is None else replace(use, fields=_both(known.fields, use.fields))
        )
    return tuple(joined.values())


def _both(left: Fields, right: Fields) -> Fields:
    return None if left is None or right is None else left | right


@dataclass(frozen=True)
class _Origin:
    """Where the items come from over which a macro's variable runs.

    `paths` are those that the range reads; `records_of` is the pattern if the items are its
    observed records.
    """

    paths: frozenset[str]
    records_of: str | None


_Bound = Mapping[str, _Origin]


@dataclass
class _Finder:
    """Walks through a rule; what `let`s share is looked at once in each scope."""

    rule: Rule
    seen: set[tuple[int, int]] = field(default_factory=set)
    scopes: list[_Bound] = field(default_factory=list)  # kept, so that their ids stay theirs

    def visit(self, expr: Expr, bound: _Bound) -> Iterator[Use]:
        """The uses in the expression, with what the macros around it bind."""
        if (id(expr), id(bound)) in self.seen:
            return
        self.scopes.append(bound)
        self.seen.add((id(expr), id(bound)))
        match expr:
            case FieldOf(of=Read() as read, field_name=name):
                yield from self._read(read, frozenset({name}), bound, waits=True)
            case HasField(of=Read() as read, field_name=name):
                yield from self._read(read, frozenset({name}), bound, waits=True)
            case (
                FieldOf(of=Variable(name=variable), field_name=name)
                | HasField(of=Variable(name=variable), field_name=name)
            ):
                yield from self._item(variable, frozenset({name}), bound)
            case Observed(read=read, field_name=name):
                asked = frozenset() if name is None else frozenset({name})
                yield from self._read(read, asked, bound, waits=False)
            case Read():
                yield from self._read(expr, None, bound, waits=True)
            case Variable(name=name):
                yield from self._item(name, None, bound)
            case Records(pattern=pattern):
                yield Use(self.rule, pattern, None, frozenset(), waits=False)
            case Fold():
                yield from self.visit(expr.range, bound)
                origin = _Origin(_paths(expr.range, bound), _records_of(expr.range))
                inner = {**bound, expr.variable.name: origin}
                for part in parts(expr)[1:]:
                    yield from self.visit(part, inner)
            case _:
                for part in parts(expr):
                    yield from self.visit(part, bound)

    def _read(self, read: Read, fields: Fields, bound: _Bound, *, waits: bool) -> Iterator[Use]:
        keys = tuple(_paths(key, bound) for key in read.keys)
        yield Use(self.rule, read.pattern, keys, fields, waits)
        for key in read.keys:
            yield from self.visit(key, bound)

    def _item(self, variable: str, fields: Fields, bound: _Bound) -> Iterator[Use]:
        origin = bound.get(variable)
        if origin is not None and origin.records_of is not None:
            yield Use(self.rule, origin.records_of, None, fields, waits=False)


def _records_of(range_: Expr) -> str | None:
    while isinstance(range_, Fold) and range_.kind is FoldKind.FILTER:
        range_ = range_.range
    return range_.pattern if isinstance(range_, Records) else None


def _paths(expr: Expr, bound: _Bound) -> frozenset[str]:
    """The paths on whose records the value of the expression depends."""
    found: set[str] = set()
    for part in distinct(expr):
        match part:
            case Read(pattern=pattern) | Records(pattern=pattern):
                found.add(pattern)
            case Variable(name=name) if name in bound:
                found |= bound[name].paths
    return frozenset(found)
