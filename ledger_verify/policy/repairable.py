"""Which arguments a repair may change, and why others that are declared `free` are left alone.

Never changed are keys of records, what only the user can give, and free text: a text of which no
rule demands that the records show it. With such a value changed, the call is about something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from ledger_verify.lang.typed import (
    Apply,
    Expr,
    FieldOf,
    Fold,
    FoldKind,
    Read,
    Records,
    Variable,
    parts,
    walk,
)
from ledger_verify.lang.types import ListType, MapType, RecordType, StringType, Type, strip_null
from ledger_verify.policy.tools import Tool

ITEM = "*"
Leaf = tuple[str, ...]
"""A part of the arguments: the name of one, fields within it, `*` for the items of a list."""
_COMPARING = frozenset({"eq", "ne", "in_list", "in_map", "value_at"})


def barred(tool: Tool, predicates: Sequence[Expr]) -> dict[str, str]:
    """The arguments declared `free` that no repair changes, each with the reason.

    `predicates` are the rules of the tool.
    """
    keys = {
        key.field_name
        for predicate in predicates
        for read in walk(predicate)
        if isinstance(read, Read)
        for key in read.keys
        if isinstance(key, FieldOf) and _is_arguments(key.of)
    }
    tied = {leaf for predicate in predicates for leaf in _demanded(predicate)}
    out: dict[str, str] = {}
    for name in tool.free:
        if name in tool.about or name in keys:
            out[name] = "it is the key of a record, which says what the call is about"
        elif name in tool.asks:
            out[name] = "only the user can give it"
        elif not all(_covers(tied, leaf) for leaf in texts_in(tool, name)):
            out[name] = "it is free text: no rule demands a value that the records show"
    return out


def texts_in(tool: Tool, name: str) -> Iterator[Leaf]:
    """The places of texts in an argument that the schema does not enumerate."""
    return _texts(tool.arguments.by_name[name].type, name)


def _texts(type_: Type, *leaf: str) -> Iterator[Leaf]:
    """The places of texts that the schema does not enumerate."""
    match strip_null(type_):
        case StringType(enum=None):
            yield leaf
        case ListType(item=item):
            yield from _texts(item, *leaf, ITEM)
        case MapType():
            yield leaf
        case RecordType(fields=fields):
            for name, declared in fields:
                yield from _texts(declared.type, *leaf, name)


def _covers(tied: set[Leaf], leaf: Leaf) -> bool:
    return any(leaf[: len(whole)] == whole for whole in tied)


class _How(Enum):
    """How an expression deals with a part of the arguments."""

    DEMANDED = "it must be in the evidence"
    LOOKED_UP = "it is the key of a map of the evidence, which has no value for others"
    ASKED = "it may be in the evidence or not"


@dataclass(frozen=True)
class _Scope:
    """Variables of macros: what items of arguments they stand for, which are items of evidence."""

    items: Mapping[str, Leaf] = field(default_factory=dict)
    evident: frozenset[str] = frozenset()


def _demanded(predicate: Expr) -> set[Leaf]:
    """The parts of the arguments that the predicate needs to find in the evidence."""
    found = set(_dealt_with(predicate, True, _Scope()))
    asked = {leaf for leaf, how in found if how is _How.ASKED}
    return {
        leaf
        for leaf, how in found
        if how is _How.DEMANDED or (how is _How.LOOKED_UP and leaf not in asked)
    }


def _dealt_with(expr: Expr, wanted: bool, scope: _Scope) -> Iterator[tuple[Leaf, _How]]:
    """The parts of the arguments that are compared with evidence, the expression to be `wanted`."""
    match expr:
        case Fold(kind=kind, range=range_, variable=variable, body=body, condition=condition):
            yield from _dealt_with(range_, wanted, scope)
            leaf = _leaf(range_, scope)
            if leaf is not None:
                scope = replace(scope, items={**scope.items, variable.name: (*leaf, ITEM)})
            elif _shows_evidence(range_, scope):
                scope = replace(scope, evident=scope.evident | {variable.name})
            decides = kind in (FoldKind.ALL, FoldKind.EXISTS)
            for inner in (body,) if condition is None else (condition, body):
                for leaf, how in _dealt_with(inner, wanted, scope):
                    yield leaf, how if decides or how is not _How.DEMANDED else _How.ASKED
        case Apply(operation="not", operands=(operand,)):
            yield from _dealt_with(operand, not wanted, scope)
        case Apply(operation=operation, operands=(left, right)) if operation in _COMPARING:
            for one, other in ((left, right), (right, left)):
                leaf = _leaf(one, scope)
                if leaf is not None and _shows_evidence(other, scope):
                    if operation == "value_at":
                        yield leaf, _How.LOOKED_UP
                    else:
                        same = wanted is not (operation == "ne")
                        yield leaf, _How.DEMANDED if same else _How.ASKED
            for operand in (left, right):
                yield from _dealt_with(operand, wanted, scope)
        case _:
            for part in parts(expr):
                yield from _dealt_with(part, wanted, scope)


def _leaf(expr: Expr, scope: _Scope) -> Leaf | None:
    """The part of the arguments that the expression simply is."""
    match expr:
        case Variable(name=name):
            return scope.items.get(name)
        case FieldOf(of=of, field_name=name):
            if _is_arguments(of):
                return (name,)
            outer = _leaf(of, scope)
            return None if outer is None else (*outer, name)
    return None


def _is_arguments(expr: Expr) -> bool:
    return isinstance(expr, Variable) and expr.name == "args"


def _shows_evidence(expr: Expr, scope: _Scope) -> bool:
    """Whether the value comes from the ledger."""
    return any(
        isinstance(part, Read | Records)
        or (isinstance(part, Variable) and part.name in scope.evident)
        for part in walk(expr)
    )
