"""Small domains for the checks of evidence, written as YAML; and what one check finds there."""

from types import ModuleType

import yaml

from ledger_verify.checks.base.finding import Finding
from ledger_verify.checks.base.job import SolverCheck, SourceCheck
from ledger_verify.checks.running.run import run_checks
from ledger_verify.policy.domain import Domain

TYPES = """
Order:
  type: object
  required: [owner, status, final, total]
  properties:
    owner: {type: string}
    status: {enum: [open, sent]}
    final: {type: boolean}
    total: {type: number}
    note: {type: string}
User: {type: object, properties: {user_id: {type: string}, verified: {type: boolean}}}
Account: {type: object, properties: {contract_no: {type: string}, open: {type: boolean}}}
Contract: {type: object, properties: {account_no: {type: string}, ended: {type: boolean}}}
Device: {type: object, properties: {contract_no: {type: string}, account_no: {type: string}}}
Cart:
  type: object
  properties: {total: {type: number}, token: {type: string}, paid: {type: boolean}}
"""
GET_ORDER = """
get_order:
  kind: read
  arguments: {order_id: string}
  observes: {"orders.{args.order_id}": result}
"""
ORDER = "ledger.orders[args.order_id]"


def desk(tools: str, *rules: str | dict[str, object], default: str = "block") -> Domain:
    """A domain with these tools (YAML), and rules for `act`; a text is what a rule requires."""
    documents = [
        {
            "id": f"r{number}",
            "tools": ["act"],
            **({"require": rule} if isinstance(rule, str) else rule),
        }
        for number, rule in enumerate(rules)
    ]
    return Domain.define(
        "desk",
        tools=yaml.safe_load(tools),
        ledger={
            "orders.*": "Order",
            "user": "User",
            "account": "Account",
            "contract": "Contract",
            "device": "Device",
            "cart": "Cart",
        },
        definitions=yaml.safe_load(TYPES),
        rules=documents,
        default=default,
    )


def found(check: ModuleType, domain: Domain) -> list[Finding]:
    """The findings of one check, each of which must be complete."""
    assert isinstance(check, SourceCheck | SolverCheck)
    (report,) = run_checks([domain], checks=[check])
    for finding in report.findings:
        assert finding.code == check.ABOUT.code
        assert finding.end is not None
        assert finding.end.line == finding.location.line
        assert finding.end.column > finding.location.column
        assert finding.tools
        assert finding.fix
    return list(report.findings)


def marked(domain: Domain, finding: Finding) -> str:
    """The text that a finding points at."""
    (file,) = [f for f in domain.sources.values() if f.name == finding.location.file]
    line = file.text.splitlines()[finding.location.line - 1]
    assert finding.end is not None
    return line[finding.location.column - 1 : finding.end.column - 1]
