"""A rule compares a field of a record with the key that the record stands under.

A tool that is asked for one record may answer with another one. To compare the two in a rule helps
that rule alone: others, and all proofs, still take the wrong record for evidence. Declare the
field as the `key` of the path: then such a result is rejected when it is observed, and the
comparison is always true. Where it is declared already, take the comparison out.

Faulty:

    $defs:
      Order:
        type: object
        required: [order_id, status]
        properties: {order_id: {type: string}, status: {enum: [open, sent, cancelled]}}
    rules:
      - id: that_order
        tools: [ship]
        require: >
          ledger.orders[args.order_id].order_id == args.order_id
          && ledger.orders[args.order_id].status == "open"
        clause: Only an open order is shipped.

Right:

    ledger: {orders.*: {record: Order, key: order_id}}
    $defs:
      Order:
        type: object
        required: [order_id, status]
        properties: {order_id: {type: string}, status: {enum: [open, sent, cancelled]}}
    rules:
      - id: that_order
        tools: [ship]
        require: ledger.orders[args.order_id].status == "open"
        clause: Only an open order is shipped.

Claim: the guard or the requirement of a rule has `==` or `!=` between a field of a record and the
very expression that is its key, and the field is the declared `key`, or has the name by which the
tools key the path (`orders.{args.order_id}`, `orders.{item.order_id}`). A field of another name
may say something else, such as who stands in for a user, and is not reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.reporting import rule_finding
from ledger_verify.lang.typed import Apply, Expr, FieldOf, Read, distinct
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.own_keys import own_keys

ABOUT = About("LV211", "compared_key", "warning")


def run(domain: Domain) -> Iterator[Claim]:
    """One claim for each rule."""
    for rule in domain.rules:
        found = {
            (pattern, name): part
            for part in distinct(rule.holds)
            for pattern, name in _compared(part, domain)
        }
        if not found:
            yield Claim()
        for (pattern, name), part in found.items():
            declared = name in domain.ledger[pattern].key_fields
            yield rule_finding(
                ABOUT,
                domain,
                rule,
                f"`{name}` of `{pattern}` is compared with the key of the record, "
                + (
                    "which it always is: it is declared as the `key`"
                    if declared
                    else "which helps this rule alone"
                ),
                at=part,
                fix="take the comparison out"
                if declared
                else f"declare `key: {name}` for `{pattern}`, and take the comparison out",
            )


def _compared(part: Expr, domain: Domain) -> Iterator[tuple[str, str]]:
    match part:
        case Apply(operation="eq" | "ne", operands=(left, right)):
            for field, value in ((left, right), (right, left)):
                match field:
                    case FieldOf(of=Read(pattern=pattern, keys=keys), field_name=name):
                        own = own_keys(domain, domain.ledger[pattern])
                        if any(
                            known == name and key == value
                            for known, key in zip(own, keys, strict=True)
                        ):
                            yield pattern, name
