"""`vacuous_rule` on rules that forbid nothing, and on their near misses."""

import pytest

from ledger_verify.policy.domain import Domain
from tests.checks.shop import ORDER, report, shop

VACUOUS = {
    "a bound of the schema": shop("args.bags >= 0"),
    "one or the other": shop('args.text != "a" || args.text != "b"'),
    "all of an enum": shop('args.kind in ["a", "b"]'),
    "a size": shop("size(args.names) >= 0"),
    "a bounded size": shop("size(args.short) <= 3"),
    "items of a list of any length": shop("args.items.all(i, i.qty >= 0)"),
    "an assumption": shop(
        f'{ORDER}.status != "open"', assumptions=['ledger.orders.all(o, o.status != "open")']
    ),
    "either way": shop(f"{ORDER}.total > 3.0 || {ORDER}.total <= 3.0"),
    "a field or its absence": shop(f'!has({ORDER}.note) || {ORDER}.note != "" || true'),
    "the same": shop(f"{ORDER}.items == {ORDER}.items"),
}
WORTH = {
    "a stricter bound": shop("args.bags >= 1"),
    "one or the other of two": shop('args.text != "a" || args.id != "b"'),
    "a part of an enum": shop('args.kind in ["a", "c"]'),
    "a large size": shop("size(args.names) <= 9"),
    "a size that is reached": shop("size(args.short) <= 2"),
    "items": shop("args.items.all(i, i.qty >= 1)"),
    "a guard": shop({"when": "args.bags <= 0", "require": "args.bags > 9"}),
    "a field that may be absent": shop(f'{ORDER}.note != ""'),
    "what may have no value": shop("10 / args.bags >= 0"),
    "an edge": shop(f"{ORDER}.total > 3.0 || {ORDER}.total < 3.0"),
    "a deep list": shop(f"{ORDER}.items.all(i, size(i.name) < 3)"),
    "an observation": shop(f"observed({ORDER})"),
}


@pytest.mark.parametrize("domain", VACUOUS.values(), ids=VACUOUS)
def test_a_vacuous_rule_is_found(domain: Domain) -> None:
    (found,) = report(domain).findings
    assert (found.code, found.check, found.severity) == ("LV102", "vacuous_rule", "warning")
    assert found.rules == ("r0",)
    assert found.message == "`r0` holds in every possible case: it forbids nothing"


@pytest.mark.parametrize("domain", WORTH.values(), ids=WORTH)
def test_a_rule_that_forbids_something_is_not(domain: Domain) -> None:
    assert report(domain).findings == ()


def test_a_rule_that_forbids_something_for_one_of_its_tools_is_right() -> None:
    both = shop({"tools": ["change", "other"], "require": "args.bags >= 0"})
    assert report(both).findings == ()


def test_a_rule_that_is_vacuous_for_all_of_its_tools_is_told_once() -> None:
    both = shop({"tools": ["change", "other"], "require": "args.bags == args.bags"})
    (found,) = report(both).findings
    assert found.tools == ("change", "other")


OTHER = "ledger.orders.all(o, size(o.items) < 3)"
SMALL = "ledger.orders.all(o, o.total <= 5.0)"
OPEN = 'ledger.orders.all(o, o.status == "open")'


@pytest.mark.parametrize(
    ("rule", "assumptions", "told"),
    [
        (f"{ORDER}.total <= 10.0", (OTHER, SMALL, OPEN), (SMALL,)),
        (f'{ORDER}.total <= 10.0 || {ORDER}.status == "paid"', (SMALL, OTHER), (SMALL,)),
        (f'{ORDER}.total <= 10.0 && {ORDER}.status == "open"', (OPEN, OTHER, SMALL), (OPEN, SMALL)),
        (f"{ORDER}.total >= 0.0", (OTHER, SMALL), ()),
        ("args.bags >= 0", (OPEN,), ()),
    ],
)
def test_the_assumptions_that_make_it_so_are_named(
    rule: str, assumptions: tuple[str, ...], told: tuple[str, ...]
) -> None:
    domain = shop(rule, assumptions=assumptions)
    (found,) = report(domain).findings
    places = {one.text: one.location for one in domain.assumptions}
    assert found.notes == tuple(
        f"it does so because of the assumption `{text}` at {places[text]}" for text in told
    )
    assert ("assumption" in (found.fix or "")) == bool(told)
