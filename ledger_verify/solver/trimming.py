"""Texts without the white space at their ends."""

from __future__ import annotations

from typing import Any

import z3

from ledger_verify.lang.operations import WHITE_SPACE
from ledger_verify.solver.logic import Term
from ledger_verify.solver.symbols import Symbols
from ledger_verify.solver.texts import string_value


def trimmed(symbols: Symbols, text: Term) -> Term:
    """What stands between white space and white space and neither starts nor ends with any.

    Only texts of z3's theory of strings have it. Of every text there is exactly one.
    """
    key = text.ast.value
    if key not in symbols.trimmed:
        before, kept, after = (
            symbols.unconstrained(symbols.texts.sort, hint)
            for hint in ("before", "trimmed", "after")
        )
        one, space = _white_space()
        ends = z3.SubString(kept, 0, 1), z3.SubString(kept, z3.Length(kept) - 1, 1)
        symbols.facts += [
            text == z3.Concat(before, kept, after),
            z3.InRe(before, space),
            z3.InRe(after, space),
            *(z3.Not(z3.InRe(end, one)) for end in ends),
        ]
        symbols.trimmed[key] = text, kept  # the text is kept, so that its number stays its own
    return symbols.trimmed[key][1]


def _white_space() -> tuple[Any, Any]:
    """One character of white space, and any number of them."""
    ranges = [z3.Range(string_value(low), string_value(high)) for low, high in _ranges(WHITE_SPACE)]
    one = z3.Union(*ranges)
    return one, z3.Star(one)


def _ranges(characters: str) -> list[tuple[str, str]]:
    """The characters, which are in order, as ranges without gaps."""
    found: list[tuple[str, str]] = []
    for character in characters:
        if found and ord(found[-1][1]) + 1 == ord(character):
            found[-1] = (found[-1][0], character)
        else:
            found.append((character, character))
    return found
