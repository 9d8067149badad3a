"""`prove DOMAIN [ID]`: invariants."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from ledger_verify.cli.options import DebugOption, DomainArgument, ScopeOption, TimeoutOption
from ledger_verify.cli.output import (
    VERDICT_COLOURS,
    Format,
    FormatOption,
    emit,
    emit_json,
    plural,
    printable,
    styled,
    table,
    verdict_text,
)
from ledger_verify.cli.story import stale_lines
from ledger_verify.lang.environment import SESSION
from ledger_verify.lang.errors import InputError, near_match
from ledger_verify.policy.domain import Domain
from ledger_verify.solver.reach import (
    LONGER_LISTS,
    LONGER_SEQUENCES,
    lists_within,
    sequences_within,
)

PROVED, REFUTED, UNDECIDED = 0, 1, 3
_TOTALS = {
    "PROVED": "proved",
    "PROVED_UP_TO_BOUND": "proved only so far",
    "REFUTED": "refuted",
    "UNDECIDED": "undecided",
}


def prove_command(
    domain: DomainArgument,
    invariant: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="One invariant; all without it.")
    ] = None,
    format: FormatOption = Format.TEXT,
    sequence: Annotated[
        int,
        typer.Option("--sequence", metavar="K", min=1, max=32, help="The longest sequence tried."),
    ] = 4,
    timeout: TimeoutOption = 10.0,
    scope: ScopeOption = 4,
    debug: DebugOption = False,
) -> int:
    """Prove that no allowed call, or sequence of calls, breaks an invariant, or show one that does.

    A proof holds for any number of calls, and of items in a list. Where it does not, PROVED says
    for how many: of calls in a row, and of items of any list, earlier calls and observed records.

    Exit status: 0 proved, 1 refuted, 2 for bad input, 3 undecided, or proved only so far.
    """
    loaded = Domain.load(domain)
    ids = [*(i.id for i in loaded.invariants), *(i.id for i in loaded.always)]
    known = list(dict.fromkeys(ids))
    if invariant is not None and invariant not in known:
        raise InputError(f"no invariant `{invariant}`", hint=near_match(invariant, known))
    from ledger_verify.proofs.invariants import Proof, prove
    from ledger_verify.proofs.sequences import prove_sequences
    from ledger_verify.solver.query import Limits
    from ledger_verify.solver.sequences import SequenceSolver
    from ledger_verify.solver.static import StaticSolver

    limits = Limits(timeout_ms=round(timeout * 1000), resources=100_000_000)
    results = list(prove(loaded, StaticSolver(loaded, scope, limits), invariant))
    solver = SequenceSolver(loaded, scope, limits)
    sequences = list(prove_sequences(loaded, solver, sequence, invariant))
    proofs = [*(result.proof for result in results), *(result.proof for result in sequences)]
    if format is Format.JSON:
        emit_json(
            {
                "domain": loaded.name,
                "invariants": [result.to_json(loaded) for result in results],
                "sequences": [result.to_json(loaded) for result in sequences],
            }
        )
    elif results or sequences:
        lines = [line for result in results for line in _text(result, loaded)]
        lines += [line for result in sequences for line in _sequence_text(result, loaded)]
        emit("\n".join([*lines, *_totals(loaded, proofs)]))
    else:
        emit(f"{loaded.name}: no invariants")
    outcomes = set(proofs)
    if Proof.REFUTED in outcomes:
        return REFUTED
    return PROVED if outcomes <= {Proof.PROVED} else UNDECIDED


def _coloured(outcome: str, proof: Any) -> str:
    return styled(outcome, {"REFUTED": "red", "PROVED": "green"}.get(proof.name, "yellow"))


def _text(result: Any, domain: Domain) -> Iterator[str]:
    outcome = result.proof.value
    if result.bound is not None:
        outcome = f"PROVED only for {lists_within(result.bound)}"
    yield f"{_coloured(outcome, result.proof)}  {result.invariant.id} ({result.invariant.tool})"
    for reason in result.reasons:
        yield f"  {printable(reason)}"
    if result.bound is not None:
        yield _help(LONGER_LISTS)
    if result.without_rules:
        yield (
            f"  {result.invariant.location}: it holds whatever the rules say; if they are meant to "
            "see to it, check the condition for a slip"
        )
    if result.counterexample is not None:
        data = result.to_json(domain)["counterexample"]
        yield f"  {result.invariant.location}: this call is allowed and breaks it"
        for name, value in data.get(SESSION, {}).items():
            yield f"  {SESSION}.{printable(name)}: {_json(value)}"
        for path, record in data["ledger"].items():
            yield f"  {printable(path)}: {_json(record)}"
        for line in stale_lines(data.get("stale", ())):
            yield f"  {printable(line)}"
        for text in data.get("heard", ()):
            yield f"  the user said: {_json(text)}"
        for earlier in data.get("history", ()):
            yield f"  earlier: {_json(earlier)}"
        call = data["call"]
        yield f"  call {call['tool']} {_json(call['arguments'])} at {data['clock']}"


def _sequence_text(result: Any, domain: Domain) -> Iterator[str]:
    from ledger_verify.proofs.invariants import Proof
    from ledger_verify.solver.outcome import Doubt

    calls, told, help_ = plural(result.calls, "call"), "", list[str]()
    outcome = result.proof.value
    match result.proof:
        case Proof.PROVED:
            told = " (all sequences of calls)"
        case Proof.REFUTED:
            outcome = f"REFUTED by a sequence of {calls}"
        case Proof.PROVED_UP_TO_BOUND:
            outcome = f"PROVED only for {sequences_within(result.calls)}"
            help_.append(LONGER_SEQUENCES)
            if result.bound is not None:
                outcome += f" and {lists_within(result.bound)}"
                help_.append(LONGER_LISTS)
        case Proof.UNDECIDED if Doubt.TIME.value in result.reasons:
            help_.append("raise `--timeout`")
    yield f"{_coloured(outcome, result.proof)}  {result.invariant.id}{told}"
    for reason in result.reasons:
        yield f"  {printable(reason)}"
    if result.counterexample is not None:
        yield from _story(result, result.to_json(domain)["sequence"])
    yield from map(_help, help_)


def _help(text: str) -> str:
    return f"  {styled('help:', 'bold')} {text}"


def _totals(domain: Domain, proofs: list[Any]) -> Iterator[str]:
    """How many answers there are of each kind, where there are several."""
    if len(proofs) > 1:
        counts = Counter(proof.name for proof in proofs)
        told = [f"{counts[name]} {words}" for name, words in _TOTALS.items() if counts[name]]
        yield ""
        yield f"{domain.name}: {', '.join(told)}"


def _story(result: Any, data: dict[str, Any]) -> Iterator[str]:
    """The records at the start, the calls with what they changed, and what is broken."""
    yield f"  {result.invariant.location}: {_claim(data)}"
    facts = data.get(SESSION, {})
    if facts or data["ledger"]:
        rows = [(f"{SESSION}.{name}", _json(value)) for name, value in facts.items()]
        rows += [(path, _json(record)) for path, record in data["ledger"].items()]
        yield from (f"  {line}" for line in table(("at the start", ""), rows).splitlines())
    for text in data.get("heard", ()):
        yield f"  the user said: {_json(text)}"
    for number, call in enumerate(data["calls"], 1):
        judged = call["verdict"] in VERDICT_COLOURS
        verdict = verdict_text(call["verdict"]) if judged else "not judged"
        told = f"{call['tool']} {_json(call['arguments'])} at {call['time']}"
        yield f"  {number}. {told} -> {verdict}{_fate(call)}"
        for change in call["changes"]:
            value = _json(change["value"]) if change["there"] else "absent"
            why = "" if change["declared"] else "  (touched, no effect declared: may be anything)"
            yield f"     {printable(change['path'])}: {value}{why}"
    for path, record in data["broken"].items():
        yield f"  not true of {printable(path)}: {_json(record)}"
    if not data["broken"]:
        yield f"  not true any more: {printable(' '.join(result.invariant.always.text.split()))}"


def _fate(call: dict[str, Any]) -> str:
    """What became of a call that was made."""
    if call["verdict"] in ("REVISE", "BLOCK"):
        unread = ", ".join(printable(path) for path in call["unread"])
        return f", unread: {unread}" if unread else ""
    if call["ok"]:
        return ""
    return ", its result cannot be read" if call["done"] else ", then it fails"


def _claim(data: dict[str, Any]) -> str:
    if not data["calls"]:
        return "a session can start like this, which breaks it"
    return "these calls are allowed and break it"


def _json(value: Any) -> str:
    return printable(json.dumps(value, ensure_ascii=False))
