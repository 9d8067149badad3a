"""Completions that could be overlooked: clashing names, odd keys, gaps that no tool can fill."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ledger_verify.gate.gate import Gate
from ledger_verify.gate.session import Session
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.evidence import MissingPath
from ledger_verify.solver.completions import Completions, Contradiction, Settled
from ledger_verify.solver.outcome import Undecided
from ledger_verify.solver.query import Limits
from ledger_verify.solver.situation import Situation

_TEXT = {"type": "string"}
_COUNT = {"type": "integer"}
DEFINITIONS: Mapping[str, Any] = {
    "Odd": {
        "type": "object",
        "required": [
            "a", "a.b", "n", "n?null", "n?there", "l", "l#0", "l?length", "m", "é", "z\0", "z",
        ],
        "properties": {
            "a": {"type": "object", "required": ["b"], "properties": {"b": _COUNT}},
            "a.b": _COUNT,
            "n": {"anyOf": [_COUNT, {"type": "null"}]},
            "n?null": {"type": "boolean"},
            "n?there": {"type": "boolean"},
            "l": {"type": "array", "items": _COUNT},
            "l#0": _COUNT,
            "l?length": _COUNT,
            "m": {
                "type": "object",
                "additionalProperties": {"type": "object", "additionalProperties": _COUNT},
            },
            "é": _COUNT,
            "z\0": _COUNT,
            "z": _COUNT,
        },
    },
    "Order": {
        "type": "object",
        "required": ["id", "owner", "total", "parts"],
        "properties": {
            "id": _TEXT, "owner": _TEXT, "total": _COUNT,
            "parts": {"type": "object", "additionalProperties": _COUNT},
        },
    },
    "User": {
        "type": "object",
        "required": ["id", "orders", "main"],
        "properties": {"id": _TEXT, "main": _TEXT, "orders": {"type": "array", "items": _TEXT}},
    },
}  # fmt: skip
TOOLS: Mapping[str, Mapping[str, Any]] = {
    "read_odd": {"kind": "read", "arguments": {}, "observes": {"odd": "result"}},
    "read_user": {"kind": "read", "arguments": {}, "observes": {"user": "result"}},
    "read_order": {
        "kind": "read", "arguments": {"id": "string"}, "observes": {"orders.{args.id}": "result"},
    },
    "touch_part": {
        "kind": "write", "arguments": {"id": "string", "part": "string"},
        "touches": ["orders.{args.id}.parts.{args.part}"],
    },
    "pay": {"kind": "write", "arguments": {"id": "string", "text": "string"},
            "touches": ["orders.{args.id}"]},
}  # fmt: skip
ORDER = "ledger.orders[args.id]"


def shop(*rules: str, assumptions: tuple[str, ...] = ()) -> Domain:
    documents = [{"id": f"r{n}", "tools": ["pay"], "require": rule} for n, rule in enumerate(rules)]
    return Domain.define(
        "shop", tools=TOOLS, ledger={"odd": "Odd", "user": "User", "orders.*": "Order"},
        definitions=DEFINITIONS, rules=documents, assumptions=assumptions,
        clock="2024-05-15T15:00:00",
    )  # fmt: skip


def order(**given: Any) -> dict[str, Any]:
    return {"id": "o1", "owner": "u1", "total": 5, "parts": {"a": 1, "b": 2}, **given}


def completions(domain: Domain, ledger: Ledger, id_: str = "o1") -> Completions:
    arguments = {"id": id_, "text": "t"}
    situation = Situation(domain, domain.tools["pay"], ledger, arguments, 0, Limits())
    return Completions(situation, [rule.holds for rule in domain.rules])


def settle(*rules: str, session: Session | None = None, assumptions: tuple[str, ...] = ()) -> Any:
    domain = shop(*rules, assumptions=assumptions)
    ledger = Ledger(domain.ledger) if session is None else session.ledger
    answers = completions(domain, ledger).settle()
    return answers[0] if len(answers) == 1 else answers


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ledger.odd.a.b", "ledger.odd['a.b']"),
        ("(ledger.odd.n == null)", "ledger.odd['n?null']"),
        ("(ledger.odd.n == null)", "ledger.odd['n?there']"),
        ("ledger.odd.l[0]", "ledger.odd['l#0']"),
        ("size(ledger.odd.l)", "ledger.odd['l?length']"),
        (r"ledger.odd['z\000']", "ledger.odd.z"),
        ("ledger.odd.m['a']['b']", "ledger.odd.m['b']['a']"),
        (f"{ORDER}.total", "ledger.orders['o2'].total"),
    ],
)
def test_two_places_are_never_taken_for_one(one: str, other: str) -> None:
    assert settle(f"{one} == {other}") is Settled.OPEN


def test_stale_entries_with_odd_keys_are_kept_apart() -> None:
    domain = shop(f"{ORDER}.parts['a'] == {ORDER}.parts['a]?there']")
    session = Gate(domain).session()
    session.observe("read_order", {"id": "o1"}, order(parts={"a": 1, "a]?there": 1, "a'": 1}))
    for part in ("a", "a]?there", "a'"):
        session.observe("touch_part", {"id": "o1", "part": part}, {})
    assert (
        settle(f"{ORDER}.parts['a'] == {ORDER}.parts['a]?there']", session=session) is Settled.OPEN
    )
    has = f"has({ORDER}.parts.a)"
    assert settle(f"{has} == ('a]?there' in {ORDER}.parts)", session=session) is Settled.OPEN


def test_a_stale_entry_may_be_gone_or_come_back_elsewhere() -> None:
    domain = shop("true")
    session = Gate(domain).session()
    session.observe("read_order", {"id": "o1"}, order())
    session.observe("touch_part", {"id": "o1", "part": "a"}, {})
    keys = f"{ORDER}.parts.map(k, k)"
    assert settle(f"{keys}[0] == 'a'", session=session) is Settled.OPEN
    assert settle(f"{keys}[0] in ['a', 'b']", session=session) is Settled.TRUE
    assert settle(f"{keys} == ['b', 'a']", session=session) is Settled.OPEN
    assert settle(f"size({ORDER}.parts) in [1, 2]", session=session) is Settled.TRUE
    assert settle(f"{ORDER}.parts.b == 2", session=session) is Settled.TRUE
    assert settle(f"{ORDER}.parts.all(k, k in ['a', 'b'])", session=session) is Settled.TRUE
    assert settle(f"{ORDER}.parts.exists(k, k == 'c')", session=session) is Settled.FALSE


def test_a_symbolic_key_may_be_that_of_an_observed_record() -> None:
    domain = shop("true")
    session = Gate(domain).session()
    session.observe("read_order", {"id": "o1"}, order(total=5))
    main = "ledger.orders[ledger.user.main]"
    assert settle(f"ledger.user.main != 'o1' || {main}.total == 5", session=session) is Settled.TRUE
    assert settle(f"{main}.total == 5", session=session) is Settled.OPEN
    assert settle(f"{main}.total != 5", session=session) is Settled.OPEN
    other = "ledger.orders[ledger.user.id]"
    same = f"ledger.user.main != ledger.user.id || {main}.total == {other}.total"
    assert settle(same, session=session) is Settled.TRUE


def test_a_literal_is_no_other_symbol() -> None:
    assert (
        settle("ledger.user.main == 'literal!0' || ledger.user.id != 'literal!0'") is Settled.OPEN
    )
    assert settle(r"ledger.user.main != 'a\000b' || ledger.user.main != 'a\000c'") is Settled.TRUE
    assert settle("ledger.user.main != \"'a'\" || ledger.user.main != 'a'") is Settled.TRUE


OWNED = "ledger.user.orders.all(o, ledger.orders[o].owner == ledger.user.id)"


def test_assumptions_are_used() -> None:
    assert (
        settle(
            f"!(args.id in ledger.user.orders) || {ORDER}.owner == ledger.user.id",
            assumptions=(OWNED,),
        )
        is Settled.OPEN
    )  # lists may be longer than any number of slots
    assert (
        settle(f"{ORDER}.total > 0", assumptions=("ledger.orders.all(o, o.total > 0)",))
        is Settled.TRUE
    )


def test_what_was_observed_may_contradict_the_assumptions() -> None:
    session = Gate(shop("true")).session()
    session.observe("read_user", {}, {"id": "u1", "main": "x", "orders": []})
    with pytest.raises(Contradiction):
        settle(
            f"ledger.user.id == 'u1' && {ORDER}.total > 0",
            session=session,
            assumptions=("ledger.user.id == 'u2' && ledger.orders['o1'].total > 0",),
        )


def test_an_assumption_about_what_cannot_be_read_blocks_nothing() -> None:
    domain = shop(
        f"{ORDER}.total > 3", assumptions=(OWNED, "ledger.orders.all(o, o.owner != ledger.user.id)")
    )
    session = Gate(domain).session(tools=["read_order", "pay"])
    verdict = session.dry_run("pay", {"id": "o1", "text": "t"})
    assert verdict.decision.value == "REVISE"
    assert [missing.path for missing in verdict.missing] == ["orders.o1"]


@pytest.mark.parametrize(
    ("rules", "path", "expected"),
    [
        ((f"{ORDER}.total > 3",), MissingPath("orders.*", ("o1",)), True),
        ((f"{ORDER}.total > 3",), MissingPath("orders.*", ("o2",)), False),
        ((f"{ORDER}.total > 3 || {ORDER}.total <= 3",), MissingPath("orders.*", ("o1",)), False),
        (("ledger.orders[ledger.user.main].total > 3",), MissingPath("orders.*", ("o2",)), True),
        (("ledger.orders[ledger.user.main].total > 3",), MissingPath("orders.*", (None,)), True),
        (("ledger.orders[ledger.user.main].total > 3",), MissingPath("user", ()), True),
        (("ledger.user.orders.exists(o, o == args.id)",), MissingPath("user", ()), True),
        (("size(ledger.user.id) >= 0",), MissingPath("user", ()), False),
        (("ledger.user.id == 'a'", f"{ORDER}.total > 3"), MissingPath("user", ()), True),
    ],
)
def test_a_read_matters_if_its_record_can_change_the_answer(
    rules: tuple[str, ...], path: MissingPath, expected: bool
) -> None:
    domain = shop(*rules)
    made = completions(domain, Ledger(domain.ledger))
    everything = range(len(rules))
    assert made.matters(list(everything), path, list(everything)) is expected


def test_only_the_stale_part_of_the_record_itself_matters() -> None:
    domain = shop("ledger.orders['o1'].parts['a'] == 1", "ledger.orders['o2'].parts['a'] == 1")
    session = Gate(domain).session()
    for id_ in ("o1", "o2"):
        session.observe("read_order", {"id": id_}, order(id=id_))
        session.observe("touch_part", {"id": id_, "part": "a"}, {})
    made = completions(domain, session.ledger)
    first = MissingPath("orders.*", ("o1",), ("parts", "a"))
    assert made.matters([0], first, [0]) is True
    assert made.matters([1], first, [1]) is False


def test_a_stale_map_matters_whatever_its_keys() -> None:
    touch_parts = {
        "kind": "write", "arguments": {"id": "string"}, "touches": ["orders.{args.id}.parts"],
    }  # fmt: skip
    domain = Domain.define(
        "shop", tools={**TOOLS, "touch_parts": touch_parts},
        ledger={"orders.*": "Order", "odd": "Odd", "user": "User"}, definitions=DEFINITIONS,
        rules=[{"id": "r", "tools": ["pay"], "require": f"args.text in {ORDER}.parts"}],
        clock="2024-05-15T15:00:00",
    )  # fmt: skip
    session = Gate(domain).session()
    session.observe("read_order", {"id": "o1"}, order())
    session.observe("touch_parts", {"id": "o1"}, {})
    made = completions(domain, session.ledger)
    assert made.matters([0], MissingPath("orders.*", ("o1",), ("parts",)), [0]) is True


def test_a_limit_is_no_answer() -> None:
    domain = shop(f"{ORDER}.total * {ORDER}.total * {ORDER}.total + {ORDER}.total == 1234567")
    arguments = {"id": "o1", "text": "t"}
    tight = Limits(timeout_ms=1, resources=1)
    situation = Situation(domain, domain.tools["pay"], Ledger(domain.ledger), arguments, 0, tight)
    with pytest.raises(Undecided):
        Completions(situation, [rule.holds for rule in domain.rules]).settle()
