"""What the evaluators owe each other on one case; each check gives what it found wrong, or None."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from ledger_verify.evaluate.compiled import compile_predicate
from ledger_verify.evaluate.kleene import Truth, evaluate, truth, truth_of
from ledger_verify.lang.partial import may_lack_value
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.evidence import Unknown
from tests.differential.strategies import Case, Completion, full_ledger, partial_ledger, random_case

Check = Callable[[Case], str | None]
COMPLETIONS = 3


def gaps_never_change_an_answer(case: Case) -> str | None:
    """Whatever the missing evidence says, an answer other than UNKNOWN stays what it is."""
    answer = truth(case.expr, case.scope(partial_ledger(case)))
    if answer is Truth.UNKNOWN:
        return None
    for seed in range(COMPLETIONS):
        completed = truth(case.expr, case.scope(Completion(case, seed)))
        if completed is not answer:
            return f"{answer.name} with gaps, {completed.name} in completion {seed}"
    return None


def completions_are_decided(case: Case) -> str | None:
    """Where every record has a value, nothing is UNKNOWN."""
    for seed in range(COMPLETIONS):
        if truth(case.expr, case.scope(Completion(case, seed))) is Truth.UNKNOWN:
            return f"UNKNOWN in completion {seed}"
    return None


def unknown_says_what_to_read(case: Case) -> str | None:
    """UNKNOWN names a record whose keys are all known, so that a read can help."""
    value = evaluate(case.expr, case.scope(partial_ledger(case)))
    if isinstance(value, Unknown) and not any(path.determined for path in value.missing):
        return f"UNKNOWN without a record to read: {sorted(map(str, value.missing))}"
    return None


def only_partial_expressions_lack_values(case: Case) -> str | None:
    """What is said never to lack a value is no ERROR, with gaps or without."""
    if may_lack_value(case.expr):
        return None
    for seed in range(COMPLETIONS):
        if truth(case.expr, case.scope(Completion(case, seed))) is Truth.ERROR:
            return f"ERROR in completion {seed}, though it is said to have a value always"
    if truth(case.expr, case.scope(partial_ledger(case))) is Truth.ERROR:
        return "ERROR with gaps, though it is said to have a value always"
    return None


def compiled_agrees(case: Case) -> str | None:
    """A compiled predicate gives the interpreter's True or False, or raises."""
    for name, ledger in (("full", full_ledger(case)), ("partial", partial_ledger(case))):
        compiled = compiled_answer(case, ledger)
        answer = truth(case.expr, case.scope(ledger))
        if compiled is not None and (
            not isinstance(compiled, bool) or truth_of(compiled) is not answer
        ):
            return f"compiled {compiled!r}, interpreted {answer.name} on the {name} ledger"
    return None


def compiled_answer(case: Case, ledger: Ledger) -> Any:
    """What the compiled predicate returns, or None where it leaves the case to the interpreter."""
    names = case.names
    predicate = compile_predicate(case.expr)
    try:
        return predicate(ledger, names["args"], names["now"], names["call"])
    except Exception:
        return None


CHECKS: Mapping[str, Check] = {
    "gaps never change an answer": gaps_never_change_an_answer,
    "completions are decided": completions_are_decided,
    "unknown says what to read": unknown_says_what_to_read,
    "only partial expressions lack values": only_partial_expressions_lack_values,
    "compiled agrees with interpreted": compiled_agrees,
}
"""The checks by name. The solver's go here: a `Check` that asks it about `case` and compares."""


def disagreement(check: Check, seed: int) -> str | None:
    """What a check finds wrong with the case of a seed, shown on the smallest such case."""
    for size in range(5):
        case = random_case(Random(seed), size)
        found = check(case)
        if found is not None:
            return f"seed {seed}, size {size}: {found}\n{case.text}\n{case}"
    return None
