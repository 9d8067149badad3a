"""A small domain for tests: a user, orders, stock and prices; rules are given by each test."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ledger_verify import Domain, Gate
from ledger_verify.gate import Session, Verdict

NOW = "2024-05-15T15:00:00"

DEFINITIONS: dict[str, Any] = {
    "User": {
        "type": "object",
        "required": ["id", "tier", "cards"],
        "properties": {
            "id": {"type": "string"},
            "tier": {"enum": ["basic", "gold"]},
            "cards": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Card"}},
        },
    },
    "Card": {
        "type": "object",
        "required": ["kind"],
        "properties": {
            "kind": {"enum": ["gift", "credit"]},
            "balance": {"type": "number", "minimum": 0},
        },
    },
    "Order": {
        "type": "object",
        "required": ["owner", "sku", "total", "placed_at"],
        "properties": {
            "owner": {"type": "string"},
            "sku": {"type": "string"},
            "total": {"type": "number", "minimum": 0},
            "placed_at": {"type": "string", "format": "date-time"},
            "state": {"enum": ["open", "shipped", "cancelled"]},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "ship": {"type": "object", "properties": {"city": {"type": "string"}}},
            "lines": {"type": "array", "items": {"type": "string"}},
        },
    },
    "Stock": {
        "type": "object",
        "required": ["sku", "count"],
        "properties": {"sku": {"type": "string"}, "count": {"type": "integer", "minimum": 0}},
    },
}

LEDGER = {"user": "User", "orders.*": "Order", "stock.*": "Stock", "prices.*.*": "number"}

_ORDER_ID = {"order_id": "string"}
_ORDER = "orders.{args.order_id}"
TOOLS: dict[str, dict[str, Any]] = {
    "get_user": {
        "kind": "read",
        "arguments": {"user_id": "string"},
        "observes": {"user": "result"},
    },
    "get_order": {"kind": "read", "arguments": _ORDER_ID, "observes": {_ORDER: "result"}},
    "get_stock": {
        "kind": "read",
        "arguments": {"sku": "string"},
        "observes": {"stock.{args.sku}": "result"},
    },
    "list_stock": {"kind": "read", "observes": {"stock.{item.sku}": "result[*]"}},
    "get_price": {
        "kind": "read",
        "arguments": {"sku": "string", "date": "date"},
        "observes": {"prices.{args.sku}.{args.date}": "result.price"},
    },
    "cancel": {"kind": "write", "arguments": _ORDER_ID, "touches": [_ORDER]},
    "ship": {"kind": "write", "arguments": _ORDER_ID, "touches": [f"{_ORDER}.state"]},
    "move": {
        "kind": "write",
        "arguments": {"order_id": "string", "city": "string"},
        "touches": [f"{_ORDER}.ship.city"],
    },
    "restock": {
        "kind": "write",
        "arguments": {"skus": "string[]"},
        "touches": [{"path": "stock.{item}", "each": "args.skus"}],
    },
    "pay": {
        "kind": "write",
        "arguments": {
            "order_id": "string",
            "card": "string",
            "amount": "number",
            "gift?": "boolean",
            "memo?": {"anyOf": [{"enum": ["x", "y"]}, {"type": "null"}]},
        },
        "touches": [f"{_ORDER}.total", "user.cards.{args.card}.balance"],
        "free": ["card", "gift", "memo"],
    },
    "choose": {
        "kind": "write",
        "arguments": {
            "order_id": "string",
            "size": {"enum": ["S", "M", "L"]},
            "count": {"type": "integer", "minimum": 1, "maximum": 9},
            "on": "date",
            "at?": "datetime",
        },
        "touches": [_ORDER],
        "free": ["size", "count", "on", "at"],
    },
    "think": {"kind": "neutral", "arguments": {"thought": "string"}},
}

ORDER: dict[str, Any] = {
    "owner": "u1",
    "sku": "tea",
    "total": 12.5,
    "placed_at": "2024-05-15T10:00:00",
    "state": "open",
}
USER: dict[str, Any] = {
    "id": "u1",
    "tier": "basic",
    "cards": {"g1": {"kind": "gift", "balance": 20}, "c1": {"kind": "credit"}},
}


def rule(tool: str | Sequence[str], require: str, **more: Any) -> dict[str, Any]:
    """A rule; its id is `rule` unless one is given."""
    return {"id": "rule", "tools": tool, "require": require, **more}


O = "ledger.orders[args.order_id]"  # noqa: E741
OPEN = rule("cancel", f'{O}.state == "open"', message="order {args.order_id} is not open")
READS = [name for name, tool in TOOLS.items() if tool["kind"] == "read"]


def shop(*rules: Mapping[str, Any], **changes: Any) -> Domain:
    """The domain with these rules; `changes` go to `Domain.define`."""
    given: dict[str, Any] = {
        "tools": TOOLS, "ledger": LEDGER, "definitions": DEFINITIONS, "clock": NOW, **changes,
    }  # fmt: skip
    return Domain.define("shop", rules=rules, **given)


def session(
    *rules: Mapping[str, Any],
    tools: Iterable[str] | None = None,
    define_tools: Mapping[str, Any] = TOOLS,
    **changes: Any,
) -> Session:
    """A session of that domain with an empty ledger; `tools` are those that the agent has."""
    return Gate(shop(*rules, tools=define_tools, **changes)).session(tools=tools)


def see_order(session: Session, order_id: str = "o1", /, **fields: Any) -> None:
    """Observe an order with these fields."""
    assert session.observe("get_order", {"order_id": order_id}, {**ORDER, **fields}) == []


def see_user(session: Session, **fields: Any) -> None:
    """Observe the user with these fields."""
    assert session.observe("get_user", {"user_id": "u1"}, {**USER, **fields}) == []


def cancel(session: Session, order_id: str = "o1") -> str:
    """The decision on cancelling an order."""
    return session.dry_run("cancel", {"order_id": order_id}).decision.value


def check(session: Session, tool: str = "cancel", **arguments: Any) -> Verdict:
    """The verdict on a call about order `o1`."""
    return session.dry_run(tool, {"order_id": "o1", **arguments})


def reads(verdict: Verdict) -> list[tuple[str, dict[str, Any]]]:
    """The reads that the verdict names."""
    return [(m.read.name, dict(m.read.arguments)) for m in verdict.missing if m.read]
