"""Findings in the formats of other programs, one a file."""
