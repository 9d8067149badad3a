"""An outcome that is told after `interrupted` is that of the interrupted call."""

from typing import Any

import pytest

from ledger_verify import Decision, Domain, Gate, Session

TWICE = "size(history.pay.filter(c, c.ok)) < 2"
A = {"id": "a"}


def opened(*require: str, save: bool = False) -> Session:
    """A session in which bill `a` was read, open, and a payment of it was interrupted."""
    gate = Gate(
        Domain.define(
            "till",
            definitions={"O": {"type": "object", "required": ["open"],
                               "properties": {"open": {"type": "boolean"}}}},
            ledger={"o.*": "O"},
            tools={
                "get": {"kind": "read", "arguments": {"id": "string"},
                        "observes": {"o.{args.id}": "result"}},
                "pay": {"kind": "write", "arguments": {"id": "string"},
                        "touches": ["o.{args.id}"]},
            },
            rules=[{"id": f"r{i}", "tools": ["pay"], "require": text}
                   for i, text in enumerate(("ledger.o[args.id].open", *require))],
        )
    )  # fmt: skip
    made = gate.session()
    read(made)
    assert made.check("pay", A).allowed
    made.interrupted("pay", A)
    return gate.resume(made.save()) if save else made


def read(made: Session) -> None:
    made.observe("get", A, {"open": True})


def outcomes(made: Session) -> list[Any]:
    """Whether each payment happened; None where nobody knows."""
    return [c["ok"] if isinstance(c["ok"], bool) else None for c in made.ledger.history.all]


@pytest.mark.parametrize("save", [False, True])
@pytest.mark.parametrize("error", [True, False])
def test_it_settles_the_interrupted_call(error: bool, save: bool) -> None:
    made = opened(TWICE, save=save)
    made.observe("pay", A, "done", error=error)
    assert outcomes(made) == [not error]
    made.observe("pay", A, "done", error=False)
    assert outcomes(made) == [not error, True]


def test_it_makes_nothing_fresh() -> None:
    made = opened()
    made.observe("pay", A, error=True)
    assert made.dry_run("pay", A).decision is Decision.REVISE
    read(made)
    assert made.dry_run("pay", A).allowed


def test_a_late_success_makes_stale_what_was_read_in_between() -> None:
    made = opened()
    read(made)
    assert made.dry_run("pay", A).allowed
    made.observe("pay", A, "done", error=False)
    assert made.dry_run("pay", A).decision is Decision.REVISE


def test_of_two_interrupted_calls_it_is_the_oldest() -> None:
    made = opened(f"{TWICE} || true")
    read(made)
    assert made.check("pay", A).allowed
    made.interrupted("pay", A)
    made.observe("pay", A, "done", error=False)
    assert outcomes(made) == [True, None]
    made.observe("pay", A, error=True)
    assert outcomes(made) == [True, False]


@pytest.mark.parametrize("save", [False, True])
@pytest.mark.parametrize("rules", [(), (f"{TWICE} || true",)])
def test_a_failure_that_may_be_of_either_call_frees_nothing(
    rules: tuple[str, ...], save: bool
) -> None:
    """The equal call that is pending may still run, or have run."""
    made = opened(*rules, save=save)
    read(made)
    assert made.check("pay", A).allowed
    read(made)
    made.observe("pay", A, error=True)
    assert made.dry_run("pay", A).decision is Decision.REVISE
    assert outcomes(made) == [None] * 2 * len(rules)
    made.observe("pay", A, error=True)
    assert outcomes(made) == [False, None][: 2 * len(rules)]
    assert made.dry_run("pay", A).decision is Decision.REVISE


def test_calls_with_other_arguments_are_other_calls() -> None:
    made = opened(f"{TWICE} || true")
    made.observe("pay", {"id": "b"}, "done", error=False)
    assert outcomes(made) == [None, True]


def test_an_interrupted_call_that_nobody_judged_stays_a_call_of_its_own() -> None:
    made = opened(f"{TWICE} || true")
    made.observe("pay", A, "done", error=False)
    made.interrupted("pay", A)
    made.observe("pay", A, "done", error=False)
    assert outcomes(made) == [True, None, True]


def test_a_second_interruption_is_no_outcome() -> None:
    made = opened(f"{TWICE} || true")
    made.interrupted("pay", A)
    assert outcomes(made) == [None, None]
