"""Which tools can be called at all, against a plain fixpoint over what each of them needs."""

from random import Random

import pytest

from ledger_verify.checks.base.job import Bench
from ledger_verify.checks.catalog import selected
from ledger_verify.checks.history.prerequisites import can_be_first, cycles, prerequisites
from ledger_verify.checks.running.run import run_checks
from ledger_verify.policy.domain import Domain

NAMES = ("a", "b", "c", "d", "e")
Needs = dict[str, list[list[str]]]


def _needs(seed: int) -> Needs:
    """For each tool alternatives, each of them tools that must all have been called before."""
    random = Random(seed)
    return {
        name: [
            random.sample(NAMES, random.randint(0 if random.random() < 0.3 else 1, 2))
            for _ in range(random.randint(1, 2))
        ]
        for name in NAMES
    }


def _domain(needs: Needs) -> Domain:
    def called(name: str) -> str:
        return f"history.{name}.exists(c, c.ok && c.args.of == args.of)"

    rules = [
        {
            "id": f"needs_of_{name}",
            "tools": [name],
            "require": " || ".join(
                "(" + " && ".join([*map(called, some), "args.of != ''"]) + ")"
                for some in alternatives
            ),
        }
        for name, alternatives in needs.items()
    ]
    tools = {name: {"kind": "write", "arguments": {"of": "string"}} for name in NAMES}
    return Domain.define("steps", tools=tools, ledger={}, rules=rules)


def _reached(needs: Needs) -> set[str]:
    reached: set[str] = set()
    while True:
        more = {n for n in NAMES if any(set(some) <= reached for some in needs[n])}
        if more == reached:
            return reached
        reached = more


@pytest.mark.parametrize("seed", range(25))
def test_tools_are_blocked_iff_the_fixpoint_does_not_reach_them(seed: int) -> None:
    needs = _needs(seed)
    domain = _domain(needs)
    bench = Bench(domain)
    reached, found = _reached(needs), prerequisites(bench)
    assert found.undecided == frozenset()
    assert set(found.blocked) == set(NAMES) - reached
    for name, blocked in found.blocked.items():
        assert not set(blocked.needs) & reached
        assert [rule.id for rule in blocked.core] == [f"needs_of_{name}"]
    for cycle in cycles(found):
        for name, after in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
            assert after in found.blocked[name].needs
    first = {n for n in NAMES if [] in needs[n]}
    assert {n for n in NAMES if can_be_first(bench, domain.tools[n])} == first


@pytest.mark.parametrize("seed", range(25))
def test_there_are_findings_iff_a_tool_is_blocked(seed: int) -> None:
    needs = _needs(seed)
    checks = selected(["unreachable_prerequisite", "prerequisite_cycle"])
    (report,) = run_checks([_domain(needs)], checks=checks)
    assert bool(report.findings) is (_reached(needs) != set(NAMES))
