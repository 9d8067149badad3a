"""How long lists must be for the sizes that predicates compare them with to matter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ledger_verify.lang.typed import Apply, Constant, Expr, FieldOf, Fold, Read, Variable, parts
from ledger_verify.lang.types import ListType, MapType, strip_null
from ledger_verify.solver.names import root, step

_LONGEST = 60
_COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})


def wanted_sizes(predicates: Iterable[Expr]) -> dict[str, int]:
    """For lists by the names of their symbols: one more than the greatest size they are held
    against, as far as that is within reason.
    """
    found: dict[str, int] = {}
    for predicate in predicates:
        _look(predicate, _Bound({}, {}), found)
    return found


@dataclass(frozen=True)
class _Bound:
    """What the macros around an expression bind: the names of items, and ranges of positions."""

    items: Mapping[str, str]
    positions: Mapping[str, Expr]


def _look(expr: Expr, bound: _Bound, found: dict[str, int]) -> None:
    match expr:
        case Apply(operation=operation, operands=(left, right)) if operation in _COMPARISONS:
            for sized, limit in ((left, right), (right, left)):
                if isinstance(limit, Constant) and isinstance(limit.value, int):
                    _hold_against(sized, limit.value, bound, found)
        case Fold(variable=variable, range=range_, index=index):
            items = {**bound.items, variable.name: f"{_name(range_, bound.items)}#"}
            positions = bound.positions
            if index is not None:
                positions = {**positions, index.name: range_}
            bound = _Bound(items, positions)
    for part in parts(expr):
        _look(part, bound, found)


def _hold_against(sized: Expr, size: int, bound: _Bound, found: dict[str, int]) -> None:
    """`sized` has a size in it, or a position, that is compared with the number."""
    match sized:
        case Variable(name=name) if name in bound.positions:
            for listed in _lists(bound.positions[name], bound.items):
                found[listed] = max(found.get(listed, 0), min(size + 2, _LONGEST))
        case Apply(operation="size", operands=(container,)):
            for name in _lists(container, bound.items):
                found[name] = max(found.get(name, 0), min(size + 1, _LONGEST))
        case Apply(operands=operands):
            for operand in operands:
                _hold_against(operand, size, bound, found)


def _lists(container: Expr, variables: Mapping[str, str]) -> Iterable[str]:
    """The names of the lists that a list is made of."""
    if isinstance(container, FieldOf) and isinstance(
        strip_null(container.type), ListType | MapType
    ):
        yield _name(container, variables)
    if isinstance(container, Variable) and container.is_history:
        yield container.name
    for part in parts(container):
        yield from _lists(part, variables)


def _name(expr: Expr, variables: Mapping[str, str]) -> str:
    match expr:
        case Variable(name=name):
            return variables.get(name, name)
        case Read(pattern=pattern):
            return root(pattern)
        case FieldOf(of=of, field_name=name):
            return f"{_name(of, variables)}{step(name)}"
    return "?"
