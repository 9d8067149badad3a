"""What the checks claim of random policies survives random cases; what they show is so.

`LEDGER_VERIFY_CASES=20000 pytest tests/checks/test_random_policies.py` tries ten times as many.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import pytest

from ledger_verify.checks.base.finding import Finding
from ledger_verify.checks.base.job import Bench, Settings
from ledger_verify.checks.running.run import run_checks
from ledger_verify.evaluate.kleene import Scope, Truth, truth
from ledger_verify.gate.cases import replay_case, truths_in
from ledger_verify.gate.verdict import Decision
from ledger_verify.generate.scenario import read_scenario
from ledger_verify.lang.check import check_predicate
from ledger_verify.lang.errors import InputError
from ledger_verify.lang.typed import Expr
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Rule
from ledger_verify.policy.yaml_file import parse_yaml, yaml_text
from ledger_verify.solver.outcome import Outcome
from ledger_verify.solver.question import Question
from tests.checks.random_policies import random_policy, random_scopes
from tests.differential.strategies import ENVIRONMENT

BLOCKS = 5
POLICIES = int(os.environ.get("LEDGER_VERIFY_CASES", "2000")) // 40
SETTINGS = Settings(timeout_ms=2_000, resources=4_000_000)
PROVED = {"LV101", "LV102", "LV103", "LV104", "LV105", "LV106"}


@pytest.mark.parametrize("block", range(BLOCKS))
def test_findings_on_random_policies_are_right(block: int) -> None:
    for seed in range(block, POLICIES, BLOCKS):
        domain = random_policy(seed)
        bench = Bench(domain, SETTINGS)
        (report,) = run_checks([domain], SETTINGS)
        for finding in report.defects:
            where = f"seed {seed}: {finding.message}"
            examine = EXAMINED.get(finding.code)
            if examine is not None:
                for tool in finding.tools:
                    examine(_Claimed(bench, finding, tool), where)
        without_redundant_rules(domain, report.defects, f"seed {seed}")


def test_random_policies_have_every_defect() -> None:
    found: Counter[str] = Counter()
    for seed in range(3 * POLICIES):
        if found.keys() >= PROVED:
            return
        (report,) = run_checks([random_policy(seed)], SETTINGS)
        found.update(finding.code for finding in report.findings)
    assert found.keys() >= PROVED


class _Claimed:
    """A finding as it is meant for one tool."""

    def __init__(self, bench: Bench, finding: Finding, tool: str) -> None:
        self.bench, self.finding, self.tool = bench, finding, tool
        self.rules = {rule.id: rule for rule in bench.domain.rules_by_tool[tool]}
        self.rule = self.rules[finding.rules[0]]
        self.core = [self.rules[name] for name in finding.core or () if name in self.rules]

    def scopes(self) -> Sequence[Scope]:
        """The random cases for the tool."""
        return random_scopes()[self.tool]

    def possible(self, true: Iterable[Expr], untrue: tuple[Expr, ...] = ()) -> bool:
        """Whether a case was found."""
        tool = self.bench.domain.tools[self.tool]
        false = self.bench.solver.outcome(Question(tool, true=tuple(true), false=untrue))
        if false is Outcome.FOUND:
            return True
        lacks = self.bench.solver.outcome(Question(tool, true=tuple(true), untrue=untrue))
        return lacks is Outcome.FOUND


def _all_true(predicates: Iterable[Expr], scope: Scope) -> bool:
    return all(truth(predicate, scope) is Truth.TRUE for predicate in predicates)


def _holds(rules: Iterable[Rule]) -> list[Expr]:
    return [rule.holds for rule in rules]


def _guards(rules: Iterable[Rule]) -> list[Expr]:
    return [rule.when for rule in rules if rule.when is not None]


def _without_one(rules: Sequence[Rule]) -> Iterator[list[Rule]]:
    for left_out in rules:
        yield [rule for rule in rules if rule is not left_out]


def dead(claimed: _Claimed, where: str) -> None:
    core = _holds(claimed.core)
    assert not any(_all_true(core, scope) for scope in claimed.scopes()), where
    for rest in _without_one(claimed.core):
        assert claimed.possible(_holds(rest)), where


def vacuous(claimed: _Claimed, where: str) -> None:
    assert all(_all_true([claimed.rule.holds], scope) for scope in claimed.scopes()), where


def inapplicable(claimed: _Claimed, where: str) -> None:
    assert claimed.rule.when is not None
    truths = {truth(claimed.rule.when, scope) for scope in claimed.scopes()}
    assert truths == {Truth.FALSE}, where


def redundant(claimed: _Claimed, where: str) -> None:
    if len(claimed.core) < len(claimed.finding.core or ()):
        return  # the core is that for another of its tools
    core = _holds(claimed.core)
    for scope in claimed.scopes():
        assert not _all_true(core, scope) or _all_true([claimed.rule.holds], scope), where
    for rest in _without_one(claimed.core):
        assert claimed.possible(_holds(rest), (claimed.rule.holds,)), where


def conflicting(claimed: _Claimed, where: str) -> None:
    guards, core = _guards(claimed.core), _holds(claimed.core)
    assert guards, where
    assert len(core) >= 2, where
    assert not any(_all_true([*guards, *core], scope) for scope in claimed.scopes()), where
    for rest in _without_one(claimed.core):
        assert claimed.possible([*guards, *_holds(rest)]), where
    if claimed.finding.counterexample is None or claimed.tool != claimed.finding.tools[0]:
        return
    domain, gate = claimed.bench.domain, claimed.bench.gate
    shown = {"name": "found", **claimed.finding.counterexample, "expect": {"verdict": "BLOCK"}}
    file = parse_yaml(yaml_text(shown), "counterexample")
    case = read_scenario(file, file.data, (), domain).case
    assert replay_case(gate, case).decision is not Decision.ALLOW, where
    assert set(truths_in(gate, case, guards) or ()) == {Truth.TRUE}, where
    truths = truths_in(gate, case, core) or ()
    assert sorted(t is Truth.TRUE for t in truths) == [False] + [True] * (len(core) - 1), where


def constant(claimed: _Claimed, where: str) -> None:
    said = re.fullmatch(r"`(.*)` is always (true|false)", claimed.finding.message)
    assert said, where
    try:
        part = check_predicate(said[1], ENVIRONMENT)
    except InputError:
        return  # it speaks of the variable of a macro, or is cut
    wanted = Truth.TRUE if said[2] == "true" else Truth.FALSE
    assert {truth(part, scope) for scope in claimed.scopes()} == {wanted}, where


EXAMINED: Mapping[str, Callable[[_Claimed, str], None]] = {
    "LV101": dead,
    "LV102": vacuous,
    "LV103": inapplicable,
    "LV104": redundant,
    "LV105": conflicting,
    "LV106": constant,
}


def without_redundant_rules(domain: Domain, findings: Iterable[Finding], where: str) -> None:
    """Without all rules that are reported as redundant, the same calls are allowed."""
    gone = {finding.rules[0] for finding in findings if finding.code == "LV104"}
    if not gone:
        return
    for tool, rules in domain.rules_by_tool.items():
        kept = [rule.holds for rule in rules if rule.id not in gone]
        dropped = [rule.holds for rule in rules if rule.id in gone]
        for scope in random_scopes().get(tool, ()):
            assert not _all_true(kept, scope) or _all_true(dropped, scope), where
