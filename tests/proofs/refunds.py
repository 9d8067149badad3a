"""A domain whose tools declare effects: refunds of orders, and what else a test adds."""

from collections.abc import Mapping, Sequence
from typing import Any

from ledger_verify.policy.domain import Domain
from ledger_verify.proofs.sequences import SequenceResult, prove_sequences
from ledger_verify.solver.query import Limits
from ledger_verify.solver.sequences import SequenceSolver

Document = Mapping[str, Any]

DEFINITIONS: Mapping[str, Any] = {
    "Order": {
        "type": "object",
        "required": ["paid", "refunded", "status", "owner"],
        "properties": {
            "paid": {"type": "number", "minimum": 0},
            "refunded": {"type": "number", "minimum": 0},
            "status": {"enum": ["sent", "returned", "exchanged"]},
            "owner": {"type": "string"},
            "limit": {"type": "number"},
            "marks": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Mark"}},
        },
    },
    "Mark": {
        "type": "object",
        "required": ["count"],
        "properties": {"count": {"type": "integer", "minimum": 0}, "note": {"type": "string"}},
    },
    "Purse": {
        "type": "object",
        "required": ["balance"],
        "properties": {"balance": {"type": "number", "minimum": 0}},
    },
}
ORDER = "ledger.orders[args.id]"
REFUND: Document = {
    "kind": "write",
    "arguments": {"id": "string", "amount": "number"},
    "touches": ["orders.{args.id}.refunded"],
    "effects": {"orders.{args.id}.refunded": f"{ORDER}.refunded + args.amount"},
}
READ: Document = {
    "kind": "read",
    "arguments": {"id": "string"},
    "observes": {"orders.{args.id}": "result"},
}
NOT_MORE_THAN_PAID = "ledger.orders.all(o, o.refunded <= o.paid)"
NOTHING_REFUNDED = "ledger.orders.all(o, o.refunded == 0)"
POSITIVE = "args.amount > 0"
SINGLE_LIMIT = f"args.amount <= {ORDER}.paid"
SUM_LIMIT = f"{ORDER}.refunded + args.amount <= {ORDER}.paid"


def setter(field: str, value: str, **arguments: str) -> Document:
    """A write that puts a value into a field of the order."""
    return {
        "kind": "write",
        "arguments": {"id": "string", **arguments},
        "touches": [f"orders.{{args.id}}.{field}"],
        "effects": {f"orders.{{args.id}}.{field}": value},
    }


def refunds(
    *rules: str | Document,
    always: str = NOT_MORE_THAN_PAID,
    initially: str | None = None,
    assumptions: Sequence[str] = (),
    clock: str | None = None,
    ledger: Mapping[str, str] | None = None,
    **tools: Document,
) -> Domain:
    """The domain with these rules, for `refund` unless they name other tools."""
    documents: list[Document] = []
    for number, rule in enumerate(rules):
        named: Document = {"require": rule} if isinstance(rule, str) else rule
        documents.append({"id": f"r{number}", "tools": ["refund"], **named})
    invariant = {"id": "kept", "always": always}
    if initially is not None:
        invariant["initially"] = initially
    return Domain.define(
        "refunds",
        tools={"read": READ, "refund": REFUND, **tools},
        ledger={"orders.*": "Order", **(ledger or {})},
        definitions=DEFINITIONS,
        rules=documents,
        assumptions=assumptions,
        invariants=[invariant],
        clock=clock,
    )


def result_of(domain: Domain, calls: int = 4, limits: Limits | None = None) -> SequenceResult:
    """What becomes of its invariant."""
    solver = SequenceSolver(domain) if limits is None else SequenceSolver(domain, limits=limits)
    (result,) = prove_sequences(domain, solver, calls)
    return result
