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
from ledger_verify.checks.catalog import CHECKS
from ledger_verify.checks.running.cache import AnswerCache, Keys, edition, engine_name
from ledger_verify.checks.running.report import Report, Tally, assembled, told_apart
from ledger_verify.checks.running.workers import Answer, Task, answers
from ledger_verify.policy.domain import Domain

Progress = Callable[[int, int], None]


@dataclass
class _Pending:
    """The jobs of one domain by check and subject, and the answers so far."""

    bench: Bench
    jobs: dict[tuple[str, str], Job] = field(default_factory=dict)
    keys: dict[tuple[str, str], str] = field(default_factory=dict)
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
    if cache is not None:
        engine = engine_name()
        with AnswerCache(cache) as store:
            for one in pending:
                _look_up(one, store, engine)
    tasks = [
        Task(index, *place, job.tool)
        for index, one in enumerate(pending)
        for place, job in one.jobs.items()
        if place[1] not in one.tallies[place[0]].answered
    ]
    done = total - len(tasks)
    progress(done, total)
    fresh: list[Answer] = []
    for answer in answers(tasks, [one.bench for one in pending], asked, processes):
        fresh.append(answer)
        done += 1
        progress(done, total)
        tally = pending[answer.task.domain].tallies[answer.task.check]
        tally.answer(answer.task.subject, answer.claims, answer.seconds)
    if cache is not None:
        with AnswerCache(cache) as store:
            for index, one in enumerate(pending):
                learned = {
                    one.keys[a.task.check, a.task.subject]: a.claims
                    for a in fresh
                    if a.task.domain == index
                }
                store.put(learned, edition(one.domain))
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


def _look_up(pending: _Pending, store: AnswerCache, engine: str) -> None:
    keys = Keys(pending.domain, pending.bench.settings, engine)
    pending.keys = {place: keys.of(place[0], job) for place, job in pending.jobs.items()}
    known = store.get(pending.keys.values(), edition(pending.domain))
    for (check, subject), key in pending.keys.items():
        if key in known:
            pending.tallies[check].answer(subject, known[key], 0, cached=True)
