"""Doing the jobs of checks, in this process or in several."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType

from ledger_verify.checks.base.finding import Claim
from ledger_verify.checks.base.job import Bench, Check, Job, Settings, SolverCheck
from ledger_verify.checks.base.kept import Memory
from ledger_verify.checks.base.reporting import job_undecided
from ledger_verify.checks.running.cache import AnswerCache
from ledger_verify.policy.domain import Domain
from ledger_verify.solver.outcome import Undecided

_FEW = 16
_CHUNK = 32


@dataclass(frozen=True)
class Task:
    """A job by its names, so that another process can find it."""

    domain: int
    check: str
    subject: str
    tool: str


@dataclass(frozen=True)
class Answer:
    """What a task brought, and how long it took."""

    task: Task
    claims: tuple[Claim, ...]
    seconds: float


@dataclass(frozen=True)
class Work:
    """Domains and checks. `folder` is where the solver's answers are kept, if they are."""

    domains: Sequence[Domain]
    settings: Settings
    checks: Sequence[Check]
    folder: Path | None = None
    engine: str = ""

    def shop(self, store: AnswerCache | None, *, asks: bool = True) -> Shop:
        """A place to do the jobs; one that asks the solver nothing leaves some undone."""
        memory = None if store is None else Memory(store, self.engine, asks)
        benches = [Bench(domain, self.settings, memory) for domain in self.domains]
        return Shop(benches, self.checks)


def answers(tasks: Sequence[Task], work: Work, processes: int) -> Iterator[Answer]:
    """The answers of all tasks, as they come; what an answer is does not depend on the order."""
    if processes <= 1 or len(tasks) <= _FEW:
        with _opened(work.folder) as store:
            shop = work.shop(store)
            for task in tasks:
                yield shop.answer(task)
        return
    ordered = sorted(tasks, key=lambda task: (task.domain, task.tool))
    chunks = [
        some[start : start + _CHUNK]
        for _, group in groupby(ordered, key=lambda task: (task.domain, task.tool))
        for some in [list(group)]
        for start in range(0, len(some), _CHUNK)
    ]
    chunks.sort(key=len, reverse=True)
    names = [check.__name__ for check in work.checks if isinstance(check, ModuleType)]
    with ProcessPoolExecutor(
        min(processes, len(chunks)),
        mp_context=get_context("spawn"),
        initializer=_open_shop,
        initargs=(replace(work, checks=()), names),
    ) as pool:
        futures = [pool.submit(_work, chunk) for chunk in chunks]
        for future in as_completed(futures):
            yield from future.result()


def _opened(folder: Path | None) -> AbstractContextManager[AnswerCache | None]:
    return nullcontext() if folder is None else AnswerCache(folder)


class Shop:
    """The jobs of all domains, found by the names in a task."""

    def __init__(self, benches: Sequence[Bench], checks: Sequence[Check]) -> None:
        self._benches = benches
        self._checks = {check.ABOUT.name: check for check in checks}
        self._jobs: dict[tuple[int, str], Mapping[str, Job]] = {}

    def answer(self, task: Task) -> Answer:
        """Do a task; raises `Missed` where that takes asking and this is not the place to ask."""
        started = time.perf_counter()
        place = task.domain, task.check
        if place not in self._jobs:
            check = self._checks[task.check]
            assert isinstance(check, SolverCheck)
            jobs = check.jobs(self._benches[task.domain])
            self._jobs[place] = {job.subject: job for job in jobs}
        claims = tuple(self._claims(task, self._jobs[place][task.subject]))
        return Answer(task, claims, time.perf_counter() - started)

    def _claims(self, task: Task, job: Job) -> Iterator[Claim]:
        """What the job finds; if a question in between stays open, that it cannot tell the rest."""
        try:
            yield from job.look()
        except Undecided:
            about = self._checks[task.check].ABOUT
            yield job_undecided(about, self._benches[task.domain].domain, job.subject, job.tool)


_shop: Shop | None = None
_store: AnswerCache | None = None
"""What a worker process works with; set once, when it starts."""


def _open_shop(work: Work, names: Sequence[str]) -> None:
    global _shop, _store
    from importlib import import_module
    from typing import cast

    checks = [cast(Check, import_module(name)) for name in names]
    _store = None if work.folder is None else AnswerCache(work.folder)
    _shop = replace(work, checks=checks).shop(_store)


def _work(tasks: Sequence[Task]) -> list[Answer]:
    assert _shop is not None
    done = [_shop.answer(task) for task in tasks]
    if _store is not None:
        _store.write()
    return done
