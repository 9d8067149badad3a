"""Python's garbage collector is held still during a decision, and as the host had it after."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

from ledger_verify import Gate
from ledger_verify.gate import collector
from tests.gate.shop import OPEN, shop


@pytest.fixture(autouse=True)
def _running() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


class Looking(dict[str, Any]):
    """Arguments that note whether the collector runs when they are looked at."""

    seen: list[bool]

    def __getitem__(self, key: str) -> Any:
        self.seen.append(gc.isenabled())
        return super().__getitem__(key)

    def items(self) -> Any:
        self.seen.append(gc.isenabled())
        return super().items()


@pytest.mark.parametrize(("explain_ms", "runs"), [(250, False), (None, True)])
def test_it_is_still_during_a_decision_with_a_limit(explain_ms: int | None, runs: bool) -> None:
    arguments = Looking(order_id="o1")
    arguments.seen = []
    Gate(shop(OPEN), explain_ms=explain_ms).session().check("cancel", arguments)
    assert set(arguments.seen) == {runs}
    assert gc.isenabled()


def test_it_runs_after_a_decision_that_failed() -> None:
    def broken() -> float:
        raise OSError

    gate = Gate(shop(OPEN), stopwatch=broken)
    assert gate.session().check("cancel", {"order_id": "o1"}).decided_by == "error"
    assert gc.isenabled()


def test_decisions_may_overlap() -> None:
    collector.hold()
    collector.hold()
    collector.release()
    assert not gc.isenabled()
    collector.release()
    assert gc.isenabled()


def test_where_they_overlap_without_end_it_runs_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "_LONGEST_SECONDS", -1.0)
    collector.hold()
    collector.hold()
    assert not gc.isenabled()
    collector.release()
    assert gc.isenabled()
    collector.release()
    assert gc.isenabled()


def test_a_host_that_switched_it_off_keeps_it_off() -> None:
    gc.disable()
    Gate(shop(OPEN)).session().check("cancel", {"order_id": "o1"})
    assert not gc.isenabled()
