"""The table of cases: every row loads or is refused as it says, and nothing lacks a row."""

import pytest

from ledger_verify.lang import typed
from ledger_verify.lang.check import check_text
from ledger_verify.lang.errors import ExpressionError
from ledger_verify.lang.operations import OPERATIONS
from ledger_verify.lang.overloads import COMPARISONS, FUNCTIONS, METHODS, OPERATORS
from ledger_verify.lang.parse import parse
from ledger_verify.lang.printer import print_expression
from ledger_verify.lang.times import DURATION_PARTS, TIME_PARTS
from ledger_verify.lang.typed import Apply, Constant, Expr, Fold, FoldKind, walk
from tests.lang.cases import ENVIRONMENT, LOADING, ROWS, Row

REFUSED = [row for row in ROWS if not row.loads]
PLAIN = [row for row in LOADING if "//" not in row.text]


def loaded() -> list[Expr]:
    return [node for row in LOADING for node in walk(check_text(row.text, ENVIRONMENT))]


@pytest.mark.parametrize("row", LOADING, ids=lambda row: row.text)
def test_printing_keeps_the_tree(row: Row) -> None:
    tree = parse(row.text)
    printed = print_expression(tree)
    assert parse(printed) == tree
    assert print_expression(parse(printed)) == printed
    assert check_text(printed, ENVIRONMENT) == check_text(row.text, ENVIRONMENT)


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row.text)
def test_a_load_error_says_what_and_where(row: Row) -> None:
    with pytest.raises(ExpressionError) as caught:
        check_text(row.text, ENVIRONMENT)
    problem = caught.value
    assert type(problem) is row.expected
    assert 0 <= problem.span.start <= problem.span.end <= len(row.text)
    assert problem.message[0] in "`'" or problem.message[0].islower()
    assert not problem.message.endswith(".")


def test_no_operation_lacks_a_row() -> None:
    used = {node.operation for node in loaded() if isinstance(node, Apply)}
    assert used == set(OPERATIONS)


def test_no_node_class_lacks_a_row() -> None:
    assert {type(node) for node in loaded()} == set(typed.Expr.__args__)


def test_no_macro_lacks_a_row() -> None:
    assert {node.kind for node in loaded() if isinstance(node, Fold)} == set(FoldKind)


def test_no_accessor_lacks_a_row() -> None:
    used = {
        (node.operation, part.value)
        for node in loaded()
        if isinstance(node, Apply)
        and node.operation in ("time_part", "duration_part")
        and isinstance(part := node.operands[1], Constant)
    }
    wanted = {("time_part", part) for part in TIME_PARTS}
    assert used == wanted | {("duration_part", part) for part in DURATION_PARTS}


@pytest.mark.parametrize("word", [*OPERATORS, *COMPARISONS, *FUNCTIONS, *METHODS])
def test_no_word_lacks_a_row(word: str) -> None:
    assert any(word in row.text for row in LOADING)
