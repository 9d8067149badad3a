"""Random policies over the lots: rules, assumptions, and claims about one call and about many."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from ledger_verify.policy.domain import Domain
from tests.worlds.lots import DEFINITIONS, FIELDS, TRAITS, WRITES, paths, tools

LOT = "ledger.lots[args.id]"
Rules = list[tuple[str, str]]


@dataclass(frozen=True)
class Text:
    """Random conditions, of which some speak of the traits that the domain has."""

    random: Random
    traits: frozenset[str]

    def lot(self) -> str:
        """A way to write one."""
        others: tuple[str, ...] = (
            'ledger.lots["x"]',
            f"ledger.lots[{LOT}.next]",
            "ledger.lots[ledger.desk.lot]",
        )
        return self.random.choice((*6 * (LOT,), *others))

    def number(self) -> str:
        """A number."""
        lot = self.lot()
        own = (f"{lot}.n", f"{lot}.n", f"{lot}.inner.a", f"{lot}.k", "ledger.desk.n")
        numbers = [*own, "ledger.till.n", "ledger.till.c", "args.v", "args.v", "0", "1", "2"]
        return self.random.choice(numbers)

    def atom(self) -> str:
        """A condition without `&&` or `||`."""
        own = [makes for trait, makes in _ATOMS.items() if trait in self.traits]
        if own and self.random.random() < 0.3:
            return self.random.choice(own)(self)
        return self.observing() if self.random.random() < 0.25 else self.plain()

    def plain(self) -> str:
        """One about the records as they are."""
        pick, lot = self.random.choice, self.lot()
        op = pick(("<", "<=", "==", "!=", ">"))
        return pick(
            (
                *2 * (f"{self.number()} {op} {self.number()}",),
                f"{self.number()} {op} {pick('0123')}", f'{lot}.s == "{pick("ab")}"',
                f"has({lot}.k)", f"has({lot}.inner.b) && {lot}.inner.b", "has(ledger.desk.lot)",
                "ledger.till.n <= ledger.till.c", "ledger.till.open", "ledger.desk.lot == args.id",
                f"{lot}.next == args.id", f'{lot}.next in ["x", "y"]', f'{lot} == ledger.lots["y"]',
            )
        )  # fmt: skip

    def observing(self) -> str:
        """One about what was observed."""
        # a key that is itself not known makes no record observed, so none is read from a record
        pick, lot = self.random.choice, self.random.choice((LOT, LOT, 'ledger.lots["x"]'))
        op, number, field = pick(("<", "<=", "==", ">")), pick("012"), pick(FIELDS["lots"])
        return pick(
            (
                f"observed({lot})",
                f"observed({lot}.{field})",
                f"!observed({lot}.{field})",
                f"observed(ledger.till.{pick(FIELDS['till'])})",
                "observed(ledger.desk)",
                f"size(records(ledger.lots)) {op} {number}",
                f"records(ledger.lots).exists(r, r.n {op} {number})",
                f'records(ledger.lots).all(r, r.s == "{pick("ab")}" || r.n {op} {number})',
            )
        )

    def condition(self, depth: int = 1) -> str:
        """Some of them together."""
        if depth and self.random.random() < 0.5:
            left, right = self.condition(depth - 1), self.condition(depth - 1)
            return f"({left} {self.random.choice(('&&', '||'))} {right})"
        atom = self.atom()
        return f"!({atom})" if self.random.random() < 0.15 else atom


def _keyed(text: Text) -> str:
    pick, lot = text.random.choice, text.lot()
    return pick(
        (
            f"{lot}.id == args.id", f"{lot}.id != {lot}.next", 'ledger.desk.id == "p"',
            f"ledger.desk.id == {lot}.id", f"{lot}.next == {lot}.id",
            'records(ledger.lots).exists(r, r.id == args.id)',
        )
    )  # fmt: skip


def _shown(text: Text) -> str:
    pick = text.random.choice
    op, number, field = pick(("<", "<=", "==", ">")), pick("0123"), pick(FIELDS["lots"])
    return pick(
        (
            f"records(ledger.lots).all(r, r.n {op} {number})", "observed(ledger.till)",
            f"size(records(ledger.lots).filter(r, r.n {op} {number})) <= 1",
            f"observed({LOT}.{field}) && {LOT}.n {op} {number}", f"observed({LOT})",
        )
    )  # fmt: skip


_ATOMS: Mapping[str, Callable[[Text], str]] = {"keyed": _keyed, "shows": _shown}
"""What a condition says of a trait."""


def _keyed_claim(text: Text) -> str:
    lot = text.lot()
    return text.random.choice(
        (
            f"{LOT}.id != args.id", f"records(ledger.lots).exists(r, r.id == args.id) && "
            f"!observed({LOT}) && !observed({LOT}.n)", f'{lot}.id == "x" && {text.atom()}',
        )
    )  # fmt: skip


def _shown_claim(text: Text) -> str:
    field = text.random.choice(FIELDS["lots"])
    return text.random.choice(
        (
            f"observed({LOT}.{field}) && !observed({LOT})",
            f"observed({LOT}) && size(records(ledger.lots)) == 0",
            f"records(ledger.lots).exists(r, r.n > 2) && {text.atom()}",
        )
    )


_CLAIMS: Mapping[str, Callable[[Text], str]] = {"keyed": _keyed_claim, "shows": _shown_claim}
"""What a `never` says of a trait."""


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
        claims.append({"id": f"kept{i}", "always": kept})

    def define(rules: Rules) -> Domain:
        documents = [{"id": f"r{i}", "tools": [t], "require": r} for i, (t, r) in enumerate(rules)]
        return Domain.define(
            "lots", tools=made, ledger=paths(traits), definitions=DEFINITIONS, rules=documents,
            assumptions=assumptions, invariants=claims, clock="2024-05-15T15:00:00",
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
        claims += [(tool, makes(text)) for trait, makes in _CLAIMS.items() if trait in text.traits]
    return claims


def _edited(text: Text, rules: Rules) -> Rules:
    """The rules with one slip: another condition, one more alternative, or a rule left out."""
    place = text.random.randrange(len(rules))
    tool, rule = rules[place]
    slips = (text.condition(), f"({rule}) || {text.atom()}", f"({rule}) && {text.atom()}", "true")
    return [*rules[:place], (tool, text.random.choice(slips)), *rules[place + 1 :]]
