"""Operations on constants are worked out at load, so that typos in literals are load errors."""

from __future__ import annotations

from ledger_verify.lang import doubles
from ledger_verify.lang.errors import BadConstant, Span, Unsupported
from ledger_verify.lang.novalue import NoValue, TooFine
from ledger_verify.lang.operations import apply as apply_to_values
from ledger_verify.lang.typed import Apply, Constant, Expr
from ledger_verify.lang.types import Type

_LITERAL_MAKERS = frozenset({"time_of_string", "duration_of_string"})


def apply(operation: str, operands: tuple[Expr, ...], type_: Type, span: Span) -> Expr:
    """The operation on its operands, as a constant if all of them are.

    An operation without a value stays as it is: an operator around it may absorb that. Raises
    `BadConstant` for malformed times, `Unsupported` for what exact numbers cannot express or
    where CEL, which has doubles, would get another result.
    """
    if operation == "div_num" and isinstance(operands[1], Constant) and operands[1].value == 0:
        raise Unsupported("division by the constant zero", span, hint="numbers have no infinity")
    values = tuple(operand.value for operand in operands if isinstance(operand, Constant))
    unfolded = Apply(operation, operands, type_, span)
    if len(values) < len(operands):
        doubles.check_node(unfolded)
        return unfolded
    try:
        result = apply_to_values(operation, values)
    except TooFine as problem:
        raise Unsupported(f"a time finer than a microsecond ({problem.reason})", span) from None
    except NoValue as problem:
        if operation in _LITERAL_MAKERS:
            raise BadConstant(problem.reason, span) from None
        return unfolded
    doubles.check_folded(operation, operands, values, result, span)
    return Constant(result, type_, span)
