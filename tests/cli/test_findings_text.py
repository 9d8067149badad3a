"""Findings as people see them: the marked source, the case as a table."""

import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from ledger_verify.checks.running.report import Report
from ledger_verify.cli.case_table import case_table, value_text
from ledger_verify.cli.excerpt import excerpt
from ledger_verify.cli.findings import details, findings_text
from ledger_verify.cli.output import table
from ledger_verify.lang.errors import Location
from tests.checks.depot import depot
from tests.cli.samples import CASE, DEFECT


def marked(text: str, line: int, column: int, end_line: int, end_column: int) -> list[str]:
    start, end = Location("f", line, column), Location("f", end_line, end_column)
    return list(excerpt(text.splitlines(), start, end))


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("require: args.bags > 3", "args.bags"),
        ("require: 予約.size() > 3", "> 3"),
        ("require: 予約.size() > 3", "予約"),
        ("message: e\u0301te\u0301 && args.bags", "args.bags"),
        ("message: e\u0301te\u0301 && args.bags", "e\u0301te\u0301"),
        ("\t- require:\targs.bags > 3", "args.bags > 3"),
        ("\t- require:\targs.bags > 3", "require:\targs.bags"),
        ("message: '\u200b\x07' && args.bags", "args.bags"),
        ("message: 👍 && args.bags", "args.bags"),
    ],
)
def test_the_mark_stands_under_its_text(line: str, part: str) -> None:
    """Every character of the shown line stands in the columns that a terminal gives it."""
    column = line.index(part) + 1
    shown, mark = marked(line, 1, column, 1, column + len(part))
    columns = [char for char in shown for _ in range(_columns(char))]
    under = "".join(char for char, below in zip(columns, mark, strict=False) if below == "^")
    wanted = [char for char in part.replace("\t", "    ") for _ in range(_columns(char))]
    assert under == "".join(wanted)
    assert mark.count("^") == len(wanted)


def _columns(char: str) -> int:
    """By hand, for the characters of the examples."""
    return {"\u0301": 0, "予": 2, "約": 2, "👍": 2}.get(char, 1)


TEXT = "rules:\n  - id: a\n    require: >\n      x == 1\n      || y\n    tools: [t]\n"


def test_a_region_of_several_lines() -> None:
    assert marked(TEXT, 4, 7, 5, 11) == [
        "  4 |       x == 1",
        "    |       ^^^^^^",
        "  5 |       || y",
    ]


def test_a_long_region_is_cut() -> None:
    shown = marked("\n".join(f"line {n}" for n in range(1, 12)), 3, 6, 11, 2)
    assert shown[:3] == ["  3 | line 3", "    |      ^", "  4 | line 4"]
    assert shown[-2:] == ["  8 | line 8", "    | ..."]
    shown = marked("\n".join(f"line {n}" for n in range(1, 12)), 9, 1, 10, 2)
    assert shown == ["   9 | line 9", "     | ^^^^^^", "  10 | line 10"]


@pytest.mark.parametrize(
    ("line", "column", "mark"),
    [(2, 5, "    ^^"), (2, 9, "        ^"), (2, 10, "         ^"), (1, 6, "     ^")],
)
def test_a_place_without_extent_marks_its_word(line: int, column: int, mark: str) -> None:
    assert marked(TEXT, line, column, line, column)[1] == f"    | {mark}"


def test_a_line_that_is_not_there_is_not_shown() -> None:
    assert marked(TEXT, 7, 1, 7, 5) == []
    assert marked("", 1, 1, 1, 1) == []


def test_a_case_as_a_table() -> None:
    assert case_table(CASE) == [
        "call                         ship",
        "args.order_id                O1",
        "args.parcels                 2",
        'args.note                    ""',
        "customer.customer_id         C1",
        "customer.tier                gold",
        "orders.O1.status             open",
        "orders.O1.total              989.7",
        "orders.O1.coupon             null",
        'orders.O1.items[0].sku       "5"',
        "orders.O1.items[0].quantity  2",
        'orders.O1.tags               ["a", "b"]',
        "orders.O1.prices.EUR         1",
        'orders.O1.prices["per day"]  2',
        "earlier call                 weigh(order_id=O1), ALLOW, ran, 2026-03-02T11:00:00+00:00",
        "now                          2026-03-02T12:00:00+00:00",
    ]


def test_a_case_with_nothing_observed() -> None:
    case = {"ledger": {}, "call": {"tool": "pay", "arguments": {}}, "tools": []}
    assert case_table(case) == ["call   pay", "tools  none"]
    case = {"ledger": {"user": {}}, "call": {"tool": "予", "arguments": {"é\n": []}}}
    assert case_table(case) == ["call      予", "args.é\\n  []", "user      {}"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("basic_economy", "basic_economy"),
        ("2024-05-15", "2024-05-15"),
        ("2024-05-15T15:00:00-04:00", "2024-05-15T15:00:00-04:00"),
        ("Ann Lee", "Ann Lee"),
        ("5", '"5"'),
        ("1e5", '"1e5"'),
        ("true", '"true"'),
        ("null", '"null"'),
        ("", '""'),
        (" a", '" a"'),
        ("a, b", '"a, b"'),
        ("a\n", r'"a\n"'),
        (None, "null"),
        (True, "true"),
        (989.70, "989.7"),
    ],
)
def test_a_text_cannot_be_taken_for_another_value(value: object, text: str) -> None:
    assert value_text(value) == text


def test_columns_of_wide_text_are_aligned() -> None:
    assert table(("a", "b"), [("予約", 1), ("x", 22)]) == "a      b\n予約   1\nx     22"


def test_details_are_wrapped_and_labelled() -> None:
    clause = "A sentence of the written policy that goes on. " * 4
    lines = list(details(replace(DEFECT, clause=clause), lambda label: f"<{label}>"))
    assert lines[0] == "<note:> the rule is made by the template `two_bounds`"
    assert lines[1].startswith("<clause:> A sentence of the written policy")
    assert lines[2].startswith(" " * len("clause: ") + "on. A sentence")
    assert "<core:> many, few" in lines
    assert "<counterexample:>" in lines
    assert lines[-1] == "<help:> loosen one of these rules"


def test_a_whole_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    rule = {"id": "few", "tools": ["ship"], "require": "args.parcels <= 2"}
    domain = depot({"rules": [rule]}, Path("depot"))
    finding = replace(
        DEFECT,
        location=Location("depot/policy.yaml", 5, 12),
        end=Location("depot/policy.yaml", 5, 29),
        message="never",
        notes=(),
        clause="At most two.",
    )
    report = Report(domain, (finding,), ())
    shown = "\n".join(findings_text([report], None))
    assert shown.startswith(
        textwrap.dedent("""\
            depot/policy.yaml:5:12: error[LV101] never
              5 |   require: args.parcels <= 2
                |            ^^^^^^^^^^^^^^^^^
              clause: At most two.
              core: many, few
              counterexample:
                call                         ship
            """)
    )
    assert shown.endswith("\n  help: loosen one of these rules\n\ndepot: 1 rule, 1 finding")
