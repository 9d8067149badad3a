"""Prove, enforce and test the policy of a tool-calling agent with one semantics."""

__version__ = "0.1.0"
