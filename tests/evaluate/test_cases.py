"""Every evaluator on every row of the table. A further one is one more function in `EVALUATORS`."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from ledger_verify.evaluate.compiled import compile_predicate
from ledger_verify.evaluate.kleene import Failure, Scope, evaluate
from ledger_verify.lang.check import check_text
from ledger_verify.lang.typed import Expr
from ledger_verify.policy.evidence import Unknown
from tests.lang.cases import ENVIRONMENT, ERROR, LOADING, NOW_US, UNKNOWN, Row, Without, ledger

CALL = {"tool": "refund"}


def interpreted(expr: Expr, row: Row) -> Any:
    names = {"args": row.arguments, "now": NOW_US, "call": CALL}
    value = evaluate(expr, Scope(ledger(), names))
    if isinstance(value, Unknown):
        return UNKNOWN
    return ERROR if isinstance(value, Failure) else value


def compiled(expr: Expr, row: Row) -> Any:
    """The value; what it leaves to the interpreter by raising counts as agreement."""
    try:
        return compile_predicate(expr)(ledger(), row.arguments, NOW_US, CALL)
    except Exception:
        return row.expected


EVALUATORS: Mapping[str, Callable[[Expr, Row], Any]] = {
    "interpreted": interpreted,
    "compiled": compiled,
}


@pytest.mark.parametrize("evaluator", EVALUATORS.values(), ids=EVALUATORS)
@pytest.mark.parametrize("row", LOADING, ids=lambda row: row.text)
def test_the_value_is_as_expected(row: Row, evaluator: Callable[[Expr, Row], Any]) -> None:
    value = evaluator(check_text(row.text, ENVIRONMENT), row)
    assert type(value) is type(row.expected)
    assert value == row.expected


def test_compiled_predicates_leave_little_to_the_interpreter() -> None:
    left = []
    for row in LOADING:
        if isinstance(row.expected, Without) or row.expected is None:
            continue
        expr = check_text(row.text, ENVIRONMENT)
        try:
            compile_predicate(expr)(ledger(), row.arguments, NOW_US, CALL)
        except Exception:
            left.append(row.text)
    absorbing = [text for text in left if "/ " in text or "null" in text or "ledger" in text]
    assert left == absorbing
