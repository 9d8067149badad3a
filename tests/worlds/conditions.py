"""Random conditions and claims about the lots, of which some speak of the traits of the domain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from tests.worlds.lots import FIELDS

LOT = "ledger.lots[args.id]"


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


def _facts(text: Text) -> str:
    pick, lot = text.random.choice, text.lot()
    return pick(
        (
            "args.id == session.id", f"{lot}.next == session.id", f"{text.number()} <= session.cap",
            "has(session.boss) && session.boss", "session.cap > 1", "args.id in session.own",
            "ledger.lots[session.id].n <= session.cap", "!has(session.own)",
            'observed(ledger.lots[session.id])', "ledger.desk.lot == session.id",
        )
    )  # fmt: skip


def _asks(text: Text) -> str:
    return text.random.choice(
        (
            "stated(args.id)", "!stated(args.id)", "stated(args.v)", 'stated(args.id, "loose")',
            f"stated({text.lot()}.next)", 'stated("gold", "ignoring_case")',
            'has(args.word) && stated(args.word, "ignoring_case")', "has(args.word)",
            '!has(args.word) || args.word != "gold"',
        )
    )  # fmt: skip


_ATOMS: Mapping[str, Callable[[Text], str]] = {
    "keyed": _keyed,
    "shows": _shown,
    "facts": _facts,
    "asks": _asks,
}
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


def _facts_claim(text: Text) -> str:
    lot = text.lot()
    return text.random.choice(
        (
            "args.id != session.id", f"{lot}.n > session.cap", f"session.cap == 0 && {text.atom()}",
            "has(session.own) && !(args.id in session.own)", "args.v > session.cap",
        )
    )  # fmt: skip


def _asks_claim(text: Text) -> str:
    return text.random.choice(
        (
            "!stated(args.id)", '!stated(args.id, "loose")', "!stated(args.v)",
            'has(args.word) && !stated(args.word, "ignoring_case")',
            f"stated(args.id) && {text.atom()}", f"!stated({LOT}.next)",
        )
    )  # fmt: skip


CLAIMS: Mapping[str, Callable[[Text], str]] = {
    "keyed": _keyed_claim,
    "shows": _shown_claim,
    "facts": _facts_claim,
    "asks": _asks_claim,
}
"""What a `never` says of a trait."""
