"""Arguments and options that several commands share."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from ledger_verify.cli.output import note
from ledger_verify.lang.errors import InputError, near_match
from ledger_verify.policy.domain import Domain, clock_from_text

DomainArgument = Annotated[
    str, typer.Argument(metavar="DOMAIN", help="A bundled domain's name, or a folder.")
]
WithoutToolOption = Annotated[
    list[str] | None,
    typer.Option("--without-tool", metavar="NAME", help="A tool that the agent lacks; repeatable."),
]
ClockOption = Annotated[
    str | None,
    typer.Option(
        "--clock",
        metavar="TIME",
        help="The present, such as `2024-05-15T15:00:00`; a date is its beginning.",
    ),
]
DebugOption = Annotated[
    bool, typer.Option("--debug", help="Show the traceback of an internal error.")
]

ExplainOption = Annotated[
    int | None,
    typer.Option(
        "--explain-ms",
        metavar="N",
        min=1,
        help="Time for the explanation of a refusal, as a live gate has it; without it no limit.",
    ),
]


def agent_tools(domain: Domain, without: list[str] | None) -> frozenset[str] | None:
    """The tools that the agent has, None for all; raises `InputError` for an unknown name."""
    if not without:
        return None
    for name in without:
        if name not in domain.tools:
            raise InputError(
                f"`--without-tool`: domain `{domain.name}` has no tool `{name}`",
                hint=near_match(name, domain.tools),
            )
    return frozenset(domain.tools) - frozenset(without)


def session_clock_us(domain: Domain, given: str | None) -> int | None:
    """The session's present in microseconds: as given, None for the domain's own, else now."""
    if given is not None:
        return clock_from_text(given, domain, "`--clock`")
    if domain.clock_us is not None:
        return None
    note(f"note: domain `{domain.name}` pins no clock: rules see the present time (`--clock TIME`)")
    return time.time_ns() // 1000


TimeoutOption = Annotated[
    float,
    typer.Option(
        "--timeout", metavar="SECONDS", min=0.001, max=86_400, help="Limit for one solver query."
    ),
]
ScopeOption = Annotated[
    int,
    typer.Option(
        "--scope",
        metavar="N",
        min=1,
        max=16,
        help="How many items of a list without `maxItems`, earlier calls and observed records "
        "the solver looks at one by one: N, then 2N.",
    ),
]
ProcessesOption = Annotated[
    int | None,
    typer.Option("--processes", metavar="N", min=1, help="Processes; one a core without it."),
]
NoCacheOption = Annotated[
    bool, typer.Option("--no-cache", help="Neither use nor keep answers of earlier runs.")
]
