"""`prove DOMAIN [ID]`: invariants."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from ledger_verify.cli.options import DebugOption, DomainArgument, ScopeOption, TimeoutOption
from ledger_verify.cli.output import Format, FormatOption, emit, emit_json, printable, styled
from ledger_verify.lang.errors import InputError, near_match
from ledger_verify.policy.domain import Domain

PROVED, REFUTED, UNDECIDED = 0, 1, 3


def prove_command(
    domain: DomainArgument,
    invariant: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="One invariant; all without it.")
    ] = None,
    format: FormatOption = Format.TEXT,
    timeout: TimeoutOption = 10.0,
    scope: ScopeOption = 4,
    debug: DebugOption = False,
) -> int:
    """Prove that no allowed call breaks an invariant, or show a call that does.

    Exit status: 0 proved, 1 refuted, 2 for bad input, 3 undecided, or proved only for lists up to
    a bound.
    """
    loaded = Domain.load(domain)
    known = list(dict.fromkeys(i.id for i in loaded.invariants))
    if invariant is not None and invariant not in known:
        raise InputError(f"no invariant `{invariant}`", hint=near_match(invariant, known))
    from ledger_verify.checks.prove import Proof, prove
    from ledger_verify.solver.query import Limits
    from ledger_verify.solver.static import StaticSolver

    limits = Limits(timeout_ms=round(timeout * 1000), resources=100_000_000)
    results = list(prove(loaded, StaticSolver(loaded, scope, limits), invariant))
    if format is Format.JSON:
        emit_json(
            {"domain": loaded.name, "invariants": [result.to_json(loaded) for result in results]}
        )
    elif results:
        emit("\n".join(line for result in results for line in _text(result, loaded)))
    else:
        emit(f"{loaded.name}: no invariants")
    outcomes = {result.proof for result in results}
    if Proof.REFUTED in outcomes:
        return REFUTED
    return PROVED if outcomes <= {Proof.PROVED} else UNDECIDED


def _text(result: Any, domain: Domain) -> Iterator[str]:
    from ledger_verify.checks.prove import Proof

    colour = {Proof.REFUTED: "red", Proof.PROVED: "green"}.get(result.proof, "yellow")
    outcome = result.proof.value
    if result.bound is not None:
        outcome = f"PROVED only for lists of up to {result.bound} items"
    yield f"{styled(outcome, colour)}  {result.invariant.id} ({result.invariant.tool})"
    if result.counterexample is not None:
        data = result.to_json(domain)["counterexample"]
        yield f"  {result.invariant.location}: this call is allowed and breaks it"
        for path, record in data["ledger"].items():
            yield f"  {printable(path)}: {printable(json.dumps(record, ensure_ascii=False))}"
        for earlier in data.get("history", ()):
            yield f"  earlier: {printable(json.dumps(earlier, ensure_ascii=False))}"
        call = data["call"]
        arguments = printable(json.dumps(call["arguments"], ensure_ascii=False))
        yield f"  call {call['tool']} {arguments} at {data['clock']}"
