"""Random well-typed predicates over one small domain, and ledgers with gaps to judge them on.

`random_case(random)` gives a `Case`: a predicate's text with its environment, the content of a
whole world as JSON, and which of it was observed or is stale. `partial_ledger` is what the
evaluators see of the world, `Completion` one way in which the gaps may turn out, `full_ledger` the
world without gaps. Everything is drawn from the `Random` given, so a seed repeats a case exactly;
`cases()` is the same as a Hypothesis strategy that shrinks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from hypothesis import strategies as st

from ledger_verify.evaluate.kleene import Scope
from ledger_verify.lang.check import check_predicate
from ledger_verify.lang.environment import Environment, LedgerPattern, rule_environment
from ledger_verify.lang.errors import BadConstant, Unsupported
from ledger_verify.lang.typed import Expr
from ledger_verify.lang.types import RecordType, Type
from ledger_verify.ledger.parts import Keys, Within
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.evidence import Evidence, NoEvidence, Unknown
from ledger_verify.schema.coerce import coercer
from ledger_verify.schema.json_schema import type_from_schema
from tests.differential.predicates import DAYS, ORDER_IDS, SKUS, predicate
from tests.differential.values import DEFINITIONS, ZONE, ZONE_NAME, random_json

__all__ = [
    "ARGUMENTS", "DAYS", "ENVIRONMENT", "ORDER_IDS", "PATTERNS", "SESSION", "SKUS", "ZONE",
    "ZONE_NAME", "Case", "Completion", "Records", "cases", "full_ledger", "partial_ledger",
    "random_case",
]  # fmt: skip

Records = Mapping[str, Mapping[Keys, Any]]
"""JSON records by pattern and keys."""


def _type(name: str) -> RecordType:
    made = type_from_schema({"$ref": f"#/$defs/{name}"}, DEFINITIONS)
    assert isinstance(made, RecordType)
    return made


def _key(kind: str) -> Type:
    return type_from_schema({"type": kind}, {})


ARGUMENTS = _type("Arguments")
SESSION = _type("Session")
PATTERNS: Mapping[str, LedgerPattern] = {
    pattern.text: pattern
    for pattern in (
        LedgerPattern("user", (), _type("User")),
        LedgerPattern("orders.*", (_key("string"),), _type("Order")),
        LedgerPattern("stock.*.*", (_key("string"), _key("integer")), _type("Stock")),
    )
}
ENVIRONMENT: Environment = rule_environment(ARGUMENTS, PATTERNS, ZONE_NAME, session=SESSION)
_COERCE = {text: coercer(pattern.record, ZONE) for text, pattern in PATTERNS.items()}
_COERCE_ARGUMENTS = coercer(ARGUMENTS, ZONE)
_COERCE_FACTS = coercer(SESSION, ZONE)
_SCHEMAS = {"user": "User", "orders.*": "Order", "stock.*.*": "Stock"}
_ALL_KEYS: Mapping[str, tuple[Keys, ...]] = {
    "user": ((),),
    "orders.*": tuple((order,) for order in ORDER_IDS),
    "stock.*.*": tuple((sku, day) for sku in SKUS for day in DAYS),
}
STALE_PARTS: Mapping[str, tuple[Within, ...]] = {
    "user": (("balance",), ("email",), ("tags",), ("address",), ("address", "zip")),
    "orders.*": (("status",), ("discount",), ("items",), ("counts",), ("counts", "a"), ("coupon",)),
    "stock.*.*": (("left",),),
}


@dataclass(frozen=True)
class Case:
    """A predicate, a world in JSON, and what of the world the ledger knows."""

    text: str
    expr: Expr
    arguments: Mapping[str, Any]
    now_us: int
    tool: str
    world: Records
    unobserved: frozenset[tuple[str, Keys]]
    stale: frozenset[tuple[str, Keys, Within]]
    session: Mapping[str, Any]

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """The typed facts of the session."""
        facts: Mapping[str, Any] = _COERCE_FACTS(self.session)
        return facts

    @cached_property
    def names(self) -> Mapping[str, Any]:
        """The values of the names, as the interpreter takes them."""
        arguments = _COERCE_ARGUMENTS(self.arguments)
        return {"args": arguments, "now": self.now_us, "call": {"tool": self.tool}}

    @cached_property
    def records(self) -> Mapping[tuple[str, Keys], Any]:
        """The typed records of the whole world."""
        return {
            (pattern, keys): _COERCE[pattern](raw)
            for pattern, table in self.world.items()
            for keys, raw in table.items()
        }

    def scope(self, evidence: Evidence) -> Scope:
        """What the interpreter evaluates the predicate in."""
        return Scope(evidence, self.names)


def random_case(random: Random, size: int = 4) -> Case:
    """A case with a predicate of at most `size` levels."""
    text, expr = _checked_predicate(random, size)
    world = {
        pattern: {keys: random_json(random, _SCHEMAS[pattern], keys) for keys in all_keys}
        for pattern, all_keys in _ALL_KEYS.items()
    }
    places = [(pattern, keys) for pattern, all_keys in _ALL_KEYS.items() for keys in all_keys]
    gaps = random.choice((0.0, 0.2, 0.5))
    unobserved = frozenset(place for place in places if random.random() < gaps)
    stale = frozenset(
        (pattern, keys, random.choice((*STALE_PARTS[pattern], ())))
        for pattern, keys in places
        if (pattern, keys) not in unobserved and random.random() < gaps
    )
    return Case(
        text,
        expr,
        random_json(random, "Arguments", ()),
        random.choice((1715799600000000, 1715799600000000 + random.randrange(10**13))),
        random.choice(("refund", "cancel")),
        world,
        unobserved,
        stale,
        random_json(random, "Session", ()),
    )


def cases(size: int = 4) -> st.SearchStrategy[Case]:
    """Cases as a Hypothesis strategy."""
    return st.randoms(use_true_random=False).map(lambda random: random_case(random, size))


def _checked_predicate(random: Random, size: int) -> tuple[str, Expr]:
    while True:
        text = predicate(random, size)
        try:
            return text, check_predicate(text, ENVIRONMENT)
        except (Unsupported, BadConstant):  # literals only, and CEL would differ: draw again
            continue


def partial_ledger(case: Case) -> Ledger:
    """The ledger that the evaluators see: unobserved records are not there, stale parts marked."""
    ledger = full_ledger(case, without=case.unobserved)
    for pattern, keys, within in sorted(case.stale, key=repr):
        ledger.touch(pattern, keys, within)
    return ledger


def full_ledger(case: Case, without: frozenset[tuple[str, Keys]] = frozenset()) -> Ledger:
    """The whole world, freshly observed, except the records at `without`."""
    ledger = Ledger(PATTERNS, facts=case.facts)
    for (pattern, keys), value in case.records.items():
        if (pattern, keys) not in without:
            ledger.put(pattern, keys, value)
    return ledger


class Completion(NoEvidence):
    """One way in which the gaps of a case may turn out, drawn from `seed`.

    Every record has a value: what was observed and is not stale keeps its own, all else gets one
    that fits the schema. What counts as observed stays as it is.
    """

    def __init__(self, case: Case, seed: int) -> None:
        self.facts = case.facts
        self._case = case
        self._seed = seed
        self._partial = partial_ledger(case)
        self._records: dict[tuple[str, Keys], Any] = {}

    def lookup(self, pattern: str, keys: Keys) -> Any:
        """The record that the completion has there."""
        if (pattern, keys) not in self._records:
            self._records[pattern, keys] = _COERCE[pattern](self.raw(pattern, keys))
        return self._records[pattern, keys]

    def raw(self, pattern: str, keys: Keys) -> Any:
        """The same record as JSON."""
        drawn = random_json(Random(f"{self._seed} {pattern} {keys}"), _SCHEMAS[pattern], keys)
        known = self._case.world[pattern].get(keys)
        if known is None or (pattern, keys) in self._case.unobserved:
            return drawn
        for stale_pattern, stale_keys, within in self._case.stale:
            if (stale_pattern, stale_keys) == (pattern, keys):
                known = _with_part(known, drawn, within)
        return known

    def observed(self, pattern: str, keys: Keys, field: str | None) -> bool | Unknown:
        """Whether the ledger with gaps has it."""
        return self._partial.observed(pattern, keys, field)


def _with_part(known: Any, drawn: Any, within: Within) -> Any:
    """`known` with the part at `within` as it is in `drawn`; absent if it is absent there."""
    if not within:
        return drawn
    step, rest = within[0], within[1:]
    changed = {key: value for key, value in known.items() if key != step}
    if rest and isinstance(known.get(step), dict):
        changed[step] = _with_part(known[step], drawn.get(step, {}), rest)
    elif step in drawn:
        changed[step] = drawn[step]
    return changed
