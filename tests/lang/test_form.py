"""Forms of expressions, and expressions that share their equal parts."""

from __future__ import annotations

import pytest

from ledger_verify.lang.check import check_text
from ledger_verify.lang.form import form
from ledger_verify.lang.sharing import shared
from ledger_verify.lang.typed import distinct
from tests.lang.cases import ENVIRONMENT, LOADING, Row


@pytest.mark.parametrize("row", LOADING, ids=lambda row: row.text)
def test_an_expression_has_the_form_of_itself_and_shares_all_of_itself(row: Row) -> None:
    one, two = check_text(row.text, ENVIRONMENT), check_text(row.text, ENVIRONMENT)
    assert form(one) == form(two)
    first, second = shared((one, two))
    assert first is second
    assert first == one


def test_expressions_have_the_same_form_where_they_are_equal() -> None:
    exprs = [check_text(row.text, ENVIRONMENT) for row in LOADING]
    for left in exprs:
        for right in exprs:
            assert (form(left) == form(right)) == (left == right), (left, right)


def test_parts_are_shared_across_expressions() -> None:
    whole = [check_text(row.text, ENVIRONMENT) for row in LOADING]
    again = [check_text(row.text, ENVIRONMENT) for row in reversed(LOADING)]
    apart = {id(part) for expr in (*whole, *again) for part in distinct(expr)}
    together = {id(part) for expr in shared((*whole, *again)) for part in distinct(expr)}
    assert len(together) <= len(apart) / 2
