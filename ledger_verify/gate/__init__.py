"""The policy gate: from a proposed call and a ledger to ALLOW, REVISE or BLOCK."""

from ledger_verify.gate.gate import Gate
from ledger_verify.gate.session import Session
from ledger_verify.gate.verdict import Decision, MissingRead, ReadCall, Repair, RuleReport, Verdict

__all__ = [
    "Decision",
    "Gate",
    "MissingRead",
    "ReadCall",
    "Repair",
    "RuleReport",
    "Session",
    "Verdict",
]
