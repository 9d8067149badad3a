"""Invariants of a domain, proved or refuted over one call and over sequences of calls."""
