"""An object among the arguments of a write takes fields that no schema declares.

What the schema declares is judged; what else stands in an object that says `additionalProperties:
true` reaches the tool as it is, and no rule can read it. Declare the fields that the tool takes,
or accept it where the tool stands: `ignore: {LV210: labels for the warehouse}`.

Faulty:

    tools:
      ship:
        kind: write
        arguments:
          order_id: string
          parcels: {type: integer, minimum: 0}
          options:
            type: object
            properties: {gift: {type: boolean}}
            additionalProperties: true
        touches: ["orders.{args.order_id}"]
    rules:
      - {id: one, tools: [ship], require: args.parcels >= 1, clause: One at least.}

Right:

    tools:
      ship:
        kind: write
        arguments:
          order_id: string
          parcels: {type: integer, minimum: 0}
          options:
            type: object
            properties: {gift: {type: boolean}, wrapping: {type: string}}
        touches: ["orders.{args.order_id}"]
    rules:
      - {id: one, tools: [ship], require: args.parcels >= 1, clause: One at least.}

Claim: a write of the agent that has rules has an argument in which, at some depth, an object says
`additionalProperties: true`, or may be any object. An object that says nothing is closed. A map
(`additionalProperties` with a schema) declares what its values are. Reads, neutral tools and tools
of the person are not looked at, since no rule judges their arguments.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.reporting import file_finding
from ledger_verify.checks.evidence.places import argument_region
from ledger_verify.lang.types import ListType, MapType, RecordType, Type, strip_null
from ledger_verify.policy.domain import Domain

ABOUT = About("LV210", "open_argument", "warning")


def run(domain: Domain) -> Iterator[Claim]:
    """One claim for each argument of a write."""
    for tool in domain.writes:
        if not domain.rules_by_tool[tool.name]:
            continue
        for name, field in tool.arguments.fields:
            places = list(_open(field.type, name))
            if not places:
                yield Claim()
                continue
            where = argument_region(domain, tool.name, name)
            listed = ", ".join(f"`{place}`" for place in places)
            yield file_finding(
                ABOUT,
                f"{listed} of `{tool.name}` {'takes' if len(places) == 1 else 'take'} fields that "
                "are not declared: they reach the tool, and no rule judges them",
                where.start,
                end=where.end,
                tools=[tool.name],
                fix="declare the fields and leave out `additionalProperties: true`, or accept it "
                "with `ignore: {LV210: ...}` on the tool",
            )


def _open(type_: Type, place: str) -> Iterator[str]:
    """The places of objects that take further fields."""
    match strip_null(type_):
        case RecordType(fields=fields, closed=closed):
            if not closed:
                yield place
            for name, field in fields:
                yield from _open(field.type, f"{place}.{name}")
        case ListType(item=item):
            yield from _open(item, f"{place}[*]")
        case MapType(value=value):
            yield from _open(value, f"{place}.*")
