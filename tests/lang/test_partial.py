"""Which expressions may lack a value: never one too few, and not all of them."""

import pytest

from ledger_verify.lang.check import check_text
from ledger_verify.lang.environment import Environment, LedgerPattern
from ledger_verify.lang.operations import OPERATIONS
from ledger_verify.lang.partial import BOUNDED, PARTIAL, TOTAL, absent_parts, may_lack_value
from ledger_verify.lang.types import RecordType
from ledger_verify.schema.json_schema import type_from_schema
from tests.lang.cases import ENVIRONMENT, ERROR, LOADING, Row

RECORD = type_from_schema(
    {
        "type": "object",
        "required": [
            "n",
            "amount",
            "due",
            "name",
            "list",
            "one",
            "maybe",
            "maybes",
            "map",
            "flag",
            "kind",
        ],
        "properties": {
            "n": {"type": "integer"},
            "amount": {"type": "number"},
            "due": {"type": "string", "format": "date-time"},
            "name": {"type": "string"},
            "list": {"type": "array", "items": {"type": "integer"}},
            "one": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
            "maybe": {"type": ["string", "null"]},
            "maybes": {"type": "array", "items": {"type": ["integer", "null"]}},
            "map": {"type": "object", "additionalProperties": {"type": "integer"}},
            "flag": {"type": ["boolean", "null"]},
            "kind": {"enum": ["a", "b"]},
            "gone": {"type": "integer"},
            "late": {"type": "string", "format": "date-time"},
            "inner": {"type": "object", "required": ["x"], "properties": {"x": {"type": "string"}}},
        },
    },
    {},
    "record",
)
assert isinstance(RECORD, RecordType)
PATTERN = LedgerPattern("rows.*", (RECORD.by_name["name"].type,), RECORD)
SCOPE = Environment({"r": RECORD}, ledger={"rows.*": PATTERN})

ALWAYS = [
    "r.n", "r.amount + 1.5", "r.amount * 2.0 < 3.0", "size(r.list)", "r.one[0]", "min(r.one)",
    "max([r.n, 2])", "r.amount / 4.0", "r.n % 7", "r.n / 7", 'r.maybe == "a"', "r.maybe",
    "has(r.gone)", "r.list.all(x, x > 0)", "r.list.map(x, x)", '"a" in r.map', "r.n in r.maybes",
    "ledger.rows[r.name].n", "ledger.rows[r.name].maybe == null", "observed(ledger.rows[r.name])",
    "r.due - r.due", 'r.name.startsWith("a") ? r.n : 0', "sum([r.amount, 1.5])", "[r.n, 1][1]",
    "int(r.due)", "r.maybes", "has(r.gone) ? r.gone : 0", "!has(r.gone) ? 0 : r.gone",
    "r.gone > 0 && has(r.gone)", "!has(r.gone) || r.gone > 0", "!(has(r.gone) && r.gone > 0)",
    'has(r.inner) && r.flag != true && has(r.gone) ? r.inner.x + "" : ""',
    "r.name in r.map && r.map[r.name] > 0", "r.list.map(x, has(r.gone), r.gone)",
    "r.map.filter(k, k in r.map).map(k, r.map[k])", "observed(ledger.rows[r.maybe])",
    "has(r.inner) ? r.list.map(x, r.inner.x) : []", "r.map.all(k, v, v > 0)",
    "r.map.map(k, r.map[k])", "r.map.filter(k, k != r.name).map(k, r.map[k])",
    "r.map.transformList(k, v, k != r.name, v)", "r.list.transformList(i, x, i < x)",
    '{"a": r.n}', '{"a": r.n}["a"]', '{"a": 1, "b": 2}[r.kind]', "r.name.trim()",
]  # fmt: skip
ABSENT = [
    "r.gone", "r.inner.x", "r.list[0]", "r.one[1]", "r.one[r.n]", "min(r.list)", "r.map.a",
    'r.map["a"]', "r.amount / r.amount", "r.n / r.n", "r.n % r.n", "int(r.name)",
    'r.maybe.startsWith("a")', "sum(r.maybes)", "max(r.maybes + [1])", "r.flag && true",
    "r.flag || true",
    "r.flag ? 1 : 2", "ledger.rows[r.maybe].n", "r.list.map(x, r.gone)", "timestamp(r.name)",
    "duration(r.name)", "has(r.gone) ? 0 : r.gone", "has(r.gone) || r.gone > 0",
    "!has(r.gone) && r.gone > 0", "r.name in r.map ? r.map.a : 0",
    "r.list.map(x, has(r.inner), r.gone)",
    "r.list.all(x, r.flag)", "r.inner == r.inner", '{"a": r.n}[r.name]', '{"a": r.n}[r.kind]',
    '{"a": r.gone}.a', "r.list.all(i, x, r.one[i] > x)", "r.list.transformList(i, x, x / i)",
]  # fmt: skip
OUT_OF_BOUNDS = [
    "r.n + 1", "-r.n", "r.n * 2", "r.n - 1", "sum(r.list)", "int(r.amount)", "timestamp(r.n)",
    'r.due + duration("1h")', "days(r.due, r.due)", "r.due.getMonth()", "string(r.amount)",
    "r.n / -1",
]  # fmt: skip


@pytest.mark.parametrize("row", [row for row in LOADING if row.expected is ERROR], ids=str)
def test_what_has_no_value_in_some_case_may_lack_one(row: Row) -> None:
    assert may_lack_value(check_text(row.text, ENVIRONMENT))


def test_every_operation_is_of_one_kind() -> None:
    assert sorted([*TOTAL, *BOUNDED, *PARTIAL]) == sorted(OPERATIONS)


@pytest.mark.parametrize("text", ALWAYS)
def test_what_always_has_a_value(text: str) -> None:
    expr = check_text(text, SCOPE)
    assert not may_lack_value(expr)
    assert absent_parts(expr) == ()


@pytest.mark.parametrize("text", ABSENT)
def test_what_may_be_absent(text: str) -> None:
    expr = check_text(text, SCOPE)
    assert may_lack_value(expr)
    assert absent_parts(expr)


@pytest.mark.parametrize("text", OUT_OF_BOUNDS)
def test_a_result_out_of_bounds_is_not_absent(text: str) -> None:
    expr = check_text(text, SCOPE)
    assert may_lack_value(expr)
    assert absent_parts(expr) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("r.gone + r.n", ["r.gone"]),
        ("(r.gone + 1) * (r.list[0] - r.gone)", ["r.gone", "r.list[0]"]),
        ('has(r.late) ? r.late + duration("1h") : r.due', []),
        ('r.n > 0 ? r.late + duration("1h") : r.due', ["r.n > 0 ? r.late : null"]),
        ("r.n > 0 ? 1 : r.gone + 1", ["r.n > 0 ? null : r.gone"]),
        ("r.list[r.n + 1] + 1", ["r.list[r.n + 1]"]),
        ("r.list.map(x, x + r.gone)", ["r.list.all(x, r.gone == r.gone)"]),
        (
            "sum(r.list.filter(x, x > 0).map(x, x < 9, r.gone))",
            ["r.list.all(x, x > 0 ? (x < 9 ? r.gone == r.gone : true) : true)"],
        ),
        ("r.list.all(x, x > r.gone)", ["r.list.all(x, x > r.gone)"]),
    ],
)
def test_the_parts_that_matter(text: str, expected: list[str]) -> None:
    found = absent_parts(check_text(text, SCOPE))
    assert list(found) == [check_text(part, SCOPE) for part in expected]
