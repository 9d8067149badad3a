"""An ALLOW takes effect at once; what nobody has told of a call is unknown, in either direction."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_verify import Decision, Domain, Gate, Session

NOW_US = 1_767_225_600_000_000
LIMIT = "size(history.pay.filter(c, c.ok)) < 3"
ONCE = "!history.pay.exists(c, c.ok && c.args.id == args.id)"


def domain(*require: str, touches: tuple[str, ...] = ("o.{args.id}",)) -> Domain:
    return Domain.define(
        "till",
        definitions={"O": {"type": "object", "required": ["open"],
                           "properties": {"open": {"type": "boolean"}}}},
        ledger={"o.*": "O"},
        tools={
            "get": {"kind": "read", "arguments": {"id": "string"},
                    "observes": {"o.{args.id}": "result"}},
            "pay": {"kind": "write", "arguments": {"id": "string"}, "touches": list(touches)},
        },
        rules=[
            {"id": f"r{i}", "tools": ["pay"], "require": text, "message": "was paid already"}
            for i, text in enumerate(require)
        ],
    )  # fmt: skip


def session(*require: str, clock: Any = NOW_US, **more: Any) -> Session:
    return Gate(domain(*require, **more)).session(clock_us=clock)


def pay(made: Session, id_: str = "a") -> Decision:
    return made.check("pay", {"id": id_}).decision


def test_the_same_payment_is_not_allowed_twice_before_its_outcome() -> None:
    made = session(ONCE)
    assert pay(made) is Decision.ALLOW
    verdict = made.check("pay", {"id": "a"})
    assert verdict.decision is Decision.REVISE
    assert "1 call of `pay` is of unknown outcome" in verdict.message
    assert "wait for the outcome of `pay`" in verdict.message
    assert "paid already" not in verdict.message
    assert pay(made, "b") is Decision.ALLOW
    made.observe("pay", {"id": "a"}, "ok")
    assert pay(made) is Decision.BLOCK


@pytest.mark.parametrize("told", [0, 1, 2, 3])
def test_a_limit_counts_what_may_have_happened(told: int) -> None:
    made = session(LIMIT)
    for number in range(3):
        assert pay(made, str(number)) is Decision.ALLOW
        if number < told:
            made.observe("pay", {"id": str(number)}, "ok")
    assert pay(made, "x") is (Decision.BLOCK if told == 3 else Decision.REVISE)


def test_a_limit_that_holds_whether_or_not_it_happened_holds() -> None:
    made = session(LIMIT)
    assert pay(made, "1") is Decision.ALLOW
    made.observe("pay", {"id": "1"}, "ok")
    assert pay(made, "2") is Decision.ALLOW
    made.interrupted("pay", {"id": "2"})
    assert pay(made, "3") is Decision.ALLOW
    made.observe("pay", {"id": "3"}, error=True)
    verdict = made.check("pay", {"id": "4"})
    assert verdict.allowed
    made.observe("pay", {"id": "4"}, "ok")
    verdict = made.check("pay", {"id": "5"})
    assert verdict.decision is Decision.BLOCK
    assert "1 call of `pay` is of unknown outcome" in verdict.message


def test_a_look_changes_nothing() -> None:
    made = session(ONCE, "ledger.o[args.id].open")
    made.observe("get", {"id": "a"}, {"open": True})
    before = made.render()
    for _ in range(3):
        assert made.dry_run("pay", {"id": "a"}).allowed
    assert made.render() == before
    assert made.ledger.history.all == []


OPEN = "ledger.o[args.id].open"


def opened(*ids: str) -> Session:
    made = session(OPEN)
    for id_ in ids:
        made.observe("get", {"id": id_}, {"open": True})
    return made


def test_what_a_pending_call_touches_is_stale_until_it_is_known_not_to_have_happened() -> None:
    made = opened("a", "b")
    assert pay(made) is Decision.ALLOW
    assert "stale" in made.render()
    assert pay(made) is Decision.REVISE
    made.observe("pay", {"id": "a"}, error=True)
    assert "stale" not in made.render()
    assert pay(made) is Decision.ALLOW
    made.interrupted("pay", {"id": "a"})
    assert pay(made) is Decision.REVISE
    made.observe("get", {"id": "a"}, {"open": True})
    assert pay(made) is Decision.ALLOW


@pytest.mark.parametrize(("error", "after"), [(True, Decision.ALLOW), (False, Decision.REVISE)])
def test_a_read_before_the_outcome_counts_only_if_the_call_did_not_happen(
    error: bool, after: Decision
) -> None:
    made = opened("a")
    assert pay(made) is Decision.ALLOW
    made.observe("get", {"id": "a"}, {"open": True})
    assert pay(made) is Decision.REVISE
    made.observe("pay", {"id": "a"}, "?", error=error)
    assert pay(made) is after


def test_each_of_two_pending_calls_undoes_only_its_own() -> None:
    made = session(OPEN, touches=("o.*",))
    made.observe("get", {"id": "a"}, {"open": True})
    made.observe("get", {"id": "b"}, {"open": True})
    gate = Gate(domain("true", touches=("o.*",)))
    made = gate.session(clock_us=NOW_US)
    for id_ in ("a", "b"):
        made.observe("get", {"id": id_}, {"open": True})
    assert [pay(made, "a"), pay(made, "b")] == [Decision.ALLOW] * 2
    made.observe("pay", {"id": "b"}, error=True)
    assert made.render().count("stale") == 2
    made.observe("pay", {"id": "a"}, error=True)
    assert "stale" not in made.render()


def test_calls_that_are_observed_otherwise_than_they_were_judged() -> None:
    made = session(LIMIT)
    assert pay(made, "1") is Decision.ALLOW
    made.observe("pay", {"id": "other"}, "ok")  # never judged; the judged one stays open
    made.observe("pay", {"id": "other"}, "ok")
    assert pay(made, "2") is Decision.REVISE
    made.observe("pay", {"id": "1"}, error=True)
    assert pay(made, "2") is Decision.ALLOW
    made.observe("pay", {"id": "2"}, "ok")
    made.observe("pay", {"id": "2"}, "ok")  # told twice: the second was never judged
    assert pay(made, "3") is Decision.BLOCK


class Broken:
    """Arguments or a result of which every use raises."""

    def __init__(self, problem: type[BaseException] = RuntimeError) -> None:
        self.problem = problem

    def _raise(self, *_: Any) -> Any:
        raise self.problem

    __getitem__ = __iter__ = __len__ = __contains__ = __bool__ = __str__ = _raise
    __hash__ = None  # type: ignore[assignment]


class BrokenDict(dict[str, Any]):
    """A mapping that raises when it is read."""

    def items(self) -> Any:
        raise MemoryError

    def __getitem__(self, key: str) -> Any:
        raise RecursionError

    def get(self, *_: Any) -> Any:
        raise RuntimeError


SPOTS = (
    "ledger_verify.gate.session.Decider.decide",
    "ledger_verify.gate.session.Observer.marks",
    "ledger_verify.gate.session.Observer.write",
    "ledger_verify.gate.session.effect_of",
    "ledger_verify.ledger.store.Ledger.hold",
    "ledger_verify.ledger.store.Ledger.touch",
    "ledger_verify.ledger.history.History.add",
    "ledger_verify.ledger.history.History.settle",
    "ledger_verify.gate.decide.plain_arguments",
    "ledger_verify.gate.explain.explain",
    "ledger_verify.gate.judge.stand",
    "ledger_verify.solver.completions.Completions.settle",
)
PROBLEMS = (OSError, MemoryError, RecursionError, KeyboardInterrupt)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def quietly(action: Callable[[], Any]) -> Any:
    try:
        return action()
    except (KeyboardInterrupt, MemoryError, RecursionError, OSError):
        return None


@pytest.mark.parametrize("spot", SPOTS)
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("nth", [1, 2, 3])
def test_whatever_raises_no_second_payment_is_allowed(
    spot: str, problem: type[BaseException], nth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, _, name = spot.rpartition(".")
    owner: Any = __import__("importlib").import_module(
        module if module.rsplit(".", 1)[-1].islower() else module.rpartition(".")[0]
    )
    if not module.rsplit(".", 1)[-1].islower():
        owner = getattr(owner, module.rpartition(".")[2])
    original, calls = getattr(owner, name), [0]

    def fails(*args: Any, **kwargs: Any) -> Any:
        calls[0] += 1
        if calls[0] == nth:
            raise problem
        return original(*args, **kwargs)

    made = session("size(history.pay.filter(c, c.ok)) < 1")
    monkeypatch.setattr(owner, name, fails)
    paid = 0
    for _ in range(3):
        verdict = quietly(lambda: made.check("pay", {"id": "a"}))
        if verdict is not None and verdict.allowed:
            paid += 1
            quietly(lambda: made.observe("pay", {"id": "a"}, "ok"))
    monkeypatch.undo()
    assert paid <= 1
    if paid:
        assert not made.check("pay", {"id": "b"}).allowed
    held = threading.Thread(target=lambda: made.dry_run("pay", {"id": "z"}), daemon=True)
    held.start()
    held.join(30)
    assert not held.is_alive(), "the lock is released"


@pytest.mark.parametrize("problem", PROBLEMS[:3])
def test_a_clock_that_raises_loses_no_payment(problem: type[BaseException]) -> None:
    down = [False]

    def clock() -> int:
        if down[0]:
            raise problem
        return NOW_US

    made = session("size(history.pay.filter(c, c.ok)) < 1", clock=clock)
    down[0] = True
    verdict = made.check("pay", {"id": "a"})
    assert (verdict.decision, verdict.decided_by) == (Decision.BLOCK, "error")
    made.observe("pay", {"id": "a"}, "ok")  # it was never allowed, and ran all the same
    down[0] = False
    assert not made.check("pay", {"id": "a"}).allowed


@pytest.mark.parametrize("arguments", [Broken(), BrokenDict(id="a"), {"id": Broken()}, Broken])
def test_arguments_and_results_that_raise_are_refused_and_lost(arguments: Any) -> None:
    made = session("size(history.pay.filter(c, c.ok)) < 1")
    assert not made.check("pay", arguments).allowed
    assert not made.check(arguments, arguments).allowed
    assert made.check("pay", {"id": "a"}).allowed
    made.observe("pay", {"id": "a"}, error=True)
    made.observe("pay", arguments, "ok")
    assert not made.check("pay", {"id": "a"}).allowed
    made = opened("a")
    made.observe("get", {"id": "a"}, arguments)
    assert not made.check("pay", {"id": "a"}).allowed


def test_handlers_of_the_log_that_raise_change_nothing() -> None:
    class Raises(logging.Handler):
        def handle(self, record: logging.LogRecord) -> bool:
            raise OSError("disk full")

    logging.disable(logging.NOTSET)
    handler, log = Raises(), logging.getLogger("ledger_verify.gate")
    log.addHandler(handler)
    try:
        made = session(LIMIT, clock=lambda: "noon")
        assert made.check("pay", {"id": "a"}).decided_by == "error"
        made.observe("pay", BrokenDict(id="a"), "ok")
        made.interrupted("pay", BrokenDict(id="a"))
    finally:
        log.removeHandler(handler)


def test_threads_on_one_session_keep_a_limit() -> None:
    made, allowed = session(LIMIT), []

    def work(number: int) -> None:
        for turn in range(5):
            call = {"id": f"{number}.{turn}"}
            if made.check("pay", call).allowed:
                allowed.append(call)
                made.observe("pay", call, "ok")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(allowed) == 3


ENDS = st.sampled_from(["ok", "error", "interrupted"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("check"), st.sampled_from("ab")),
        st.tuples(ENDS, st.sampled_from("ab")),
    ),
    max_size=9,
)


@given(STEPS)
def test_the_gate_allows_nothing_that_some_possible_world_forbids(
    steps: list[tuple[str, str]],
) -> None:
    """The model counts how many payments of each kind surely and possibly happened."""
    made = session("size(history.pay.filter(c, c.ok)) < 2", ONCE)
    sure, lost = {"a": 0, "b": 0}, {"a": 0, "b": 0}
    pending, late = {"a": 0, "b": 0}, {"a": 0, "b": 0}
    for what, id_ in steps:
        if what == "check":
            possible = {k: sure[k] + lost[k] + pending[k] for k in sure}
            may_run = sum(possible.values()) < 2 and possible[id_] == 0
            assert (pay(made, id_) is Decision.ALLOW) is may_run
            pending[id_] += may_run
            continue
        was_pending, pending[id_] = pending[id_] > 0, max(pending[id_] - 1, 0)
        if what == "interrupted":
            made.interrupted("pay", {"id": id_})
            lost[id_] += 1
            late[id_] += was_pending
            continue
        made.observe("pay", {"id": id_}, "?", error=what == "error")
        sure[id_] += what == "ok"
        if was_pending and late[id_] and what == "error":
            lost[id_] += 1
            late[id_] += 1
        elif not was_pending and late[id_]:
            lost[id_] -= 1
            late[id_] -= 1
