"""An agent that follows all advice ends, is never told to read what is refused, and helps nobody
to a stranger's record: on the shop's small database.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.advised_agent import Tally, run, trials
from benchmarks.advised_worlds import Call, Talk, stored, talks_of, world_of
from ledger_verify import Domain, Gate


def user(name: str) -> dict[str, Any]:
    card = {"source": "credit_card", "brand": "visa", "last_four": "1", "id": f"card_{name}"}
    return {
        "user_id": f"{name}_ray_1",
        "name": {"first_name": name.title(), "last_name": "Ray"},
        "address": {"address1": "1 A St", "address2": "", "city": "B", "country": "USA",
                    "state": "CO", "zip": "80000"},
        "email": f"{name}@example.com",
        "payment_methods": {f"card_{name}": card},
        "orders": [f"#W{name}"],
    }  # fmt: skip


def order(name: str, status: str) -> dict[str, Any]:
    paid = {"transaction_type": "payment", "amount": 5, "payment_method_id": f"card_{name}"}
    item = {"name": "Mug", "product_id": "1", "item_id": "11", "price": 5, "options": {}}
    return {
        "order_id": f"#W{name}",
        "user_id": f"{name}_ray_1",
        "address": user(name)["address"],
        "items": [item],
        "fulfillments": [],
        "status": status,
        "payment_history": [paid],
    }


NAMES = {"ann": "pending", "bob": "delivered", "cid": "pending"}
DATABASE: dict[str, Any] = {
    "users": {f"{name}_ray_1": user(name) for name in NAMES},
    "orders": {f"#W{name}": order(name, status) for name, status in NAMES.items()},
    "products": {},
}


def talk(name: str) -> Talk:
    """The user says who they are, and asks for three changes of their order."""
    said = ("Hello!", f"I am {name}@example.com; it is about #W{name}.")
    calls: list[Call] = [
        ("cancel_pending_order", {"order_id": f"#W{name}", "reason": "no longer needed"}),
        ("return_delivered_order_items",
         {"order_id": f"#W{name}", "item_ids": ["11"], "payment_method_id": "card_x"}),
        ("modify_pending_order_payment",
         {"order_id": f"#W{name}", "payment_method_id": f"card_{name}"}),
    ]  # fmt: skip
    return Talk([(call, said) for call in calls])


RETAIL = Gate(Domain.load("retail"))


def nothing_wrong(tally: Tally) -> None:
    assert tally.foreign_allowed == []
    assert tally.refused_reads == []
    assert tally.repeated == []


def test_following_all_advice_ends_well() -> None:
    talks = [talk(name) for name in NAMES]
    world = stored("retail", DATABASE)
    tally = run(RETAIL, world, trials(world, talks))
    nothing_wrong(tally)
    assert tally.calls == 5 * 3 * len(NAMES)
    assert tally.foreign == 3 * 3 * len(NAMES)
    assert tally.verdicts["ALLOW"] >= 3
    # as many reads as there are records to read: who it is, the profile, the order
    assert tally.most_rounds <= 5
    assert set(tally.verdicts) <= {"ALLOW", "BLOCK", "asks the user"}


def test_faults_are_counted() -> None:
    """A domain that asks nobody who they are is found out."""
    open_tools = {
        "get_order_details": {"kind": "read", "arguments": {"order_id": "string"},
                              "observes": {"orders.{args.order_id}": "result"}},
        "cancel_pending_order": {"kind": "write", "touches": ["orders.{args.order_id}"],
                                 "arguments": {"order_id": "string", "reason": "string"}},
    }  # fmt: skip
    domain = Domain.define(
        "open",
        definitions={"Order": {"type": "object", "properties": {"status": {"type": "string"}},
                               "required": ["status"]}},
        ledger={"orders.*": "Order"},
        tools=open_tools,
        rules=[{"id": "pending", "tools": ["cancel_pending_order"],
                "require": 'ledger.orders[args.order_id].status == "pending"'}],
    )  # fmt: skip
    talks = [talk("ann")]
    del talks[0].writes[1:]
    world = stored("retail", DATABASE)
    tally = run(Gate(domain), world, trials(world, talks))
    assert len(tally.foreign_allowed) >= 2
    assert tally.faults == len(tally.foreign_allowed)


@pytest.mark.parametrize(
    ("name", "file", "every"),
    [
        ("retail", "tau2_retail_toolorchestra_gpt-5.json", 9),
        ("airline", "tau2_airline_toolorchestra_gpt-5.json", 6),
        ("telehealth", "trait_telehealth_none.json", 6),
        ("telecom", "tau2_telecom_scripted.json", 4),
    ],
)
def test_on_recordings(name: str, file: str, every: int, shared_data: Path) -> None:
    gate, folder = Gate(Domain.load(name)), shared_data / "tau"
    talks = list(talks_of(folder / file, gate.domain))
    world = world_of(name, folder, talks)
    tally = run(gate, world, trials(world, talks, every=every))
    nothing_wrong(tally)
    assert tally.foreign > 0
    assert tally.verdicts["ALLOW"] > 0
    assert tally.reads < 4 * tally.calls
