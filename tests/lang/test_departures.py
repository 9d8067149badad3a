"""Closed expressions never mean something else than in CEL: they agree or are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_verify.evaluate.kleene import Scope, evaluate
from ledger_verify.lang.check import check_text
from ledger_verify.lang.environment import Environment
from ledger_verify.lang.errors import BadConstant, ExpressionError, Unsupported
from tests.lang.cases import ENVIRONMENT

EMPTY = Environment()


@pytest.mark.parametrize(
    "text",
    [
        "0.1 + 0.2 == 0.3",
        "1.0 / 3.0",
        "0.1 * 3.0",
        "2.0 * 8.988466e+307",
        "1e-200 * 1e-200",
        "1e-320",
        "1.00000000000000000001",
        "1 + 1.5",
        "1.5 * 2",
        "[1] + [1.5]",
        "[1, 1.5]",
        "[[1], [1.5]]",
        "true ? 1 : 1.5",
        "(1 > 0) ? [1][0] : 1.5",
        "[1].map(x, x + 1.5)",
        "[1].map(x, x > 0 ? x : 1.5)",
        "[1].map(x, [x, 1.5])",
        "[1.5].map(x, x * 1.5)",
        "[1.5].map(x, string(x))",
        "[1.5].map(x, int(x))",
        "9007199254740993 == 9007199254740992.0",
        "9223372036854775807 < 9223372036854775808.0",
        "[9007199254740993] == [9007199254740992.0]",
        "9007199254740993 in [9007199254740992.0]",
        "[9007199254740993].exists(x, x == 9007199254740992.0)",
        "[[9007199254740993]].exists(x, x == [9007199254740992.0])",
        "string(1.0)",
        "string(1e7)",
        "string(0.00001)",
        "-9223372036854775808 % -1",
        "1.0 / 0.0",
    ],
)
def test_what_a_double_would_answer_otherwise_is_refused(text: str) -> None:
    with pytest.raises(Unsupported):
        check_text(text, EMPTY)


@pytest.mark.parametrize(
    "text",
    [
        "int(-9223372036854775808.0)",
        "duration('300000h') + duration('3000000h')",
        "timestamp('9999-12-31T23:59:59Z') - timestamp('0001-01-01T00:00:00Z')",
    ],
)
def test_what_has_no_value_in_cel_is_refused(text: str) -> None:
    with pytest.raises(BadConstant):
        check_text(text, EMPTY)


@pytest.mark.parametrize(
    "text",
    [
        "args.m + 0.2 == 0.3",
        "args.i + 1.5",
        "args.flag ? 0 : 49.5",
        "[args.i, 1.5]",
        "args.ints.map(x, x * 1.5)",
        "[1.5, 2.5].exists(x, x * args.n > 3.0)",
        "args.i == 1.0",
        "1 == 1.0",
        "1 in [1.0, 2.0]",
        "[1, 2].exists(x, x == 2.0)",
        "0.5 * 4.0 == 2.0",
        "1e3 > 999",
        "string(123.456)",
    ],
)
def test_the_rest_loads(text: str) -> None:
    assert check_text(text, ENVIRONMENT)


OPERATORS = ["+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">="]
decimals = st.decimals(-1000, 1000, places=2, allow_nan=False).map(lambda d: f"({d})")


@given(left=decimals, right=decimals, operator=st.sampled_from(OPERATORS))
def test_arithmetic_on_literals_is_what_doubles_make_of_it(
    left: str, right: str, operator: str
) -> None:
    try:
        expr = check_text(f"{left} {operator} {right}", EMPTY)
    except ExpressionError:
        return
    ours = evaluate(expr, Scope())
    theirs = eval(f"float({left}) {operator} float({right})")
    assert ours == theirs if isinstance(theirs, bool) else float(ours) == theirs
