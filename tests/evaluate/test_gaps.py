"""The interpreter where evidence is missing or stale, and what it says is missing."""

from random import Random
from typing import Any

import pytest

from ledger_verify.evaluate.kleene import Scope, Truth, evaluate, truth
from ledger_verify.lang.check import check_text
from ledger_verify.policy.evidence import MissingPath, NoEvidence, Unknown
from tests.differential.strategies import ENVIRONMENT, PATTERNS, full_ledger, random_case

CASE = random_case(Random(0))
ORDER: dict[str, Any] = {
    "id": "o1", "status": "open", "total": 10, "items": (), "created_at": 0, "coupon": None,
    "gift": False, "counts": {"a": 1},
}  # fmt: skip


def scope(*touched: tuple[str, ...]) -> Scope:
    """Order `o1` and all that `full_ledger` has, the parts of `o1` at the paths given stale."""
    ledger = full_ledger(CASE)
    ledger.put("orders.*", ("o1",), ORDER)
    ledger.put("orders.*", ("o2",), {**ORDER, "counts": {"a": 2}})
    for within in touched:
        ledger.touch("orders.*", ("o1",), within)
    return Scope(ledger, CASE.names)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("ledger.orders.o1.status == 'open'", Truth.UNKNOWN),
        ("ledger.orders.o1.total == 10", Truth.TRUE),
        ("ledger.orders.o1 == ledger.orders.o2", Truth.UNKNOWN),
        ("ledger.orders.o1 in [ledger.orders.o2]", Truth.UNKNOWN),
        ("ledger.orders.o1.counts == ledger.orders.o2.counts", Truth.UNKNOWN),
        ("'a' in ledger.orders.o1.counts", Truth.TRUE),
        ("ledger.orders.o1.counts.a == 1", Truth.TRUE),
        ("'b' in ledger.orders.o1.counts", Truth.UNKNOWN),
        ("ledger.orders.o1.counts.b == 1", Truth.UNKNOWN),
        ("size(ledger.orders.o1.counts) == 1", Truth.UNKNOWN),
        ("ledger.orders.o1.counts.all(k, k == 'a')", Truth.UNKNOWN),
        ("has(ledger.orders.o1.discount)", Truth.UNKNOWN),
        ("[ledger.orders.o1].size() == 1", Truth.UNKNOWN),
        ("[ledger.orders.o1][0].total == 10", Truth.UNKNOWN),
        ("observed(ledger.orders.o1)", Truth.TRUE),
        ("observed(ledger.orders.o1.status)", Truth.FALSE),
        ("observed(ledger.orders.o1.total)", Truth.TRUE),
        ("ledger.orders.o1.items[0].qty == 1", Truth.ERROR),
        ("ledger.orders.o1.status == 'open' && 1 / ledger.orders.o1.counts.a == 2", Truth.FALSE),
        ("ledger.orders.o1.items[0].qty == 1 && ledger.orders.o1.status == 'open'", Truth.UNKNOWN),
        ("ledger.orders.o1.items[0].qty + ledger.orders.o1.counts.b == 1", Truth.ERROR),
    ],
)
def test_stale_parts(text: str, answer: Truth) -> None:
    expr = check_text(text, ENVIRONMENT)
    assert truth(expr, scope(("status",), ("discount",), ("counts", "b"))) is answer


def test_what_is_missing_is_named() -> None:
    expr = check_text(
        "ledger.orders.o1.status == 'open' && ledger.user.age > 3"
        " || ledger.stock[ledger.user.id][1].open",
        ENVIRONMENT,
    )
    value = evaluate(expr, Scope(NoEvidence(), CASE.names))
    assert isinstance(value, Unknown)
    assert value.missing == {
        MissingPath("orders.*", ("o1",)),
        MissingPath("user", ()),
        MissingPath("stock.*.*", (None, 1)),
    }
    stale = evaluate(
        check_text("ledger.orders.o1.counts.a == 1", ENVIRONMENT), scope(("counts", "a"))
    )
    assert stale == Unknown(frozenset({MissingPath("orders.*", ("o1",), ("counts", "a"))}))


def test_what_the_body_of_a_macro_needs_is_missing_too() -> None:
    expr = check_text("ledger.orders.o1.items.all(i, ledger.user.age > i.qty)", ENVIRONMENT)
    value = evaluate(expr, Scope(NoEvidence(), CASE.names))
    assert isinstance(value, Unknown)
    assert {path.pattern for path in value.missing} == {"orders.*", "user"}


def test_observed_with_a_key_that_is_not_known_is_false() -> None:
    expr = check_text("observed(ledger.stock[ledger.user.id][1])", ENVIRONMENT)
    assert truth(expr, Scope(NoEvidence(), CASE.names)) is Truth.FALSE
    assert set(PATTERNS) == {"user", "orders.*", "stock.*.*"}
