"""What does a decision cost? The gate beside the same rules by hand and in a CEL engine.

    python benchmarks/gate_speed.py [--format text|json]

All are timed in one run on the same call with full evidence: ten conditions over two observed
records. `check` is timed together with the outcome that each allowed call has. The figures are the
best of several rounds, in microseconds a decision.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import celpy
from celpy.adapter import json_to_cel

from ledger_verify import Domain, Gate
from ledger_verify.evaluate.compiled import compile_all
from ledger_verify.evaluate.kleene import Scope, Truth, truth

CONDITIONS = (
    "order.user_id == user.user_id",
    'order.status == "pending"',
    "order.total <= 1000",
    "args.amount > 0",
    "args.amount <= order.total",
    "args.payment_id in user.payment_ids",
    'user.level != "blocked"',
    "order.items.exists(i, i.id == args.item_id)",
    "order.items.all(i, i.price > 0)",
    'args.reason in ["damaged", "late", "wrong item"]',
)
ORDER = {
    "user_id": "u1",
    "status": "pending",
    "total": 120,
    "items": [{"id": "a", "price": 50}, {"id": "b", "price": 70}],
}
USER = {"user_id": "u1", "level": "gold", "payment_ids": ["card_1", "gift_2"]}
CALL = {
    "order_id": "W1", "amount": 50, "payment_id": "gift_2", "item_id": "b", "reason": "late",
}  # fmt: skip


def domain() -> Domain:
    """A shop with one write and ten rules."""
    item = {
        "type": "object", "required": ["id", "price"],
        "properties": {"id": {"type": "string"}, "price": {"type": "integer"}},
    }  # fmt: skip
    order = {
        "type": "object", "required": ["user_id", "status", "total", "items"],
        "properties": {
            "user_id": {"type": "string"}, "status": {"type": "string"},
            "total": {"type": "integer"}, "items": {"type": "array", "items": item},
        },
    }  # fmt: skip
    user = {
        "type": "object", "required": ["user_id", "level", "payment_ids"],
        "properties": {
            "user_id": {"type": "string"}, "level": {"type": "string"},
            "payment_ids": {"type": "array", "items": {"type": "string"}},
        },
    }  # fmt: skip
    lets = {"order": "ledger.orders[args.order_id]", "user": "ledger.user"}
    return Domain.define(
        "shop",
        definitions={"Order": order, "User": user},
        ledger={"user": "User", "orders.*": "Order"},
        tools={
            "get_user": {"kind": "read", "observes": {"user": "result"}},
            "get_order": {
                "kind": "read",
                "arguments": {"order_id": "string"},
                "observes": {"orders.{args.order_id}": "result"},
            },
            "refund": {
                "kind": "write",
                "arguments": {
                    "order_id": "string", "amount": "integer", "payment_id": "string",
                    "item_id": "string", "reason": "string",
                },
                "touches": ["orders.{args.order_id}"],
            },
        },
        rules=[
            {"id": f"rule_{number}", "tools": ["refund"], "let": lets, "require": condition}
            for number, condition in enumerate(CONDITIONS, 1)
        ],
        clock="2026-01-01T00:00:00",
    )  # fmt: skip


def by_hand(records: Mapping[str, Any], args: Mapping[str, Any]) -> bool:
    """The ten conditions as a Python programmer would write them."""
    order, user = records[args["order_id"]], records["user"]
    return (
        order["user_id"] == user["user_id"]
        and order["status"] == "pending"
        and order["total"] <= 1000
        and args["amount"] > 0
        and args["amount"] <= order["total"]
        and args["payment_id"] in user["payment_ids"]
        and user["level"] != "blocked"
        and any(i["id"] == args["item_id"] for i in order["items"])
        and all(i["price"] > 0 for i in order["items"])
        and args["reason"] in ["damaged", "late", "wrong item"]
    )


def microseconds(decide: Callable[[], Any], rounds: int = 7) -> float:
    """The best time of one decision over several rounds of about 20 ms each."""
    count = 1
    while (elapsed := _timed(decide, count)) < 0.02:
        count *= 2
    return min([elapsed, *(_timed(decide, count) for _ in range(rounds - 1))]) / count * 1e6


def _timed(decide: Callable[[], Any], count: int) -> float:
    started = time.perf_counter()
    for _ in range(count):
        decide()
    return time.perf_counter() - started


def measure() -> dict[str, float]:
    """Each way of deciding, in microseconds; all of them allow the call."""
    shop = domain()
    rules = tuple(rule.holds for rule in shop.rules)
    session = Gate(shop).session()
    session.observe("get_user", {}, USER)
    session.observe("get_order", {"order_id": "W1"}, ORDER)
    records = {"W1": ORDER, "user": USER}
    predicate = compile_all(rules)
    ledger, now, call = session.ledger, shop.clock_us or 0, {"tool": "refund"}
    scope = Scope(ledger, {"args": CALL, "now": now, "call": call})
    environment = celpy.Environment()
    program = environment.program(environment.compile(" && ".join(CONDITIONS)))
    context = {
        "order": json_to_cel(ORDER), "user": json_to_cel(USER),
        "args": json_to_cel(CALL),
    }  # fmt: skip
    ways: dict[str, Callable[[], Any]] = {
        "Python by hand": lambda: by_hand(records, CALL),
        "compiled predicates": lambda: predicate(ledger, CALL, now, call),
        "Session.dry_run": lambda: session.dry_run("refund", CALL).allowed,
        "Session.check, observe": lambda: (
            session.check("refund", CALL).allowed
            and session.observe("refund", CALL, error=True) == []
        ),
        "reference interpreter": lambda: all(truth(r, scope) is Truth.TRUE for r in rules),
        "cel-python": lambda: program.evaluate(context),
    }
    for name, decide in ways.items():
        assert decide(), name
    return {name: microseconds(decide) for name, decide in ways.items()}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="time one decision, several ways")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(arguments)
    figures = measure()
    if options.format == "json":
        print(json.dumps(figures, indent=2))
    else:
        for name, figure in figures.items():
            print(f"{name:24}{figure:10.2f} us")
    return 0


if __name__ == "__main__":
    sys.exit(main())
