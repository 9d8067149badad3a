"""The predicate language: grammar, syntax tree, types, type checker and printer.

Text becomes a syntax tree (`parse`), the tree becomes a typed expression (`check`), and the
interpreter, the compiler and the solver all read the typed expression (`typed`).
"""
