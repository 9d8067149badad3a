"""Limits on the calls within a window of time, read off the rules that set them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ledger_verify.checks.history.past_calls import REFUSED, calls_with, truth_of_call
from ledger_verify.lang.environment import VERDICTS
from ledger_verify.lang.rewrite import conjuncts, with_variables
from ledger_verify.lang.typed import (
    And,
    Apply,
    Constant,
    Expr,
    FieldOf,
    Fold,
    FoldKind,
    Observed,
    Or,
    Read,
    Records,
    Variable,
    distinct,
)
from ledger_verify.lang.types import BOOL, ListType
from ledger_verify.policy.rules import Rule

_TURNED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
_OPPOSITE = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}
_CALL = "call#window"


@dataclass(frozen=True)
class Window:
    """A limit: at most `most` earlier calls that meet `conditions` are younger than `length_us`.

    `told_us` is the length as the rule has it: with `<=` it is a microsecond less.
    """

    rule: Rule
    comparison: Expr
    conditions: frozenset[Expr]
    length_us: int
    told_us: int
    most: int


def windows(rule: Rule) -> Iterator[Window]:
    """The limits within a window on calls of the rule's own tool that the rule requires."""
    for required in conjuncts(rule.require):
        counted = _counted(required)
        if counted is None:
            continue
        calls, most = counted
        listed = _listed(calls, rule.tool)
        if listed is None:
            continue
        ages = [(age, c) for c in listed if (age := _age_limit(c)) is not None]
        if len(ages) == 1:
            (length_us, told_us), condition = ages[0]
            rest = frozenset(c for c in listed if c is not condition)
            if length_us > 0:
                yield Window(rule, required, rest, length_us, told_us, most)


def keeps_apart(spacing: Window, window: Window) -> bool:
    """Whether any two calls that `window` counts are as far apart as `spacing` demands."""
    if spacing.most != 0 or spacing.rule.when is not None:
        return False
    counted = [
        call
        for call in calls_with(window.rule.tool, VERDICTS)
        if all(truth_of_call(c, _CALL, call) is not False for c in window.conditions)
    ]
    if any(call["verdict"] in REFUSED for call in counted):
        return False
    return all(
        (condition in window.conditions and _is_lasting(condition))
        or all(truth_of_call(condition, _CALL, call) is True for call in counted)
        for condition in spacing.conditions
    )


def _is_lasting(condition: Expr) -> bool:
    """Whether two calls that meet the condition for one later call meet it for each other."""
    names = {part.name for part in distinct(condition) if isinstance(part, Variable)}
    if any(isinstance(part, Read | Observed | Records) for part in distinct(condition)):
        return False
    if names <= {_CALL}:
        return True
    match condition:
        case Apply(operation="eq", operands=(left, right)):
            return {_argument(left), _argument(right)} == {
                (_CALL, _name(left)),
                ("args", _name(left)),
            }
    return False


def _argument(expr: Expr) -> tuple[str, str | None]:
    match expr:
        case FieldOf(of=FieldOf(of=Variable(name=name), field_name="args")):
            return name, _name(expr)
        case FieldOf(of=Variable(name="args")):
            return "args", _name(expr)
    return "", None


def _name(expr: Expr) -> str | None:
    return expr.field_name if isinstance(expr, FieldOf) else None


def _counted(required: Expr) -> tuple[Fold, int] | None:
    """A list of calls and how many of them there may be, as a filter."""
    match required:
        case Apply(operation="not", operands=(Fold(kind=FoldKind.EXISTS) as fold,)):
            return fold, 0
        case Fold(kind=FoldKind.ALL):
            negated = _negated(required.body)
            return replace(required, kind=FoldKind.EXISTS, body=negated), 0
        case Apply(operation=operation, operands=(left, right)) if operation in _TURNED:
            if isinstance(left, Constant):
                operation, left, right = _TURNED[operation], right, left
            match left, right:
                case Apply(operation="size", operands=(Fold() as fold,)), Constant(
                    value=int() as n
                ):
                    most = {"lt": n - 1, "le": n, "eq": 0 if n == 0 else -1}.get(operation, -1)
                    return (fold, most) if most >= 0 else None
    return None


def _negated(expr: Expr) -> Expr:
    match expr:
        case Apply(operation="not", operands=(inner,)):
            return inner
        case Apply(operation=operation, operands=operands) if operation in _OPPOSITE:
            return Apply(_OPPOSITE[operation], operands, BOOL, expr.span)
        case Or(operands=operands):
            return And(tuple(map(_negated, operands)), expr.span)
    return Apply("not", (expr,), BOOL, expr.span)


def _listed(fold: Fold, tool: str) -> tuple[Expr, ...] | None:
    """The conditions on calls of the tool that a fold over filters of them keeps."""
    found: list[Expr] = []
    current: Expr = fold
    while isinstance(current, Fold):
        if current.kind not in (FoldKind.FILTER, FoldKind.EXISTS) or current.index is not None:
            return None
        call = Variable(_CALL, current.variable.type)
        body = with_variables(current.body, {current.variable.name: call})
        found += [_plain(part) for part in conjuncts(body)]
        current = current.range
    if not (isinstance(current, Variable) and current.is_history):
        return None
    if current.name == "history":
        assert isinstance(current.type, ListType)
        own = [part for part in found if _names_tool(part, tool)]
        return tuple(part for part in found if part not in own) if own else None
    return tuple(found) if current.name == f"history.{tool}" else None


def _names_tool(part: Expr, tool: str) -> bool:
    match part:
        case Apply(operation="eq", operands=(FieldOf(field_name="tool"), Constant(value=value))):
            return bool(value == tool)
    return False


def _plain(part: Expr) -> Expr:
    """A negated comparison as the opposite one, an equation with what is of the call first."""
    match part:
        case Apply(operation="not", operands=(Apply(operation=operation),)) if (
            operation in _OPPOSITE
        ):
            return _negated(part.operands[0])
        case Apply(operation="eq", operands=(left, right)) if not _is_of_call(left):
            return Apply("eq", (right, left), BOOL, part.span)
    return part


def _is_of_call(expr: Expr) -> bool:
    return any(isinstance(part, Variable) and part.name == _CALL for part in distinct(expr))


def _age_limit(condition: Expr) -> tuple[int, int] | None:
    """A length such that the condition holds of calls that are younger, and as it is written.

    The forms are `now - c.time < W`, `c.time > now - W` and `c.time + W > now`, also turned round
    and with `<=`.
    """
    match condition:
        case Apply(operation=operation, operands=(left, right)) if operation in ("lt", "le"):
            strict = operation == "lt"
        case Apply(operation=operation, operands=(right, left)) if operation in ("gt", "ge"):
            strict = operation == "gt"
        case _:
            return None
    match left, right:
        case Apply(operation="time_between", operands=(now, time)), Constant(value=int() as length):
            pass
        case Apply(operation="sub_time", operands=(now, Constant(value=int() as length))), time:
            pass
        case now, Apply(
            operation="add_time",
            operands=(
                (time, Constant(value=int() as length)) | (Constant(value=int() as length), time)
            ),
        ):
            pass
        case _:
            return None
    match now, time:
        case Variable(name="now"), FieldOf(of=Variable(name=name), field_name="time"):
            if name == _CALL:
                return length + (not strict), length
    return None
