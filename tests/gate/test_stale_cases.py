"""Cases in which something went stale: replayed, pruned, and read from files."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ledger_verify import Domain, Gate
from ledger_verify.cli.gate import fill_ledger
from ledger_verify.gate.cases import case_data, prune, replay_case
from ledger_verify.gate.verdict import Decision
from ledger_verify.generate.scenario import read_scenario
from ledger_verify.lang.errors import InputError
from ledger_verify.policy.case import Case
from ledger_verify.policy.yaml_file import parse_yaml, yaml_text

ORDER = {"status": "open", "total": 5, "sizes": {"L": {"qty": 1}}}


def domain_of(require: str) -> Domain:
    return Domain.define(
        "orders",
        tools={
            "get_order": {
                "kind": "read", "arguments": {"id": "string"},
                "observes": {"orders.{args.id}": "result"},
            },
            "act": {
                "kind": "write", "arguments": {"id": "string"}, "touches": ["orders.{args.id}"],
            },
            "bill": {
                "kind": "write", "arguments": {"id": "string"},
                "touches": ["orders.{args.id}.total", "orders.{args.id}.sizes.*.qty"],
            },
        },
        ledger={"orders.*": "Order"},
        definitions={
            "Order": {
                "type": "object",
                "required": ["status", "total"],
                "properties": {
                    "status": {"type": "string"},
                    "total": {"type": "integer"},
                    "note": {"type": "string"},
                    "sizes": {
                        "type": "object",
                        "additionalProperties": {
                            "type": "object",
                            "properties": {"qty": {"type": "integer"}},
                        },
                    },
                },
            }
        },
        rules=[{"id": "r", "tools": ["act"], "require": require}],
        clock="2024-05-15T15:00:00",
    )  # fmt: skip


def case_of(*stale: str, **more: Any) -> Case:
    ledger = {"orders.W1": ORDER, "orders.W2": ORDER}
    return Case("act", {"id": "W1"}, ledger, 1_715_785_200_000_000, stale=stale, **more)


@pytest.mark.parametrize(
    ("require", "stale", "decision"),
    [
        ("ledger.orders[args.id].total == 5", (), Decision.ALLOW),
        ("ledger.orders[args.id].total == 5", ("orders.W1.status",), Decision.ALLOW),
        ("ledger.orders[args.id].total == 5", ("orders.W1.total",), Decision.REVISE),
        ("ledger.orders[args.id].total == 5", ("orders.W1",), Decision.REVISE),
        ("observed(ledger.orders[args.id])", ("orders.W1.total",), Decision.ALLOW),
        ("!observed(ledger.orders[args.id].total)", ("orders.W1.total",), Decision.ALLOW),
        ("!observed(ledger.orders[args.id].total)", ("orders.W1.sizes.L.qty",), Decision.REVISE),
        ("!observed(ledger.orders[args.id].sizes)", ("orders.W1.sizes.L.qty",), Decision.ALLOW),
        # of an entry that was not there nothing is known: it may have come
        ('"M" in ledger.orders[args.id].sizes', ("orders.W1.sizes.M.qty",), Decision.REVISE),
        ("size(records(ledger.orders)) == 2", ("orders.W2",), Decision.ALLOW),
    ],
)
def test_what_is_stale_counts_as_stale(
    require: str, stale: tuple[str, ...], decision: Decision
) -> None:
    verdict = replay_case(Gate(domain_of(require)), case_of(*stale))
    expected = {decision, Decision.BLOCK} if decision is Decision.REVISE else {decision}
    assert verdict.decision in expected


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("orders.W3.total", "the ledger has no `orders.W3`"),
        ("orders.W1.totl", "neither a path of the ledger nor of a part of a record"),
        ("order.W1", "did you mean `orders`?"),
        ("orders.W1.status.x", "nor of a part of a record"),
    ],
)
def test_a_path_that_cannot_be_stale_is_an_error(path: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        replay_case(Gate(domain_of("true")), case_of(path))
    assert said in f"{caught.value.message} {caught.value.hint}"


def test_a_case_is_pruned_of_what_need_not_be_stale() -> None:
    order = "ledger.orders[args.id]"
    gate = Gate(domain_of(f"observed({order}) && !observed({order}.total)"))
    case = case_of("orders.W2", "orders.W1.status", "orders.W1.total")
    smaller = prune(gate, case, replay_case(gate, case))
    assert smaller.stale == ("orders.W1.total",)
    assert list(smaller.ledger) == ["orders.W1"]


def test_what_is_said_of_a_record_goes_with_it() -> None:
    case = replace(case_of("orders.W1", "orders.W1.total", "orders.W2.total"))
    assert case.without_record("orders.W1").stale == ("orders.W2.total",)


def test_a_scenario_says_what_is_stale() -> None:
    domain = domain_of("!observed(ledger.orders[args.id].total)")
    case = case_of("orders.W1.total")
    data = {"name": "s", **case_data(case, domain), "expect": {"verdict": "ALLOW"}}
    assert data["stale"] == ["orders.W1.total"]
    file = parse_yaml(yaml_text(data), "s.yaml")
    assert read_scenario(file, file.data, (), domain).case == case


@pytest.mark.parametrize("stale", ["orders.W1", ["orders.W1.totl"]])
def test_a_scenario_with_a_wrong_path_is_an_error_with_its_place(stale: Any) -> None:
    domain = domain_of("true")
    data = {**case_data(case_of(), domain), "stale": stale, "expect": {"verdict": "ALLOW"}}
    file = parse_yaml(yaml_text(data), "s.yaml")
    with pytest.raises(InputError) as caught:
        read_scenario(file, file.data, (), domain)
    assert caught.value.location is not None
    assert caught.value.location.line > 1


def test_a_ledger_file_says_what_is_stale(tmp_path: Path) -> None:
    domain = domain_of("!observed(ledger.orders[args.id].total)")
    file = tmp_path / "ledger.json"
    file.write_text(json.dumps({"orders": {"W1": ORDER}, "stale": ["orders.W1.total"]}))
    session = Gate(domain).session()
    fill_ledger(session, str(file))
    assert session.check("act", {"id": "W1"}).decision is Decision.ALLOW
    file.write_text(json.dumps({"orders": {"W1": ORDER}, "stale": ["orders.W2"]}))
    with pytest.raises(InputError) as caught:
        fill_ledger(Gate(domain).session(), str(file))
    assert "the ledger has no `orders.W2`" in caught.value.message
