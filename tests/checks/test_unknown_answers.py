"""Each question to the solver forced to "unknown" in turn: the answer says so, or is the same.

A few questions of each domain are tried here; `python benchmarks/honesty.py` tries them all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import pytest
import z3

from ledger_verify.checks.running.report import Report
from ledger_verify.checks.running.run import run_checks
from ledger_verify.comparison.compare import diff
from ledger_verify.comparison.report import Change, Direction
from ledger_verify.gate.cases import replay_case
from ledger_verify.gate.gate import Gate
from ledger_verify.generate.cases import Skipped, generate
from ledger_verify.generate.scenario import Scenario
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.yaml_file import read_yaml
from ledger_verify.proofs.invariants import Proof, prove
from ledger_verify.proofs.sequences import SequenceResult, prove_sequences
from ledger_verify.solver.outcome import Outcome, Ruling, Search
from ledger_verify.solver.query import Answer, Query
from ledger_verify.solver.sequences import SequenceSolver
from ledger_verify.solver.static import StaticSolver
from tests.checks.depot import checked, depot
from tests.checks.random_policies import random_policy
from tests.checks.shop import DEFINITIONS, ORDER, TOOLS
from tests.differential.sequences import random_policy as random_sequences

FAULTS = Path(__file__).parent / "faults"
T = TypeVar("T")
TRIES = max(1, int(os.environ.get("LEDGER_VERIFY_CASES", "2000")) // 1000)


class Oracle:
    """Counts the questions, and leaves the one with the number `unknown` without an answer."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.asked, self.unknown = 0, -1
        check = Query._check

        def wrapped(query: Query, *chosen: z3.BoolRef) -> Answer:
            self.asked += 1
            return Answer.UNDECIDED if self.asked - 1 == self.unknown else check(query, *chosen)

        patch.setattr(Query, "_check", wrapped)

    def one_by_one(
        self, ask: Callable[[], T], tries: int | None = TRIES
    ) -> Iterator[tuple[int, T, T]]:
        """What is said when all is answered, and when one question is not; None tries them all."""
        self.asked, self.unknown = 0, -1
        whole = ask()
        questions = range(self.asked)
        some = len(questions) if tries is None else min(tries, len(questions))
        for number in sorted(Random(len(questions)).sample(questions, some)):
            self.asked, self.unknown = 0, number
            yield number, whole, ask()


@pytest.fixture
def oracle(monkeypatch: pytest.MonkeyPatch) -> Oracle:
    return Oracle(monkeypatch)


def _summary(report: Report) -> Any:
    """All that a report says, the values of counterexamples aside."""
    return (
        [(f.code, f.rules, f.tools, f.message, f.core, f.notes) for f in report.findings],
        [(f.code, f.rules) for f, _ in report.ignored],
        [(one.check, one.proved, one.refuted, one.undecided) for one in report.checked],
    )


def judge_check(whole: Report, other: Report) -> str:
    """`same`, `said`, or what is wrong; as for all judges here."""
    if _summary(whole) == _summary(other):
        return "same"
    # a question that stayed open is accepted by `ignore` like a defect, and counted all the same
    told = other.undecided or any(f.severity == "undecided" for f, _ in other.ignored)
    said = told and any(one.undecided for one in other.checked)
    return "said" if said else f"{_summary(whole)} became {_summary(other)}"


def _faults() -> Iterator[Any]:
    for path in sorted(FAULTS.glob("*.yaml")):
        data = read_yaml(path).data
        for kind in ("faulty", "right"):
            for name, example in list(data.get(kind, {}).items())[:2]:
                yield pytest.param(example, id=f"{path.stem}: {name}")


Judge = Callable[[Any, Any], str]
RIGHT = {"same", "said"}


@pytest.mark.parametrize("example", list(_faults()))
def test_what_check_says_of_seeded_faults(
    example: dict[str, Any], oracle: Oracle, tmp_path: Path
) -> None:
    for number, whole, other in oracle.one_by_one(lambda: checked(example, tmp_path)[1]):
        said = judge_check(whole, other)
        assert said in RIGHT, (number, said)


def of_check(seed: int) -> tuple[Callable[[], Report], Judge]:
    """What is asked of a random policy, and what judges the answers."""
    domain = random_policy(seed)
    return lambda: run_checks([domain])[0], judge_check


ONE_CALL = Domain.define(
    "one", tools=TOOLS, ledger={"orders.*": "Order"}, definitions=DEFINITIONS,
    rules=[
        {"id": "few", "tools": ["change"], "require": "args.bags <= 3"},
        {"id": "some", "tools": ["change"], "require": f"{ORDER}.total > 1.0"},
    ],
    assumptions=["ledger.orders.all(o, o.total < 100.0)"],
    invariants=[
        {"id": "proved", "tools": ["change"], "never": "args.bags > 4"},
        {"id": "refuted", "tools": ["change"], "never": "args.bags > 2"},
        {"id": "anyway", "tools": ["change"], "never": "args.bags > 4 && args.bags < 3"},
        {"id": "assumed", "tools": ["change"], "never": f"{ORDER}.total > 200.0"},
    ],
    clock="2024-05-15T15:00:00",
)  # fmt: skip


def test_what_prove_says_of_one_call(oracle: Oracle) -> None:
    def ask() -> dict[str, Any]:
        return {r.invariant.id: r for r in prove(ONE_CALL, StaticSolver(ONE_CALL))}

    for number, whole, other in oracle.one_by_one(ask):
        for id_, result in other.items():
            if result.proof is Proof.UNDECIDED:
                assert result.reasons, (number, id_)
                continue
            assert result.proof is whole[id_].proof, (number, id_)
            assert result.without_rules in (whole[id_].without_rules, None), (number, id_)


def of_sequences(seed: int) -> tuple[Callable[[], Any], Judge]:
    """The same of a random claim over sequences of calls."""
    domain = random_sequences(seed).domain

    def ask() -> SequenceResult:
        (result,) = prove_sequences(domain, SequenceSolver(domain), 2)
        return result

    def judge(whole: SequenceResult, other: SequenceResult) -> str:
        weaker = other.proof is Proof.PROVED_UP_TO_BOUND and whole.proof is Proof.PROVED
        if (other.proof is Proof.UNDECIDED or weaker) and other.reasons:
            return "same" if other == whole else "said"
        return "same" if other.proof is whole.proof else f"{whole.proof} became {other.proof}"

    return ask, judge


def of_diff(seed: int) -> tuple[Callable[[], Any], Judge]:
    """The same of two random policies."""
    old, new = random_policy(2 * seed), random_policy(2 * seed + 1)

    def ask() -> dict[tuple[str, str], Direction]:
        return {
            (tool.tool, way): direction
            for tool in diff(old, new).tools
            for way, direction in (("allowed", tool.allowed), ("refused", tool.refused))
        }

    def judge(whole: Any, other: Any) -> str:
        said = "same"
        for place, direction in other.items():
            before = whole[place]
            if direction.change is Change.UNDECIDED and direction.reason:
                said = said if before.change is Change.UNDECIDED else "said"
            elif direction.change is not before.change:
                return f"{place}: {before.change} became {direction.change}"
            elif direction.change is Change.NONE and direction.bound != before.bound:
                if direction.bound is None:
                    return f"{place}: the bound {before.bound} is gone"
                said = "said"
        return said

    return ask, judge


def of_generate(seed: int) -> tuple[Callable[[], Any], Judge]:
    """The same of the cases that are made for a random policy."""
    domain = random_policy(seed)

    def ask() -> dict[str, Scenario | Skipped]:
        return {made.name: made for made in generate(domain, StaticSolver(domain))}

    def judge(whole: Any, other: Any) -> str:
        if not whole.keys() <= other.keys():
            return f"without {whole.keys() - other.keys()}"
        said = "same"
        for name, made in other.items():
            before = whole.get(name)
            if isinstance(made, Skipped):
                same = isinstance(before, Skipped) and before.outcome is made.outcome
                if not same and made.outcome is not Outcome.UNDECIDED:
                    return f"{name}: {made.outcome}"
                said = said if same else "said"
        return said

    return ask, judge


@pytest.mark.parametrize("seed", range(4 * TRIES))
@pytest.mark.parametrize("of", [of_check, of_sequences, of_diff, of_generate])
def test_what_is_said_of_random_policies(
    of: Callable[[int], tuple[Callable[[], Any], Judge]], seed: int, oracle: Oracle
) -> None:
    ask, judge = of(seed)
    for number, whole, other in oracle.one_by_one(ask):
        said = judge(whole, other)
        assert said in RIGHT, (number, said)


def test_a_case_made_while_a_question_stays_open_is_what_it_says(oracle: Oracle) -> None:
    for seed in range(2 * TRIES):
        ask, _ = of_generate(seed)
        for number, _, other in oracle.one_by_one(ask, tries=3 * TRIES):
            oracle.unknown = -1
            for made in other.values():
                if isinstance(made, Scenario):
                    verdict = replay_case(Gate(random_policy(seed)), made.case)
                    assert verdict.decision.value == made.verdict, (seed, number)


@pytest.mark.parametrize("example", list(_faults())[: 10 * TRIES])
def test_what_the_gate_says(example: dict[str, Any], oracle: Oracle, tmp_path: Path) -> None:
    """The decision is the same, or an error that says so; a repair is no other one."""
    domain = depot({key: value for key, value in example.items() if key in _OF_DOMAIN}, tmp_path)
    solver = StaticSolver(domain)
    oracle.unknown = -1
    cases = [made.case for made in generate(domain, solver) if not isinstance(made, Skipped)]
    gate = Gate(domain)
    for case in cases[:3]:
        for number, whole, other in oracle.one_by_one(lambda c=case: replay_case(gate, c)):  # type: ignore[misc]
            if other.decided_by != "error":
                assert other.decision is whole.decision, number
                assert other.repair in (whole.repair, None), number


_OF_DOMAIN = frozenset(
    {"rules", "assumptions", "invariants", "templates", "tools", "ledger", "$defs", "default"}
)


@pytest.mark.parametrize("answer", [*Answer, *Outcome, *Ruling])
def test_no_answer_is_true_or_false(answer: Any) -> None:
    with pytest.raises(TypeError):
        bool(answer)
    assert Search(Outcome.NONE).found is False
