"""An argument is declared `free`, but no repair may ever change it.

The gate repairs only what a tool declares `free`: how to pay, which seat, how many. It leaves alone
what says which call this is: the key of a record, what only the user can give (`asks`), and free
text, that is a text of which no rule demands that the records show it. To declare such an argument
has no effect. Take it out of `free`; or, where the value is one that the records list, add a rule
that says so.

Faulty:

    tools:
      refund:
        kind: write
        arguments: {order_id: string, note: string}
        touches: ["orders.{args.order_id}"]
        free: [order_id, note]
    rules:
      - id: open
        tools: [refund, ship]
        require: ledger.orders[args.order_id].status == "open"
        clause: Open orders only.

Right:

    ledger: {user: User}
    $defs:
      User:
        type: object
        required: [cards]
        properties: {cards: {type: array, items: {type: string}}}
    tools:
      get_user: {kind: read, observes: {user: result}}
      refund:
        kind: write
        arguments: {order_id: string, card: string, amount: number}
        touches: ["orders.{args.order_id}"]
        free: [card, amount]
    rules:
      - id: open
        tools: [refund, ship]
        require: ledger.orders[args.order_id].status == "open"
        clause: Open orders only.
      - {id: on_file, tools: [refund], require: args.card in ledger.user.cards, clause: On file.}

Claim: the argument keys a record that the call touches or that a rule of the tool reads, is in
`asks`, or holds a text without `enum` that no rule of the tool demands to be in the ledger: equal
to a value of it, an item of a list, a key of a map.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.reporting import file_finding
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.regions import value_region
from ledger_verify.policy.repairable import barred

ABOUT = About("LV212", "unrepairable_argument", "warning")


def run(domain: Domain) -> Iterator[Claim]:
    """One claim for each argument that is declared `free`."""
    for tool in domain.tools.values():
        kept = barred(tool, [rule.holds for rule in domain.rules_by_tool[tool.name]])
        for name in tool.free:
            if name not in kept:
                yield Claim()
                continue
            file, path = domain.sources["domain"], ("tools", tool.name, "free")
            place = value_region(file, (*path, file.at(path).index(name)))
            yield file_finding(
                ABOUT,
                f"`{name}` of `{tool.name}` is declared `free` but is never repaired: {kept[name]}",
                place.start,
                end=place.end,
                tools=[tool.name],
                fix=f"take `{name}` out of `free`",
            )
