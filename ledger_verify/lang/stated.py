"""Type checking of `stated`: whether the user said a value, by one of the tests."""

from __future__ import annotations

from collections.abc import Sequence

from ledger_verify.lang import fold
from ledger_verify.lang.environment import Environment
from ledger_verify.lang.errors import Span, TypeProblem, near_match
from ledger_verify.lang.overloads import fits
from ledger_verify.lang.said import DAY_TESTS, EXACT, NUMBER_TESTS, TEXT_TESTS
from ledger_verify.lang.typed import HEARD, Constant, Expr
from ledger_verify.lang.types import BOOL, STRING, TimestampType, Type, strip_null


def operation_and_tests(type_: Type) -> tuple[str, Sequence[str]] | None:
    """The operation that asks for a value of the type, and its tests; None if there is none."""
    if fits(type_, "string"):
        return "stated_text", TEXT_TESTS
    if fits(type_, "number"):
        return "stated_number", NUMBER_TESTS
    bare = strip_null(type_)
    if isinstance(bare, TimestampType) and bare.date:
        return "stated_day", DAY_TESTS
    return None


def check_stated(arguments: tuple[Expr, ...], span: Span, environment: Environment) -> Expr:
    """`stated(value)` or `stated(value, test)`; raises `TypeProblem`."""
    if not 1 <= len(arguments) <= 2:
        problem = "`stated` takes a value, and perhaps a test, such as `stated(args.email)`"
        raise TypeProblem(problem, span)
    if not environment.heard:
        raise TypeProblem("what the user said is for rules, not for this expression", span)
    value, *rest = arguments
    found = operation_and_tests(value.type)
    if found is None:
        problem = f"`stated` takes a string, a number or a date, not {value.type}"
        raise TypeProblem(problem, value.span)
    operation, tests = found
    test = EXACT
    if rest:
        given = rest[0].value if isinstance(rest[0], Constant) else None
        if given not in tests:
            listed = ", ".join(f"`{name}`" for name in tests)
            told = f"`{given}`" if isinstance(given, str) else "this"
            raise TypeProblem(
                f"{told} is no test of a value of type {value.type}, expected {listed}",
                rest[0].span,
                hint=near_match(given, tests) if isinstance(given, str) else None,
            )
        test = str(given)
    operands = (value, Constant(test, STRING, span), Constant(environment.timezone, STRING), HEARD)
    return fold.apply(operation, operands, BOOL, span)
