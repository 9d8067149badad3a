"""Which paths of the ledger a rule reads, by which keys, which fields of the records, and what
it compares them with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ledger_verify.lang.typed import (
    Apply,
    Constant,
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
    which takes what was observed before. `waits` tells that the rule can be UNKNOWN until the
    record is read; `observed(...)` and `records(...)` never wait, nor does a read of which the
    rule asks elsewhere whether it was observed. `at` is the first expression that reads so.
    """

    rule: Rule
    pattern: str
    keys: tuple[frozenset[str], ...] | None
    fields: Fields
    waits: bool
    at: Expr = field(compare=False, repr=False)

    def reads_part(self, part: Fields) -> bool:
        """Whether it reads one of the fields."""
        return part is None or self.fields is None or bool(self.fields & part)


@dataclass(frozen=True)
class Match:
    """A field that a rule demands to equal a value that depends on the records at `paths`.

    So the value says which record can meet the rule.
    """

    pattern: str
    field: str
    paths: frozenset[str]


def uses_of(rule: Rule) -> tuple[tuple[Use, ...], tuple[Match, ...]]:
    """All uses and matches in the guard and the requirement, in order of appearance.

    Uses that differ in their fields only are joined.
    """
    joined: dict[object, Use] = {}
    matches: dict[Match, None] = {}
    asked = tuple(part.read for part in distinct(rule.holds) if isinstance(part, Observed))
    for found in _Finder(rule, asked).visit(rule.holds, {}):
        match found:
            case Match():
                matches[found] = None
            case Use(pattern=pattern, keys=keys, waits=waits):
                same = (pattern, keys, waits)
                known = joined.get(same)
                joined[same] = found if known is None else _joined(known, found)
    return tuple(joined.values()), tuple(matches)


def _joined(first: Use, second: Use) -> Use:
    return replace(first, fields=both(first.fields, second.fields))


def both(left: Fields, right: Fields) -> Fields:
    """The fields of one or the other."""
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
    asked: tuple[Read, ...]  # not a set: to hash a read is to hash all of its type
    seen: set[tuple[int, int]] = field(default_factory=set)
    scopes: list[_Bound] = field(default_factory=list)  # kept, so that their ids stay theirs

    def visit(self, expr: Expr, bound: _Bound) -> Iterator[Use | Match]:
        """The uses and matches in the expression, with what the macros around it bind."""
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
                yield from self._item(variable, frozenset({name}), bound, expr)
            case Observed(read=read, field_name=name):
                asked = frozenset() if name is None else frozenset({name})
                yield from self._read(read, asked, bound, waits=False)
            case Read():
                yield from self._read(expr, None, bound, waits=True)
            case Variable(name=name):
                yield from self._item(name, None, bound, expr)
            case Records(pattern=pattern):
                yield Use(self.rule, pattern, None, frozenset(), waits=False, at=expr)
            case Fold():
                yield from self.visit(expr.range, bound)
                origin = _Origin(_paths(expr.range, bound), _records_of(expr.range))
                inner = {**bound, expr.variable.name: origin}
                if expr.index is not None:
                    inner[expr.index.name] = _Origin(origin.paths, None)
                for part in parts(expr)[1:]:
                    yield from self.visit(part, inner)
            case _:
                if isinstance(expr, Apply) and expr.operation == "eq":
                    left, right = expr.operands
                    yield from _match(left, right, bound)
                    yield from _match(right, left, bound)
                for part in parts(expr):
                    yield from self.visit(part, bound)

    def _read(
        self, read: Read, fields: Fields, bound: _Bound, *, waits: bool
    ) -> Iterator[Use | Match]:
        keys = tuple(_paths(key, bound) for key in read.keys)
        waits = waits and read not in self.asked
        yield Use(self.rule, read.pattern, keys, fields, waits, at=read)
        for key in read.keys:
            yield from self.visit(key, bound)

    def _item(self, variable: str, fields: Fields, bound: _Bound, at: Expr) -> Iterator[Use]:
        origin = bound.get(variable)
        if origin is not None and origin.records_of is not None:
            yield Use(self.rule, origin.records_of, None, fields, waits=False, at=at)


def _match(field: Expr, value: Expr, bound: _Bound) -> Iterator[Match]:
    if not isinstance(value, Constant):
        match field:
            case FieldOf(of=Read(pattern=pattern), field_name=name):
                yield Match(pattern, name, _paths(value, bound))


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
