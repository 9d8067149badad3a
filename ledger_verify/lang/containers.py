"""Lists and maps written out: their items have a common type, and they are constants if all are."""

from __future__ import annotations

from typing import TypeGuard

from ledger_verify.lang import doubles
from ledger_verify.lang.errors import BadConstant, Span, Unsupported
from ledger_verify.lang.frozen_map import FrozenMap
from ledger_verify.lang.printer import quote
from ledger_verify.lang.typed import Constant, Expr, ListOf, MapOf
from ledger_verify.lang.types import UNSETTLED, ListType, MapType, StringType, Type, join


def list_of(items: tuple[Expr, ...], span: Span) -> Expr:
    """A list of the items; raises `Unsupported` where they have no common type."""
    type_ = ListType(_common_type(items, "a list"))
    doubles.check_node(ListOf(items, type_, span))
    if all(isinstance(item, Constant) for item in items):
        values = tuple(item.value for item in items if isinstance(item, Constant))
        return Constant(values, type_, span)
    return ListOf(items, type_, span)


def map_of(written: tuple[tuple[Expr, Expr], ...], span: Span) -> Expr:
    """A map of keys and values, in the order of its keys.

    Raises `Unsupported` where a key is not a text literal or the values have no common type, and
    `BadConstant` where a key is there twice.
    """
    entries: dict[str, Expr] = {}
    for key, value in written:
        if not isinstance(key, Constant):
            raise Unsupported("a map key that is not a literal", key.span)
        if not isinstance(key.value, str):
            raise Unsupported(f"a map key of type {key.type}", key.span, hint="keys are texts")
        if key.value in entries:
            raise BadConstant(f"the key `{quote(key.value)}` is there twice", key.span)
        entries[key.value] = value
    keys = tuple(sorted(entries))
    values = tuple(entries[key] for key in keys)
    made = MapOf(keys, values, MapType(_common_type(values, "a map")), span)
    doubles.check_node(made)
    if all(isinstance(value, Constant) for value in values):
        known = {k: v.value for k, v in zip(keys, values, strict=True) if isinstance(v, Constant)}
        return Constant(FrozenMap(known), made.type, span)
    return made


def narrowed(expr: Expr) -> Type:
    """The type of an expression; that of a text literal says which text it is."""
    return StringType(enum=(expr.value,)) if _is_text(expr) else expr.type


def _common_type(items: tuple[Expr, ...], what: str) -> Type:
    """The type of all items; the texts among them that are literals are an enum."""
    texts = StringType(enum=tuple(dict.fromkeys(i.value for i in items if _is_text(i))))
    common: Type = UNSETTLED
    for item in items:
        joined = join(common, texts if _is_text(item) else item.type)
        if joined is None:
            raise Unsupported(f"{what} that mixes {common} and {item.type}", item.span)
        common = joined
    return common


def _is_text(expr: Expr) -> TypeGuard[Constant]:
    return isinstance(expr, Constant) and isinstance(expr.value, str)
