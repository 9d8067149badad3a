"""Static questions about random predicates: cases replay, and proofs survive random cases."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from ledger_verify.evaluate.kleene import Scope, Truth, truth
from ledger_verify.gate.cases import replay_case
from ledger_verify.gate.gate import Gate
from ledger_verify.lang.check import check_predicate
from ledger_verify.lang.typed import Expr
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.schema.coerce import coercer
from ledger_verify.solver.outcome import Outcome
from ledger_verify.solver.query import Limits
from ledger_verify.solver.question import Question
from ledger_verify.solver.static import StaticSolver
from tests.differential.solver_agreement import DOMAIN
from tests.differential.strategies import ENVIRONMENT, PATTERNS, Completion, random_case
from tests.differential.worlds import WildCompletion

QUESTIONS = 150
COUNTEREXAMPLES = 12
SOLVER = StaticSolver(DOMAIN, scope=3, limits=Limits(timeout_ms=2_000, resources=4_000_000))
GATE = Gate(DOMAIN)


def truth_in(case: Case, expr: Expr) -> Truth:
    """The truth of a predicate in a case, as the interpreter sees it."""
    session = GATE.session(clock_us=case.now_us, facts=case.facts)
    for path, record in case.ledger.items():
        session.record(path, record)
    arguments = coercer(DOMAIN.tools[case.tool].arguments, DOMAIN.zone)(case.arguments)
    names = {"args": arguments, "now": case.now_us, "call": {"tool": case.tool}}
    return truth(expr, Scope(session.ledger, names))


def questions() -> Iterator[tuple[int, Question]]:
    """Pairs of random predicates, and every third time one with its own negation."""
    for seed in range(QUESTIONS):
        random = Random(seed)
        first, second = random_case(random, 2), random_case(random, 2)
        tool = DOMAIN.tools[first.tool]
        if seed % 3 == 0:
            yield seed, Question(tool, true=(first.expr,), false=(first.expr,))
        else:
            yield seed, Question(tool, true=(first.expr,), false=(second.expr,))


@pytest.mark.parametrize("block", range(5))
def test_cases_replay_and_proofs_hold(block: int) -> None:
    outcomes = set()
    for seed, question in questions():
        if seed % 5 != block:
            continue
        search = SOLVER.search(question)
        outcomes.add(search.outcome)
        if search.case is not None:
            held = [truth_in(search.case, expr) for expr in question.true]
            failed = [truth_in(search.case, expr) for expr in question.false]
            open_ended = not replays_exactly(question)
            assert open_ended or held == [Truth.TRUE], f"seed {seed}: {search.case}"
            assert open_ended or failed == [Truth.FALSE], f"seed {seed}: {search.case}"
        if search.outcome is Outcome.NONE:
            assert not list(exceptions(seed, question)), f"seed {seed}"
    assert {Outcome.FOUND, Outcome.NONE} <= outcomes


def test_what_has_no_value_where_a_predicate_is_false() -> None:
    """A predicate without a value is not FALSE; proofs and cases are as for other questions."""
    outcomes = set()
    for seed in range(QUESTIONS):
        random = Random(seed)
        first, second = random_case(random, 2), random_case(random, 2)
        valueless = first.expr if seed % 3 == 0 else second.expr
        tool = DOMAIN.tools[first.tool]
        question = Question(tool, false=(first.expr,), valueless=(valueless,))
        search = SOLVER.search(question)
        outcomes.add(search.outcome)
        if search.case is not None and replays_exactly(question):
            truths = [truth_in(search.case, expr) for expr in question.expressions]
            assert truths == [Truth.FALSE, Truth.ERROR], f"seed {seed}: {search.case}"
        if search.outcome is Outcome.NONE:
            assert not list(exceptions(seed, question)), f"seed {seed}"
    assert {Outcome.FOUND, Outcome.NONE} <= outcomes


def test_a_case_at_the_end_of_the_calendar_is_told() -> None:
    late = check_predicate('now > timestamp("9999-12-31T23:00:00Z")', ENVIRONMENT)
    search = SOLVER.search(Question(DOMAIN.tools["refund"], true=(late,)))
    assert search.case is not None
    assert truth_in(search.case, late) is Truth.TRUE


def replays_exactly(question: Question) -> bool:
    """Whether no operation of the question is one of which the encoding leaves the value open."""
    from tests.solver.test_cases import OPEN_OPERATIONS, operations

    return not any(name in OPEN_OPERATIONS for e in question.expressions for name in operations(e))


def exceptions(seed: int, question: Question) -> Iterator[int]:
    """Random worlds that a proof says there are not."""
    for number in range(COUNTEREXAMPLES):
        base = random_case(Random(1000 * seed + number))
        for world in (Completion(base, number), WildCompletion(base, number)):
            ledger = Ledger(PATTERNS, facts=base.facts)
            for pattern, table in base.world.items():
                for keys in table:
                    ledger.put(pattern, keys, world.lookup(pattern, keys))
            scope = Scope(ledger, {**base.names, "call": {"tool": question.tool.name}})
            wanted = {
                Truth.TRUE: question.true,
                Truth.FALSE: question.false,
                Truth.ERROR: question.valueless,
            }
            if all(truth(e, scope) is answer for answer, some in wanted.items() for e in some):
                yield number


@pytest.mark.parametrize("zone", ["Europe/Berlin", "Asia/Tokyo", "Asia/Kolkata", "UTC"])
@pytest.mark.parametrize(
    "text",
    [
        "args.day.getFullYear() > 2000",
        "args.day.getMonth() < 11",
        "args.day.getHours() == 0",
        'args.at > timestamp("9999-12-31T00:00:00Z")',
        'args.at < timestamp("0001-01-02T00:00:00Z")',
    ],
)
def test_cases_can_be_told_in_every_zone(text: str, zone: str) -> None:
    kinds = {"day": {"type": "string", "format": "date"}}
    kinds["at"] = {"type": "string", "format": "date-time"}
    made = Domain.define(
        "calendar", tools={"book": {"kind": "write", "arguments": kinds}}, ledger={}, timezone=zone,
        rules=[{"id": "r", "tools": ["book"], "require": text}],
    )  # fmt: skip
    (rule,) = made.rules
    search = StaticSolver(made).search(Question(made.tools["book"], true=(rule.holds,)))
    assert search.case is not None
    assert replay_case(Gate(made), search.case).allowed


IMPOSSIBLE = {"type": "string", "pattern": "^a$", "minLength": 2}


def test_a_case_that_no_text_can_be_found_for_is_not_told() -> None:
    made = Domain.define(
        "form", ledger={},
        tools={"pay": {"kind": "write", "arguments": {"a": IMPOSSIBLE, "n": "integer"}}},
        rules=[{"id": "r", "tools": ["pay"], "require": "args.n > 3"}],
    )  # fmt: skip
    (rule,) = made.rules
    search = StaticSolver(made).search(Question(made.tools["pay"], true=(rule.holds,)))
    assert search.case is None
