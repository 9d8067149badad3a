"""Type checking of macros: `all`, `exists`, `map` and the like, over items or entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ledger_verify.lang import doubles, fold
from ledger_verify.lang.containers import narrowed
from ledger_verify.lang.environment import Environment
from ledger_verify.lang.errors import BadConstant, TypeProblem
from ledger_verify.lang.overloads import fits
from ledger_verify.lang.syntax import Call, Name, Node
from ledger_verify.lang.typed import Constant, Expr, Fold, FoldKind, Variable
from ledger_verify.lang.types import (
    BOOL,
    INT,
    STRING,
    ListType,
    MapType,
    RecordType,
    Type,
    strip_null,
)

Checker = Callable[[Node, Environment], Expr]
MACROS: Mapping[str, FoldKind] = {
    **{kind.value: kind for kind in FoldKind},
    "existsOne": FoldKind.EXISTS_ONE,
    "transformList": FoldKind.MAP,
}
"""What the macros make of their range, by their names."""
_OF_NOTHING: Mapping[FoldKind, Any] = {
    FoldKind.ALL: True,
    FoldKind.EXISTS: False,
    FoldKind.EXISTS_ONE: False,
    FoldKind.FILTER: (),
    FoldKind.MAP: (),
}
_WITH_ONE_OR_TWO = frozenset({"all", "exists", "exists_one", "existsOne"})


def variables_bound(function: str, count: int) -> int:
    """How many variables a macro with `count` arguments binds: its first one or two."""
    if function == "transformList":
        return 2
    return 2 if function in _WITH_ONE_OR_TWO and count == 3 else 1


def check_macro(node: Call, environment: Environment, check: Checker) -> Expr:
    """The typed expression of a macro; `check` types what is in it.

    Over a list, two variables are the position, counted from 0, and the item; over a map the key
    and its value. Raises `TypeProblem`.
    """
    assert node.target is not None
    kind = MACROS[node.function]
    names, bodies = _split(node, 2 if kind is FoldKind.MAP else 1)
    range_ = check(node.target, environment)
    match strip_null(range_.type):
        case ListType(item=item):
            inner, variable, index = _of_items(names, item, environment)
        case MapType(value=value):
            item = STRING
            inner, variable = environment.inside_macro(names[0], STRING)
            index = None
            if len(names) == 2:
                of_key = fold.apply("value_at", (range_, variable), value, range_.span)
                inner = inner.with_lets({names[1]: of_key})
            range_ = fold.apply("keys", (range_,), ListType(STRING), range_.span)
        case other:
            shown = "a record" if isinstance(other, RecordType) else str(range_.type)
            raise TypeProblem(
                f"`{node.function}` ranges over a list or map, not {shown}", range_.span
            )
    checked = [check(body, inner) for body in bodies]
    conditions = checked[:-1] if kind is FoldKind.MAP else checked
    for condition in conditions:
        if not fits(condition.type, "bool"):
            raise TypeProblem(f"expected a bool, found {condition.type}", condition.span)
    if kind is FoldKind.FILTER:
        type_: Type = ListType(item)
    else:
        type_ = ListType(narrowed(checked[-1])) if kind is FoldKind.MAP else BOOL
    of_map = checked[0] if len(checked) == 2 else None
    made = Fold(kind, variable, range_, checked[-1], of_map, type_, node.span, index)
    doubles.check_node(made)
    if isinstance(range_, Constant) and range_.value == ():
        return Constant(_OF_NOTHING[kind], type_, node.span)
    return made


def _of_items(
    names: tuple[str, ...], item: Type, environment: Environment
) -> tuple[Environment, Variable, Variable | None]:
    """The scope inside a macro over a list, the variable for an item, and that for its position."""
    inner, variable = environment.inside_macro(names[-1], item)
    if len(names) == 1:
        return inner, variable, None
    _, index = environment.inside_macro(names[0], INT)
    return inner.with_lets({names[0]: index}), variable, index


def _split(node: Call, most: int) -> tuple[tuple[str, ...], tuple[Node, ...]]:
    """The names of the variables, and what follows them: one expression, or up to `most`."""
    count = variables_bound(node.function, len(node.arguments))
    names = [part.name for part in node.arguments[:count] if isinstance(part, Name)]
    bodies = node.arguments[count:]
    if len(names) < count or not 1 <= len(bodies) <= most:
        shown = "(i, x, ...)" if count == 2 else "(x, ...)"
        wanted = "two variables" if count == 2 else "a variable"
        raise TypeProblem(
            f"`{node.function}` takes {wanted} and an expression, such as "
            f"`list.{node.function}{shown}`",
            node.span,
        )
    if len(set(names)) < count:
        raise BadConstant(f"both variables are called `{names[0]}`", node.arguments[1].span)
    return tuple(names), bodies
