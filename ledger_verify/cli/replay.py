"""`replay DOMAIN LOG...`: recorded conversations through the gate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated

import typer

from ledger_verify.audit.replay import ReplayedCall
from ledger_verify.audit.report import (
    FileReplay,
    ReplayReport,
    rejected,
    replay_file,
    rule_counts,
    verdict_counts,
)
from ledger_verify.cli.facts import FactOption, FactsOption, session_facts
from ledger_verify.cli.options import (
    ClockOption,
    DebugOption,
    DomainArgument,
    ExplainOption,
    WithoutToolOption,
    agent_tools,
    session_clock_us,
)
from ledger_verify.cli.output import (
    Format,
    FormatOption,
    emit,
    emit_json,
    note,
    plural,
    printable,
    styled,
    table,
    verdict_text,
)
from ledger_verify.cli.progress import progress_bar
from ledger_verify.conversation.formats.registry import format_named
from ledger_verify.gate.gate import Gate
from ledger_verify.gate.verdict import Decision
from ledger_verify.lang.errors import InputError
from ledger_verify.policy.domain import Domain
from ledger_verify.source.json_file import STDIN

_VERDICTS = tuple(kind.value for kind in Decision)
_MOST_DRIFTS = 5


class Show(StrEnum):
    """Which decisions are listed one by one."""

    ALLOW = "ALLOW"
    REVISE = "REVISE"
    BLOCK = "BLOCK"
    ALL = "all"


def replay(
    domain: DomainArgument,
    logs: Annotated[
        list[str],
        typer.Argument(metavar="LOG", help="Recorded conversations; `-` for stdin."),
    ],
    format: FormatOption = Format.TEXT,
    show: Annotated[
        Show | None,
        typer.Option("--show", case_sensitive=False, help="List these decisions, one a line."),
    ] = None,
    without_tool: WithoutToolOption = None,
    clock: ClockOption = None,
    as_format: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="FORMAT",
            help="The format of all messages; otherwise each is recognised by its shape.",
        ),
    ] = None,
    fact: FactOption = None,
    facts: FactsOption = None,
    explain_ms: ExplainOption = None,
    debug: DebugOption = False,
) -> int:
    """What the gate would have decided about every write of recorded conversations.

    LOG is a results file of tau-bench or tau2-bench, or messages of OpenAI (chat, responses),
    Anthropic, Gemini or LangChain, as JSON or line by line. The facts are those of every
    conversation. Exit status: 0, or 2 for bad input.
    """
    loaded = Domain.load(domain)
    gate = Gate(loaded, explain_ms=explain_ms)
    tools = agent_tools(loaded, without_tool)
    clock_us = session_clock_us(loaded, clock)
    if facts == STDIN and STDIN in logs:
        raise InputError("only one of LOG and `--facts` can be standard input")
    known = session_facts(loaded, fact, facts)
    wanted = None if as_format is None else format_named(as_format)
    files = []
    for log in logs:
        with progress_bar(log) as advance:
            files.append(
                replay_file(
                    gate,
                    log,
                    clock_us=clock_us,
                    tools=tools,
                    facts=known,
                    wanted=wanted,
                    progress=advance,
                )
            )
    report = ReplayReport(loaded.name, tuple(files))
    if format is Format.JSON:
        emit_json(report.to_json())
        note(_times(report))
    else:
        emit("\n".join(_text(report, loaded, show)))
    return 0


def _text(report: ReplayReport, domain: Domain, show: Show | None) -> Iterator[str]:
    header = ("file", "conversations", "calls", "writes", *_VERDICTS)
    rows: list[tuple[str | int, ...]] = [_row(file) for file in report.files]
    if len(rows) > 1:
        rows.append(("all", *(sum(int(row[i]) for row in rows) for i in range(1, len(header)))))
    yield table(header, rows)
    decisions = report.decisions
    if rules := rule_counts(decisions):
        yield ""
        kinds = ("FALSE", "UNKNOWN", "ERROR")
        yield table(
            ("rules that did not hold", *kinds),
            [(rule, *(counts[kind] for kind in kinds)) for rule, counts in rules.items()],
        )
    if show is not None:
        listed = [d for d in decisions if show in (Show.ALL, Show(d.verdict.decision.value))]
        yield ""
        yield from map(_line, listed) if listed else [f"no decision is {show.value}"]
    yield ""
    yield from _outcomes(decisions)
    yield from _oddities(report, domain)
    yield _times(report)


def _row(file: FileReplay) -> tuple[str | int, ...]:
    counts = verdict_counts(file.decisions)
    return (
        file.file,
        len(file.conversations),
        file.calls,
        len(file.decisions),
        *(counts[kind] for kind in _VERDICTS),
    )


def _line(decision: ReplayedCall) -> str:
    verdict = decision.verdict
    place = "/".join(
        "-" if part is None else str(part)
        for part in (decision.conversation, decision.trial, decision.index)
    )
    rules = " ".join(f"{rule.id}={rule.truth}" for rule in verdict.rules if rule.truth != "TRUE")
    why = rules or ("" if verdict.allowed else f"({verdict.decided_by}) {verdict.message}")
    line = f"{printable(f'{decision.file} {place} {verdict.tool}')} "
    return f"{line}{verdict_text(verdict.decision.value)} {printable(why)}".rstrip()


def _outcomes(decisions: tuple[ReplayedCall, ...]) -> Iterator[str]:
    failed = rejected(decisions)
    if failed:
        refused = sum(not decision.verdict.allowed for decision in failed)
        yield (
            f"of {plural(len(failed), 'write')} that the environment rejected, "
            f"the gate refuses {refused}"
        )
    passed = tuple(decision for decision in decisions if decision.executed_ok)
    rewarded = tuple(decision for decision in passed if decision.reward == 1)
    for found, which in ((passed, ""), (rewarded, " in conversations with reward 1")):
        if found:
            counts = verdict_counts(found)
            shown = ", ".join(f"{counts[kind]} {kind}" for kind in _VERDICTS)
            yield f"of {plural(len(found), 'write')} carried out{which}: {shown}"


def _oddities(report: ReplayReport, domain: Domain) -> Iterator[str]:
    """What a reader should know about the recordings before trusting the figures."""
    unknown = Counter(
        d.verdict.tool for d in report.decisions if d.verdict.tool not in domain.tools
    )
    for tool, count in unknown.most_common():
        yield printable(
            f"`{tool}`, called {plural(count, 'time')}, is no tool of domain `{domain.name}`"
        )
    counts = {
        "call of the user, not judged": sum(file.user_calls for file in report.files),
        "call without an answer": sum(file.unanswered for file in report.files),
    }
    for what, count in counts.items():
        if count:
            noun, _, rest = what.partition(" ")
            yield f"{plural(count, noun)} {rest}"
    unheard = sum(file.unheard for file in report.files)
    if unheard and any(tool.asks for tool in domain.tools.values()):
        yield (
            f"{plural(unheard, 'conversation')} without a message of the user: nobody checks there "
            "that the user said what only the user can give"
        )
    drifts: Counter[tuple[str, str, str]] = Counter()
    for drift in (drift for file in report.files for drift in file.drifts):
        drifts[drift.tool, drift.pattern, drift.reason] += drift.records
    if drifts:
        yield f"{plural(drifts.total(), 'record')} kept out of the ledger: no fit with the schema"
    for (tool, pattern, reason), count in drifts.most_common(_MOST_DRIFTS):
        yield styled(printable(f"  {count} of `{tool}` for `{pattern}`: {reason}"), "dim")


def _times(report: ReplayReport) -> str:
    return f"{report.seconds:.2f} s, {report.reading_seconds:.2f} s of it reading"
