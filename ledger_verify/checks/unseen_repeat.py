"""A rule looks for an earlier record like this call, and no call of the tool leaves one.

A rule against paying an invoice twice looks for a payment of the same invoice. If the payment's
tool touches no payments, what was read before the first payment stays evidence after it: the
second one finds nothing, and is allowed. Let the tool touch the records that it adds to, or
observe what it returns.

Faulty:

    ledger: {shipments.*: "Shipment[]"}
    $defs:
      Shipment: {type: object, required: [sku], properties: {sku: {type: string}}}
    tools:
      list_shipments:
        kind: read
        arguments: {order_id: string}
        observes: {"shipments.{args.order_id}": result}
      ship: {kind: write, arguments: {order_id: string, sku: string}, touches: []}
    rules:
      - id: not_twice
        tools: [ship]
        require: "!ledger.shipments[args.order_id].exists(s, s.sku == args.sku)"
        clause: Nothing is sent twice.

Right:

    ledger: {shipments.*: "Shipment[]"}
    $defs:
      Shipment: {type: object, required: [sku], properties: {sku: {type: string}}}
    tools:
      list_shipments:
        kind: read
        arguments: {order_id: string}
        observes: {"shipments.{args.order_id}": result}
      ship:
        kind: write
        arguments: {order_id: string, sku: string}
        touches: ["shipments.{args.order_id}"]
    rules:
      - id: not_twice
        tools: [ship]
        require: "!ledger.shipments[args.order_id].exists(s, s.sku == args.sku)"
        clause: Nothing is sent twice.

Claim: a rule of a write of the agent holds only where no item of a list or map of the ledger, or
no record of `records(...)`, equals an argument in something (`!exists(... ==)`, `all(... !=)`,
`!(args.x in ...)`), or where a `sum` or `size` of such, together with an argument, stays below
something; and neither `touches` nor `observes` of the write names the path, or the field, where it
is. A rule that also reads `history` of the tool knows the earlier calls, and is not reported. What
is only compared with a record (`status == "open"`, `amount <= total`) is no such search, nor is a
guard (`when`). Where a call really leaves nothing of the kind behind, accept it where the rule
stands: `ignore: {LV308: a reminder is no shipment}`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.reporting import rule_finding
from ledger_verify.lang.typed import (
    And,
    Apply,
    Choose,
    Constant,
    Expr,
    FieldOf,
    Fold,
    FoldKind,
    HasField,
    Or,
    Read,
    Records,
    Variable,
    distinct,
    parts,
)
from ledger_verify.lang.types import BOOL
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.footprint import Field, field_changed, histories_read, overlap
from ledger_verify.policy.rules import Rule
from ledger_verify.policy.tools import Tool

ABOUT = About("LV308", "unseen_repeat", "error")
FALSE = Constant(False, BOOL)
_SMALLER = {"lt": 0, "le": 0, "gt": 1, "ge": 1}


def run(domain: Domain) -> Iterator[Claim]:
    """One claim for each rule of a write."""
    for tool in domain.writes:
        changed = {field_changed(touch) for touch in tool.touches}
        changed |= {(observation.pattern, "") for observation in tool.observes}
        for rule in domain.rules_by_tool[tool.name]:
            yield _looked_at(domain, tool, rule, changed)


def _looked_at(domain: Domain, tool: Tool, rule: Rule, changed: set[Field]) -> Claim:
    if {"", tool.name} & histories_read(rule.holds):
        return Claim()
    for found in _searches(_demanded(rule), True, frozenset()):
        if not overlap(found.places, changed):
            pattern, name = sorted(found.places)[0]
            where = f"`{name}` of `{pattern}`" if name else f"`{pattern}`"
            return rule_finding(
                ABOUT,
                domain,
                rule,
                f"`{rule.id}` looks for an earlier one in {where}, and a call of `{tool.name}` "
                "leaves none there: its `touches` and `observes` do not name it, so a second call "
                "is judged like the first",
                at=found.at,
                fix="let the tool touch what it adds to, or observe what it returns; or accept it "
                "with `ignore: {LV308: ...}` on the rule",
            )
    return Claim()


@dataclass(frozen=True)
class _Search:
    """Where a rule looks for something like the call: places of the ledger."""

    places: frozenset[Field]
    at: Expr


def _searches(expr: Expr, wanted: bool, around: frozenset[Field]) -> Iterator[_Search]:
    """What must not be there for the expression to be true (or false, unless `wanted`).

    `around` are the places over whose items the macros around run. Where something else may make it
    true, only searches among items count, not a bare `in`.
    """
    match expr:
        case And(operands=operands) | Or(operands=operands):
            other_ways = isinstance(expr, Or) is wanted
            for operand in operands:
                for found in _searches(operand, wanted, around):
                    if not (other_ways and _is_membership(found.at)):
                        yield found
        case Apply(operation="not", operands=(operand,)):
            yield from _searches(operand, not wanted, around)
        case Choose(condition=condition, then=then, otherwise=otherwise):
            yield from _searches(condition, wanted, around)
            yield from _searches(condition, not wanted, around)
            yield from _searches(then, wanted, around)
            yield from _searches(otherwise, wanted, around)
        case Fold(kind=FoldKind.ALL | FoldKind.EXISTS, range=range_, body=body):
            yield from _searches(body, wanted, around | _places(range_))
        case Apply(operation="eq" | "ne" as operation, operands=(left, right)):
            alike = wanted is (operation == "eq")
            if not alike and around and _like_the_call(left, right):
                yield _Search(around, expr)
            if alike:
                yield from _none_left(left, right, expr)
        case Apply(operation="in_list" | "in_map", operands=(item, container)):
            places = _places(container)
            if not wanted and places and _is_argument(item):
                yield _Search(places, expr)
        case Apply(operation=operation, operands=(left, right)) if operation in _SMALLER:
            small = (left, right)[_SMALLER[operation] if wanted else 1 - _SMALLER[operation]]
            places = _counted(small)
            if places and any(map(_is_argument, _terms(small))):
                yield _Search(places, expr)


def _demanded(rule: Rule) -> Expr:
    """What the rule demands: its guard only asks whether it applies, unless nothing can meet it."""
    return rule.holds if rule.require == FALSE else rule.require


def _is_membership(expr: Expr) -> bool:
    return isinstance(expr, Apply) and expr.operation in ("in_list", "in_map")


def _none_left(left: Expr, right: Expr, at: Expr) -> Iterator[_Search]:
    """`size(list.filter(x, ...)) == 0` says that there is no such item."""
    for counted, other in ((left, right), (right, left)):
        match counted:
            case Apply(operation="size", operands=(Fold(kind=FoldKind.FILTER) as kept,)):
                if getattr(other, "value", None) == 0:
                    inside = _places(kept.range)
                    yield from _searches(kept.body, False, inside)


def _like_the_call(left: Expr, right: Expr) -> bool:
    """Whether one side is something of an item, and the other an argument."""
    return (_of_item(left) and _is_argument(right)) or (_of_item(right) and _is_argument(left))


def _of_item(expr: Expr) -> bool:
    return any(isinstance(part, Variable) and "#" in part.name for part in distinct(expr))


def _is_argument(expr: Expr) -> bool:
    """Whether it is made of arguments alone."""
    names = {part.name for part in distinct(expr) if isinstance(part, Variable)}
    return names == {"args"} and not any(
        isinstance(part, Read | Records) for part in distinct(expr)
    )


def _terms(expr: Expr) -> Iterator[Expr]:
    """The terms of a sum, or the expression itself."""
    match expr:
        case Apply(operation=operation, operands=operands) if operation.startswith("add_"):
            for operand in operands:
                yield from _terms(operand)
        case _:
            yield expr


def _counted(expr: Expr) -> frozenset[Field]:
    """The places of what a term of the sum counts or adds up."""
    found: frozenset[Field] = frozenset()
    for term in _terms(expr):
        match term:
            case Apply(operation=operation, operands=(listed,)) if operation.startswith(
                ("sum", "size")
            ):
                found |= _places(listed)
    return found


def _places(range_: Expr) -> frozenset[Field]:
    """The places of the ledger whose items a macro runs over; none for other lists."""
    match range_:
        case Fold(kind=FoldKind.FILTER | FoldKind.MAP, range=inner):
            return _places(inner)
        case Records(pattern=pattern) | Read(pattern=pattern):
            return frozenset({(pattern, "")})
        case FieldOf(of=Read(pattern=pattern), field_name=name):
            return frozenset({(pattern, name)})
        case FieldOf(of=of) | HasField(of=of):
            return _places(of)
        case Apply(operands=operands) if operands:
            return frozenset[Field]().union(*map(_places, operands))
        case Choose():
            return frozenset[Field]().union(*map(_places, parts(range_)))
    return frozenset()
