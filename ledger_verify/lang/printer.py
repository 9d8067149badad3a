"""Syntax tree to text; parsing the text gives the same tree."""

from __future__ import annotations

import re
from fractions import Fraction

from ledger_verify.lang.operations import decimal_text
from ledger_verify.lang.syntax import (
    Binary,
    Call,
    Conditional,
    Index,
    ListLiteral,
    Literal,
    MapLiteral,
    Name,
    Node,
    Select,
    Unary,
)

_LEVELS = {"||": 1, "&&": 2, "in": 3, "==": 3, "!=": 3, "<": 3, "<=": 3, ">": 3, ">=": 3}
_LEVELS |= {"+": 4, "-": 4, "*": 5, "/": 5, "%": 5}
_BARE = re.compile(r"(?!in\Z)[A-Za-z_][A-Za-z0-9_]*")
_CONDITIONAL, _UNARY, _MEMBER = 0, 6, 7


def print_expression(node: Node) -> str:
    """CEL text with the fewest parentheses that keep the meaning."""
    return _text(node, _CONDITIONAL)


def quote(text: str) -> str:
    """A CEL string literal."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'


def _text(node: Node, level: int) -> str:
    text, own = _render(node)
    return f"({text})" if own < level else text


def _render(node: Node) -> tuple[str, int]:
    match node:
        case Literal(value=value):
            return _literal(value)
        case Name(name=name):
            return name, _MEMBER
        case Select(of=of, field_name=name):
            shown = name if _BARE.fullmatch(name) else f"`{name}`"
            return f"{_text(of, _MEMBER)}.{shown}", _MEMBER
        case Index(of=of, key=key):
            return f"{_text(of, _MEMBER)}[{_text(key, 0)}]", _MEMBER
        case Call(function=function, arguments=arguments, target=target):
            receiver = "" if target is None else f"{_text(target, _MEMBER)}."
            return f"{receiver}{function}({_list(arguments)})", _MEMBER
        case Unary(operator=operator, operand=operand):
            inner = _text(operand, _MEMBER)
            return f"{operator}{inner}", _UNARY
        case Binary(operator=operator, left=left, right=right):
            own = _LEVELS[operator]
            rights = [_text(right, own + 1)]
            while isinstance(left, Binary) and left.operator == operator:  # chains may be long
                rights.append(_text(left.right, own + 1))
                left = left.left
            return f" {operator} ".join([_text(left, own), *reversed(rights)]), own
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return f"{_text(condition, 1)} ? {_text(then, 1)} : {_text(otherwise, 0)}", _CONDITIONAL
        case ListLiteral(items=items):
            return f"[{_list(items)}]", _MEMBER
        case MapLiteral(entries=entries):
            shown = ", ".join(f"{_text(key, 0)}: {_text(value, 0)}" for key, value in entries)
            return f"{{{shown}}}", _MEMBER
    raise AssertionError(node)


def _list(nodes: tuple[Node, ...]) -> str:
    return ", ".join(_text(node, 0) for node in nodes)


def _literal(value: bool | int | Fraction | str | None) -> tuple[str, int]:
    match value:
        case None:
            return "null", _MEMBER
        case bool():
            return str(value).lower(), _MEMBER
        case str():
            return quote(value), _MEMBER
        case int():
            return str(value), _UNARY if value < 0 else _MEMBER
    text = decimal_text(value)
    assert text is not None, "literals are decimals"
    return text if "." in text else f"{text}.0", _UNARY if value < 0 else _MEMBER
