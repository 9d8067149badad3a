"""Expressions with their values: at least one row for all that the language has.

Every evaluator is held against the same rows (`tests/evaluate/test_cases.py`). A row's names are
the fields of `args`, of which it may set some, and a ledger in which `users.u1` is observed and
nothing else. `expected` is the value as evaluators have it (`int` or `Fraction` for numbers,
microseconds for times, tuples for lists), or `ERROR`, or `UNKNOWN`, or the class of the load error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

from ledger_verify.lang.environment import Environment, LedgerPattern, rule_environment
from ledger_verify.lang.errors import (
    BadConstant,
    InputError,
    SyntaxProblem,
    TypeProblem,
    UnknownName,
    Unsupported,
)
from ledger_verify.lang.types import STRING, RecordType
from ledger_verify.ledger.store import Ledger
from ledger_verify.schema.coerce import coercer
from ledger_verify.schema.json_schema import type_from_schema


class Without(Enum):
    """What stands for the value of a row that has none."""

    ERROR = "ERROR"
    UNKNOWN = "UNKNOWN"


ERROR, UNKNOWN = Without.ERROR, Without.UNKNOWN
ZONE_NAME = "America/New_York"
ZONE = ZoneInfo(ZONE_NAME)
NOW_US = 1_715_799_600_000_000  # 2024-05-15T15:00:00-04:00
HOUR_US = 3_600_000_000
INT_MAX = 2**63 - 1


@dataclass(frozen=True)
class Row:
    """One expression, its value, and the fields of `args` that differ from `ARGUMENTS`."""

    text: str
    expected: Any
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def loads(self) -> bool:
        """Whether the expression is one of the language."""
        return not (isinstance(self.expected, type) and issubclass(self.expected, InputError))

    @property
    def arguments(self) -> Any:
        """The values of `args`; a field given as `...` is absent."""
        given = {**ARGUMENTS, **self.given}
        return coercer(ARGUMENTS_TYPE, ZONE)({k: v for k, v in given.items() if v is not ...})


def _row(text: str, expected: Any, **given: Any) -> Row:
    return Row(text, expected, given)


def _nullable(name: str) -> dict[str, Any]:
    return {"anyOf": [{"type": name}, {"type": "null"}]}


def _list(name: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": name}}


_RECORD = {
    "type": "object",
    "properties": {"x": {"type": "integer"}, "y": {"type": "string"}, "z": _nullable("string")},
    "required": ["x", "z"],
}
_FIELDS: Mapping[str, Any] = {
    "i": {"type": "integer"},
    "j": {"type": "integer"},
    "n": {"type": "number"},
    "m": {"type": "number"},
    "s": {"type": "string"},
    "t": {"type": "string"},
    "flag": {"type": "boolean"},
    "at": {"type": "string", "format": "date-time"},
    "day": {"type": "string", "format": "date"},
    "ints": _list("integer"),
    "numbers": _list("number"),
    "words": _list("string"),
    "r": {"$ref": "#/$defs/Thing"},
    "records": {"type": "array", "items": {"$ref": "#/$defs/Thing"}},
    "map": {"type": "object", "additionalProperties": {"type": "integer"}},
    "opt": {"type": "integer"},
    "null_int": _nullable("integer"),
    "null_string": _nullable("string"),
    "null_words": {"anyOf": [_list("string"), {"type": "null"}]},
    "null_bool": _nullable("boolean"),
    "nulls": {"type": "array", "items": _nullable("string")},
    "null_ints": {"type": "array", "items": _nullable("integer")},
}
ARGUMENTS: Mapping[str, Any] = {
    "i": 7, "j": 2, "n": 2.5, "m": 0.1, "s": "abc", "t": "b", "flag": True,
    "at": "2024-05-14T12:30:15.123456", "day": "2024-05-15", "ints": [1, 2, 3],
    "numbers": [0.1, 0.2], "words": ["a", "b", "a"], "r": {"x": 1, "y": "why", "z": None},
    "records": [{"x": 1, "z": None}, {"x": 2, "y": "b", "z": "c"}], "map": {"a": 1, "b": 2},
    "opt": 5, "null_int": None, "null_string": None, "null_words": None, "null_bool": None,
    "nulls": ["a", None], "null_ints": [1, None],
}  # fmt: skip


def _record_type(schema: Mapping[str, Any], name: str) -> RecordType:
    made = type_from_schema(schema, {"Thing": _RECORD}, name)
    assert isinstance(made, RecordType)
    return made


ARGUMENTS_TYPE = _record_type(
    {
        "type": "object",
        "properties": dict(_FIELDS),
        "required": [name for name in _FIELDS if name != "opt"],
    },
    "args",
)
_USER = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer"},
        "email": {"type": "string"},
    },
    "required": ["name", "age"],
}
PATTERNS: Mapping[str, LedgerPattern] = {
    "users.*": LedgerPattern("users.*", (STRING,), _record_type(_USER, "User")),
    "shop": LedgerPattern("shop", (), _record_type(_USER, "Shop")),
}
_REFUND = _record_type(
    {"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]},
    "arguments of refund",
)
ENVIRONMENT: Environment = rule_environment(
    ARGUMENTS_TYPE, PATTERNS, ZONE_NAME, {"refund": _REFUND, "audit": _REFUND}
)
AT_US = 1_715_704_215_123_456  # args.at: 2024-05-14T16:30:15.123456Z
DAY_US = 1_715_745_600_000_000  # args.day: 2024-05-15T04:00:00Z


def ledger() -> Ledger:
    """The ledger that the rows read: `users.u1` is observed, `refund` was called twice."""
    made = Ledger(PATTERNS)
    user = {"name": "Ann", "age": 30}
    made.put("users.*", ("u1",), dict(user))
    made.heard = MESSAGES
    made.history.add("refund", {"order": "W1"}, "ALLOW", NOW_US - 2 * HOUR_US, ok=True)
    made.history.add("refund", {"order": "W2"}, "BLOCK", NOW_US - HOUR_US // 2, ok=False)
    return made


MESSAGES = ("It is abc. And b, or B-52?", "I paid 12.50 on May 15th, 2024")
"""What the user said in all rows."""

LITERALS = (
    _row("true", True),
    _row("null", None),
    _row("42", 42),
    _row("-0x1F", -31),
    _row("-9223372036854775808", -(2**63)),
    _row("2.50", Fraction(5, 2)),
    _row(".5e1", 5),
    _row("-1e-2", Fraction(-1, 100)),
    _row(r"'\x41\u00e9\U0001F431\101\n\''", "Aé🐱A\n'"),
    _row(r"r'\d' + '''a'b'''", r"\da'b"),
    _row("[]", ()),
    _row("[1, 2]", (1, 2)),
    _row("[args.i, 2]", (7, 2)),
    _row("[[1], []]", ((1,), ())),
    _row("[args.s, null]", ("abc", None)),
    _row("1 // a comment", 1),
)
NAMES = (
    _row("args.s", "abc"),
    _row("args.r.y", "why"),
    _row("args['s']", "abc"),
    _row("args.opt", 5),
    _row("args.opt", ERROR, opt=...),
    _row("args.r.z == null", True),
    _row("call.tool", "refund"),
    _row("now", NOW_US),
    _row("ledger.users['u1'].age", 30),
    _row("ledger.users.u1.name", "Ann"),
    _row("ledger.users[args.s].age", UNKNOWN),
    _row("ledger.users[args.s].age", 30, s="u1"),
    _row("ledger.shop.name", UNKNOWN),
    _row("ledger.users.u1.email", ERROR),
    _row("ledger.users[args.null_string].age", ERROR),
    _row("observed(ledger.users.u1)", True),
    _row("observed(ledger.users[args.s])", False),
    _row("observed(ledger.users.u1.age)", True),
    _row("observed(ledger.users[args.null_string])", False),
    _row("observed(ledger.shop)", False),
    _row("records(ledger.users).map(u, u.age)", (30,)),
    _row("records(ledger.users).exists(u, u.name == args.s)", False),
    _row("size(history)", 2),
    _row("history.map(c, c.tool)", ("refund", "refund")),
    _row("history.refund.filter(c, c.ok && now - c.time < duration('1h')).size()", 0),
    _row("history.refund.exists(c, c.verdict == 'BLOCK' && c.args.order == 'W2')", True),
    _row("history.audit.exists(c, c.ok)", False),
    _row("has(args.opt)", True),
    _row("has(args.opt)", False, opt=...),
    _row("has(args.r.y)", False, r={"x": 1, "z": None}),
    _row("has(args.r.z)", True),
    _row("has(args.map.a)", True),
    _row("has(args.map.c)", False),
    _row("has(ledger.users.u1.email)", False),
    _row("has(ledger.shop.email)", UNKNOWN),
)
LOGIC = (
    _row("!args.flag", False),
    _row("args.flag && args.i > 1", True),
    _row("args.flag && args.i > 7", False),
    _row("false && args.flag", False),
    _row("args.i / 0 > 1 && false", False),
    _row("args.i / 0 > 1 && true", ERROR),
    _row("ledger.shop.age > 1 && false", False),
    _row("ledger.shop.age > 1 && true", UNKNOWN),
    _row("ledger.shop.age > 1 && args.i / 0 > 1", UNKNOWN),
    _row("!args.flag || args.i == 7", True),
    _row("args.i / 0 > 1 || true", True),
    _row("args.i / 0 > 1 || false", ERROR),
    _row("ledger.shop.age > 1 || true", True),
    _row("ledger.shop.age > 1 || false", UNKNOWN),
    _row("ledger.shop.age > 1 || ledger.shop.age <= 1", UNKNOWN),
    _row("args.null_bool && true", ERROR),
    _row("args.null_bool || true", True),
    _row("!args.null_bool", ERROR),
    _row("args.flag ? args.i : args.i / 0", 7),
    _row("args.flag ? args.i / 0 : args.i", ERROR),
    _row("args.flag ? args.i : args.n", 7),
    _row("args.null_bool ? 1 : 2", ERROR),
    _row("ledger.shop.age > 1 ? 1 : 2", UNKNOWN),
    _row("args.i / 0 > 1 ? 1 : 2", ERROR),
    _row("args.flag ? args.null_string : 'x'", None),
)
COMPARISONS = (
    _row("args.i == 7", True),
    _row("args.i == 7.0", True),
    _row("args.i != args.j", True),
    _row("args.n == args.i", False),
    _row("args.s == 'abc'", True),
    _row("args.words == ['a', 'b', 'a']", True),
    _row("args.ints == [1.0, 2.0, 3.0]", True),
    _row("args.r == args.records[0]", False),
    _row("args.map == args.map", True),
    _row("args.null_string == null", True),
    _row("args.null_string == 'a'", False),
    _row("args.null_string != null", True, null_string="x"),
    _row("args.flag == true", True),
    _row("args.i < args.n", False),
    _row("args.i <= 7", True),
    _row("args.s > 'Z'", True),
    _row("args.s >= 'abcd'", False),
    _row("false < args.flag", True),
    _row("args.at < now", True),
    _row("now - args.at > duration('24h')", True),
    _row("args.null_int < 3", ERROR),
    _row("args.i in [1, 7]", True),
    _row("args.i in args.numbers", False),
    _row("args.t in args.words", True),
    _row("args.t in args.map", True),
    _row("args.null_string in args.nulls", True),
    _row("args.null_string in args.words", False),
    _row("args.t in args.null_words", ERROR),
)
NUMBERS = (
    _row("-args.i", -7),
    _row("-args.i", ERROR, i=-(2**63)),
    _row("args.i + args.j", 9),
    _row("args.i + args.j", ERROR, i=INT_MAX),
    _row("args.i - args.j", 5),
    _row("args.i - args.j", ERROR, i=-(2**63)),
    _row("args.i * args.j", 14),
    _row("args.i * args.j", ERROR, i=INT_MAX),
    _row("args.i / args.j", 3),
    _row("-args.i / args.j", -3),
    _row("args.i / args.j", ERROR, j=0),
    _row("args.i / args.j", ERROR, i=-(2**63), j=-1),
    _row("args.i % args.j", 1),
    _row("-args.i % args.j", -1),
    _row("args.i % args.j", ERROR, j=0),
    _row("-args.n", Fraction(-5, 2)),
    _row("args.n + args.m", Fraction(13, 5)),
    _row("args.m + 0.2", Fraction(3, 10)),
    _row("args.i + args.n", Fraction(19, 2)),
    _row("args.n - 0.5", 2),
    _row("args.n * 2", 5),
    _row("args.i / args.n", Fraction(14, 5)),
    _row("args.n / args.m", ERROR, m=0),
    _row("args.null_int + 1", ERROR),
    _row("args.null_int + 1", 4, null_int=3),
    _row("sum(args.ints)", 6),
    _row("sum(args.ints)", ERROR, ints=[INT_MAX, 1]),
    _row("sum(args.ints)", 0, ints=[]),
    _row("sum(args.numbers)", Fraction(3, 10)),
    _row("sum(args.null_ints)", ERROR),
    _row("sum([now - args.at, duration('1s')])", NOW_US - AT_US + 1_000_000),
    _row("min(args.ints)", 1),
    _row("min(args.ints)", ERROR, ints=[]),
    _row("min(args.i, args.n)", Fraction(5, 2)),
    _row("max(args.i, args.j, 8)", 8),
    _row("max(args.numbers)", Fraction(1, 5)),
    _row("max(args.numbers)", ERROR, numbers=[]),
    _row("int(args.n)", 2),
    _row("int(-args.n)", -2),
    _row("int(args.n)", ERROR, n=1e19),
    _row("int(args.i)", 7),
    _row("int(args.s)", ERROR),
    _row("int(args.s)", -12, s="-12"),
    _row("int(args.at)", AT_US // 1_000_000),
)
STRINGS = (
    _row("args.s + args.t", "abcb"),
    _row("size(args.s)", 3),
    _row("args.s.size()", 2, s="🐱ß"),
    _row("args.s.startsWith('ab')", True),
    _row("args.s.endsWith(args.t)", False),
    _row("args.s.contains(args.t)", True),
    _row("args.s.matches('^[a-c]{3}$')", True),
    _row("args.s.matches('b$')", False, s="b\n"),
    _row("string(args.i)", "7"),
    _row("string(args.n)", "2.5"),
    _row("string(args.n / 3.0)", ERROR),
    _row("string(args.n)", "100", n=100.0),
    _row("string(args.flag)", "true"),
    _row("string(args.s)", "abc"),
    _row("string(args.at)", "2024-05-14T16:30:15.123456Z"),
    _row("string(now - args.day)", "54000s"),
    _row("args.null_string + 'a'", ERROR),
    _row("args.null_string.startsWith('a')", ERROR),
    _row("args.s.trim()", "a", s="\ta"),
    _row("args.s.trim()", "a", s="a\u2003"),
    _row("args.s.trim()", "\u200ba\x1c", s="\u200ba\x1c"),
    _row("args.s.trim() == ''", True, s=" \u00a0\u3000"),
    _row("args.null_string.trim()", ERROR),
    _row("args.s.lowerAscii()", "ab-1 cd", s="aB-1 CD"),
    _row("args.s.upperAscii()", "AB-1 CD", s="aB-1 cd"),
    _row("args.s.lowerAscii()", "ÀÉßİ\u017f\u212a", s="ÀÉßİ\u017f\u212a"),
    _row("args.s.upperAscii()", "àéßı\u017f\u212a", s="àéßı\u017f\u212a"),
    _row("args.s.lowerAscii() == args.t.lowerAscii()", True, s="AbC", t="aBc"),
    _row("args.s.lowerAscii() == args.t.lowerAscii()", False, s="É", t="é"),
    _row("args.s.lowerAscii() == 'abc'", True, s="aBC"),
    _row("args.s.lowerAscii() == 'Abc'", False, s="Abc"),
    _row("args.s.lowerAscii() == 'abc'", False, s="ABC\n"),
    _row("args.s.lowerAscii() == 'k'", False, s="\u212a"),
    _row("args.s.upperAscii() in ['AB', 'S']", True, s="ab"),
    _row("args.s.upperAscii() in ['AB', 'S']", False, s="\u017f"),
    _row("args.s.lowerAscii().upperAscii() == 'AB'", True, s="aB"),
    _row("args.s.lowerAscii().startsWith('ab')", True, s="ABc"),
    _row("args.s.lowerAscii().endsWith('Bc')", False, s="ABc"),
    _row("args.s.lowerAscii().contains('b')", True, s="ABc"),
    _row("args.s.upperAscii().contains(args.t)", True, s="abc", t="BC"),
    _row("args.s.lowerAscii().matches('^[a-z]+$')", True, s="ABc"),
    _row("args.s.lowerAscii().matches('[A-Z]')", False, s="ABc"),
    _row("args.s.matches('(?i)^ks$')", True, s="\u212a\u017f"),
    _row("args.s.matches('(?i)^ks$')", True, s="Ks"),
    _row("args.s.matches('(?i)^[^k]$')", False, s="\u212a"),
    _row("args.s.matches('(?i)é')", True, s="É"),
    _row("size(args.s.lowerAscii())", 3, s="ABC"),
    _row("args.null_string.lowerAscii()", ERROR),
    _row("args.s == args.s.normalize()", True, s="é"),
    _row("args.s == args.s.normalize()", False, s="e\u0301"),
    _row("args.s.normalize() == args.t.normalize()", True, s="e\u0301", t="é"),
    _row("args.s.normalize('NFD') == 'e\u0301'", True, s="é"),
    _row("args.s.normalize() == 'ﬁ'", True, s="ﬁ"),
    _row("args.s.normalize('NFKC') == 'fi'", True, s="ﬁ"),
    _row("args.s.normalize('NFKC').lowerAscii() == 'a1'", True, s="\uff21\uff11"),
    _row("args.s == args.s.normalize('NFKC')", True, s="abc\u200b"),
    _row("args.s == args.s.normalize()", True, s="\u0440\u0430\u0443"),
    _row("args.s.normalize() == 'abc'", True),
    _row("args.null_string.normalize()", ERROR),
)
TIMES = (
    _row("days(args.day, now)", 0),
    _row("days(args.at, now)", 1),
    _row("days(now, args.at)", -1),
    _row("days(args.day, now)", 90, day="2024-02-15"),
    _row("days(args.day, args.at)", 1, day="2024-03-10", at="2024-03-11T00:00:00-04:00"),
    _row("days(args.day, args.at)", 0, day="2024-03-10", at="2024-03-10T23:59:59-04:00"),
    _row("days(args.at, now)", 739021, at="0001-01-01T03:00:00Z"),
    _row("timestamp('2024-05-15T15:00:00-04:00')", NOW_US),
    _row("timestamp(args.s)", ERROR),
    _row("timestamp(args.s)", 0, s="1970-01-01T00:00:00Z"),
    _row("timestamp(args.i)", 7_000_000),
    _row("timestamp(args.i)", ERROR, i=10**12),
    _row("timestamp(args.at)", AT_US),
    _row("args.day", DAY_US),
    _row("duration('1h30m')", HOUR_US * 3 // 2),
    _row("duration('-1.5s')", -1_500_000),
    _row("duration(args.s)", ERROR),
    _row("duration(args.s)", 60_000_000, s="1m"),
    _row("duration(now - args.day)", 15 * HOUR_US),
    _row("now + duration('1h')", NOW_US + HOUR_US),
    _row("duration('1h') + now", NOW_US + HOUR_US),
    _row("args.at + duration('48h')", ERROR, at="9999-12-31T00:00:00Z"),
    _row("args.at - duration('48h')", ERROR, at="0001-01-02T00:00:00Z"),
    _row("args.at - duration('1us')", AT_US - 1),
    _row("now - args.day", 15 * HOUR_US),
    _row("(now - args.day) + duration('1h')", 16 * HOUR_US),
    _row("(now - args.day) - duration('1h')", 14 * HOUR_US),
    _row("-(now - args.day)", -15 * HOUR_US),
    _row("args.at.getFullYear()", 2024),
    _row("args.at.getMonth()", 4),
    _row("args.at.getDate()", 14),
    _row("args.at.getDayOfMonth()", 13),
    _row("args.at.getDayOfYear()", 134),
    _row("args.at.getDayOfWeek()", 2),
    _row("args.at.getHours()", 12),
    _row("args.at.getHours('UTC')", 16),
    _row("args.at.getHours('+05:30')", 22),
    _row("args.at.getMinutes()", 30),
    _row("args.at.getSeconds()", 15),
    _row("args.at.getMilliseconds()", 123),
    _row("args.day.getHours()", 0),
    _row("(now - args.at).getHours()", 26),
    _row("(now - args.at).getMinutes()", 1589),
    _row("(now - args.at).getSeconds()", 95384),
    _row("(now - args.at).getMilliseconds()", 876),
)
LISTS = (
    _row("args.ints[0]", 1),
    _row("args.ints[args.i]", ERROR),
    _row("args.ints[-1]", ERROR),
    _row("args.null_words[0]", ERROR),
    _row("args.records[1].y", "b"),
    _row("args.records[0].y", ERROR),
    _row("args.map.a", 1),
    _row("args.map[args.t]", 2),
    _row("args.map['c']", ERROR),
    _row("args.ints + [args.i]", (1, 2, 3, 7)),
    _row("size(args.words)", 3),
    _row("args.map.size()", 2),
    _row("size(args.null_words)", ERROR),
    _row("distinct(args.words)", ("a", "b")),
    _row("{'a': 1, 'b': 2}[args.t]", 2),
    _row("{'a': 1, 'b': 2}[args.s]", ERROR),
    _row("{'a': 1, 'b': args.i}[args.t]", 7),
    _row("{'a': 1 / args.j, 'b': 2}[args.t]", ERROR, j=0),
    _row("{'b': 2.5, 'a': 1.5}.b", Fraction(5, 2)),
    _row("{'a': {'b': [1, 2]}}['a'][args.t][1]", 2),
    _row("args.t in {'a': 1, 'b': 2}", True),
    _row("args.s in {'a': args.i}", False),
    _row("has({'a': args.i}.b)", False),
    _row("size({'b': 1, 'a': args.i})", 2),
    _row("{'b': 1, 'a': args.i} == {'a': 7, 'b': 1}", True),
    _row("args.map == {'b': 2, 'a': 1}", True),
    _row("{'b': 1, 'a': args.i}.map(k, k)", ("a", "b")),
    _row("{'a': args.i}", {"a": 7}),
    _row("{'b': [1], 'a': []}[args.t]", (1,)),
    _row("{'b': null, 'a': 1}[args.t]", None),
    _row("{}.all(k, k == args.s)", True),
    _row("{'u1': 1}.exists(k, ledger.users[k].age == 30)", True),
    _row("{'a': ledger.shop.age}['a'] > 0", UNKNOWN),
)
MACROS = (
    _row("args.ints.all(x, x > 0)", True),
    _row("args.ints.all(x, x > 1)", False),
    _row("args.ints.all(x, 1 / (x - 1) > 5)", False),
    _row("args.ints.all(x, 1 / (x - 1) >= 0)", ERROR),
    _row("args.ints.all(x, x / 0 == 0)", True, ints=[]),
    _row("args.ints.exists(x, x == args.j)", True),
    _row("args.ints.exists(x, x > 3)", False),
    _row("args.ints.exists(x, 1 / (x - 1) == 1)", True),
    _row("args.ints.exists(x, 1 / (x - 1) > 5)", ERROR),
    _row("args.ints.exists_one(x, x > 2)", True),
    _row("args.ints.exists_one(x, x > 1)", False),
    _row("args.ints.exists_one(x, 1 / (x - 1) == 1)", ERROR),
    _row("args.ints.filter(x, x != args.j)", (1, 3)),
    _row("args.ints.filter(x, x / 0 == 1)", ERROR),
    _row("args.ints.map(x, x * x)", (1, 4, 9)),
    _row("args.ints.map(x, x > 1, -x)", (-2, -3)),
    _row("args.ints.map(x, 1 / (x - 1))", ERROR),
    _row("args.null_words.all(x, x == 'a')", ERROR),
    _row("args.nulls.exists(x, x == null)", True),
    _row("args.map.all(k, args.map[k] > 0)", True),
    _row("args.map.filter(k, args.map[k] == 2)", ("b",)),
    _row("args.records.exists(r, has(r.y) && r.y == 'b')", True),
    _row("args.ints.all(x, args.words.exists(w, size(w) <= x))", True),
    _row("args.ints.exists(x, [x + 1].exists(x, x == 4))", True),
    _row("[].all(x, x > 1)", True),
    _row("['u1', 'u9'].exists(u, ledger.users[u].age == 30)", True),
    _row("['u1', 'u9'].all(u, ledger.users[u].age == 30)", UNKNOWN),
    _row("['u1', 'u9'].all(u, ledger.users[u].age == 31)", False),
    _row("['u1', 'u9'].exists_one(u, ledger.users[u].age == 30)", UNKNOWN),
    _row("['u1', 'u9'].map(u, ledger.users[u].age)", UNKNOWN),
    _row("['u1', 'u9'].filter(u, ledger.users[u].age == 30)", UNKNOWN),
)
TWO_VARIABLES = (
    _row("args.ints.all(i, x, x == i + 1)", True),
    _row("args.ints.all(i, x, i < args.j)", False),
    _row("args.ints.all(i, x, 1 / i >= 0)", ERROR),
    _row("args.ints.all(i, x, 1 / i > 5)", False),
    _row("args.ints.all(i, x, x / 0 == i)", True, ints=[]),
    _row("args.ints.exists(i, x, i == args.j && x == 3)", True),
    _row("args.ints.exists(i, x, i == x)", False),
    _row("args.ints.exists(i, x, x / i == 2)", True),
    _row("args.ints.existsOne(i, x, i + x > 3)", True),
    _row("args.ints.exists_one(i, x, i + x > 1)", False),
    _row("args.ints.existsOne(x, x > 2)", True),
    _row("args.ints.existsOne(i, x, x / i == 2)", ERROR),
    _row("args.ints.transformList(i, x, i * x)", (0, 2, 6)),
    _row("args.ints.transformList(i, x, i != 1, i + x)", (1, 5)),
    _row("args.ints.transformList(i, x, x / i)", ERROR),
    _row("args.ints.filter(x, x != 1).transformList(i, x, i)", (0, 1)),
    _row("args.ints.filter(x, x != 1).all(i, x, x == i + 2)", True),
    _row("args.words.all(i, w, args.ints[i] > 0 && size(w) == 1)", True),
    _row("args.words.all(i, w, args.ints.exists(j, x, i == j && x == i + 1))", True),
    _row("args.words.all(i, w, args.ints[i] > 0)", ERROR, ints=[1]),
    _row("args.null_words.exists(i, w, i == 0)", ERROR),
    _row("['u1', 'u9'].exists(i, u, i == 0 && ledger.users[u].age == 30)", True),
    _row("['u1', 'u9'].all(i, u, ledger.users[u].age == 30 + i)", UNKNOWN),
    _row("['u1', 'u9'].all(i, u, i < 1 && ledger.users[u].age > 0)", False),
    _row("history.exists(i, c, i == 1 && c.verdict == 'BLOCK')", True),
    _row("args.map.all(k, v, v > 0 && args.map[k] == v)", True),
    _row("args.map.exists(k, v, k == 'b' && v == args.j)", True),
    _row("args.map.existsOne(k, v, v > 1)", True),
    _row("args.map.transformList(k, v, v)", (1, 2)),
    _row("args.map.transformList(k, v, v > 1, k)", ("b",)),
    _row("{'a': 1, 'b': args.i}.transformList(k, v, v)", (1, 7)),
    _row("{'a': 1, 'b': 2}.exists(k, v, k == args.t && v == args.j)", True),
)
REFUSED = (
    _row("args.ints.all(i, i, i > 1)", BadConstant),
    _row("args.ints.transformList(x, x)", TypeProblem),
    _row("args.ints.transformMap(i, v, v)", Unsupported),
    _row("{'a': 1, 'a': 2}", BadConstant),
    _row("{args.s: 1}", Unsupported),
    _row("{1: 1}", Unsupported),
    _row("{'a': 1, 'b': 'c'}", Unsupported),
    _row("{?'a': args.i}", Unsupported),
    _row("{}[args.s]", BadConstant),
    _row("{}.a", BadConstant),
    _row("days(args.s, now)", TypeProblem),
    _row("days(now)", TypeProblem),
    _row("args.i.trim()", TypeProblem),
    _row("args.i.lowerAscii()", TypeProblem),
    _row("args.s.upperAscii('de')", TypeProblem),
    _row("args.s.normalize('nfc')", TypeProblem),
    _row("args.s.normalize(args.t)", Unsupported),
    _row("args.s.normalize('NFC', 'NFD')", TypeProblem),
    _row("", SyntaxProblem),
    _row("args.i = 7", SyntaxProblem),
    _row("args.i ==", SyntaxProblem),
    _row("'open", SyntaxProblem),
    _row(r"'\q'", SyntaxProblem),
    _row(r"'\ud800'", SyntaxProblem),
    _row("9223372036854775808", SyntaxProblem),
    _row("if == 1", SyntaxProblem),
    _row("args.x", TypeProblem),
    _row("arg.i", UnknownName),
    _row("args.i.y", TypeProblem),
    _row("ledger", TypeProblem),
    _row("ledger.users", TypeProblem),
    _row("ledger.user.u1", TypeProblem),
    _row("ledger.users[1]", TypeProblem),
    _row("args.i == 'a'", TypeProblem),
    _row("args.i < 'a'", TypeProblem),
    _row("args.ints < args.ints", TypeProblem),
    _row("args.i in args.words", TypeProblem),
    _row("args.i && true", TypeProblem),
    _row("args.i ? 1 : 2", TypeProblem),
    _row("args.s - args.t", TypeProblem),
    _row("-args.s", TypeProblem),
    _row("args.ints['a']", TypeProblem),
    _row("[][0]", BadConstant),
    _row("args.i[0]", TypeProblem),
    _row("sise(args.s)", TypeProblem),
    _row("args.s.startWith('a')", TypeProblem),
    _row("args.s.startsWith(1)", TypeProblem),
    _row("sum(args.words)", TypeProblem),
    _row("min(args.s, 1)", TypeProblem),
    _row("distinct(args.s)", TypeProblem),
    _row("has(args)", TypeProblem),
    _row("has(ledger.shop)", TypeProblem),
    _row("observed(args.r)", TypeProblem),
    _row("records(ledger.shop)", TypeProblem),
    _row("records(args.r)", TypeProblem),
    _row("history.refunds", TypeProblem),
    _row("history.refund.exists(c, c.arguments.order == 'W1')", TypeProblem),
    _row("args.ints.all(x > 1)", TypeProblem),
    _row("args.r.all(x, true)", TypeProblem),
    _row("args.ints.all(x, x)", TypeProblem),
    _row("args.s.getHours()", TypeProblem),
    _row("now.getHours('Mars/Olympus')", TypeProblem),
    _row("timestamp('2024-02-30T00:00:00Z')", BadConstant),
    _row("timestamp('2024-05-15')", BadConstant),
    _row("duration('1 day')", BadConstant),
    _row("duration('200000000000s')", BadConstant),
    _row("1u", Unsupported),
    _row("b'a'", Unsupported),
    _row("Money{units: 1}", Unsupported),
    _row(".args", Unsupported),
    _row("args.?opt", Unsupported),
    _row("args.ints[?0]", Unsupported),
    _row("[?args.opt]", Unsupported),
    _row("[1, 'a']", Unsupported),
    _row("args.flag ? 1 : 'a'", Unsupported),
    _row("double(1)", Unsupported),
    _row("type(1)", Unsupported),
    _row("dyn(1)", Unsupported),
    _row("int", Unsupported),
    _row("math.greatest(1, 2)", Unsupported),
    _row("args.s.substring(1)", Unsupported),
    _row("args.s.matches(args.t)", Unsupported),
    _row("args.s.matches('(?=a)')", TypeProblem),
    _row("args.at.getHours(args.s)", Unsupported),
    _row("args.n / 0", Unsupported),
    _row("timestamp('2024-05-15T00:00:00.0000001Z')", Unsupported),
    _row("1.5 + 1", Unsupported),
    _row("0.1 + 0.2", Unsupported),
    _row("[1, 2.5]", Unsupported),
    _row("0.12345678901234567890", Unsupported),
    _row("1e400", Unsupported),
)

STATED = (
    _row("stated(args.s)", True),
    _row("stated(args.s, 'exact')", True),
    _row("stated(args.s)", False, s="ab"),
    _row("stated(args.s)", False, s="ABC"),
    _row("stated(args.s, 'ignoring_case')", True, s="ABC"),
    _row("stated(args.s)", False, s="B52"),
    _row("stated(args.s, 'loose')", True, s="B52"),
    _row("stated(args.s)", False, s=""),
    _row("stated('abc') && !stated('xyz')", True),
    _row("stated(args.n)", True, n=12.5),
    _row("stated(args.i)", False, i=12),
    _row("stated(args.i)", True, i=2024),
    _row("stated(args.day)", False),
    _row("stated(args.day, 'date')", True),
    _row("stated(args.day, 'day')", True),
    _row("stated(args.s, 'date')", True, s="2024-05-15"),
    _row("stated(args.s, 'date')", False, s="2024-05-16"),
    _row("stated(ledger.users.u2.name)", UNKNOWN),
    _row("stated(args.null_string)", ERROR, null_string=None),
    _row("args.words.exists(w, stated(w))", True, words=["x", "abc"]),
    _row("stated()", TypeProblem),
    _row("stated(args.flag)", TypeProblem),
    _row("stated(args.at)", TypeProblem),
    _row("stated(args.words)", TypeProblem),
    _row("stated(args.n, 'loose')", TypeProblem),
    _row("stated(args.s, 'sounding_like')", TypeProblem),
    _row("stated(args.s, args.t)", TypeProblem),
    _row("heard.size() > 0", UnknownName),
)

ROWS: tuple[Row, ...] = (
    *LITERALS, *NAMES, *LOGIC, *COMPARISONS, *NUMBERS, *STRINGS, *TIMES, *LISTS, *MACROS,
    *TWO_VARIABLES, *STATED, *REFUSED,
)  # fmt: skip
LOADING: tuple[Row, ...] = tuple(row for row in ROWS if row.loads)
