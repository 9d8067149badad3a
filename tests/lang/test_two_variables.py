"""Macros with two variables against plain loops of Python, interpreted and compiled."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_verify.evaluate.compiled import compile_predicate
from ledger_verify.evaluate.kleene import Failure, Scope, evaluate
from ledger_verify.lang.check import check_text
from ledger_verify.lang.environment import Environment
from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.types import INT, FieldType, ListType, MapType, RecordType
from ledger_verify.ledger.store import Ledger

ARGS = RecordType(
    "args",
    (
        ("a", FieldType(ListType(INT))),
        ("b", FieldType(ListType(INT))),
        ("m", FieldType(MapType(INT))),
    ),
)
ENVIRONMENT = Environment({"args": ARGS})
small = st.integers(-3, 12)
Pairs = Iterable[tuple[Any, Any]]
OF_LISTS: dict[str, Callable[[list[int], list[int]], Any]] = {
    "args.a.all(i, x, x >= i)": lambda a, b: all(x >= i for i, x in enumerate(a)),
    "args.a.exists(i, x, x == i)": lambda a, b: any(x == i for i, x in enumerate(a)),
    "args.a.existsOne(i, x, x == i)": lambda a, b: sum(x == i for i, x in enumerate(a)) == 1,
    "args.a.exists_one(i, x, x > i)": lambda a, b: sum(x > i for i, x in enumerate(a)) == 1,
    "args.a.transformList(i, x, i * x)": lambda a, b: tuple(i * x for i, x in enumerate(a)),
    "args.a.transformList(i, x, x > 0, i)": lambda a, b: tuple(i for i, x in enumerate(a) if x > 0),
    "sum(args.a.transformList(i, x, i < size(args.b), x * args.b[i]))": lambda a, b: sum(
        x * y for x, y in zip(a, b, strict=False)
    ),
    "args.a.all(i, x, args.b.all(j, y, i != j || x <= y))": lambda a, b: all(
        x <= y for x, y in zip(a, b, strict=False)
    ),
    "args.a.filter(x, x > 0).exists(i, x, i == x)": lambda a, b: any(
        i == x for i, x in enumerate(x for x in a if x > 0)
    ),
    "(args.a + args.b).transformList(i, x, i + x)": lambda a, b: tuple(
        i + x for i, x in enumerate(a + b)
    ),
    "args.a.all(i, x, x == args.b[i])": lambda a, b: _absorbing(a, b),
}
OF_MAPS: dict[str, Callable[[dict[str, int]], Any]] = {
    "args.m.all(k, v, v > 0 || k == 'a')": lambda m: all(v > 0 or k == "a" for k, v in m.items()),
    "args.m.exists(k, v, k + 'b' == 'ab' && v > 3)": lambda m: m.get("a", 0) > 3,
    "args.m.existsOne(k, v, v > 3)": lambda m: sum(v > 3 for v in m.values()) == 1,
    "args.m.transformList(k, v, v * 2)": lambda m: tuple(v * 2 for v in m.values()),
    "args.m.transformList(k, v, v != 0, k)": lambda m: tuple(k for k, v in m.items() if v != 0),
}


def _absorbing(a: list[int], b: list[int]) -> Any:
    """An item without a partner has no value, unless a pair settles the matter."""
    if any(x != y for x, y in zip(a, b, strict=False)):
        return False
    return True if len(a) <= len(b) else None


def check(text: str, args: dict[str, Any], expected: Any) -> None:
    expr = check_text(text, ENVIRONMENT)
    value = evaluate(expr, Scope(names={"args": args}))
    assert (None if isinstance(value, Failure) else value) == expected
    try:
        assert compile_predicate(expr)(Ledger({}), args, 0, {}) == expected
    except (NoValue, LookupError):
        assert expected in (None, False)  # left to the interpreter


@pytest.mark.parametrize("text", OF_LISTS)
@given(a=st.lists(small, max_size=14), b=st.lists(small, max_size=14))
def test_over_lists_of_any_length(text: str, a: list[int], b: list[int]) -> None:
    check(text, {"a": tuple(a), "b": tuple(b), "m": {}}, OF_LISTS[text](a, b))


@pytest.mark.parametrize("text", OF_MAPS)
@given(m=st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), small))
def test_over_maps(text: str, m: dict[str, int]) -> None:
    check(text, {"a": (), "b": (), "m": m}, OF_MAPS[text](m))


def test_the_compiled_form_is_a_plain_loop() -> None:
    from ledger_verify.evaluate.compiled import generate

    source, _ = generate((check_text("args.a.all(i, x, x > i)", ENVIRONMENT),))
    assert "in enumerate(args['a'])" in source
    assert "_apply" not in source
