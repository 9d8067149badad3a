"""A small domain for the checks: orders, and calls with a few arguments of every kind."""

from collections.abc import Mapping, Sequence
from typing import Any

from ledger_verify.checks.base.job import Settings
from ledger_verify.checks.catalog import selected
from ledger_verify.checks.running.report import Report
from ledger_verify.checks.running.run import run_checks
from ledger_verify.policy.domain import Domain

DEFINITIONS: Mapping[str, Any] = {
    "Item": {
        "type": "object",
        "required": ["qty", "name"],
        "properties": {"qty": {"type": "integer", "minimum": 0}, "name": {"type": "string"}},
    },
    "Order": {
        "type": "object",
        "required": ["status", "total", "items", "created_at", "owner"],
        "properties": {
            "status": {"enum": ["open", "paid", "sent"]},
            "total": {"type": "number", "minimum": 0},
            "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
            "created_at": {"type": "string", "format": "date-time"},
            "owner": {"type": "string"},
            "note": {"type": "string"},
        },
    },
    "Names": {"type": "array", "items": {"type": "string"}},
    "Short": {"type": "array", "items": {"type": "integer"}, "maxItems": 3},
}
TOOLS: Mapping[str, Mapping[str, Any]] = {
    "read": {
        "kind": "read",
        "arguments": {"id": "string"},
        "observes": {"orders.{args.id}": "result"},
    },
    "change": {
        "kind": "write",
        "arguments": {
            "id": "string", "bags": {"type": "integer", "minimum": 0}, "kind": {"enum": ["a", "b"]},
            "text": "string", "names": "Names", "short": "Short",
            "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
        },
        "touches": ["orders.{args.id}"],
    },
    "other": {"kind": "write", "arguments": {"bags": "integer"}},
}  # fmt: skip
ORDER = "ledger.orders[args.id]"
SHAPE = ("dead_action", "vacuous_rule")


def shop(*rules: str | Mapping[str, Any], assumptions: Sequence[str] = ()) -> Domain:
    """The domain with these rules for `change`; a text is what a rule requires."""
    documents = [
        {"id": f"r{number}", "tools": ["change"], **_as_document(rule)}
        for number, rule in enumerate(rules)
    ]
    return Domain.define(
        "shop", tools=TOOLS, ledger={"orders.*": "Order"}, definitions=DEFINITIONS,
        rules=documents, assumptions=assumptions, clock="2024-05-15T15:00:00",
    )  # fmt: skip


def _as_document(rule: str | Mapping[str, Any]) -> Mapping[str, Any]:
    return {"require": rule} if isinstance(rule, str) else rule


def report(
    domain: Domain, settings: Settings | None = None, *, checks: Sequence[str] = SHAPE
) -> Report:
    """What the checks find; without `checks`, those of whether rules can hold and fail."""
    return run_checks([domain], settings, selected(checks))[0]
