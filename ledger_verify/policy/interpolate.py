"""Text with expressions in braces: messages, and the path templates of tools.

`{{` and `}}` stand for literal braces.
"""

from __future__ import annotations

from dataclasses import dataclass

from ledger_verify.lang.errors import Span, SyntaxProblem


@dataclass(frozen=True)
class Hole:
    """An expression in braces; `offset` is where its text starts."""

    text: str
    offset: int


def split(text: str) -> tuple[str | Hole, ...]:
    """The literal pieces and holes of a text, in order; raises `SyntaxProblem`."""
    pieces: list[str | Hole] = []
    literal, position = "", 0
    while position < len(text):
        char = text[position]
        if text[position : position + 2] in ("{{", "}}"):
            literal += char
            position += 2
        elif char == "{":
            end = _closing(text, position)
            if literal:
                pieces.append(literal)
            literal = ""
            pieces.append(Hole(text[position + 1 : end], position + 1))
            position = end + 1
        elif char == "}":
            raise SyntaxProblem("`}` without `{`", Span(position, position + 1), hint="write `}}`")
        else:
            literal += char
            position += 1
    if literal:
        pieces.append(literal)
    return tuple(pieces)


def _closing(text: str, start: int) -> int:
    """The brace that ends the hole at `start`; braces inside strings do not count."""
    quote = ""
    for position in range(start + 1, len(text)):
        char = text[position]
        if quote:
            quote = "" if char == quote and text[position - 1] != "\\" else quote
        elif char in "'\"":
            quote = char
        elif char == "}":
            return position
    raise SyntaxProblem("`{` is not closed", Span(start, len(text)), hint="write `{{`")
