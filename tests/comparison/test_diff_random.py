"""Random edits: what `diff` shows replays, and what it proves has no exception among many cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest

from ledger_verify.comparison.compare import diff
from ledger_verify.comparison.report import Change, Direction
from ledger_verify.comparison.search import Effort
from ledger_verify.comparison.sides import Pair, Side
from ledger_verify.policy.case import Case, EarlierCall
from ledger_verify.policy.domain import Domain
from ledger_verify.solver.query import Limits
from tests.comparison.stall import T, stall

CASES = 1_000
NOW_US = 1_715_785_200_000_000  # 2024-05-15T15:00:00Z, which the stall pins
EFFORT = Effort(limits=Limits(timeout_ms=60_000, resources=20_000_000))
TOUCHED = ("state", "price", "seats", "sold_at")
STATES = ("open", "used", "void", "lost")
FIELDS: tuple[tuple[str, Any], ...] = (
    ("state", {"enum": ["open", "used"]}),
    ("state", {"enum": list(STATES)}),
    ("price", {"type": "integer", "minimum": 0, "maximum": 5}),
    ("price", {"type": "number", "minimum": 0}),
    ("seats", {"type": "array", "items": {"type": "integer", "minimum": 0}, "maxItems": 1}),
    ("note", None),
    ("tag", {"type": "string"}),
)
ARGUMENTS: tuple[tuple[str, Any], ...] = (
    ("amount", {"type": "integer", "maximum": 3}),
    ("how", {"enum": ["card"]}),
    ("amount", "number"),
    ("extra?", "string"),
)


def atom(random: Random) -> str:
    number, op = random.randint(0, 6), random.choice(("<", "<=", ">", ">=", "==", "!="))
    return random.choice(
        (
            f"args.amount {op} {number}",
            f"{T}.price {op} {number}",
            f"args.amount {op} {T}.price",
            f'{T}.state {random.choice(("==", "!="))} "{random.choice(STATES[:3])}"',
            f'args.how == "{random.choice(("card", "cash"))}"',
            f"now - {T}.sold_at {random.choice(('<=', '>'))} duration('{number}h')",
            f"{T}.seats.{random.choice(('all', 'exists'))}(s, s {op} {number})",
            f"size({T}.seats) {op} {random.randint(0, 3)}",
            f"observed({T})",
            f"has({T}.note)" if random.random() < 0.5 else f"!observed({T})",
            f"{random.choice(('', '!'))}observed({T}.{random.choice(TOUCHED)})",
            f"{random.choice(('', '!'))}observed({T}.{random.choice(TOUCHED)})",
            f"size(records(ledger.tickets)) {op} {number % 3}",
            f"size(history.refund.filter(c, c.ok && c.args.id == args.id)) {op} {number % 3}",
        )
    )


def writes(random: Random) -> dict[str, Any]:
    """Tools that make parts of tickets stale, one each: any may be while the others are not."""
    parts = random.sample(TOUCHED, k=random.randint(0, 3))
    call = {"kind": "write", "arguments": {"id": "string"}}
    return {f"stamp_{name}": {**call, "touches": [f"tickets.{{args.id}}.{name}"]} for name in parts}


def conditions(random: Random) -> list[list[str]]:
    """A conjunction of disjunctions."""
    return [
        [atom(random) for _ in range(random.randint(1, 3))] for _ in range(random.randint(1, 3))
    ]


def edited(random: Random, rules: list[list[str]]) -> list[list[str]]:
    """The same with one slip: an atom replaced, dropped, added or negated, or a rule dropped."""
    rules = [list(rule) for rule in rules]
    rule = random.choice(rules)
    place = random.randrange(len(rule))
    match random.randrange(5):
        case 0:
            rule[place] = atom(random)
        case 1 if len(rule) > 1:
            del rule[place]
        case 2:
            rule.append(atom(random))
        case 3:
            rule[place] = f"!({rule[place]})"
        case 4 if len(rules) > 1:
            rules.remove(rule)
    return rules


def texts(rules: list[list[str]]) -> list[str]:
    return [" || ".join(f"({atom})" for atom in rule) for rule in rules]


def versions(seed: int) -> tuple[Domain, Domain]:
    """Two versions of the stall; every third pair differs in its schemas as well, or only there."""
    random = Random(seed)
    before = conditions(random)
    after = before if seed % 6 == 0 else edited(random, before)
    changes: dict[str, Any] = {}
    if seed % 3 == 0:
        kind, options = random.choice((("ticket", FIELDS), ("arguments", ARGUMENTS)))
        changes[kind] = dict([random.choice(options)])
    if any("note" in text for text in texts(after)):
        changes.pop("ticket", None)
    stamps = writes(random)
    others = stamps if random.random() < 0.7 else writes(random)
    return (
        stall(*texts(before), more_tools=stamps),
        stall(*texts(after), more_tools=others, **changes),
    )


def cases(random: Random, touched: Sequence[str]) -> Iterator[Case]:
    """Cases, in some of which parts of what was observed are stale that writes touch."""
    for _ in range(CASES):
        ledger = {"tickets.t": ticket(random)} if random.random() < 0.9 else {}
        history = tuple(
            EarlierCall("refund", call(random), ran, "ALLOW", NOW_US - random.randint(0, 9))
            for ran in [random.random() < 0.7 for _ in range(random.choice((0, 0, 0, 1, 2)))]
        )
        stale: tuple[str, ...] = ()
        if ledger and random.random() < 0.5:
            some = random.sample(touched, k=random.randint(0, len(touched)))
            stale = tuple(f"tickets.t.{name}" for name in some)
            stale += ("tickets.t",) if random.random() < 0.2 else ()
        yield Case("refund", call(random), ledger, NOW_US, history=history, stale=stale)


def call(random: Random) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "id": "t",
        "amount": random.randint(-1, 7),
        "how": random.choice(("card", "cash")),
    }
    if random.random() < 0.1:
        arguments[random.choice(("amount", "extra"))] = random.choice((2.5, "x"))
    return arguments


def ticket(random: Random) -> dict[str, Any]:
    record: dict[str, Any] = {
        "state": random.choice(STATES),
        "price": random.choice((*range(8), 2.5, 100)),
        "sold_at": f"2024-05-15T{random.randint(8, 15):02}:{random.choice((0, 30)):02}:00Z",
        "seats": [random.randint(0, 7) for _ in range(random.randint(0, 3))],
    }
    if random.random() < 0.3:
        record["note"] = "n"
    if random.random() < 0.2:
        record["tag"] = random.choice(("t", 0))
    return record


def check(direction: Direction, pair: Pair, random: Random) -> None:
    if direction.change is Change.FOUND:
        found = direction.counterexample
        assert found is not None
        assert pair.differs(found.case)
    elif direction.change is Change.NONE:
        tools = (*pair.allowing.domain.tools, *pair.other.domain.tools)
        touched = [name for name in TOUCHED if f"stamp_{name}" in tools]
        for case in cases(random, touched):
            assert not (allows(pair.allowing, case) and pair.differs(case)), case


def allows(side: Side, case: Case) -> bool:
    """Whether the rules hold by what was observed, or may be open; the gate tells in full."""
    standing = side.stand(case)
    return standing is not None and all(t.value in ("TRUE", "UNKNOWN") for t in standing)


@pytest.mark.parametrize("seed", range(60))
def test_random_edits(seed: int) -> None:
    old, new = versions(seed)
    report = diff(old, new, EFFORT)
    (tool,) = [t for t in report.tools if t.tool == "refund"]
    before, after = Side.of("OLD", old), Side.of("NEW", new)
    check(tool.allowed, Pair(after, before), Random(seed))
    check(tool.refused, Pair(before, after), Random(seed))


def test_random_edits_are_of_every_kind() -> None:
    """The test above would be worth little if all of its pairs ended the same way."""
    seen = set()
    for seed in range(30):
        (tool,) = [t for t in diff(*versions(seed), EFFORT).tools if t.tool == "refund"]
        seen |= {tool.allowed.change, tool.refused.change}
    assert {Change.NONE, Change.FOUND} <= seen
