"""An agent that follows all advice ends, is never told to read what is refused, and helps nobody
to a stranger's record: on the shop's small database.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.advised_agent import run, writes_of
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
CALLS: list[tuple[str, dict[str, Any]]] = [
    call
    for name in NAMES
    for call in (
        ("cancel_pending_order", {"order_id": f"#W{name}", "reason": "no longer needed"}),
        ("return_delivered_order_items",
         {"order_id": f"#W{name}", "item_ids": ["11"], "payment_method_id": "card_x"}),
        ("modify_pending_order_payment",
         {"order_id": f"#W{name}", "payment_method_id": f"card_{name}"}),
    )
]  # fmt: skip


def test_following_all_advice_ends_well() -> None:
    tally = run("retail", DATABASE, CALLS, Gate(Domain.load("retail")))
    assert tally.calls == 4 * len(CALLS)
    assert (tally.foreign_allowed, tally.refused_reads, tally.repeated) == ([], [], [])
    assert tally.foreign > 0
    assert tally.verdicts["ALLOW"] >= 3
    # as many reads as there are records to read: who it is, the profile, the order
    assert tally.most_rounds <= 5
    assert set(tally.verdicts) <= {"ALLOW", "BLOCK", "asks the user"}


def test_on_recordings(shared_data: Path) -> None:
    folder = shared_data / "tau"
    gate = Gate(Domain.load("retail"))
    database = json.loads((folder / "retail_db.json").read_text(encoding="utf-8"))
    file = folder / "tau2_retail_toolorchestra_gpt-5.json"
    tally = run("retail", database, list(writes_of(file, gate.domain)), gate, every=6)
    assert (tally.foreign_allowed, tally.refused_reads, tally.repeated) == ([], [], [])
    assert tally.reads < 3 * tally.calls


@pytest.mark.parametrize("name", ["airline"])
def test_no_advice_of_the_airline_is_refused_or_goes_round(name: str, shared_data: Path) -> None:
    folder = shared_data / "tau"
    gate = Gate(Domain.load(name))
    database = json.loads((folder / f"{name}_db.json").read_text(encoding="utf-8"))
    file = folder / "tau2_airline_toolorchestra_gpt-5.json"
    tally = run(name, database, list(writes_of(file, gate.domain)), gate, every=4)
    assert (tally.refused_reads, tally.repeated) == ([], [])
