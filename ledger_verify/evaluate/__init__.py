"""Evaluation of predicates: the four-valued reference interpreter, and compiled functions."""
