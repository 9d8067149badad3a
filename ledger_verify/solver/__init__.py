"""Predicates as constraints: the only part that knows z3.

`symbols` makes typed constants and states what a schema says of them, `encode` turns predicates
into constraints over them, `query` asks, `decode` turns models into ledgers and calls. `gate` and
`static` put these together for their two users.
"""
