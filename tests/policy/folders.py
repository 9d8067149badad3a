"""A small domain as files, of which tests write variants."""

from pathlib import Path

from ledger_verify import Domain

DOMAIN = """\
domain: shop
timezone: UTC
clock: 2024-05-15T15:00:00
ledger:
  user: User
  orders.*: Order
  notes.*: string
tools:
  get_user:
    kind: read
    arguments: {user_id: string}
    observes: {user: {from: result, set: {id: args.user_id}}}
  get_order:
    kind: read
    arguments: {order_id: string}
    observes: {"orders.{args.order_id}": result}
  list_notes:
    kind: read
    observes: {"notes.{item}": "result[*]"}
  cancel:
    kind: write
    arguments: {order_id: string, "reason?": string}
    touches: ["orders.{args.order_id}.state"]
    effects: {"orders.{args.order_id}.state": '"shipped"'}
    free: [reason]
"""
SCHEMA = """\
$defs:
  User:
    type: object
    required: [id]
    properties:
      id: {type: string}
  Order:
    type: object
    required: [owner, total]
    properties:
      owner: {type: string}
      total: {type: number, minimum: 0}
      state: {enum: [open, shipped]}
"""
POLICY = """\
rules:
  - id: mine
    tools: [cancel]
    let: {o: "ledger.orders[args.order_id]"}
    when: o.total > 5
    require: o.owner == ledger.user.id
    message: "order of {o.owner}"
assumptions:
  - ledger.orders.all(o, o.total < 1000)
invariants:
  - id: never_big
    tools: [cancel]
    never: ledger.orders[args.order_id].total > 1000
  - id: never_bigger
    always: ledger.orders.all(o, o.total < 2000)
    initially: ledger.orders.all(o, o.total < 100)
"""
TEMPLATE = """\
name: owned
description: Only the owner's.
parameters:
  owner: {description: who owns it}
  user: {description: who acts, default: ledger.user.id}
let:
  o: owner
require: o == user
message: "{owner} is not {user}"
"""


def write(
    folder: Path, *, domain: str = DOMAIN, schema: str = SCHEMA, policy: str = POLICY,
    template: str = TEMPLATE,
) -> Path:  # fmt: skip
    """Write the files into the folder."""
    for name, text in {"domain": domain, "schema": schema, "policy": policy}.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    (folder / "rules").mkdir(exist_ok=True)
    (folder / "rules" / "owned.yaml").write_text(template, encoding="utf-8")
    return folder


def load(folder: Path, **texts: str) -> Domain:
    """The domain of these files."""
    return Domain.load(write(folder, **texts))
