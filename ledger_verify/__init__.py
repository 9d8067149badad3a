"""Prove, enforce and test the policy of a tool-calling agent with one semantics."""

from ledger_verify.gate import Decision, Gate, Session, Verdict
from ledger_verify.lang.errors import InputError
from ledger_verify.policy.domain import Domain

__version__ = "0.1.0"
__all__ = ["Decision", "Domain", "Gate", "InputError", "Session", "Verdict", "__version__"]
