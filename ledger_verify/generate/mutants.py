"""Rules with one bound loosened by one: what a slip of the pen would make of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ledger_verify.lang.rewrite import with_parts
from ledger_verify.lang.times import SECOND_US
from ledger_verify.lang.typed import Apply, Constant, Expr, Observed, Read, parts
from ledger_verify.lang.types import DurationType, IntType, NumberType, Type, strip_null
from ledger_verify.policy.rules import Rule

_RAISED_BY = {("lt", 1): 1, ("le", 1): 1, ("gt", 1): -1, ("ge", 1): -1}
_RAISED_BY |= {(operation, 0): -step for (operation, _), step in list(_RAISED_BY.items())}


def loosened(rule: Rule) -> Iterator[Rule]:
    """The rule with one constant bound moved by one, outwards, in each place where it has one.

    The unit is 1 for numbers and a second for lengths of time. Behind a negation outwards is
    inwards; then the mutant forbids more, and is of no use as a slip that lets through.
    """
    for require in _moved(rule.require):
        yield replace(rule, require=require)


def _moved(expr: Expr) -> Iterator[Expr]:
    """The expression with one bound in it moved, once for each bound."""
    if isinstance(expr, Apply):
        for index, operand in enumerate(expr.operands):
            step = _RAISED_BY.get((expr.operation, index))
            unit = _unit(operand.type)
            if step is not None and unit is not None and isinstance(operand, Constant):
                other = Constant(operand.value + step * unit, operand.type, operand.span)
                yield replace(expr, operands=_with(expr.operands, index, other))
    if isinstance(expr, Read | Observed):
        return  # a bound in a key is no bound on what is allowed
    below = parts(expr)
    for index, part in enumerate(below):
        for moved in _moved(part):
            yield with_parts(expr, _with(below, index, moved))


def _unit(type_: Type) -> int | None:
    match strip_null(type_):
        case IntType() | NumberType():
            return 1
        case DurationType():
            return SECOND_US
    return None


def _with(items: tuple[Expr, ...], index: int, item: Expr) -> tuple[Expr, ...]:
    return (*items[:index], item, *items[index + 1 :])
