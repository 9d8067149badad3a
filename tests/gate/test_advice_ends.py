"""An agent that follows every advice ends: random worlds with listings, pages, failures, misfits.

The reads show what a hidden database holds, fail, or show what does not fit. No read is advised
twice, and what is said not to exist does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger_verify import Domain, Gate, Session
from ledger_verify.evaluate.kleene import Scope, Truth, truth
from ledger_verify.gate.cases import replay_case
from ledger_verify.gate.verdict import ReadCall
from ledger_verify.lang.typed import Constant
from ledger_verify.lang.types import BOOL
from ledger_verify.policy.case import Case
from ledger_verify.policy.evidence import MissingPath, Statement, Unlisted

CUSTOMERS, IDS = ("c", "d"), ("a", "b", "z")
PLACES = [(customer, id) for customer in CUSTOMERS for id in IDS]
ORDER = "ledger.orders[args.customer]"
RULES = [
    f"{ORDER}[args.id].open",
    f"!{ORDER}[args.id].open",
    f"{ORDER}['a'].open || {ORDER}['b'].open",
    f"{ORDER}['a'].open && {ORDER}['z'].open",
    f"['a', 'b', 'z'].exists(i, {ORDER}[i].open)",
    f"['a', 'b', 'z'].all(i, !{ORDER}[i].open)",
    "ledger.orders['c'][args.id].open == ledger.orders['d'][args.id].open",
    f"{ORDER}[{ORDER}[args.id].next].open",
    f"{ORDER}[args.id].open ? {ORDER}['b'].open : {ORDER}['a'].open",
]
SEEN = [
    f"observed({ORDER}[args.id])",
    f"!observed({ORDER}[args.id]) || {ORDER}[args.id].open",
    "records(ledger.orders).exists(o, o.open)",
    "!records(ledger.orders).exists(o, o.open)",
    "records(ledger.orders).size() >= 2",
    f"records(ledger.orders).size() == 1 && !observed({ORDER}['a'])",
    "history.list.exists(h, h.ok)",
    "history.exists(h, h.tool == 'get' && h.ok)",
]
FORMS = ["list", "all", "pages", "all pages", "no get", "all, no get"]


@cache
def gate(form: str, require: str) -> Gate:
    """`list` shows the orders of one customer, in full or in pages of one; `get` one of them."""
    paged = "pages" in form
    more = {"when": "result.next != null", "next": {"cursor": "result.next"}}
    shown: dict[str, Any] = {"from": "result.items[*]"}
    shown |= {"all": True} if "all" in form else {}
    shown |= {"more": more} if paged else {}
    properties = {"id": {"type": "string"}, "open": {"type": "boolean"}, "next": {"type": "string"}}
    get = {
        "kind": "read", "arguments": {"customer": "string", "id": "string"},
        "observes": {"orders.{args.customer}.{args.id}": "result"},
    }  # fmt: skip
    tools = {
        **({} if "no get" in form else {"get": get}),
        "list": {
            "kind": "read",
            "arguments": {"customer": "string", **({"cursor?": "string"} if paged else {})},
            "observes": {"orders.{args.customer}.{item.id}": shown},
        },
        "act": {"kind": "write", "arguments": {"customer": "string", "id": "string"}},
    }
    order = {"type": "object", "required": [*properties], "properties": properties}
    return Gate(
        Domain.define(
            "desk", clock="2026-01-01T00:00:00", definitions={"Order": order},
            ledger={"orders.*.*": "Order"}, tools=tools,
            rules=[{"id": "r", "tools": ["act"], "require": require}],
        )
    )  # fmt: skip


@dataclass
class World:
    """The orders that there are, and the reads that fail or show what does not fit."""

    orders: Mapping[tuple[str, str], dict[str, Any]]
    paged: bool
    failing: frozenset[str] = frozenset()
    misfits: frozenset[str] = frozenset()
    made: list[str] = field(default_factory=list)

    def read(self, session: Session, call: ReadCall) -> None:
        """Make a read that was advised, which none was before."""
        arguments = dict(call.arguments)
        key = f"{call.name}{sorted(arguments.items())}"
        assert key not in self.made, f"{key} is advised again"
        self.made.append(key)
        short = (
            f"{call.name} {arguments['customer']} {arguments.get('id', arguments.get('cursor'))}"
        )
        order = self.orders.get((arguments["customer"], arguments.get("id", "")))
        if short in self.failing or (call.name == "get" and order is None):
            session.observe(call.name, arguments, "Error: not now", error=True)
        elif call.name == "get":
            result = {**order, "open": 5} if short in self.misfits else order  # type: ignore[dict-item]
            session.observe("get", arguments, result)
        else:
            session.observe("list", arguments, self._listed(arguments, short in self.misfits))

    def _listed(self, arguments: Mapping[str, Any], is_misfit: bool) -> dict[str, Any]:
        found = [o for (customer, _), o in self.orders.items() if customer == arguments["customer"]]
        following = None
        if self.paged:
            at = int(arguments.get("cursor", "0"))
            following = str(at + 1) if at + 1 < len(found) else None
            found = found[at : at + 1]
        if is_misfit:
            found = [{**order, "open": 5} for order in found[:1]] + found[1:]
        return {"items": found, "next": following}


def worlds() -> st.SearchStrategy[World]:
    order = st.tuples(st.booleans(), st.sampled_from(IDS))
    orders = st.dictionaries(st.sampled_from(PLACES), order, max_size=5)
    names = [f"get {c} {i}" for c, i in PLACES]
    names += [f"list {c} {cursor}" for c in CUSTOMERS for cursor in (None, "1", "2")]
    some = st.frozensets(st.sampled_from(names), max_size=3)
    return st.builds(
        lambda found, failing, misfits: World(
            {
                place: {"id": place[1], "open": open, "next": following}
                for place, (open, following) in found.items()
            },
            False, failing, misfits,
        ),
        orders, st.one_of(st.just(frozenset()), some), st.one_of(st.just(frozenset()), some),
    )  # fmt: skip


QUICK = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


@pytest.mark.parametrize("form", FORMS)
@QUICK
@given(
    world=worlds(),
    require=st.sampled_from([*RULES, *SEEN]),
    place=st.sampled_from(PLACES),
)
def test_it_ends_and_says_nothing_wrong(
    form: str, world: World, require: str, place: tuple[str, str]
) -> None:
    world.paged, world.made = "pages" in form, []
    judge = gate(form, require)
    session = judge.session()
    arguments = {"customer": place[0], "id": place[1]}
    for _ in range(40):
        verdict = session.dry_run("act", arguments)
        for told in verdict.absent:
            customer, id = told.split("`")[1].split(".")[1:]
            assert (customer, id) not in world.orders, told
        calls = [m.read for m in verdict.missing if m.read is not None]
        complete = [call for call in calls if None not in call.arguments.values()]
        if verdict.decision.value != "REVISE" or not complete:
            break
        world.read(session, complete[0])
    else:
        pytest.fail("it goes on for ever")
    if not world.failing and not world.misfits:
        pages = max(len(world.orders), 1) + len(CUSTOMERS) if world.paged else len(CUSTOMERS)
        assert len(world.made) <= len(PLACES) + pages
    if require in RULES and verdict.allowed:
        assert as_it_is(judge, world, arguments) is Truth.TRUE
    nothing_hid = not world.failing and not world.misfits
    told_all = form in ("all", "all pages") or all(place in world.orders for place in PLACES)
    if require in RULES and verdict.decision.value == "BLOCK" and nothing_hid and told_all:
        assert as_it_is(judge, world, arguments) is not Truth.TRUE


def as_it_is(judge: Gate, world: World, arguments: dict[str, str]) -> Truth:
    """The truth of the rule where all is known."""
    ledger = {f"orders.{c}.{i}": order for (c, i), order in world.orders.items()}
    absent = tuple(f"orders.{c}.{i}" for c, i in PLACES if (c, i) not in world.orders)
    verdict = replay_case(judge, Case("act", arguments, ledger, 0, absent=absent))
    return Truth.TRUE if verdict.allowed else Truth[verdict.rules[0].truth]


# --- the gate against all completions


STATES = ("open", "closed", "unread", "absent")
KEYS = ("a", "b", "z")
ASKED = [
    "ledger.orders['c'][args.id].open",
    "ledger.orders['c']['a'].open || ledger.orders['c']['b'].open",
    "ledger.orders['c']['a'].open || !ledger.orders['c']['a'].open",
    "ledger.orders['c']['a'].open && !observed(ledger.orders['c']['b'])",
    "['a', 'b', 'z'].all(i, ledger.orders['c'][i].open)",
    "['a', 'b', 'z'].exists(i, ledger.orders['c'][i].open)",
    "ledger.orders['c'][ledger.orders['c']['a'].next].open",
    "!ledger.orders['c'][ledger.orders['c']['a'].next].open",
    "ledger.orders['c'][ledger.orders['c'][ledger.orders['c']['a'].next].next].open",
    "observed(ledger.orders['c']['a']) ? ledger.orders['c']['a'].open : true",
]


@pytest.mark.parametrize("require", ASKED)
@QUICK
@given(
    states=st.tuples(*(st.sampled_from(STATES) for _ in KEYS)),
    nexts=st.tuples(*(st.sampled_from([*KEYS, "q"]) for _ in KEYS)),
    whole=st.booleans(),
)
def test_the_verdict_is_that_of_all_completions(
    require: str, states: tuple[str, ...], nexts: tuple[str, ...], whole: bool
) -> None:
    judge = gate("all", require)
    session = judge.session()
    known = {
        key: {"id": key, "open": state == "open", "next": following}
        for key, state, following in zip(KEYS, states, nexts, strict=True)
        if state in ("open", "closed")
    }
    if whole:
        session.observe("list", {"customer": "c"}, {"items": [*known.values()]})
    else:
        for key, order in known.items():
            session.observe("get", {"customer": "c", "id": key}, order)
    absent = set()
    for key, state in zip(KEYS, states, strict=True):
        if key in known:
            continue
        if state != "absent":
            session.ledger.touch("orders.*.*", ("c", key), ())
            continue
        absent.add(key)
        if not whole:
            session.record_absent(f"orders.c.{key}")
    arguments = {"customer": "c", "id": "a"}
    verdict = session.dry_run("act", arguments)
    found = {
        completed(judge, session, done, arguments) for done in completions(known, absent, whole)
    }
    told = "TRUE" if verdict.allowed else verdict.rules[0].truth
    if found == {Truth.TRUE}:
        assert told == "TRUE"
    elif Truth.TRUE not in found:
        assert told in ("FALSE", "ERROR")
    else:
        assert told == "UNKNOWN"


def completions(
    known: Mapping[str, dict[str, Any]], absent: set[str], whole: bool
) -> list[dict[str, dict[str, Any] | None]]:
    """What each order may be, None for one that does not exist; `q` stands for all others."""
    out: list[dict[str, dict[str, Any] | None]] = [{}]
    for key in (*KEYS, "q"):
        choices: list[dict[str, Any] | None]
        if key in known:
            choices = [known[key]]
        elif key in absent or (key == "q" and whole):
            choices = [None]
        else:
            following = (*KEYS, "q")
            choices = [{"id": key, "open": o, "next": n} for o in (True, False) for n in following]
        out = [{**before, key: choice} for before in out for choice in choices]
    return out


def completed(
    judge: Gate, session: Session, done: Mapping[str, Any], arguments: dict[str, str]
) -> Truth:
    """The rule where all that the session has not read is so; what it observed stays as it is."""
    (rule,) = judge.domain.rules
    return truth(rule.holds, Scope(_Completed(session, done), {"args": arguments}))


class _Completed:
    """A ledger with all its gaps filled, of which no more was observed."""

    def __init__(self, session: Session, done: Mapping[str, Any]) -> None:
        self.session, self.done = session, done
        self.facts: dict[str, Any] = {}

    def lookup(self, pattern: str, keys: tuple[Any, ...]) -> Any:
        order = self.done[keys[1]]
        nothing = Statement(Constant(True, BOOL), {})
        return Unlisted(MissingPath(pattern, keys), (nothing,)) if order is None else order

    def observed(self, pattern: str, keys: tuple[Any, ...], field: str | None) -> Any:
        return self.session.ledger.observed(pattern, keys, field)

    def observed_records(self, pattern: str) -> Any:
        return self.session.ledger.observed_records(pattern)

    def earlier_calls(self, name: str) -> Any:
        return self.session.ledger.earlier_calls(name)

    def messages(self) -> tuple[str, ...]:
        return ()
