"""A small domain in many versions: a stall that sells tickets, for tests of `diff`."""

from collections.abc import Mapping, Sequence
from typing import Any

from ledger_verify.policy.domain import Domain

TICKET: Mapping[str, Any] = {
    "type": "object",
    "required": ["state", "price", "sold_at", "seats"],
    "properties": {
        "state": {"enum": ["open", "used", "void"]},
        "price": {"type": "integer", "minimum": 0, "maximum": 100},
        "sold_at": {"type": "string", "format": "date-time"},
        "seats": {"type": "array", "items": {"type": "integer", "minimum": 0}},
        "note": {"type": "string"},
    },
}
TOOLS: Mapping[str, Mapping[str, Any]] = {
    "read": {
        "kind": "read",
        "arguments": {"id": "string"},
        "observes": {"tickets.{args.id}": "result"},
    },
    "refund": {
        "kind": "write",
        "arguments": {"id": "string", "amount": "integer", "how": {"enum": ["card", "cash"]}},
        "touches": ["tickets.{args.id}"],
    },
}
T = "ledger.tickets[args.id]"


def stall(
    *rules: str | Mapping[str, Any],
    ticket: Mapping[str, Any] | None = None,
    required: Sequence[str] | None = None,
    arguments: Mapping[str, Any] | None = None,
    more_tools: Mapping[str, Any] | None = None,
    tools: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Domain:
    """The domain with these rules for `refund`; a text is what a rule requires.

    `ticket` and `arguments` replace or add fields (None takes one away).
    """
    documents = [
        {"id": f"r{i}", "tools": ["refund"], **({"require": r} if isinstance(r, str) else r)}
        for i, r in enumerate(rules)
    ]
    fields = _changed(TICKET["properties"], ticket)
    needed = [name for name in required or TICKET["required"] if name in fields]
    known = {**(tools or TOOLS)}
    if "refund" in known:
        refund = known["refund"]
        changed = _changed(refund["arguments"], arguments)
        known["refund"] = {**refund, "arguments": changed}
    ticket_schema = {"type": "object", "required": needed, "properties": fields}
    options = {"clock": "2024-05-15T15:00:00", "ledger": {"tickets.*": "Ticket"}, **settings}
    return Domain.define(
        "stall", tools={**known, **(more_tools or {})}, definitions={"Ticket": ticket_schema},
        rules=documents, **options,
    )  # fmt: skip


def _changed(fields: Mapping[str, Any], changes: Mapping[str, Any] | None) -> dict[str, Any]:
    merged = {**fields, **(changes or {})}
    return {name: schema for name, schema in merged.items() if schema is not None}
