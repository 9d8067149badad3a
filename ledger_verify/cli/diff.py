"""`diff OLD NEW`: which calls a change of the policy newly allows, and which it newly refuses."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from ledger_verify.audit.comparison import Compared, LogComparison, compare_logs
from ledger_verify.audit.recordings import read_recording
from ledger_verify.cli.facts import FactOption, FactsOption, facts_of_sides
from ledger_verify.cli.options import ClockOption, DebugOption, ScopeOption, TimeoutOption
from ledger_verify.cli.output import (
    ReportFormat,
    ReportFormatOption,
    emit,
    emit_json,
    note,
    plural,
    printable,
    styled,
    table,
    takes_unicode,
    verdict_text,
)
from ledger_verify.cli.progress import progress_bar
from ledger_verify.cli.story import call_text, left_out, story
from ledger_verify.gate.gate import Gate
from ledger_verify.gate.verdict import Verdict
from ledger_verify.lang.errors import InputError
from ledger_verify.policy.domain import Domain, clock_from_text
from ledger_verify.schema.render import time_text
from ledger_verify.solver.reach import LONGER_LISTS, lists_within

if TYPE_CHECKING:
    from ledger_verify.comparison.report import (
        Blame,
        Counterexample,
        DiffReport,
        Direction,
        Told,
        ToolDiff,
    )

EQUIVALENT, DIFFERS, UNDECIDED = 0, 1, 3


def diff_command(
    old: Annotated[str, typer.Argument(metavar="OLD", help="A bundled domain, or a folder.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The domain after the change.")],
    format: ReportFormatOption = ReportFormat.TEXT,
    narrowing_only: Annotated[
        bool,
        typer.Option("--narrowing-only", help="Fail only if something became allowed."),
    ] = False,
    logs: Annotated[
        list[str] | None,
        typer.Option(
            "--logs", metavar="FILE", help="Replay recorded conversations through both; repeatable."
        ),
    ] = None,
    clock: ClockOption = None,
    fact: FactOption = None,
    facts: FactsOption = None,
    timeout: TimeoutOption = 10.0,
    scope: ScopeOption = 4,
    debug: DebugOption = False,
) -> int:
    """Which calls NEW allows that OLD does not, and the other way round.

    Each side is proved empty, or shown by a call. A proof holds for any number of items in a list;
    where it does not, it says for how many, also of earlier calls and observed records.

    Exit status: 0 if both allow the same calls, 1 if not, 2 for bad input, 3 undecided, or proved
    only so far. With --narrowing-only: 0 if nothing became allowed, 1 if something did. `--clock`
    is the present of replayed logs where a domain pins none, `--fact` and `--facts` are what their
    sessions open with.
    """
    before, after = Domain.load(old), Domain.load(new)
    replayed = _replayed(before, after, logs or [], clock, fact, facts)
    from ledger_verify.comparison.compare import diff
    from ledger_verify.comparison.search import Effort
    from ledger_verify.solver.query import Limits

    limits = Limits(timeout_ms=round(timeout * 1000), resources=100_000_000)
    with progress_bar("tools") as advance:
        report = diff(before, after, Effort(scope, limits), advance)
    status = _status(report, narrowing_only)
    narrowed = ["", _NARROWED[status]] if narrowing_only else []
    match format:
        case ReportFormat.TEXT:
            emit("\n".join([*_text(report, old, new, replayed), *narrowed]))
        case ReportFormat.JSON:
            emit_json(report.to_json(None if replayed is None else replayed.to_json()))
        case _:
            emit(_for_programs(report, format, narrowing_only))
    return status


def _for_programs(report: DiffReport, format: ReportFormat, narrowing_only: bool) -> str:
    """The differences as findings; with `narrowing_only`, only what matters to it."""
    from ledger_verify.checks import undecided
    from ledger_verify.checks.catalog import pages
    from ledger_verify.cli.writers.render import written
    from ledger_verify.cli.writers.section import Section
    from ledger_verify.comparison.findings import NEWLY_ALLOWED, NEWLY_REFUSED, PAGES, findings

    wanted = (NEWLY_ALLOWED,) if narrowing_only else (NEWLY_ALLOWED, NEWLY_REFUSED)
    names = {about.name for about in wanted}
    found = [finding for finding in findings(report) if finding.check in names]
    rules = (*report.old.rules, *report.new.rules)
    places = {rule.id: rule.location for rule in rules}
    section = Section(report.new.name, found, (), dict.fromkeys(names, 0.0), places)
    kinds = {undecided.ABOUT: pages()[undecided.ABOUT], **{about: PAGES[about] for about in wanted}}
    closing = f"{report.new.name}: {plural(len(found), 'difference')}"
    return written([section], kinds, [closing], format, ascii_only=not takes_unicode())


_NARROWED = {
    EQUIVALENT: "nothing became allowed (proved)",
    DIFFERS: "not a narrowing: something became allowed",
    UNDECIDED: "not known to be a narrowing: whether something became allowed is undecided",
}


def _status(report: DiffReport, narrowing_only: bool) -> int:
    if narrowing_only:
        found, open_ = report.widened, report.widening_open
    else:
        found, open_ = report.differs, report.open
    if found:
        return DIFFERS
    return UNDECIDED if open_ else EQUIVALENT


def _replayed(
    old: Domain,
    new: Domain,
    logs: list[str],
    clock: str | None,
    fact: list[str] | None,
    facts: str | None,
) -> LogComparison | None:
    if not logs:
        if fact or facts is not None:
            raise InputError("`--fact` and `--facts` are for `--logs`: a proof is for all facts")
        return None
    before, after = facts_of_sides((old, new), fact, facts)
    present_us = time.time_ns() // 1000
    clocks: list[int | None] = []
    for domain in (old, new):
        if clock is not None:
            clocks.append(clock_from_text(clock, domain, "`--clock`"))
        elif domain.clock_us is not None:
            clocks.append(None)
        else:
            note(
                f"note: domain `{domain.name}` pins no clock: logs are judged as of now (`--clock`)"
            )
            clocks.append(present_us)
    recordings = [read_recording(log) for log in logs]
    with progress_bar("logs"):
        return compare_logs(
            Gate(old, explain_ms=None), Gate(new, explain_ms=None), recordings,
            old_clock_us=clocks[0], new_clock_us=clocks[1], old_facts=before, new_facts=after,
        )  # fmt: skip


def _text(report: DiffReport, old: str, new: str, replayed: LogComparison | None) -> Iterator[str]:
    yield printable(f"OLD {old}, NEW {new}")
    yield from _context(report)
    yield ""
    unchanged = [tool.tool for tool in report.tools if tool.unchanged]
    for tool in report.tools:
        if not tool.unchanged:
            yield from _tool(tool, report)
    if unchanged:
        yield f"the same calls allowed (proved): {', '.join(unchanged)}"
    elif not report.tools:
        yield "neither side has a write or a rule"
    if replayed is not None:
        yield ""
        yield from _logs(replayed)


def _context(report: DiffReport) -> Iterator[str]:
    rules = report.rules
    for what, ids in (
        ("added", rules.added), ("removed", rules.removed), ("changed", rules.changed)
    ):  # fmt: skip
        if ids:
            yield f"{'rule' if len(ids) == 1 else 'rules'} {what}: {', '.join(ids)}"
    for text in report.notes:
        yield printable(text)
    for text in report.unproved:
        yield styled(
            printable(f"not proved: {text}; the same conversation may lead to other evidence"),
            "yellow",
        )


def _tool(tool: ToolDiff, report: DiffReport) -> Iterator[str]:
    directions = (("newly allowed", tool.allowed), ("newly refused", tool.refused))
    summary = "; ".join(f"{what}: {_outcome(direction)}" for what, direction in directions)
    yield f"{styled(tool.tool, 'bold')}: {summary}"
    for what, direction in directions:
        if direction.counterexample is not None:
            yield ""
            yield from (
                f"  {line}".rstrip()
                for line in _counterexample(what, direction, direction.counterexample, report)
            )
        elif direction.open and direction.reason is not None:
            yield f"  {what} is undecided: {printable(direction.reason)}"
    if any(direction.bound is not None for _, direction in directions):
        yield f"  {styled('help:', 'bold')} {LONGER_LISTS}"
    yield ""


def _outcome(direction: Direction) -> str:
    match direction.change.value:
        case "FOUND":
            return styled("yes (see below)", "red")
        case "UNDECIDED":
            return styled("undecided", "yellow")
    if direction.bound is not None:
        return styled(f"none with {lists_within(direction.bound)} (proved)", "yellow")
    return styled("none (proved)", "green")


def _counterexample(
    what: str, direction: Direction, found: Counterexample, report: DiffReport
) -> Iterator[str]:
    case = found.case
    refusing = report.old if found.refused_by == "OLD" else report.new
    allowing = report.new if refusing is report.old else report.old
    ids = {blame.id for blame in found.blamed}
    all_rules = [
        rule for domain in (refusing, allowing) for rule in domain.rules_by_tool.get(case.tool, ())
    ]
    rules = [rule for rule in all_rules if rule.id in ids] or all_rules
    predicates = [rule.holds for rule in rules]
    absent = left_out(case, predicates) if ids else []
    yield f"{what}: {call_text(case.tool, case.arguments, absent)}"
    if found.old.moment_us == found.new.moment_us:
        yield f"  at {time_text(found.old.moment_us, False, allowing.zone)}"
    else:
        for label, told, domain in _sides(found, report):
            yield f"  at {time_text(told.moment_us, False, domain.zone)} for {label}"
    yield from (f"  {line}" for line in story(case, allowing, predicates))
    for label, told, _ in _sides(found, report):
        yield f"{label}: {verdict_text(told.verdict.decision.value)}{_why(told.verdict)}"
        for misfit in told.misfits:
            yield f"  no evidence to {label}: {printable(misfit)}"
        if label == found.refused_by:
            if direction.reason is not None:
                yield f"  {direction.reason}"
            for blame in found.blamed:
                yield from (f"  {line}" for line in _blame(blame, found.refused_by))


def _sides(found: Counterexample, report: DiffReport) -> Iterator[tuple[str, Told, Domain]]:
    yield "OLD", found.old, report.old
    yield "NEW", found.new, report.new


def _why(verdict: Verdict) -> str:
    reasons = verdict.reasons
    if not reasons and not verdict.allowed:
        reasons = (verdict.message,)
    return f" - {printable(' '.join(' '.join(reasons).split()))}" if reasons else ""


def _blame(blame: Blame, refused_by: str) -> Iterator[str]:
    other = "NEW" if refused_by == "OLD" else "OLD"
    if blame.twin is None:
        where = f"{other} has no such rule"
    elif blame.same:
        where = f"the same in {other}: {blame.twin}"
    else:
        where = f"in {other}: {blame.twin}"
    standing = {"ERROR": " has no value here", "UNKNOWN": " is open: evidence is missing"}
    yield printable(f"rule {blame.id}{standing.get(blame.truth, '')} ({blame.place}; {where})")
    if blame.clause:
        yield printable(f"policy: {blame.clause}")


def _logs(replayed: LogComparison) -> Iterator[str]:
    writes = plural(len(replayed.decisions), "write")
    yield f"logs: {plural(replayed.conversations, 'conversation')}, {writes}"
    if replayed.decisions:
        rows = [(old, new, count) for (old, new), count in replayed.counts.items()]
        yield table(("OLD", "NEW", "writes"), rows)
    for decision in replayed.different:
        yield ""
        yield from _logged(decision)
    if replayed.decisions and not replayed.different:
        yield "no recorded call is judged otherwise"


def _logged(decision: Compared) -> Iterator[str]:
    call = decision.call
    trial = "" if call.trial is None else f", trial {call.trial}"
    reward = "" if call.reward is None else f", reward {call.reward}"
    place = f"{call.file}: conversation {call.conversation}{trial}, call {call.index}{reward}"
    yield printable(place)
    yield f"  {call_text(call.verdict.tool, call.verdict.arguments)}"
    for label, side, verdict in zip(
        ("OLD", "NEW"), (decision.old, decision.new), decision.verdicts, strict=True
    ):
        why = "" if side is None else _why(side.verdict)
        yield f"  {label}: {verdict if side is None else verdict_text(verdict)}{why}"
