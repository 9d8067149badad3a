"""The interpreter against cel-python, an independent CEL engine, where both speak the same CEL.

Not generated, because the two differ there for a reason:

- numbers with a point: exact decimals here, doubles there (`tests/lang/test_departures.py`);
- comparing values of different types: a load error here, an error when evaluated there;
- accessors of times without a zone: the domain's zone here, UTC there; so the domain's is UTC;
- `duration.getMilliseconds()`: below the second here, as CEL's conformance cases have it, of the
  whole there;
- null: here null has no order and no fields, as in CEL; cel-python leaks Python's errors;
- `exists_one` over an error: an error here, as CEL says; there, false for that item;
- a negative index: an error here, as CEL says; cel-python counts from the end;
- accessors of a difference of durations, `contains` of a sum of strings: cel-python does not find
  them;
- `map` with a condition: cel-python does not know it;
- `sum`, `distinct`, `min`, `max`, `observed`: extensions;
- fractions of a second and years before 1000 in `string(timestamp)`: cel-python follows `strftime`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import celpy
import pytest
from celpy import celtypes
from celpy.adapter import json_to_cel
from celpy.evaluation import CELEvalError
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger_verify.evaluate.kleene import Failure, Scope, evaluate
from ledger_verify.lang.check import check_text
from ledger_verify.lang.environment import Environment
from ledger_verify.lang.errors import BadConstant
from ledger_verify.lang.times import parse_duration, parse_timestamp
from ledger_verify.lang.types import BOOL, DURATION, INT, STRING, TIMESTAMP, ListType, MapType, Type

NAMES: Mapping[str, Type] = {
    "i": INT, "j": INT, "s": STRING, "t": STRING, "b": BOOL, "ints": ListType(INT),
    "words": ListType(STRING), "m": MapType(INT), "at": TIMESTAMP, "d": DURATION,
}  # fmt: skip
ENVIRONMENT = Environment(names=NAMES)
ENGINE = celpy.Environment()
ERROR = "ERROR"

integers = st.sampled_from([-7, -2, -1, 0, 1, 2, 3, 10, 2**63 - 1, -(2**63)])
words = st.sampled_from(["", "a", "ab", "b", "é🐱", "x y"])
times = st.sampled_from(["2024-02-29T23:59:59Z", "1999-12-31T00:00:00Z", "2024-05-15T15:04:05Z"])
durations = st.sampled_from(["0s", "90s", "-25h", "3723s"])
records = st.fixed_dictionaries(
    {
        "i": integers, "j": integers, "s": words, "t": words, "b": st.booleans(),
        "ints": st.lists(integers, max_size=3), "words": st.lists(words, max_size=3),
        "m": st.dictionaries(st.sampled_from(["a", "ab", "b"]), integers), "at": times,
        "d": durations,
    }
)  # fmt: skip

LEAVES: Mapping[str, tuple[str, ...]] = {
    "int": ("i", "j", "0", "1", "-2", "m.a", "size(s)"),
    "string": ("s", "t", "''", "'a'", "'ab'"),
    "bool": ("b", "true", "false", "has(m.ab)"),
    "ints": ("ints", "[1, i]", "[]", "[-1, 0, 2]"),
    "words": ("words", "[s, 'a']", "['ab']"),
    "time": ("at", "timestamp('2024-05-15T15:04:05Z')"),
    "length": ("d", "duration('1h30m')", "duration('-1s')"),
}
_PARTS = ("FullYear", "Month", "Date", "DayOfMonth", "DayOfYear", "DayOfWeek", "Hours", "Minutes",
          "Seconds")  # fmt: skip
COMPOUND: Mapping[str, tuple[str, ...]] = {
    "int": (
        "<int> + <int>", "<int> - <int>", "<int> * <int>", "<int> / <int>", "<int> % <int>",
        "-<int>", "size(<string>)", "size(<ints>)", "<words>.size()", "<ints>[size(s)]",
        "m[<string>]", "<bool> ? <int> : <int>", "int(<time>)", "int(string(<int>))",
        *(f"<time>.get{part}()" for part in _PARTS), "<time>.getHours('America/New_York')",
        "d.getSeconds()",
    ),
    "string": ("<string> + <string>", "string(<int>)", "<words>[1]",
               "<bool> ? <string> : <string>", "string(<time>)"),
    "bool": (
        "<bool> && <bool>", "<bool> || <bool>", "!<bool>", "<bool> ? <bool> : <bool>",
        "<int> == <int>", "<int> != <int>", "<int> < <int>", "<int> >= <int>",
        "<string> == <string>", "<string> < <string>", "<string> <= <string>",
        "<time> < <time>", "<time> == <time>", "<length> > <length>", "<int> in <ints>",
        "<string> in <words>", "<string> in m", "<string>.startsWith(<string>)",
        "<string>.endsWith(<string>)", "s.contains(<string>)",
        "<string>.matches('^a+b?$')", "<ints> == <ints>", "<words> != <words>",
        "<ints>.all(x, x > <int>)", "<ints>.exists(x, <int> / x > 1)",
        "<words>.exists_one(w, w == <string>)", "m.all(k, m[k] > <int>)",
        "<ints>.exists(x, <ints>.all(y, y <= x))",
    ),
    "ints": ("<ints> + <ints>", "<ints>.filter(x, x != <int>)", "<ints>.map(x, x + 1)"),
    "words": ("<words> + <words>", "<words>.filter(w, w.size() > 1)", "<ints>.map(x, string(x))"),
    "time": ("<time> + <length>", "<time> - <length>"),
    "length": ("<time> - <time>", "<length> + <length>", "<length> - <length>"),
}  # fmt: skip


@st.composite
def expressions(draw: st.DrawFn, kind: str, size: int) -> str:
    """The text of an expression of a kind, at most `size` levels deep."""
    if size == 0 or draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from(LEAVES[kind]))
    template = draw(st.sampled_from(COMPOUND[kind]))
    out = ""
    while True:
        head, opening, rest = template.partition("<")
        name, _, tail = rest.partition(">")
        if not opening:
            return f"({out}{head})"
        if name not in LEAVES:  # the operator `<`
            out, template = f"{out}{head}<", rest
            continue
        out, template = out + head + draw(expressions(name, size - 1)), tail


def ours(text: str, record: Mapping[str, Any]) -> Any:
    values = {name: tuple(v) if isinstance(v, list) else v for name, v in record.items()}
    values["at"] = parse_timestamp(record["at"])
    values["d"] = parse_duration(record["d"])
    value = evaluate(check_text(text, ENVIRONMENT), Scope(names=values))
    return ERROR if isinstance(value, Failure) else value


def theirs(text: str, record: Mapping[str, Any]) -> Any:
    values = {name: json_to_cel(value) for name, value in record.items()}
    values["at"] = celtypes.TimestampType(record["at"])
    values["d"] = celtypes.DurationType(record["d"])
    program = ENGINE.program(ENGINE.compile(text))
    try:
        return plain(program.evaluate(values))
    except CELEvalError:
        return ERROR


def plain(value: Any) -> Any:
    match value:
        case celtypes.BoolType():
            return bool(value)
        case celtypes.IntType():
            return int(value)
        case celtypes.StringType():
            return str(value)
        case list():  # what is added up is no longer of its own type
            return tuple(map(plain, value))
        case datetime():
            return round(value.timestamp() * 1_000_000)
        case timedelta():
            return math.floor(value.total_seconds() * 1_000_000)
    return value


@settings(max_examples=150)
@given(st.sampled_from(sorted(LEAVES)).flatmap(lambda kind: expressions(kind, 3)), records)
def test_cel_python_agrees(text: str, record: Mapping[str, Any]) -> None:
    try:
        value = ours(text, record)
    except BadConstant:
        return
    assert value == theirs(text, record), text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 / 0 > 1 || true", True),
        ("true || 1 / 0 > 1", True),
        ("1 / 0 > 1 && false", False),
        ("[1, 0].exists(x, 1 / x > 0)", True),
        ("[0, 1].all(x, 1 / x > 1)", False),
        ("[1, 2].all(x, [2].exists(x, x == 2))", True),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("'é' < '🐱'", True),
        ("m.zzz == 1", ERROR),
        ("i / j", ERROR),
    ],
)
def test_what_policies_lean_on(text: str, value: Any) -> None:
    record = {"i": 1, "j": 0, "s": "", "t": "", "b": True, "ints": [1], "words": [], "m": {},
              "at": "2024-05-15T15:04:05Z", "d": "0s"}  # fmt: skip
    assert ours(text, record) == value
    assert theirs(text, record) == value
