"""`gate DOMAIN --ledger F --call F`: one decision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

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
    printable,
    styled,
    table,
    verdict_text,
)
from ledger_verify.conversation.formats.common import arguments_of
from ledger_verify.gate.gate import Gate
from ledger_verify.gate.session import Session
from ledger_verify.gate.verdict import NOT_SETTLED, Decision, ReadCall, RuleReport, Verdict
from ledger_verify.lang.errors import InputError, near_match
from ledger_verify.ledger.paths import leads_on, segment_text
from ledger_verify.policy.domain import Domain
from ledger_verify.source.cursor import Cursor
from ledger_verify.source.json_file import STDIN, read_json
from ledger_verify.source.json_text import json_text

STATUS = {Decision.ALLOW: 0, Decision.REVISE: 10, Decision.BLOCK: 20}
_CALL_KEYS = ("name", "tool", "arguments", "function", "id", "type", "requestor")


def gate(
    domain: DomainArgument,
    ledger: Annotated[
        str,
        typer.Option("--ledger", metavar="F", help="JSON: ledger path -> record, or nested."),
    ],
    call: Annotated[
        str,
        typer.Option("--call", metavar="F", help='JSON: {"tool", "arguments"}.'),
    ],
    heard: Annotated[
        str | None,
        typer.Option("--heard", metavar="F", help="JSON: the user's messages, a list of texts."),
    ] = None,
    format: FormatOption = Format.TEXT,
    without_tool: WithoutToolOption = None,
    clock: ClockOption = None,
    fact: FactOption = None,
    facts: FactsOption = None,
    explain_ms: ExplainOption = None,
    debug: DebugOption = False,
) -> int:
    """Decide about one call, given what was observed and said. One of the files may be `-`.

    Exit status: 0 ALLOW, 10 REVISE, 20 BLOCK, 2 for bad input.
    """
    if [ledger, call, heard, facts].count(STDIN) > 1:
        raise InputError(
            "only one of `--ledger`, `--call`, `--heard` and `--facts` can be standard input"
        )
    loaded = Domain.load(domain)
    session = Gate(loaded, explain_ms=explain_ms).session(
        clock_us=session_clock_us(loaded, clock),
        tools=agent_tools(loaded, without_tool),
        facts=session_facts(loaded, fact, facts),
    )
    fill_ledger(session, ledger)
    if heard is not None:
        for message in Cursor.root(read_json(heard)).as_list("the messages of the user").items():
            session.heard(message.text("a message of the user"))
    verdict = session.dry_run(*read_call(call))
    if format is Format.JSON:
        emit_json(verdict.to_json())
    else:
        emit("\n".join(_text(verdict)))
    return STATUS[verdict.decision]


def fill_ledger(session: Session, path: str) -> None:
    """Store the records of a ledger file; raises `InputError` with the place of one that fails.

    Records stand under their paths, or in an object by what is left of these: `accounts.a1`, or
    `a1` within `accounts`. `stale` has the paths of records and parts that went stale, `absent`
    those of records that are known not to exist, unless a path of the domain's ledger begins so.
    """
    root = Cursor.root(read_json(path)).as_object("a ledger (path -> record)")
    seen = set()
    lists = {"stale": session.mark_stale, "absent": session.record_absent}
    listed = [name for name in lists if _is_free(session.domain, name) and root.has(name)]
    for name in root.value:
        if name in listed:
            continue
        for record_path, record in _records(session.domain, name, root.get(name)):
            if record_path in seen:
                raise record.error(f"`{record_path}` is given twice")
            seen.add(record_path)
            try:
                session.record(record_path, record.value)
            except InputError as problem:
                raise record.error(problem.message, hint=problem.hint) from None
    for name in listed:
        for part in root.get(name).as_list(f"`{name}`").items():
            try:
                lists[name](part.text("a path such as `orders.W1`"))
            except InputError as problem:
                raise part.error(problem.message, hint=problem.hint) from None


def _is_free(domain: Domain, name: str) -> bool:
    """Whether no path of the ledger begins with the name."""
    return all(spec.segments[0] != name for spec in domain.ledger.values())


def _records(domain: Domain, path: str, place: Cursor) -> Iterator[tuple[str, Cursor]]:
    """The records at a path and below it; the path itself where nothing can be below."""
    if isinstance(place.value, dict) and leads_on(path, domain):
        for key in place.value:
            yield from _records(domain, f"{path}.{segment_text(key)}", place.get(key))
    else:
        yield path, place


def read_call(path: str) -> tuple[str, Any]:
    """Tool and arguments from a call file; raises `InputError`.

    The shapes of chat logs are taken too: both inside `function`, arguments as JSON text.
    """
    root = Cursor.root(read_json(path)).as_object("a call")
    outer = _known_keys(root)
    inner = (
        _known_keys(outer.get("function").as_object("`function`"))
        if outer.has("function")
        else outer
    )
    key = "tool" if inner.has("tool") else "name"
    if inner.has("tool") and inner.has("name"):
        raise inner.get("tool").error("a call has either `name` or `tool`, not both")
    name = inner.get(key).text("the `name` of a call")
    return name, arguments_of(inner.value.get("arguments"))


def _known_keys(call: Cursor) -> Cursor:
    for key in call.value:
        if key not in _CALL_KEYS:
            hint = near_match(key, ("name", "tool", "arguments"))
            raise call.get(key).error(f"a call has no `{key}`", hint=hint)
    return call


def _told(rule: RuleReport) -> str:
    """What is said of a rule; of an open one its message is no fact."""
    is_open = rule.truth == "UNKNOWN" and not rule.message.startswith(NOT_SETTLED)
    return f"(where it does not hold: {rule.message})" if is_open else rule.message


def _text(verdict: Verdict) -> Iterator[str]:
    yield f"{verdict_text(verdict.decision.value)}  {styled(printable(verdict.tool), 'bold')}"
    for line in verdict.message.splitlines():
        yield f"  {printable(line)}"
    if verdict.rules:
        yield ""
        yield table(
            ("rule", "truth", "message"),
            [(rule.id, rule.truth, _told(rule)) for rule in verdict.rules],
        )
    if verdict.missing:
        yield ""
        reads = [(m.path, "-" if m.read is None else _read(m.read)) for m in verdict.missing]
        yield table(("missing", "read"), reads)
    if verdict.repair is not None:
        yield ""
        later = " (once the reads confirm it)" if verdict.repair.needs_reads else ""
        yield f"would be allowed with{later}:"
        for name, value in verdict.repair.arguments.items():
            asked = name in verdict.repair.ask
            shown = "what the person says" if asked else json_text(value, indent=None)
            yield printable(f"  {name} = {shown}")
        for name in verdict.repair.without:
            yield printable(f"  no {name}")


def _read(read: ReadCall) -> str:
    arguments = ", ".join(
        f"{name}={'?' if value is None else json_text(value, indent=None)}"
        for name, value in read.arguments.items()
    )
    return f"{read.name}({arguments})"
