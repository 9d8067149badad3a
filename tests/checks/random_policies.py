"""Random small policies over the domain of the differential tests, and cases to judge them on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from random import Random
from typing import Any

from ledger_verify.evaluate.kleene import Scope
from ledger_verify.lang.check import check_predicate
from ledger_verify.lang.errors import BadConstant, Unsupported
from ledger_verify.policy.domain import Domain
from tests.differential.predicates import predicate
from tests.differential.strategies import ENVIRONMENT, STALE_PARTS, Completion, random_case
from tests.differential.values import DEFINITIONS, ZONE_NAME
from tests.differential.worlds import WildCompletion

CASES = 1_000
_ORDER = "ledger.orders[args.order_id]"
_ATOMS = (
    "args.qty <OP> <N>", "args.qty <OP> <N>", "ledger.user.age <OP> <N>",
    f"{_ORDER}.total <OP> <N>.5",
    f'{_ORDER}.status == "<STATUS>"', f'{_ORDER}.status in ["open", "<STATUS>"]',
    'ledger.user.tier != "<TIER>"', f"has({_ORDER}.discount)", f"{_ORDER}.discount <OP> <N>.0",
    f"{_ORDER}.items.all(i, i.qty <OP> <N>)", f"{_ORDER}.items.exists(i, i.qty <OP> <N>)",
    "size(args.ids) <OP> <N>", "args.flag", 'args.note == "a"', "args.reason != null",
    "args.amount <OP> args.qty", 'call.tool == "refund"', "session.limit <OP> <N>",
    'session.tenant.plan == "gold"', f"{_ORDER}.id == session.user_id",
    f"observed({_ORDER}.<FIELD>)", f"!observed({_ORDER}.<FIELD>)", f"observed({_ORDER})",
    "observed(ledger.user.balance)",
)  # fmt: skip
_SPOILING: Mapping[str, Any] = {
    f"spoil{number}": {"kind": "write", "touches": [".".join((pattern, *within))]}
    for number, (pattern, within) in enumerate(
        (pattern, within) for pattern, parts in STALE_PARTS.items() for within in parts
    )
}
"""What may be stale in the cases: each part of all records on its own."""
_OPERATORS = ("<", "<=", ">", ">=", "==", "!=")


def random_policy(seed: int) -> Domain:
    """A domain of two tools with a few rules each, often related, some with guards."""
    random = Random(seed)
    arguments = _fields("Arguments")
    tools: Mapping[str, Any] = {
        "refund": {"kind": "write", "arguments": arguments},
        "cancel": {"kind": "write", "arguments": arguments},
        **_SPOILING,
        "count": {
            "kind": "read",
            "arguments": {"sku": "string", "day": "integer"},
            "observes": {"stock.{args.sku}.{args.day}": "result"},
        },
    }
    rules = [_rule(random, number) for number in range(random.randint(2, 5))]
    return Domain.define(
        "small", tools=tools, definitions=DEFINITIONS, rules=rules, timezone=ZONE_NAME,
        ledger={"user": "User", "orders.*": "Order", "stock.*.*": "Stock"},
        session=_fields("Session"),
    )  # fmt: skip


@cache
def random_scopes() -> Mapping[str, Sequence[Scope]]:
    """Worlds in which every record has a value, ordinary and unusual ones, with a call; by tool."""
    scopes: dict[str, list[Scope]] = {"refund": [], "cancel": []}
    for seed in range(CASES):
        case = random_case(Random(seed), 1)
        for tool, found in scopes.items():
            world = (Completion, WildCompletion)[seed % 2](case, seed)
            found.append(Scope(world, {**case.names, "call": {"tool": tool}}))
    return scopes


def _rule(random: Random, number: int) -> dict[str, Any]:
    rule: dict[str, Any] = {
        "id": f"r{number}",
        "tools": random.choice((["refund"], ["refund"], ["cancel"], ["refund", "cancel"])),
        "require": _condition(random),
    }
    if random.random() < 0.4:
        rule["when"] = _condition(random)
    if random.random() < 0.1:
        rule["otherwise"] = "block"
    return rule


def _condition(random: Random) -> str:
    if random.random() < 0.1:
        return _wild(random)
    atoms = [_atom(random) for _ in range(random.choice((1, 1, 2, 2, 3)))]
    joined = atoms[0]
    for atom in atoms[1:]:
        joined = f"({joined} {random.choice(('&&', '||'))} {atom})"
    return f"!({joined})" if random.random() < 0.1 else joined


def _atom(random: Random) -> str:
    text = random.choice(_ATOMS)
    for mark, options in {
        "<OP>": _OPERATORS, "<N>": ("0", "1", "2", "3"), "<TIER>": ("gold", "silver"),
        "<STATUS>": ("paid", "open", "cancelled"),
        "<FIELD>": ("status", "total", "discount", "counts"),
    }.items():  # fmt: skip
        text = text.replace(mark, random.choice(options))
    return text


def _wild(random: Random) -> str:
    """Any small predicate of the differential tests."""
    while True:
        text = predicate(random, 2)
        try:
            check_predicate(text, ENVIRONMENT)
        except (Unsupported, BadConstant):
            continue
        return text


def _fields(name: str) -> dict[str, Any]:
    """The fields of an object in the notation of arguments."""
    schema = DEFINITIONS[name]
    return {
        name if name in schema["required"] else f"{name}?": below
        for name, below in schema["properties"].items()
    }
