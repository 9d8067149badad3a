"""`dead_action` on policies that leave a tool no legal call, and on their near misses."""

import pytest

from ledger_verify.policy.domain import Domain
from ledger_verify.solver.question import Question
from ledger_verify.solver.static import StaticSolver
from tests.checks.shop import ORDER, report, shop

DEAD = {
    "numbers": shop("args.bags >= 3", "args.bags <= 2"),
    "an enum": shop('args.kind != "a"', 'args.kind != "b"'),
    "the schema of an argument": shop('!(args.kind in ["a", "b"])'),
    "the schema of a record": shop(f"{ORDER}.total < 0.0"),
    "an assumption": shop(
        f'{ORDER}.status == "open"', assumptions=['ledger.orders.all(o, o.status != "open")']
    ),
    "times": shop(
        f'now - {ORDER}.created_at > duration("24h")',
        f'now - {ORDER}.created_at <= duration("1h")',
    ),
    "sizes": shop("size(args.names) >= 20", "size(args.names) <= 10"),
    "items of a list of any length": shop(
        "args.items.all(i, i.qty > 3)", "args.items.exists(i, i.qty <= 3)"
    ),
    "a list that is too short": shop("size(args.short) > 3"),
    "texts": shop('args.text.startsWith("x")', 'args.text.matches("^[a-w]")'),
    "the same field twice": shop(f"{ORDER}.owner == args.text", f"args.text != {ORDER}.owner"),
    "what never has a value": shop("args.bags / 0 == 1"),
    "a guard that always applies": shop({"when": "args.bags >= 0", "require": "args.bags < 0"}),
}
ALIVE = {
    "numbers that meet": shop("args.bags >= 3", "args.bags <= 3"),
    "the rest of an enum": shop('args.kind != "a"'),
    "a bound of the schema": shop(f"{ORDER}.total <= 0.0"),
    "an assumption about other records": shop(
        f'{ORDER}.status == "open"',
        assumptions=['ledger.orders.all(o, o.status != "open" || o.total > 5.0)'],
    ),
    "times that meet": shop(
        f'now - {ORDER}.created_at >= duration("24h")',
        f'now - {ORDER}.created_at <= duration("24h")',
    ),
    "a long list": shop("size(args.names) >= 20"),
    "items that differ": shop("args.items.all(i, i.qty > 3)", "args.items.exists(i, i.qty <= 4)"),
    "a full list": shop("size(args.short) == 3"),
    "texts": shop('args.text.startsWith("w")', 'args.text.matches("^[a-w]")'),
    "a guard that need not apply": shop({"when": "args.bags > 0", "require": "args.bags < 0"}),
    "an observation": shop(f"!observed({ORDER})"),
    "a reason to observe": shop(f"observed({ORDER})", f'{ORDER}.status == "sent"'),
}


@pytest.mark.parametrize("domain", DEAD.values(), ids=DEAD)
def test_a_dead_action_is_found(domain: Domain) -> None:
    found = [f for f in report(domain).findings if f.check == "dead_action"]
    assert [(f.code, f.severity) for f in found] == [("LV101", "error")]
    assert "`change` can ever be allowed" in found[0].message
    assert found[0].core == found[0].rules


@pytest.mark.parametrize("domain", ALIVE.values(), ids=ALIVE)
def test_an_action_that_is_alive_is_not(domain: Domain) -> None:
    result = report(domain)
    assert [f for f in result.findings if f.check == "dead_action"] == []
    assert result.checked[0].proved == 1


@pytest.mark.parametrize("domain", DEAD.values(), ids=DEAD)
def test_a_core_is_irreducible(domain: Domain) -> None:
    """All of the core conflict, and without any one of them the rest can hold."""
    solver, tool = StaticSolver(domain), domain.tools["change"]
    padded = [(rule.id, rule.holds) for rule in domain.rules]
    core = solver.core(tool, padded)
    assert core.smallest
    predicates = [expr for name, expr in padded if name in core.names]
    assert solver.impossible(Question(tool, true=tuple(predicates))).decided
    for left_out in predicates:
        rest = tuple(expr for expr in predicates if expr is not left_out)
        assert solver.search(Question(tool, true=rest)).case is not None


def test_the_core_names_only_the_rules_that_conflict() -> None:
    domain = shop(
        "args.bags < 10", "args.bags + size(args.short) > 5", 'args.kind == "a"',
        "size(args.short) <= 1", "args.bags <= 4", "args.bags != 3",
    )  # fmt: skip
    (found,) = report(domain).defects
    assert found.core == ("r1", "r3", "r4")
    assert "`r1`, `r3`, `r4` contradict each other" in found.message


def test_a_rule_that_never_holds_is_named_alone() -> None:
    (found,) = report(shop("args.bags > 1", "args.bags < 0")).defects
    assert found.core == ("r1",)
    assert "`r1` never holds" in found.message


def test_tools_without_rules_are_not_looked_at() -> None:
    assert report(shop()).findings == ()


@pytest.mark.parametrize("domain", DEAD.values(), ids=DEAD)
def test_the_remedy_fits_one_rule_or_several(domain: Domain) -> None:
    (found,) = report(domain).findings
    mend = "check the condition for a slip" if len(found.core or ()) == 1 else "loosen one of these"
    assert (found.fix or "").startswith(mend)
