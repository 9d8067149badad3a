"""Running checks over domains: what is known already is not asked again, the rest on all cores."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ledger_verify.checks import contradictory_assumptions
from ledger_verify.checks.base.data import Data
from ledger_verify.checks.base.job import (
    Bench,
    Check,
    DataCheck,
    Job,
    Settings,
    SolverCheck,
    SourceCheck,
)
from ledger_verify.checks.base.kept import Missed
from ledger_verify.checks.catalog import CHECKS
from ledger_verify.checks.running.cache import AnswerCache, engine_name
from ledger_verify.checks.running.report import Report, Tally, assembled, told_apart
from ledger_verify.checks.running.workers import Shop, Task, Work, answers
from ledger_verify.policy.domain import Domain

Progress = Callable[[int, int], None]


@dataclass
class _Pending:
    """The jobs of one domain by check and subject, and the answers so far."""

    bench: Bench
    jobs: dict[tuple[str, str], Job] = field(default_factory=dict)
    tallies: dict[str, Tally] = field(default_factory=dict)

    @property
    def domain(self) -> Domain:
        return self.bench.domain


def run_checks(
    domains: Sequence[Domain],
    settings: Settings | None = None,
    checks: Sequence[Check] = CHECKS,
    *,
    processes: int = 1,
    cache: Path | None = None,
    data: Data | None = None,
    progress: Progress = lambda done, total: None,
) -> list[Report]:
    """Run the checks; a report for each domain.

    With `processes` above 1, questions to the solver are spread over so many. `cache` is a folder
    in which answers are kept (see `cache_folder`); without it nothing is. Checks that compare the
    domain with data are left out without `data`, which must be read for the domain. `progress` is
    told how many of all jobs are done.
    """
    settings = settings or Settings()
    asked = _with_what_all_rests_on(checks)
    pending = [_prepare(Bench(domain, settings), asked, data) for domain in domains]
    total = sum(len(one.jobs) for one in pending)
    tasks = [
        Task(index, *place, job.tool)
        for index, one in enumerate(pending)
        for place, job in one.jobs.items()
    ]
    work = Work(domains, settings, asked)
    if cache is not None:
        work = replace(work, folder=cache, engine=engine_name())
        with AnswerCache(cache) as store:
            shop = work.shop(store, asks=False)
            tasks = [task for task in tasks if not _is_known(task, shop, pending)]
    done = total - len(tasks)
    progress(done, total)
    for answer in answers(tasks, work, processes):
        done += 1
        progress(done, total)
        tally = pending[answer.task.domain].tallies[answer.task.check]
        tally.answer(answer.task.subject, answer.claims, answer.seconds)
    for one in pending:
        _doubt_what_contradictions_prove(one, asked, len(asked) > len(checks))
    reports = [assembled(one.domain, list(one.tallies.values()), asked) for one in pending]
    compared = None if data is None else data.compared
    return told_apart([replace(report, compared=compared) for report in reports])


def _with_what_all_rests_on(checks: Sequence[Check]) -> Sequence[Check]:
    """The checks, and whether the assumptions can be met, if any of them asks the solver."""
    if contradictory_assumptions in checks or not any(isinstance(c, SolverCheck) for c in checks):
        return checks
    return (*checks, contradictory_assumptions)


def _doubt_what_contradictions_prove(
    pending: _Pending, asked: Sequence[Check], beside: bool
) -> None:
    """Where no ledger meets the assumptions, what the solver says of it is worth nothing.

    If that was asked `beside` the chosen checks, it is told only where it is so.
    """
    name = contradictory_assumptions.ABOUT.name
    tally = pending.tallies.get(name)
    if tally is None:
        return
    if not any(claim.finding and not claim.undecided for claim in tally.claims):
        if beside:
            del pending.tallies[name]
        return
    for check in asked:
        if isinstance(check, SolverCheck) and check.ABOUT.name != name:
            pending.tallies[check.ABOUT.name].doubt()


def _prepare(bench: Bench, checks: Sequence[Check], data: Data | None) -> _Pending:
    """Checks that only read the domain are done at once; those with questions say which."""
    out = _Pending(bench)
    for check in checks:
        if isinstance(check, DataCheck) and data is None:
            continue
        name = check.ABOUT.name
        tally = out.tallies[name] = Tally(name)
        started = time.perf_counter()
        if isinstance(check, SourceCheck):
            claims = list(check.run(bench.domain))
            tally.answer("", claims, time.perf_counter() - started)
        elif isinstance(check, DataCheck):
            assert data is not None
            claims = list(check.examine(bench.domain, data))
            tally.answer("", claims, time.perf_counter() - started)
        elif isinstance(check, SolverCheck):
            for job in check.jobs(bench):
                out.jobs[name, job.subject] = job
                tally.expect(job.subject)
    return out


def _is_known(task: Task, shop: Shop, pending: Sequence[_Pending]) -> bool:
    """Whether a task is done with the answers that are kept; then it is noted what it brought."""
    try:
        answer = shop.answer(task)
    except Missed:
        return False
    tally = pending[task.domain].tallies[task.check]
    tally.answer(task.subject, answer.claims, 0, cached=True)
    return True
