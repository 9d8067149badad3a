"""A tiny domain, as a folder: accounts that are closed and paid from."""

from pathlib import Path

DOMAIN = """\
domain: bank
timezone: Europe/Paris
clock: 2024-05-15T15:00:00
ledger:
  accounts.*: Account
tools:
  get_account:
    kind: read
    arguments: {account_id: string}
    observes: {"accounts.{args.account_id}": result}
  think:
    kind: neutral
    arguments: {thought: string}
  close_account:
    kind: write
    arguments: {account_id: string}
    touches: ["accounts.{args.account_id}"]
  pay:
    kind: write
    arguments: {account_id: string, amount: number}
    touches: ["accounts.{args.account_id}.balance"]
"""
SCHEMA = """\
$defs:
  Account:
    type: object
    required: [account_id, state, balance]
    properties:
      account_id: {type: string}
      state: {enum: [open, frozen]}
      balance: {type: number}
      opened: {type: string, format: date-time}
"""
POLICY = """\
rules:
  - id: account_open
    tools: [close_account, pay]
    require: ledger.accounts[args.account_id].state == "open"
    message: "account {args.account_id} is not open"
    clause: As the bank says.
  - id: balance_suffices
    tools: [pay]
    require: ledger.accounts[args.account_id].balance >= args.amount
    message: "{args.amount} is more than there is"
    clause: As the bank says.
  - id: a_day_old
    tools: [close_account]
    when: has(ledger.accounts[args.account_id].opened)
    require: now - ledger.accounts[args.account_id].opened >= duration("24h")
    message: "account {args.account_id} is too new"
    clause: As the bank says.
"""


def bank_folder(
    folder: Path, *, domain: str = DOMAIN, schema: str = SCHEMA, policy: str = POLICY
) -> Path:
    """Write the domain's files, or variants of them, and return the folder."""
    folder.mkdir(exist_ok=True)
    for name, text in {"domain": domain, "schema": schema, "policy": policy}.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder
