"""Rows beyond the table of the language: where symbols, bounds and texts could go wrong."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.lang.cases import ERROR, Row

LONG = [1, 2, 3, 4, 9]
"""One item more than a list has slots."""
NOON = "2024-05-15T12:00:00Z"
LAST, FIRST = "9999-12-31T23:00:00Z", "0001-01-01T03:00:00Z"


def _row(text: str, expected: Any, **given: Any) -> Row:
    return Row(text, expected, given)


NUMBERS = (
    _row("max(args.n, args.i)", 7),
    _row("min(args.n, args.i, 3)", Fraction(5, 2)),
    _row("7 / args.j", -3, j=-2),
    _row("-7 / args.j", 3, j=-2),
    _row("7 % args.j", 1, j=-2),
    _row("-7 % args.j", -1, j=-2),
    _row("args.i % args.j", 0, i=-(2**63), j=-1),
    _row("args.i + args.j - args.j", ERROR, i=2**63 - 1, j=1),
    _row("args.numbers.map(x, -x) == [-0.1, -0.2]", True),
    _row("sum([args.null_int])", 4, null_int=4),
    _row("min(args.null_ints)", ERROR),
    _row("max([args.null_int, 3])", ERROR),
)
TEXTS = (
    _row("args.s.matches('^\\\\s$')", False, s="\x0b"),
    _row("args.s.matches('^\\\\S$')", True, s="\x0b"),
    _row("args.s.matches('^[\\\\s]$')", False, s="\x0b"),
    _row("args.s.matches('^\\\\W$')", True, s="ß"),
    _row("args.s.matches('[^a]')", True, s="\n"),
    _row("args.s.matches('a.b')", False, s="a\nb"),
    _row("args.s.matches('^(a|b)*$')", True, s=""),
    _row("args.s.matches('a{2,3}?$')", True, s="aaaa"),
    _row("args.s.contains('\\\\u{61}')", False, s="a"),
    _row("args.s + '' == r'\\u{61}'", False, s="a"),
    _row("size(args.s + r'\\u{61}')", 7, s="a"),
    _row("args.s + '' == 'a'", True, s="a"),
    _row("args.s.startsWith(args.t)", False, s="x\0a", t="x\0b"),
    _row("args.s == 'a\\x00b'", False, s="a\0c"),
    _row("args.s < 'b'", True, s="aß"),
    _row("args.s > '\uffff'", True, s="\U00010000"),
    _row("args.s.endsWith('🐱')", True, s="ß🐱"),
    _row("size(args.s)", 1, s="\U0010ffff"),
    _row("args.s.matches('^[\U000f0000-\U0010ffff]$')", True, s="\U0010ffff"),
    _row("args.s.trim() == args.t && size(args.s) == 2", True, s="b "),
    _row("args.s.trim().trim() == args.s.trim()", True, s=" b"),
    _row("size(args.s.trim())", 0, s=" "),
    _row("args.s.trim().startsWith(' ')", False, s=" b"),
    _row("args.s == 'a' || args.s.startsWith('b')", False, s="'a'"),
)
TIMES = (
    _row("args.at.getHours('+05:30')", 4, at=LAST),
    _row("args.at.getFullYear('+05:30')", 10000, at=LAST),
    _row("args.at.getHours('-05:30')", 21, at=FIRST),
    _row("args.at.getHours()", 22, at=FIRST),
    _row("args.at.getHours('UTC')", 23, at=LAST),
    _row("args.at.getMinutes()", 0, at=NOON),
    _row("args.at.getDayOfWeek('+12:00')", 4, at=NOON),
    _row("args.day.getSeconds()", 0),
    _row("days(args.day, args.day)", 0),
    _row("days(now, args.day)", 1, day="2024-05-16"),
    _row("days(args.at, args.at)", 0, at=FIRST),
    _row("(args.at - now).getHours()", -26),
)
LISTS = (
    _row("distinct(args.ints + [8, 9])[4]", 9, ints=LONG),
    _row("distinct(args.ints + [8, 9])", (1, 2, 3, 4, 9, 8), ints=LONG),
    _row("distinct(args.ints + [8, 9]) == [1, 2, 3, 4, 9, 8]", True, ints=LONG),
    _row("distinct(args.ints + [8, 9])", (1, 8, 9), ints=[1, 1]),
    _row("(args.ints + [8]).filter(x, x > 7)", (9, 8), ints=LONG),
    _row("(args.ints + [8]).filter(x, x > 7)[0]", 9, ints=LONG),
    _row("(args.ints + args.ints)[5]", 1, ints=LONG),
    _row("(args.ints + args.ints)[4]", 9, ints=LONG),
    _row("args.ints + args.ints == [1, 2, 1, 2]", True, ints=[1, 2]),
    _row("(args.ints + [9])[2]", 9, ints=[1, 2]),
    _row("args.ints[args.i]", 9, ints=LONG, i=4),
    _row("args.ints[args.i]", ERROR, ints=LONG, i=5),
    _row("args.i in args.ints", True, ints=LONG, i=9),
    _row("args.ints.map(x, x > 2, x)[2]", 9, ints=LONG),
    _row("args.ints.exists_one(x, x == 9)", True, ints=LONG),
    _row("args.ints.exists_one(x, x > 3)", False, ints=LONG),
    _row("sum(args.ints)", 19, ints=LONG),
    _row("max(args.ints)", 9, ints=LONG),
    _row("size(args.ints)", 5, ints=LONG),
    _row("args.ints == args.ints", True, ints=LONG),
    _row("[args.flag ? args.ints : [1]] == [[1]]", True, ints=[1]),
    _row("args.flag ? [] : args.ints", ()),
    _row("args.flag ? null : null", None),
    _row("(args.flag ? args.r : args.records[0]).x", 1),
    _row("[null, args.null_string]", (None, None)),
    _row("args.null_string in [null]", True),
    _row("args.records[0] == args.r", True, r={"x": 1, "z": None}),
    _row("args.records[0] in args.records", True),
    _row("distinct(args.records)", ({"x": 1, "z": None},), records=[{"x": 1, "z": None}] * 3),
    _row("args.map.map(k, k)[0]", "b", map={"b": 1, "a": 2}),
    _row("args.map.all(k, args.map[k] == 1)", True, map=dict.fromkeys("abcdef", 1)),
    _row("size(args.map)", 6, map=dict.fromkeys("abcdef", 1)),
    _row("args.map == args.map", True, map=dict.fromkeys("abcdef", 1)),
    _row("[args.map] == [args.map]", True),
    _row("args.ints.all(i, x, x == i || x > i)", True, ints=LONG),
    _row("args.ints.exists(i, x, i == 4 && x == 9)", True, ints=LONG),
    _row("args.ints.existsOne(i, x, x == i + 5)", True, ints=LONG),
    _row("args.ints.transformList(i, x, x > 2, i)", (2, 3, 4), ints=LONG),
    _row("args.ints.filter(x, x > 1).transformList(i, x, x * i)", (0, 3), ints=[2, 1, 3]),
    _row(
        "(args.ints.filter(x, x > 1) + [4]).transformList(i, x, i + x)", (2, 4, 6), ints=[2, 1, 3]
    ),
    _row("(args.flag ? args.ints : [4, 4]).transformList(i, x, i + x)", (2, 2), ints=[2, 1]),
    _row("(args.ints + args.ints).exists(i, x, i == 5 && x == 1)", True, ints=LONG),
    _row("args.map.transformList(k, v, v)", (1, 2), map={"b": 1, "a": 2}),
    _row("args.map.all(k, v, v == 1 && k in args.map)", True, map=dict.fromkeys("abcdef", 1)),
    _row("{'a': args.i, 'b': 3}[args.t] + {'a': 1, 'b': args.j}.a", 4),
    _row("{'a': {'b': args.i}, 'b': {}}[args.s][args.t]", 7, s="a"),
    _row("{'a': {'b': args.i}, 'b': {}}[args.t][args.t]", ERROR),
    _row("{'a': args.null_int, 'b': args.i}[args.t] == 7", True),
    _row("{'a': args.null_int, 'b': args.i}.a + 1", ERROR),
    _row("args.ints.map(x, args.words.filter(w, size(w) == x))", (("a", "b", "a"), (), ())),
)
MORE_ROWS: tuple[Row, ...] = (*NUMBERS, *TEXTS, *TIMES, *LISTS)
