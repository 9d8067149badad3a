"""Random policies over the lots: rules, assumptions, and claims about one call and about many."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from ledger_verify.policy.domain import Domain
from tests.worlds.conditions import CLAIMS, LOT, Text
from tests.worlds.lots import DEFINITIONS, FIELDS, SESSION, TRAITS, WRITES, paths, tools

Rules = list[tuple[str, str]]


@dataclass(frozen=True)
class Policy:
    """A random domain, the traits that it has, and the one with a slip in a rule."""

    domain: Domain
    traits: frozenset[str]
    edited: Domain


def random_policy(seed: int, always: frozenset[str] = frozenset()) -> Policy:
    """The policy of that number; it has the traits of `always`, and perhaps others."""
    random = Random(f"lots {seed}")
    traits = always | {trait for trait in TRAITS if random.random() < 0.5}
    text, made = Text(random, traits), tools(random, traits)
    rules = [(tool, text.condition()) for tool in WRITES for _ in range(random.randint(1, 2))]
    bound = random.choice("2345")
    if random.random() < 0.4:
        where = random.choice((f"{LOT}.n", "ledger.till.n"))
        rules.append((random.choice(WRITES), f"{where} <= {bound}"))
    claims: list[dict[str, Any]] = [
        {"id": f"never{i}", "tools": [tool], "never": never}
        for i, (tool, never) in enumerate(_never(text, rules))
    ]
    for i in range(2):
        more = random.choice(("0", "1", "2", "5"))
        kept = random.choice(
            (
                f"ledger.lots.all(l, l.n <= {bound} + {more})", "ledger.till.n <= ledger.till.c",
                f"ledger.till.n <= {bound} + {more}", f"ledger.lots.all(l, l.inner.a <= {bound})",
            )
        )  # fmt: skip
        if "facts" in traits and random.random() < 0.4:
            kept = random.choice(
                (
                    "ledger.till.n <= session.cap + 2", "ledger.till.c >= session.cap",
                    f"ledger.lots.all(l, session.cap < 2 || l.n <= {bound} + {more})",
                )
            )  # fmt: skip
        claims.append({"id": f"kept{i}", "always": kept})

    def define(rules: Rules) -> Domain:
        documents = [{"id": f"r{i}", "tools": [t], "require": r} for i, (t, r) in enumerate(rules)]
        return Domain.define(
            "lots", tools=made, ledger=paths(traits), definitions=DEFINITIONS, rules=documents,
            assumptions=assumptions, invariants=claims, clock="2024-05-15T15:00:00",
            session=SESSION if "facts" in traits else None,
        )  # fmt: skip

    assumptions = _assumptions(random)
    return Policy(define(rules), traits, define(_edited(text, rules)))


def _assumptions(random: Random) -> list[str]:
    options = [
        f"ledger.lots.all(l, l.n <= {random.choice('345')})", "ledger.lots.all(l, l.n >= 0)",
        "ledger.lots.all(l, l.inner.a <= l.n + 2)", "ledger.till.n <= ledger.till.c",
        f"ledger.till.c <= {random.choice('567')}", "ledger.lots.all(l, l.next != l.id)",
    ]  # fmt: skip
    return random.sample(options, k=random.choice((0, 0, 1, 2)))


def _never(text: Text, rules: Rules) -> list[tuple[str, str]]:
    """Claims about one call, many of which follow from the rules."""
    claims = []
    for tool, rule in rules:
        claims.append((tool, f"!({rule}) && {text.condition()}"))
        claims.append((tool, f"{text.atom()} && !({rule})"))
    for tool in WRITES:
        one, other = text.random.sample(FIELDS["lots"], k=2)
        claims.append((tool, f"observed({LOT}.{one}) && !observed({LOT}.{other})"))
        claims += [(tool, makes(text)) for trait, makes in CLAIMS.items() if trait in text.traits]
    return claims


def _edited(text: Text, rules: Rules) -> Rules:
    """The rules with one slip: another condition, one more alternative, or a rule left out."""
    place = text.random.randrange(len(rules))
    tool, rule = rules[place]
    slips = (text.condition(), f"({rule}) || {text.atom()}", f"({rule}) && {text.atom()}", "true")
    return [*rules[:place], (tool, text.random.choice(slips)), *rules[place + 1 :]]
