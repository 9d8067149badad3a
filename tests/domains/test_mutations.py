"""No rule of a bundled domain can be changed without a scenario that notices."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace

import pytest

from ledger_verify import Domain, Gate
from ledger_verify.generate.cases import with_rule
from ledger_verify.generate.mutants import loosened
from ledger_verify.generate.scenario import (
    Scenario,
    load_scenarios,
    run_scenario,
    scenario_files,
)
from ledger_verify.lang.typed import Apply
from ledger_verify.lang.types import BOOL
from ledger_verify.policy.data_files import bundled_domains
from ledger_verify.policy.rules import Rule
from ledger_verify.solver.outcome import Outcome
from ledger_verify.solver.question import Question
from ledger_verify.solver.static import StaticSolver


@functools.cache
def domain(name: str) -> Domain:
    return Domain.load(name)


@functools.cache
def scenarios(name: str) -> tuple[Scenario, ...]:
    folder = domain(name).folder
    assert folder is not None
    return tuple(s for p in scenario_files(folder) for s in load_scenarios(p, domain(name)))


RULES = [
    pytest.param(name, rule, id=f"{name}-{rule.id}-{rule.tool}")
    for name in bundled_domains()
    for rule in domain(name).rules
]


def survivors(name: str, rule: Rule, mutants: Iterator[Rule | None]) -> list[Rule | None]:
    """The mutants under which every scenario is still as expected."""
    ours = [s for s in scenarios(name) if s.case.tool == rule.tool]
    ours.sort(key=lambda s: rule.id not in s.rules)  # those that are about the rule come first
    left = []
    for mutant in mutants:
        gate = Gate(with_rule(domain(name), rule, mutant))
        if all(run_scenario(gate, scenario).problem is None for scenario in ours):
            left.append(mutant)
    return left


@pytest.mark.parametrize(("name", "rule"), RULES)
def test_dropping_or_negating_a_rule_is_noticed(name: str, rule: Rule) -> None:
    negated = replace(rule, require=Apply("not", (rule.require,), BOOL))
    assert survivors(name, rule, iter((None, negated))) == []


@pytest.mark.parametrize(("name", "rule"), RULES)
def test_loosening_a_bound_by_one_is_noticed(name: str, rule: Rule) -> None:
    solver = StaticSolver(domain(name))
    tool = domain(name).tools[rule.tool]
    others = tuple(r.holds for r in domain(name).rules_by_tool[tool.name] if r is not rule)
    for mutant in survivors(name, rule, loosened(rule)):
        assert mutant is not None
        question = Question(tool, true=(*others, mutant.holds), false=(rule.holds,))
        assert solver.search(question).outcome is Outcome.NONE, "no scenario tells it apart"
