"""What other languages write is answered with what to write here, and that is taken."""

import re

import pytest

from ledger_verify.lang.check import check_predicate, check_text
from ledger_verify.lang.environment import Environment
from ledger_verify.lang.errors import ExpressionError
from ledger_verify.lang.foreign import advised
from ledger_verify.lang.types import (
    BOOL,
    INT,
    NUMBER,
    STRING,
    TIMESTAMP,
    FieldType,
    ListType,
    MapType,
    NullableType,
    RecordType,
)
from tests.lang.cases import ENVIRONMENT, PATTERNS

WRITTEN = re.compile(r"`([^`]+)`")
_RECORD = RecordType(
    "Record",
    (("note", FieldType(STRING, True)), ("memo", FieldType(NullableType(STRING)))),
)
FORMS = Environment(
    names={
        "list": ListType(INT), "map": MapType(INT), "text": STRING, "number": NUMBER,
        "time": TIMESTAMP, "now": TIMESTAMP, "record": _RECORD, "x": INT, "y": INT, "a": BOOL,
        "b": BOOL,
    },
    ledger=PATTERNS,
    history=ENVIRONMENT.history,
)  # fmt: skip


@pytest.mark.parametrize("advice", advised())
def test_the_advised_form_is_taken(advice: str) -> None:
    forms = [form for form in WRITTEN.findall(advice) if form not in ("int", "let")]
    assert forms or "`let`" in advice
    for form in forms:
        if form != "history":
            check_text(form, FORMS)


# what is written in other languages, and what the hint must name
ROWS = {
    'date("2026-01-01") < now': 'timestamp("',
    "today() > now": "`now`",
    "datetime.now() > args.at": "`now`",
    "Date.now() > args.at": "`now`",
    "today > args.at": "`now`",
    "abs(args.i) > 1": "x < 0 ? -x : x",
    "Math.abs(args.i) > 1": "x < 0 ? -x : x",
    'args.map.get("a", 1) > 1': '"a" in map ? map["a"]',
    "args.ints.any(x, x > 1)": "list.exists(x, x > 1)",
    "args.ints.some(x => x > 1)": "list.exists(x, x > 1)",
    "args.ints.some(lambda x: x > 1)": "list.exists(x, x > 1)",
    "any(x > 1 for x in args.ints)": "list.exists(x, x > 1)",
    "exists(args.ints, x, x > 1)": "list.exists(x, x > 1)",
    "exists(ledger.shop)": "observed(",
    "args.ints.every(x, x > 1)": "list.all(x, x > 1)",
    "args.ints.count(x, x > 1) > 1": "list.filter(x, x > 1).size()",
    "COUNTIF(args.ints, x) > 1": "list.filter(x, x > 1).size()",
    "len(args.ints) > 1": "size(list)",
    "args.ints.length > 1": "size(list)",
    "args.s.length() > 1": "size(list)",
    "args.ints.size > 1": "size(list)",
    "args.ints.isEmpty()": "size(list) == 0",
    "ISBLANK(args.s)": "size(list) == 0",
    "sum(args.ints, i, i * 2) > 1": "sum(list.map(x, ...))",
    "args.ints.reduce(x, x)": "sum(list.map(x, x * 2))",
    'args.s.toLowerCase() == "a"': "lowerAscii()",
    'lower(args.s) == "a"': "lowerAscii()",
    'UPPER(args.s) == "A"': "upperAscii()",
    "now - args.at < days(3)": 'duration("72h")',
    'now - args.at < duration("3d")': 'duration("72h")',
    'now - args.at < duration("1 week")': 'duration("168h")',
    'now - args.at < duration("P2D")': 'duration("48h")',
    "now - args.at < timedelta(days=3)": 'duration("72h")',
    "args.flag & args.flag": "a && b",
    "args.flag | args.flag": "a || b",
    "args.flag and args.flag": "a && b",
    "args.flag AND args.flag": "a && b",
    "OR(args.flag, args.flag)": "a || b",
    "args.flag or args.flag": "a || b",
    "not args.flag": "!a",
    "NOT(args.flag)": "!a",
    "args.i = 1": "x == y",
    "args.i === 1": "x == y",
    "args.i !== 1": "x != y",
    "args.i <> 1": "x != y",
    "args.null_string == None": "`null`",
    "args.null_string == nil": "`null`",
    "args.null_string == undefined": "`null`",
    "args.null_string is null": "== null",
    "args.null_string is not null": "x != y",
    "args.flag == True": "`true`",
    "1 if args.flag else 2": 'a ? "yes" : "no"',
    "IF(args.flag, 1, 2) == 1": 'a ? "yes" : "no"',
    "if args.flag then 1 else 2": 'a ? "yes" : "no"',
    'args.s in ("a", "b")': "x in [1, 2]",
    'args.s not in ["a"]': "!(x in list)",
    "args.ints.contains(1)": "x in list",
    "args.ints.includes(1)": "x in list",
    'args.map.contains("a")': "key in map",
    'args.s.contains(["a"])': 'text.contains("a")',
    'f"{args.s}" == "a"': "text + string(number)",
    "1 < args.i < 3": "x < y && y < z",
    "args.i == args.j == 3": "x == y && y == z",
    'args.s == "a" || "b"': 'x in ["a", "b"]',
    "!args.ints": "size(x) > 0",
    "args.ints && true": "size(x) > 0",
    'args.s like "a%"': 'text.startsWith("a")',
    "args.i between 1 and 3": "x >= 1 && x <= 3",
    'args.s ?? "a"': "has(record.note) ?",
    'coalesce(args.s, "a") == "a"': "record.memo != null ?",
    "args.s?.size()": "has(record.note) &&",
    "round(args.n) > 1": "int(number)",
    "double(args.i) > 1": "numbers are exact",
    'str(args.i) == "1"': "string(x)",
    "now.year > 2000": "time.getFullYear()",
    "args.at.getDay() > 1": "time.getDayOfWeek()",
    "(now - args.at).days > 2": "days(time, now)",
    'args.s.split(",") == args.words': 'text.startsWith("a")',
    'args.s.substring(0, 1) == "a"': 'text.startsWith("a")',
    're.match("a", args.s)': "text.matches(",
    "args.s.matches(/a/)": "text.matches(",
    "args.i == 1,000": "`1000`",
    "args.i == 1_000": "`1000`",
    "args.n <= $50": "without signs",
    "arguments.i > 1": "`args`",
    "tool == 'refund'": "`call.tool`",
    "state.shop.age > 1": "`ledger`",
    "args.i // 2": "a comment",
}  # fmt: skip


@pytest.mark.parametrize("text", ROWS)
def test_what_is_written_elsewhere_is_answered(text: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        check_predicate(text, ENVIRONMENT)
    assert ROWS[text] in (caught.value.hint or ""), caught.value


def test_words_inside_of_texts_are_no_words() -> None:
    with pytest.raises(ExpressionError) as caught:
        check_text('args.s == "this and that" args.t', ENVIRONMENT)
    assert "a && b" not in (caught.value.hint or "")


def test_names_that_are_in_scope_are_what_they_are() -> None:
    scope = Environment(names={"today": TIMESTAMP, "state": INT}, timezone="UTC")
    check_text("today > today && state > 1", scope)
