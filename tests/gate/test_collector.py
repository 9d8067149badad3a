"""Python's garbage collector is held still during an explanation, and as the host had it after."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from ledger_verify.gate import collector
from ledger_verify.lang.deadline import NO_DEADLINE, Deadline, Expired


@pytest.fixture(autouse=True)
def _running() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_it_is_still_inside_and_runs_after_whatever_happens() -> None:
    with pytest.raises(Expired), collector.held(Deadline(250)):
        assert not gc.isenabled()
        raise Expired
    assert gc.isenabled()


def test_explanations_may_overlap() -> None:
    first, second = collector.held(Deadline(250)), collector.held(Deadline(250))
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()


def test_where_they_overlap_without_end_it_runs_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "_LONGEST_SECONDS", -1.0)
    with collector.held(Deadline(250)):
        with collector.held(Deadline(250)):
            assert not gc.isenabled()
        assert gc.isenabled()
    assert gc.isenabled()


def test_a_host_that_switched_it_off_keeps_it_off() -> None:
    gc.disable()
    with collector.held(Deadline(250)):
        pass
    assert not gc.isenabled()


def test_without_a_limit_it_is_left_alone() -> None:
    with collector.held(NO_DEADLINE):
        assert gc.isenabled()
