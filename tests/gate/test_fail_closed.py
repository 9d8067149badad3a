"""Threads, strange keys, long lists: nothing of it opens the gate."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest

from ledger_verify import Domain, Gate
from ledger_verify.lang.errors import InputError
from tests.gate.shop import ORDER, TOOLS, cancel, rule, see_order, session, shop

O = "ledger.orders[args.order_id]"  # noqa: E741
OPEN = rule("cancel", f'{O}.state == "open"')
KEYS = [
    "", " ", ".", "*", '"', "a.b", "a'b", "a\nb", "\u2028", "ключ", "e\u0301", "\u00e9", "None",
    "__proto__", "constructor", "__class__", "null", "0", "00", "x" * 10_000, "\U0001f600",
    "{args.x}",
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
def test_a_key_of_any_text_names_its_own_record(key: str) -> None:
    s = session(OPEN)
    verdict = s.dry_run("cancel", {"order_id": key})
    assert verdict.decision.value == "REVISE"
    (missing,) = verdict.missing
    assert missing.read is not None
    assert missing.read.arguments == {"order_id": key}
    see_order(s, key)
    for other in KEYS:
        assert (cancel(s, other) == "ALLOW") == (other == key)
    see_order(s, key, state="shipped")
    assert cancel(s, key) == "BLOCK"
    s.render().encode()


def test_a_key_outside_the_values_that_a_read_takes() -> None:
    """A pattern keyed by an enum, a rule that keys it by any text: such a record cannot be read."""
    tools = {
        "get": {
            "kind": "read",
            "arguments": {"size": {"enum": ["S", "M"]}},
            "observes": {"sizes.{args.size}": "result"},
        },
        "act": {"kind": "write", "arguments": {"name": "string"}},
    }
    domain = shop(
        rule("act", "ledger.sizes[args.name] > 1"), tools=tools, ledger={"sizes.*": "number"}
    )
    s = Gate(domain).session()
    s.observe("get", {"size": "S"}, 2)
    assert s.dry_run("act", {"name": "S"}).allowed
    assert s.dry_run("act", {"name": "M"}).decision.value == "REVISE"
    assert not s.dry_run("act", {"name": "L"}).allowed


def test_long_lists_are_judged_whole() -> None:
    s = session(rule("restock", 'args.skus.all(k, k != "bad")'))
    skus = ["good"] * 10_000
    assert s.dry_run("restock", {"skus": skus}).allowed
    assert not s.dry_run("restock", {"skus": [*skus, "bad"]}).allowed
    s = session(rule("cancel", f'{O}.lines.all(k, k != "bad")'))
    see_order(s, lines=skus)
    assert cancel(s) == "ALLOW"
    see_order(s, lines=[*skus, "bad"])
    assert cancel(s) == "BLOCK"


def test_an_empty_list_satisfies_all_and_nothing_else() -> None:
    for macro, expected in (("all", "ALLOW"), ("exists", "BLOCK"), ("exists_one", "BLOCK")):
        s = session(rule("cancel", f"{O}.lines.{macro}(k, k == 'a')"))
        see_order(s, lines=[])
        assert cancel(s) == expected


def test_sums_of_money_are_exact() -> None:
    exact = f"{O}.total * 3 == 0.3 && {O}.total + 0.2 == 0.3"
    s = session(rule("cancel", exact))
    see_order(s, total=0.1)
    assert cancel(s) == "ALLOW"
    see_order(s, total=Decimal("0.10000000000000000000001"))
    assert cancel(s) == "BLOCK"


def test_huge_numbers_are_judged() -> None:
    s = session(rule("cancel", f"{O}.total < 100"))
    see_order(s, total=10**30)
    assert cancel(s) == "BLOCK"
    see_order(s, total=1e300)
    assert cancel(s) == "BLOCK"
    see_order(s, total=1e-300)
    assert cancel(s) == "ALLOW"


@pytest.mark.parametrize(
    ("placed", "expected"),
    [
        ("2024-05-15T14:59:59", "ALLOW"), ("2024-05-14T15:00:00", "ALLOW"),
        ("2024-05-14T14:59:59.999999", "BLOCK"), ("1969-12-31T23:59:59", "BLOCK"),
        ("0001-01-01T00:00:00", "BLOCK"), ("9999-12-31T23:59:59", "ALLOW"),
        ("2024-05-14T10:59:59.999999-04:00", "BLOCK"), ("2024-05-14T11:00:00-04:00", "ALLOW"),
    ],
)  # fmt: skip
def test_times_are_judged_to_the_microsecond(placed: str, expected: str) -> None:
    s = session(rule("cancel", f'now - {O}.placed_at <= duration("24h")'))
    see_order(s, placed_at=placed)
    assert cancel(s) == expected


def test_a_day_of_23_or_25_hours_is_judged_by_the_clock() -> None:
    day_old = rule("cancel", f'now - {O}.placed_at >= duration("24h")')
    for clock, placed, expected in (
        ("2024-03-10T12:00:00", "2024-03-09T12:00:00", "BLOCK"),  # 23 hours
        ("2024-11-03T12:00:00", "2024-11-02T12:00:00", "ALLOW"),  # 25 hours
        ("2024-11-03T11:00:00", "2024-11-02T12:00:00", "ALLOW"),
    ):
        s = session(day_old, clock=clock, timezone="America/New_York")
        see_order(s, placed_at=placed)
        assert cancel(s) == expected


def test_tools_that_do_not_exist_cannot_be_given_to_a_session() -> None:
    with pytest.raises(InputError, match="unknown tool `get_ordr`") as caught:
        Gate(shop(OPEN)).session(tools=["get_ordr"])
    assert caught.value.hint == "did you mean `get_order`?"


def in_threads(work: Callable[[int], Any], count: int = 8) -> list[Any]:
    """The results of `work(0)`, `work(1)`, ... begun at the same moment."""
    barrier = threading.Barrier(count)

    def begin(number: int) -> Any:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(begin, range(count)))


def test_sessions_of_one_gate_do_not_see_each_other() -> None:
    gate = Gate(shop(OPEN, rule("choose", 'args.size == "S"', id="small")))
    call = {"order_id": "o1", "size": "L", "count": 1, "on": "2024-05-20"}

    def work(number: int) -> list[str]:
        s = gate.session()
        out = []
        for turn in range(10):
            out.append(cancel(s))
            state = "open" if (number + turn) % 2 else "shipped"
            s.observe("get_order", {"order_id": "o1"}, {**ORDER, "state": state})
            out.append(cancel(s))
            out.append(s.dry_run("choose", call).decision.value)
            s.observe("cancel", {"order_id": "o1"})
        return out

    for number, found in enumerate(in_threads(work)):
        expected = [
            text
            for turn in range(10)
            for text in ("REVISE", "ALLOW" if (number + turn) % 2 else "BLOCK", "REVISE")
        ]
        assert found == expected


def test_one_session_may_be_used_by_many_threads() -> None:
    s = session(rule("cancel", f'{O}.state == "open" && {O}.total == size({O}.lines)'))

    def work(number: int) -> set[str]:
        found = set()
        for turn in range(40):
            if number % 2:
                lines = ["x"] * (turn % 7)
                see_order(s, lines=lines, total=len(lines))
            else:
                found.add(cancel(s))
                s.render()
        return found

    see_order(s, lines=[], total=0)
    assert set().union(*in_threads(work)) == {"ALLOW"}


def test_a_call_is_refused_once_another_thread_made_its_evidence_stale() -> None:
    s = session(OPEN)
    see_order(s)
    in_threads(lambda n: s.observe("ship", {"order_id": "o1"}) if n == 3 else cancel(s))
    assert cancel(s) == "REVISE"


def test_the_gate_does_not_depend_on_what_a_domain_was_made_of() -> None:
    tools = {name: dict(tool) for name, tool in TOOLS.items()}
    rules = [dict(OPEN)]
    domain: Domain = shop(*rules, tools=tools)
    gate = Gate(domain)
    tools["cancel"]["touches"] = []
    rules[0]["require"] = "true"
    s = gate.session()
    see_order(s, state="shipped")
    assert cancel(s) == "BLOCK"
