"""Values of CEL literals: escapes in strings, and numbers."""

from __future__ import annotations

import re
from fractions import Fraction

from ledger_verify.lang.errors import Span, SyntaxProblem, Unsupported

INT_MIN = -(2**63)
INT_MAX = 2**63 - 1
_SIMPLE_ESCAPES = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "?": "?", '"': '"', "'": "'", "`": "`",
}  # fmt: skip
_ESCAPE = re.compile(
    r"\\(?:[xX]([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([0-3][0-7]{2})|(.))", re.S
)
_MAX_DIGITS = 1000
_MAX_EXPONENT = 400  # beyond any amount; keeps `1e999999999` from filling the memory


def string_value(text: str, span: Span) -> str:
    """The characters that a string literal stands for, quotes and escapes resolved."""
    raw = text[0] in "rR"
    quoted = text[1:] if raw else text
    width = 3 if quoted[:3] in ("'''", '"""') and len(quoted) >= 6 else 1
    body = quoted[width:-width].replace("\r\n", "\n").replace("\r", "\n")
    if raw:
        return body

    def replace(match: re.Match[str]) -> str:
        for group, base in ((1, 16), (2, 16), (3, 16), (4, 8)):
            digits = match.group(group)
            if digits is not None:
                return _character(int(digits, base), match.group(), span)
        simple = _SIMPLE_ESCAPES.get(match.group(5))
        if simple is None:
            raise SyntaxProblem(f"unknown escape `{match.group()}` in a string", span)
        return simple

    return _ESCAPE.sub(replace, body)


def _character(code: int, escape: str, span: Span) -> str:
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise SyntaxProblem(f"`{escape}` is not a Unicode character", span)
    return chr(code)


def int_value(text: str, span: Span) -> int:
    """The magnitude that an integer literal stands for; at most 2**63, which only `-` can use."""
    if len(text) < 40:
        magnitude = int(text, 16) if text[:2] in ("0x", "0X") else int(text)
        if magnitude <= -INT_MIN:
            return magnitude
    raise SyntaxProblem(f"integer `{text}` does not fit 64 bits", span)


def number_value(text: str, span: Span) -> Fraction:
    """The exact decimal that a literal with a point or an exponent stands for."""
    if len(text) > _MAX_DIGITS:
        raise Unsupported(f"a number literal of more than {_MAX_DIGITS} characters", span)
    exponent = re.split("[eE]", text)[1] if re.search("[eE]", text) else "0"
    if len(exponent) > 5 or abs(int(exponent)) > _MAX_EXPONENT:
        raise Unsupported(f"the number `{text}` (exponent beyond {_MAX_EXPONENT})", span)
    return Fraction(text)
