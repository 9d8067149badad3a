"""Questions to the solver: how far it goes to make an example a pleasant one."""

from __future__ import annotations

from datetime import UTC

import pytest
import z3

from ledger_verify.solver.query import Answer, Limits, Query, Workplace
from ledger_verify.solver.symbols import Symbols
from ledger_verify.solver.texts import Texts


def query(limits: Limits) -> Query:
    return Query(Symbols(Texts(structured=False), UTC, 4), limits)


def test_wishes_are_met_as_far_as_they_can_be() -> None:
    with Workplace().entered():
        asked, numbers = query(Limits()), z3.Ints("a b c d")
        first, second, third, fourth = numbers
        asked.add(first > 5)
        answer, model = asked.ask()
        assert answer is Answer.SATISFIABLE
        better = asked.improve([first == 0, second == 7, third == 8, fourth == third], model)
        assert [better.eval(number).as_long() for number in numbers[1:]] == [7, 8, 8]


def test_wishes_are_given_up_at_the_first_limit() -> None:
    with Workplace().entered():
        asked = query(Limits(resources=20_000))
        numbers = z3.Ints("a b c d e f")
        answer, model = asked.ask([numbers[0] > 0])
        assert answer is Answer.SATISFIABLE
        a, b, c = numbers[:3]
        hard = z3.And(a > 1, b > 1, c > 1, a * a * a + b * b * b == c * c * c)
        wishes = [z3.And(hard, number > i) for i, number in enumerate(numbers)]
        before = asked.questions
        assert asked.improve(wishes, model) is model
        assert asked.questions == before + 1


def test_the_number_of_questions_about_wishes_is_bounded() -> None:
    with Workplace().entered():
        asked = query(Limits())
        number = z3.Int("a")
        asked.add(number == 0)
        _, model = asked.ask()
        before = asked.questions
        asked.improve([number == i + 1 for i in range(1_000)], model)
        assert asked.questions <= before + 200


def test_where_z3_gives_up_with_an_error_nothing_is_decided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def give_up(*_: object) -> None:
        raise z3.Z3Exception("reached max unfolding")

    with Workplace().entered():
        asked, number = query(Limits()), z3.Int("a")
        with monkeypatch.context() as broken:
            broken.setattr(z3.Solver, "check", give_up)
            assert asked.ask([number > 0])[0] is Answer.UNDECIDED
        assert asked.ask([number > 0])[0] is Answer.SATISFIABLE
        assert asked.ask([number > 0, number < 0])[0] is Answer.UNSATISFIABLE
