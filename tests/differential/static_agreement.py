"""Static worlds owe the interpreter every ledger that writes can lead to, parts of it stale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ledger_verify.evaluate.kleene import Truth, truth
from ledger_verify.lang.types import StringType
from ledger_verify.ledger.entries import Entry
from ledger_verify.ledger.parts import Keys, Within
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.evidence import Evidence, Unknown
from ledger_verify.policy.parts import Entries, Parts
from ledger_verify.policy.tools import Tool, ToolKind, Touch
from ledger_verify.solver.instances import Instance
from ledger_verify.solver.logic import Bool, Term, as_term, conjoin, implies, negate
from ledger_verify.solver.outcome import Undecided
from ledger_verify.solver.parting import Parting, place_below
from ledger_verify.solver.query import Query
from ledger_verify.solver.shapes import known
from ledger_verify.solver.worlds import LedgerWorld, symbols_for
from tests.differential.agreement import Check
from tests.differential.solver_agreement import CANDIDATES, DOMAIN, LIMITS, tally
from tests.differential.strategies import ARGUMENTS, STALE_PARTS, Case, full_ledger, partial_ledger
from tests.differential.worlds import completions
from tests.solver.pinning import pin

_SCOPE = 4
_MAP_KEYS = ("a", "b", "gold", "", "ab")


def _spoiling() -> Mapping[str, Tool]:
    """Writes that each make one part of all records of a pattern stale."""
    return {
        f"spoil {pattern} {within}": Tool(
            f"spoil {pattern} {within}", ToolKind.WRITE, ARGUMENTS,
            touches=(Touch(pattern, (None,) * pattern.count("*"), within),),
        )
        for pattern, parts in STALE_PARTS.items()
        for within in parts
    }  # fmt: skip


_SPOILT = replace(DOMAIN, tools={**DOMAIN.tools, **_spoiling()})


def ledgers_are_free_models(case: Case) -> str | None:
    """What is observed and what is stale is a model of the free world, with any completion."""
    ledger = partial_ledger(case)
    for completion in completions(case, 1):
        answer = truth(case.expr, case.scope(completion))
        found = _missing(case, ledger, completion, answer, strict=False)
        if found:
            return f"free world: {found}"
    return None


def ledgers_are_strict_models(case: Case) -> str | None:
    """The ledger with its gaps is a model of the strict world, TRUE exactly where it is TRUE."""
    ledger = partial_ledger(case)
    answer = truth(case.expr, case.scope(ledger))
    found = _missing(case, ledger, full_ledger(case), answer, strict=True)
    return f"strict world: {found}" if found else None


def _missing(
    case: Case, ledger: Ledger, values: Evidence, answer: Truth, *, strict: bool
) -> str | None:
    symbols = symbols_for(_SPOILT, [case.expr], _SCOPE)
    names = {
        "args": symbols.make(ARGUMENTS, "args"), "now": known(case.now_us),
        "call": known({"tool": case.tool}), "session": known(case.facts),
    }  # fmt: skip
    world = LedgerWorld(_SPOILT, symbols, names, strict=strict)
    holds = world.encoder.holds(case.expr)
    call = pin(symbols, names["args"], case.names["args"], ARGUMENTS)
    pins = conjoin([call, *_pins(world, ledger, values)])
    wanted = answer is Truth.TRUE
    try:
        possible = Query(symbols, LIMITS).possible([pins, holds if wanted else negate(holds)])
    except Undecided:
        tally["undecided"] += 1
        return None
    return None if possible else f"a ledger on which it is {answer.name} is none to the solver"


def _pins(world: LedgerWorld, ledger: Ledger, values: Evidence) -> Iterator[Bool]:
    symbols = world.symbols
    for instance in list(world.instances.values()):
        spec = world.domain.ledger[instance.pattern]
        for keys in CANDIDATES[instance.pattern]:
            here = conjoin(
                as_term(term == symbols.literal(key, type_))
                for term, key, type_ in zip(instance.terms, keys, spec.keys, strict=True)
            )
            value = values.lookup(instance.pattern, keys)
            if not isinstance(value, Unknown):
                yield implies(here, pin(symbols, instance.record, value, spec.record))
            for flag, wanted in _flags(world, instance, ledger, keys):
                yield implies(here, flag if wanted else negate(flag))


def _flags(
    world: LedgerWorld, instance: Instance, ledger: Ledger, keys: Keys
) -> Iterator[tuple[Bool, bool]]:
    """What says of a record that it is observed, and which parts are stale."""
    entry = ledger.entries[instance.pattern].get(keys)
    observed = entry is not None and not entry.wholly_stale
    yield instance.observed, observed
    if entry is None or not observed:
        return
    parting = world.parting(instance.pattern)
    for name in parting.apart:
        stale = any(within[0] == name for within in entry.stale)
        yield parting.stale_field(name, instance.terms), stale
    if world.strict:
        yield from _parts(parting, parting.parts, entry, "", instance.terms, ())


def _parts(
    parting: Parting, parts: Parts, entry: Entry, name: str, terms: tuple[Term, ...], at: Within
) -> Iterator[tuple[Bool, bool]]:
    if parts.ends:
        yield parting.stale_at(name, terms), at in entry.stale
    for below, inner in parts.below.items():
        inside = place_below(name, below)
        if isinstance(below, str):
            yield from _parts(parting, inner, entry, inside, terms, (*at, below))
        elif below is Entries.ONE:
            for key in _MAP_KEYS:
                named = (*terms, parting.symbols.literal(key, StringType()))
                yield from _parts(parting, inner, entry, inside, named, (*at, key))


STATIC_CHECKS: Mapping[str, Check] = {
    "ledgers are models of free worlds": ledgers_are_free_models,
    "ledgers are models of strict worlds": ledgers_are_strict_models,
}
