"""Walks through the real gate against every claim that is proved: none may be broken.

The policies have facts that are assumed, effects that may break them, writes that make only a part
of a record stale, and an agent that reads when it likes.
`LEDGER_VERIFY_CASES=2000 pytest tests/differential/test_walks.py` tries many more.
"""

from __future__ import annotations

import os
from collections import Counter
from functools import cache
from random import Random
from typing import Any

import pytest

from ledger_verify.evaluate.kleene import Scope, Truth, evaluate, truth
from ledger_verify.gate.gate import Gate
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Assumption
from ledger_verify.proofs.invariants import Proof
from ledger_verify.proofs.sequences import SequenceResult, prove_sequences
from ledger_verify.solver.sequences import SequenceSolver

CASES = int(os.environ.get("LEDGER_VERIFY_CASES", "24"))
BLOCKS = 4
WALKS = 40
CALLS = 3
KEYS = ("a", "b")
R = "ledger.r[args.k]"
NUMBERS = range(-2, 24)
_RULES = (
    f"{R}.n <= 5", f"{R}.n <= 5", f"{R}.n <= {R}.c", f"{R}.c <= 5", f"{R}.open", f"!{R}.open",
    "args.v <= 5", f"{R}.n + args.v <= 9", f"args.v <= {R}.c", f"!{R}.open || {R}.n <= 3",
    f"!observed({R}.n) || {R}.n <= 5", f"observed({R}.c) && {R}.c <= 5",
)  # fmt: skip
_FACTS = (
    "ledger.r.all(o, o.n <= o.c)", "ledger.r.all(o, o.c <= 5)", "ledger.r.all(o, o.n <= 5)",
    "ledger.r.all(o, !o.open || o.n <= 3)", "ledger.r.all(o, o.n >= 0)",
)  # fmt: skip
_CLAIMS = (
    "o.n <= 15", "o.n <= 5", "o.n <= o.c", "o.c <= 5", "o.n <= 9", "o.c <= 15 || o.n <= 5",
    "!o.open || o.n <= 13", "o.n <= 15 && o.c <= 15",
)  # fmt: skip
_VALUES = {
    "n": (f"{R}.n + 10", f"{R}.n + args.v", "args.v", f"{R}.c", f"{R}.n - 1", "0"),
    "c": ("args.v", f"{R}.c + 1", f"{R}.n", "5"),
    "open": ("true", "false", f"!{R}.open"),
}


def policy(seed: int) -> Domain:
    """A random one over records with two numbers and a flag."""
    random = Random(seed)
    tools: dict[str, Any] = {
        "read": {"kind": "read", "arguments": {"k": "string"}, "observes": {"r.{args.k}": "result"}}
    }
    rules = []
    for number in range(random.randint(1, 3)):
        name, fields = f"w{number}", random.sample(("n", "c", "open"), random.choice((1, 1, 2)))
        places = {field: f"r.{{args.k}}.{field}" for field in fields}
        tools[name] = {
            "kind": "write",
            "arguments": {"k": "string", "v": "integer"},
            "touches": list(places.values()),
            "effects": {
                place: random.choice(_VALUES[field])
                for field, place in places.items()
                if random.random() < 0.85
            },
        }
        rules += [
            {"id": f"{name}_{i}", "tools": [name], "require": random.choice(_RULES)}
            for i in range(random.choice((1, 1, 2)))
        ]
    record = {
        "type": "object",
        "required": ["n", "c", "open"],
        "properties": {
            "n": {"type": "integer"}, "c": {"type": "integer"}, "open": {"type": "boolean"},
        },
    }  # fmt: skip
    invariant: dict[str, Any] = {
        "id": "kept",
        "always": f"ledger.r.all(o, {random.choice(_CLAIMS)})",
    }
    if random.random() < 0.4:
        invariant["initially"] = "ledger.r.all(o, o.n == 0 && o.c == 5)"
    return Domain.define(
        "walked", tools=tools, ledger={"r.*": "R"}, definitions={"R": record}, rules=rules,
        assumptions=random.sample(_FACTS, random.choice((0, 1, 2, 2))), invariants=[invariant],
        clock="2024-05-15T15:00:00",
    )  # fmt: skip


@cache
def outcome(seed: int) -> tuple[Domain, SequenceResult]:
    domain = policy(seed)
    (result,) = prove_sequences(domain, SequenceSolver(domain), CALLS)
    return domain, result


class World:
    """The records as they really are."""

    def __init__(self, domain: Domain, random: Random) -> None:
        self.domain, self.random = domain, random
        self.records: dict[str, dict[str, Any]] = {}

    def begin(self) -> bool:
        """Records such as a session can start with; False if none were hit upon."""
        claim = self.domain.always[0]
        statements = (*self.domain.assumptions, claim.initially or claim.always)
        return all(self._redraw(key, ("n", "c", "open"), statements) for key in KEYS)

    def holds(self, statement: Assumption) -> bool:
        """Whether a statement about the records is true of all of them."""
        ledger, variable = self.ledger(), statement.variable
        assert variable is not None
        return all(
            truth(statement.body, Scope(ledger).bind(variable.name, record)) is Truth.TRUE
            for record in self.records.values()
        )

    def ledger(self) -> Ledger:
        """All records, observed."""
        ledger = Ledger(self.domain.ledger)
        for key, record in self.records.items():
            ledger.put("r.*", (key,), dict(record))
        return ledger

    def run(self, tool: str, arguments: dict[str, Any]) -> None:
        """Do what the effects say; what is touched without one may be whatever the facts allow."""
        spec, key = self.domain.tools[tool], arguments["k"]
        names = {"args": arguments, "now": self.domain.clock_us, "call": {"tool": tool}}
        scope = Scope(self.ledger(), names)
        told = {str(e.within[0]): evaluate(e.value, scope) for e in spec.effects}
        self.records[key] = {**self.records[key], **told}
        untold = tuple(str(t.within[0]) for t in spec.touches if str(t.within[0]) not in told)
        if untold:
            before = dict(self.records[key])
            if not self._redraw(key, untold, self.domain.assumptions):
                self.records[key] = before

    def _redraw(self, key: str, fields: tuple[str, ...], facts: tuple[Assumption, ...]) -> bool:
        for _ in range(200):
            drawn = {
                field: self.random.random() < 0.5
                if field == "open"
                else self.random.choice((0, 0, 5, self.random.choice(NUMBERS)))
                for field in fields
            }
            kept = self.records.get(key, {})
            self.records[key] = {**kept, **drawn}
            if all(self.holds(fact) for fact in facts):
                return True
            self.records[key] = kept
        return False


def walk(domain: Domain, random: Random, calls: int) -> list[Any] | None:
    """Calls that the gate allowed and after which the claim is broken; None if it was not."""
    world, gate = World(domain, random), Gate(domain)
    if not world.begin():
        return None
    session, claim = gate.session(), domain.always[0].always
    trace: list[Any] = []
    writes = [tool.name for tool in domain.writes]
    done = 0
    for _ in range(6 * calls):
        key = random.choice((*KEYS[:1], *KEYS))
        if random.random() < 0.3:
            session.observe("read", {"k": key}, world.records[key])
            trace.append(("read", key, dict(world.records[key])))
            continue
        tool = random.choice(writes)
        arguments = {"k": key, "v": random.choice((0, 1, 5, 5, 10, random.choice(NUMBERS)))}
        if not session.check(tool, arguments).allowed:
            continue
        world.run(tool, arguments)
        session.observe(tool, arguments, None)
        trace.append((tool, arguments, dict(world.records[key])))
        done += 1
        if not world.holds(claim):
            return trace
        if done == calls:
            break
    return None


@pytest.mark.parametrize("block", range(BLOCKS))
def test_no_walk_breaks_what_is_proved(block: int) -> None:
    for seed in range(block, CASES, BLOCKS):
        domain, result = outcome(seed)
        if result.proof not in (Proof.PROVED, Proof.PROVED_UP_TO_BOUND):
            continue
        calls = 6 if result.proof is Proof.PROVED else result.calls
        random = Random(seed)
        for _ in range(WALKS):
            broken = walk(domain, random, calls)
            assert broken is None, f"seed {seed}, {result.proof}: {broken}"


def test_the_walks_would_find_what_is_broken() -> None:
    """Of claims that are refuted, many are broken by walks as well."""
    found: Counter[bool] = Counter()
    for seed in range(CASES):
        domain, result = outcome(seed)
        if result.proof is Proof.REFUTED and result.calls:
            random = Random(seed)
            found[any(walk(domain, random, 4) for _ in range(WALKS))] += 1
    assert found[True] > found[False], found


def test_every_outcome_occurs() -> None:
    proofs = {outcome(seed)[1].proof for seed in range(CASES)}
    assert proofs >= {Proof.PROVED, Proof.REFUTED, Proof.UNDECIDED}
