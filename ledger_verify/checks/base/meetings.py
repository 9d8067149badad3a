"""Where literals meet other values: what they are compared with, or looked up by.

A literal is followed through `let`, conditionals, lists, tables and the variables of macros.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ledger_verify.lang.typed import (
    Apply,
    Choose,
    Constant,
    Expr,
    Fold,
    FoldKind,
    ListOf,
    MapOf,
    Read,
    Variable,
    parts,
)
from ledger_verify.lang.types import ListType, MapType, Type, UnsettledType, strip_null
from ledger_verify.policy.domain import Domain


@dataclass(frozen=True)
class Meeting:
    """A value that is written out, the literal that has it, and the type of what it meets.

    The literal is the value itself, or a list or map in which the value is an item or a key;
    `condition` is the comparison, lookup or read in which they meet.
    """

    condition: Expr
    literal: Expr
    value: Any
    type: Type


def meetings(domain: Domain, predicate: Expr) -> Iterator[Meeting]:
    """All meetings in a predicate, in order of appearance."""
    yield from _Finder(domain).visit(predicate, {})


_Bound = Mapping[str, Expr]
"""The ranges of macros by the names of their variables."""


@dataclass
class _Finder:
    domain: Domain
    _seen: set[tuple[int, ...]] = field(default_factory=set)
    _kept: list[_Bound] = field(default_factory=list)  # so that their ids stay theirs

    def visit(self, expr: Expr, bound: _Bound) -> Iterator[Meeting]:
        """The meetings in an expression, with the macros around it."""
        if (id(expr), id(bound)) in self._seen:
            return
        self._seen.add((id(expr), id(bound)))
        self._kept.append(bound)
        yield from self._here(expr, bound)
        if isinstance(expr, Fold):
            yield from self.visit(expr.range, bound)
            inside = {**bound, expr.variable.name: expr.range}
            for part in parts(expr)[1:]:
                yield from self.visit(part, inside)
            return
        for part in parts(expr):
            yield from self.visit(part, bound)

    def _here(self, expr: Expr, bound: _Bound) -> Iterator[Meeting]:
        match expr:
            case Apply(operation="eq" | "ne", operands=(left, right)):
                yield from _met(expr, _literals(left, bound), right.type)
                yield from _met(expr, _literals(right, bound), left.type)
            case Apply(operation="in_list", operands=(item, container)):
                yield from _met(expr, _items(container, bound), item.type)
                yield from _met(expr, _literals(item, bound), _part_type(container.type))
            case Apply(operation="value_at", operands=(table, key)):
                yield from _met(expr, _keys(table, bound), key.type)
            case Apply(operation="in_map", operands=(key, table)):
                yield from _met(expr, _keys(table, bound), key.type)
            case Read(pattern=pattern, keys=keys):
                for key, type_ in zip(keys, self.domain.ledger[pattern].keys, strict=True):
                    yield from _met(expr, _literals(key, bound), type_)


def _met(condition: Expr, literals: _Literals, type_: Type) -> Iterator[Meeting]:
    """The literals with what they meet; those of lists and maps part by part."""
    for literal, values in literals:
        for value in values:
            if isinstance(value, tuple | dict):
                inner = tuple(value.values() if isinstance(value, dict) else value)
                yield from _met(condition, iter(((literal, inner),)), _part_type(type_))
            else:
                yield Meeting(condition, literal, value, type_)


_Literals = Iterator[tuple[Expr, tuple[Any, ...]]]


def _literals(expr: Expr, bound: _Bound) -> _Literals:
    """The literals that the value of an expression may be; there may be other values."""
    match expr:
        case Constant(value=value):
            yield expr, (value,)
        case Choose(then=then, otherwise=otherwise):
            yield from _literals(then, bound)
            yield from _literals(otherwise, bound)
        case Variable(name=name) if name in bound:
            yield from _items(bound[name], bound)
        case Apply(operation="item_at", operands=(values, _)):
            yield from _items(values, bound)
        case Apply(operation="value_at", operands=(Constant(value=dict() as table) as literal, _)):
            yield literal, tuple(table.values())
        case Apply(operation="value_at", operands=(MapOf(values=values), _)):
            for value in values:
                yield from _literals(value, bound)


def _items(expr: Expr, bound: _Bound) -> _Literals:
    """The literals that an item of a list may be."""
    match expr:
        case Constant(value=tuple() as values):
            yield expr, values
        case ListOf(items=items):
            for item in items:
                yield from _literals(item, bound)
        case Choose(then=then, otherwise=otherwise):
            yield from _items(then, bound)
            yield from _items(otherwise, bound)
        case Apply(operation="distinct" | "concat_list", operands=lists):
            for one in lists:
                yield from _items(one, bound)
        case Apply(operation="keys", operands=(table,)):
            yield from _keys(table, bound)
        case Fold(kind=FoldKind.FILTER, range=range_):
            yield from _items(range_, bound)
        case Fold(kind=FoldKind.MAP, range=range_, variable=variable, body=body):
            yield from _literals(body, {**bound, variable.name: range_})


def _keys(expr: Expr, bound: _Bound) -> _Literals:
    """The keys of a map that is written out."""
    match expr:
        case Constant(value=dict() as table):
            yield expr, tuple(table)
        case MapOf(keys=keys):
            yield expr, keys
        case Choose(then=then, otherwise=otherwise):
            yield from _keys(then, bound)
            yield from _keys(otherwise, bound)


def _part_type(type_: Type) -> Type:
    """The type of the items of a list, or of the values of a map."""
    match strip_null(type_):
        case ListType(item=part) | MapType(value=part):
            return part
    return UnsettledType()
