"""Domains: tools, ledger schema and rules, loaded from YAML with positions or given in Python."""
