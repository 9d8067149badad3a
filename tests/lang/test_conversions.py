"""Operands of different types: the hint says how to write one of them, and that is taken."""

import re

import pytest

from ledger_verify.lang.check import check_text
from ledger_verify.lang.errors import TypeProblem
from tests.lang.cases import ENVIRONMENT

WRITTEN = re.compile(r"`([^`]*)`")
TIME, LENGTH = 'timestamp("2026-01-31T15:00:00Z")', 'duration("24h")'
# the expression, what is advised, and the expression when that is done
ROWS = [
    ('args.at >= "2026-07-01"', 'timestamp("2026-07-01T00:00:00-04:00")', "args.at >= HERE"),
    ('"2026-01-01" == args.at', 'timestamp("2026-01-01T00:00:00-05:00")', "HERE == args.at"),
    ('args.day < "2026-01-01T12:00:00Z"', 'timestamp("2026-01-01T12:00:00Z")', "args.day < HERE"),
    ('now in ["2026-01-01"]', 'timestamp("2026-01-01T00:00:00-05:00")', "now in [HERE]"),
    ('"2026-01-01" in [now]', 'timestamp("2026-01-01T00:00:00-05:00")', "HERE in [now]"),
    ('args.at > "tomorrow"', TIME, "args.at > HERE"),
    ("args.at > args.s", TIME, "args.at > HERE"),
    ("args.at > 2026-01-01", TIME, "args.at > HERE"),
    ('timestamp("2026-01-01") < now', 'timestamp("2026-01-01T00:00:00-05:00")', "HERE < now"),
    ('timestamp("soon") < now', TIME, "HERE < now"),
    ("args.day + 1 > now", LENGTH, "args.day + HERE > now"),
    ("now - 1.5 > args.at", LENGTH, "now - HERE > args.at"),
    ("now - args.i > args.at", LENGTH, "now - HERE > args.at"),
    ('now + "36h" > args.at', 'duration("36h")', "now + HERE > args.at"),
    ("now - args.at > 3", LENGTH, "now - args.at > HERE"),
    ('now - args.at == "3h"', 'duration("3h")', "now - args.at == HERE"),
    ('now - args.at <= "3 days"', 'duration("72h")', "now - args.at <= HERE"),
    ("args.i <= '28'", "28", "args.i <= HERE"),
    ("'28' != args.i", "28", "HERE != args.i"),
    ("args.n > '-2.50'", "-2.50", "args.n > HERE"),
    ("args.i + '1' > 0", "1", "args.i + HERE > 0"),
    ("'1' in args.ints", "1", "HERE in args.ints"),
    ("args.i == args.s", "int(...)", "args.i == int(args.s)"),
    ("args.flag == 'True'", "true", "args.flag == HERE"),
    ("args.s == 5", '"5"', "args.s == HERE"),
    ("args.s == false", '"false"', "args.s == HERE"),
    ("args.s + args.i == args.t", "string(...)", "args.s + string(args.i) == args.t"),
    ("5 in args.words", '"5"', "HERE in args.words"),
    ("args.s + 1 == args.t", '"1"', "args.s + HERE == args.t"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "advised", "mended"), ROWS, ids=lambda value: value)
def test_what_is_advised_is_taken(text: str, advised: str, mended: str) -> None:
    with pytest.raises(TypeProblem) as caught:
        check_text(text, ENVIRONMENT)
    written = WRITTEN.search(caught.value.hint or "")
    assert written is not None, caught.value
    assert written[1] == advised
    check_text(mended.replace("HERE", advised), ENVIRONMENT)


@pytest.mark.parametrize(
    "text",
    [
        "args.i == 'many'",
        "args.flag == 'yes'",
        "args.flag == 1",
        "args.words == 'a'",
        "args.r == 1",
        "args.map == 1",
        "args.flag + 1 == 2",
        "args.s - 'a' == 'b'",
        "'a' in args.i",
        "1 in args.map",
        "args.flag in [1]",
    ],
)
def test_nothing_is_advised_that_would_not_do(text: str) -> None:
    with pytest.raises(TypeProblem) as caught:
        check_text(text, ENVIRONMENT)
    assert caught.value.hint is None
