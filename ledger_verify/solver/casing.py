"""Texts in small letters or capitals, and in a normal form.

What such a text is remains a function of the text, learnt where it matters; but each question with
a literal in it (`==`, `startsWith`, `matches`, ...) is one about the text itself, since a letter
stands for both its cases: `x.lowerAscii() == "ab"` says that `x` is `[aA][bB]`. So those are exact.
"""

from __future__ import annotations

from typing import Any

import z3

from ledger_verify.lang.regex_tree import (
    Begin,
    Boundary,
    Characters,
    End,
    InOrder,
    Node,
    OneOf,
    Ranges,
    Repeat,
    complement,
    merged,
)
from ledger_verify.lang.types import STRING
from ledger_verify.solver.lessons import of_operation
from ledger_verify.solver.logic import Bool, Term, implies, same
from ledger_verify.solver.regexes import tree_to_z3
from ledger_verify.solver.symbols import Symbols

_CAPITALS: Ranges = ((ord("A"), ord("Z")),)
_SMALL: Ranges = ((ord("a"), ord("z")),)
_ASCII: Ranges = ((0, 127),)
_GONE = {"lower_ascii": _CAPITALS, "upper_ascii": _SMALL}
_SHIFT = {"lower_ascii": -32, "upper_ascii": 32}


def cased(symbols: Symbols, operation: str, text: Term) -> Term:
    """The text in small letters (`lower_ascii`) or in capitals (`upper_ascii`)."""
    sort = symbols.texts.sort
    value = z3.Function(f"op:{operation}", sort, sort)(text)
    key = value.ast.value
    if key in symbols.cased:
        return value
    symbols.cased[key] = operation, text, value
    symbols.lessons.append(of_operation(symbols, operation, [text], value, False, STRING))
    if symbols.texts.structured:
        kept = _only(complement(_GONE[operation]))
        symbols.facts += [
            z3.Length(value) == z3.Length(text),
            z3.InRe(value, kept),
            implies(z3.InRe(text, kept), same(value, text)),
        ]
    return value


def in_form(symbols: Symbols, text: Term, form: str) -> Term:
    """The text in a normal form; one of ASCII alone is in all of them."""
    sort = symbols.texts.sort
    value = z3.Function(f"op:normalize:{form}", sort, sort)(text)
    symbols.lessons.append(
        of_operation(symbols, "normalize", [text], value, False, STRING, (form,))
    )
    if symbols.texts.structured:
        symbols.facts.append(implies(z3.InRe(text, _only(_ASCII)), same(value, text)))
    return value


def found_in(symbols: Symbols, text: Term, tree: Node) -> Bool | None:
    """Whether a regular expression is found in a text; None where z3 cannot say it."""
    while text.ast.value in symbols.cased:
        operation, text, _ = symbols.cased[text.ast.value]
        tree = _before(tree, operation)
    regex = tree_to_z3(tree)
    return None if regex is None else z3.InRe(text, regex)


def is_literal(symbols: Symbols, text: Term, literal: str) -> Bool:
    """Whether a text is the literal, and what that says of the text that it was made of."""
    alike = same(text, symbols.literal(literal, STRING))
    looked_into = symbols.texts.structured and not symbols.texts.is_long(literal)
    if text.ast.value in symbols.cased and looked_into:
        tree = InOrder((Begin(), *_characters(literal), End()))
        found = found_in(symbols, text, tree)
        if found is not None:
            symbols.facts.append(same(alike, found))
    return alike


def part_tree(operation: str, literal: str) -> Node:
    """The regular expression of `starts_with`, `ends_with` and `contains` with a literal."""
    begins = (Begin(),) if operation == "starts_with" else ()
    ends = (End(),) if operation == "ends_with" else ()
    return InOrder((*begins, *_characters(literal), *ends))


def _characters(literal: str) -> tuple[Node, ...]:
    return tuple(Characters(((ord(one), ord(one)),)) for one in literal)


def _only(ranges: Ranges) -> Any:
    """The texts of these characters."""
    return tree_to_z3(InOrder((Begin(), Repeat(Characters(ranges), 0, None), End())))


def _before(tree: Node, operation: str) -> Node:
    """The expression for the texts that the operation turns into those of the tree."""
    match tree:
        case Characters(ranges=ranges):
            gone, shift = _GONE[operation], _SHIFT[operation]
            ((low, high),) = gone
            stays = complement(merged([*complement(ranges), *gone]))
            came = [
                (max(a, low - shift) + shift, min(b, high - shift) + shift)
                for a, b in ranges
                if a <= high - shift and low - shift <= b
            ]
            return Characters(merged([*stays, *came]))
        case InOrder(items=items):
            return InOrder(tuple(_before(item, operation) for item in items))
        case OneOf(options=options):
            return OneOf(tuple(_before(option, operation) for option in options))
        case Repeat(body=body, low=least, high=most):
            return Repeat(_before(body, operation), least, most)
        case Begin() | End() | Boundary():
            return tree
