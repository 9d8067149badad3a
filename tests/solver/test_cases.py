"""Every row of the table of the language with symbols for all of its arguments.

The arguments are demanded to be what the row gives them, and the value must then be the row's: it
must be possible, and unless the encoding is known to leave it open, nothing else may be.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ledger_verify.evaluate.kleene import Failure, Scope, evaluate
from ledger_verify.lang.check import check_text
from ledger_verify.lang.operations import OPERATIONS
from ledger_verify.lang.typed import Apply, Expr, walk
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Tool, ToolKind
from ledger_verify.solver.completions import SCOPE
from ledger_verify.solver.equality import equal
from ledger_verify.solver.logic import Bool, conjoin, negate
from ledger_verify.solver.query import Answer, Limits, Query
from ledger_verify.solver.shapes import known
from ledger_verify.solver.situation import Situation
from ledger_verify.solver.worlds import symbols_for
from tests.lang.cases import (
    ARGUMENTS_TYPE,
    ENVIRONMENT,
    ERROR,
    LOADING,
    NOW_US,
    PATTERNS,
    UNKNOWN,
    ZONE_NAME,
    Row,
    ledger,
)
from tests.solver.more_rows import MORE_ROWS
from tests.solver.pinning import pin

_SPELLING = "how values are spelled out is no part of the encoding"
_CALENDAR = "of the calendar only weeks, days and hours are; which offset holds on a day is open"
OPEN_OPERATIONS = {
    "int_of_string": _SPELLING, "string_of_int": _SPELLING, "string_of_number": _SPELLING,
    "string_of_time": _SPELLING, "string_of_duration": _SPELLING, "time_of_string": _SPELLING,
    "duration_of_string": _SPELLING, "time_part": _CALENDAR, "days_between": _CALENDAR,
    "stated_day": "which days a message names is not told to the solver",
}  # fmt: skip
"""Operations that are functions of which nothing more is known, and why."""
_TAIL = "the list is longer than its slots, and nothing is known of its tail"
OPEN_ROWS = {
    "distinct(args.ints + [8, 9])[4]": _TAIL,
    "distinct(args.ints + [8, 9])": _TAIL,
    "distinct(args.ints + [8, 9]) == [1, 2, 3, 4, 9, 8]": _TAIL,
    "(args.ints + [8]).filter(x, x > 7)": _TAIL,
    "(args.ints + [8]).filter(x, x > 7)[0]": _TAIL,
    "(args.ints + args.ints)[5]": _TAIL,
    "(args.ints + args.ints)[4]": _TAIL,
    "args.ints[args.i]": _TAIL,
    "args.i in args.ints": _TAIL,
    "args.ints.map(x, x > 2, x)[2]": _TAIL,
    "args.ints.exists_one(x, x == 9)": _TAIL,
    "args.ints.exists_one(x, x > 3)": _TAIL,
    "sum(args.ints)": _TAIL,
    "max(args.ints)": _TAIL,
    "args.map.all(k, args.map[k] == 1)": _TAIL,
    "args.ints.all(i, x, x == i || x > i)": _TAIL,
    "args.ints.exists(i, x, i == 4 && x == 9)": _TAIL,
    "args.ints.existsOne(i, x, x == i + 5)": _TAIL,
    "args.ints.transformList(i, x, x > 2, i)": _TAIL,
    "(args.ints + args.ints).exists(i, x, i == 5 && x == 1)": _TAIL,
    "args.map.all(k, v, v == 1 && k in args.map)": _TAIL,
    "size(args.s)": "z3's strings lack the last characters of Unicode",
    "args.s.matches('^[\U000f0000-\U0010ffff]$')": "z3's strings lack them",
}
ROWS = [row for row in (*LOADING, *MORE_ROWS) if row.expected is not UNKNOWN]
DOMAIN = Domain(
    name="rows", timezone=ZONE_NAME, clock_us=None, default="block",
    tools={"refund": Tool("refund", ToolKind.WRITE, ARGUMENTS_TYPE)}, ledger=PATTERNS, rules=(),
    assumptions=(), invariants=(), revision="",
)  # fmt: skip


def operations(expr: Expr) -> Iterator[str]:
    return (node.operation for node in walk(expr) if isinstance(node, Apply))


def is_open(row: Row, expr: Expr) -> bool:
    """Whether the encoding may leave the row's value open."""
    return row.text in OPEN_ROWS or any(name in OPEN_OPERATIONS for name in operations(expr))


def as_it_is(row: Row, expr: Expr) -> tuple[Query, Bool, Bool]:
    """A query, the condition that the arguments are the row's, and that the value is."""
    symbols = symbols_for(DOMAIN, [expr], SCOPE)
    situation = Situation(DOMAIN, DOMAIN.tools["refund"], ledger(), row.arguments, NOW_US)
    world = situation.world(symbols, free=tuple(ARGUMENTS_TYPE.by_name))
    value = world.encoder.encode(expr, {})
    if row.expected is ERROR:
        expected: Bool = value.gap
    else:
        alike = equal(symbols, value, known(row.expected), expr.type, expr.type)
        expected = conjoin((negate(value.gap), alike))
    pinned = pin(symbols, world.names["args"], row.arguments, ARGUMENTS_TYPE)
    return Query(symbols, Limits()), pinned, expected


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.text} {dict(row.given) or ''}")
def test_the_value_is_possible_and_no_other_is(row: Row) -> None:
    expr = check_text(row.text, ENVIRONMENT)
    query, pinned, expected = as_it_is(row, expr)
    answer, _ = query.ask([pinned, expected])
    assert answer is Answer.SATISFIABLE
    other, _ = query.ask([pinned, negate(expected)])
    assert other is Answer.UNSATISFIABLE or is_open(row, expr)


@pytest.mark.parametrize("row", MORE_ROWS, ids=lambda row: f"{row.text} {dict(row.given) or ''}")
def test_the_interpreter_agrees_with_the_further_rows(row: Row) -> None:
    names = {"args": row.arguments, "now": NOW_US, "call": {"tool": "refund"}}
    value = evaluate(check_text(row.text, ENVIRONMENT), Scope(ledger(), names))
    assert (ERROR if isinstance(value, Failure) else value) == row.expected


@pytest.mark.parametrize("operation", OPEN_OPERATIONS)
def test_an_open_operation_is_one_of_the_language(operation: str) -> None:
    assert operation in OPERATIONS


@pytest.mark.parametrize("text", OPEN_ROWS)
def test_an_open_row_is_open(text: str) -> None:
    """So that the list does not outlive its reasons."""
    rows = [row for row in ROWS if row.text == text]
    others = []
    for row in rows:
        query, pinned, expected = as_it_is(row, check_text(text, ENVIRONMENT))
        others.append(query.ask([pinned, negate(expected)])[0])
    assert Answer.SATISFIABLE in others
