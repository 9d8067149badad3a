"""Ledgers that reads and writes lead to, and what the static worlds owe them.

A ledger is reached by real reads, writes, interrupted calls and calls of unknown tools through a
`Session`; each is one of the worlds over which `check`, `prove` and `diff` quantify.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

from ledger_verify.evaluate.kleene import Scope, Truth, truth
from ledger_verify.gate.cases import truths_in
from ledger_verify.gate.gate import Gate
from ledger_verify.gate.session import Session
from ledger_verify.lang.errors import InputError
from ledger_verify.policy.domain import Domain
from ledger_verify.schema.coerce import coercer
from ledger_verify.solver.outcome import Outcome
from ledger_verify.solver.query import Limits
from ledger_verify.solver.question import Question
from ledger_verify.solver.static import StaticSolver
from tests.differential.boxes import (
    KEYS,
    PATHS,
    WRITES,
    Text,
    define,
    random_arguments,
    random_record,
    touching,
)

LEDGERS = 60
LIMITS = Limits(timeout_ms=10_000, resources=20_000_000)


def reach(domain: Domain, random: Random) -> Session:
    """A session after some reads and writes in any order."""
    session = Gate(domain).session()
    for _ in range(random.randint(0, 8)):
        step(session, random)
    return session


def step(session: Session, random: Random) -> None:
    """One thing that happens to a ledger."""
    chance = random.random()
    if chance < 0.55:
        path = random.choice(PATHS)
        name, call = read_of(path)
        session.observe(name, call, random_record(random, path))
    elif chance < 0.9:
        session.observe(random.choice(WRITES), random_arguments(random), {})
    elif chance < 0.95:
        session.interrupted(random.choice(WRITES), random_arguments(random))
    elif chance < 0.97:
        session.observe("get_box", {"id": random.choice(KEYS)}, {"n": "no box"})
    elif chance < 0.98:
        session.observe("nobody_knows", {}, {})


def read_of(path: str) -> tuple[str, dict[str, Any]]:
    """The read that shows what is at a path."""
    return ("get_till", {}) if path == "till" else ("get_box", {"id": path.rpartition(".")[2]})


def disagreement(seed: int, tally: Counter[str]) -> str | None:
    """What the solver says wrongly of the predicates of that seed, if anything.

    A ledger on which all are TRUE refutes that there is none. A case that is found is judged so by
    the interpreter; if it is not, that is only counted, since whoever shows a case replays it.
    """
    random = Random(seed)
    text = Text(random)
    predicates = [text.condition() for _ in range(random.randint(1, 2))]
    if random.random() < 0.4:
        predicates.append(text.partly())
    if random.random() < 0.4:  # often there is no such world then
        predicates.append(f"!({random.choice(predicates)}) || {text.atom()} && {text.atom()}")
    domain = define(touching(random), [("put", predicate) for predicate in predicates])
    rules = tuple(rule.holds for rule in domain.rules_by_tool["put"])
    solver = StaticSolver(domain, limits=LIMITS)
    search = solver.search(Question(domain.tools["put"], true=rules), pleasant=False)
    tally[search.outcome.value] += 1
    if search.case is not None:
        try:
            answers = truths_in(Gate(domain), search.case, rules)
        except InputError:
            answers = None
        replays = set(answers or ()) == {Truth.TRUE}
        tally["replayed" if replays else "not replayed"] += 1
        if search.case.stale:
            tally["with something stale"] += 1
        return None if replays else f"seed {seed}: {predicates} on {search.case}: {answers}"
    if search.outcome is not Outcome.NONE:
        return None
    bind = coercer(domain.tools["put"].arguments, domain.zone)
    for _ in range(LEDGERS):
        session, call = reach(domain, random), random_arguments(random)
        names = {"args": bind(call), "now": domain.clock_us, "call": {"tool": "put"}}
        if all(truth(rule, Scope(session.ledger, names)) is Truth.TRUE for rule in rules):
            return f"seed {seed}: {predicates} hold for {call} on\n{session.render()}"
        if (
            session.dry_run("put", call).allowed
            if hasattr(session, "dry_run")
            else (session.check("put", call).allowed)
        ):
            return f"seed {seed}: {predicates} allow {call} on\n{session.render()}"
    return None
