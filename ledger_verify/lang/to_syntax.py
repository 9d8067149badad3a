"""Lark's parse trees to syntax trees; what is CEL but left out is refused here by name."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, TypeGuard

from lark import Token, Transformer, v_args
from lark.tree import Meta

from ledger_verify.lang import doubles
from ledger_verify.lang.errors import Span, SyntaxProblem, TextPlace, Unsupported
from ledger_verify.lang.literals import int_value, number_value, string_value
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

MAX_NESTING = 120
_RESERVED = frozenset(
    {
        "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let",
        "loop", "namespace", "package", "return", "var", "void", "while",
    }
)  # fmt: skip
_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


def _is_numeric(value: object) -> TypeGuard[int | Fraction]:
    return isinstance(value, int | Fraction) and not isinstance(value, bool)


@v_args(meta=True)
class ToSyntax(Transformer[Token, Any]):
    """One method a grammar rule; called bottom-up by lark. All spans are of the text at `place`."""

    def __init__(self, place: TextPlace | None = None) -> None:
        super().__init__()
        self._place = place

    def _span(self, meta: Meta) -> Span:
        if meta.empty:
            return Span(0, 0, self._place)
        return Span(meta.start_pos, meta.end_pos, self._place)

    def _token_span(self, token: Token) -> Span:
        return Span(token.start_pos or 0, token.end_pos or 0, self._place)

    def start(self, meta: Meta, parts: list[Any]) -> Node:
        return parts[0]  # type: ignore[no-any-return]

    group = start

    def fold_left(self, meta: Meta, parts: list[Any]) -> Node:
        node: Node = parts[0]
        for operator, right in zip(parts[1::2], parts[2::2], strict=True):
            span = Span(node.span.start, right.span.end, self._place)
            node = Binary(str(operator), node, right, span=span)
        return node

    def conditional(self, meta: Meta, parts: list[Any]) -> Node:
        return Conditional(*parts, span=self._span(meta))

    def unary(self, meta: Meta, parts: list[Any]) -> Node:
        *operators, operand = parts
        if len(operators) > MAX_NESTING:
            raise SyntaxProblem("too many unary operators", self._span(meta))
        node: Node = operand
        for operator in reversed(operators):
            span = Span(operator.start_pos, operand.span.end, self._place)
            if operator == "-" and isinstance(node, Literal) and _is_numeric(node.value):
                node = Literal(-node.value, span=span)
            else:
                node = Unary(str(operator), node, span=span)
        return node

    def select(self, meta: Meta, parts: list[Any]) -> Node:
        return Select(parts[0], parts[1], span=self._span(meta))

    def selector(self, meta: Meta, parts: list[Any]) -> str:
        return str(parts[0]).strip("`")

    def method(self, meta: Meta, parts: list[Any]) -> Node:
        target, function, arguments = parts
        return Call(str(function), arguments, target, span=self._span(meta))

    def call(self, meta: Meta, parts: list[Any]) -> Node:
        return Call(str(parts[0]), parts[1], span=self._span(meta))

    def arguments(self, meta: Meta, parts: list[Any]) -> tuple[Node, ...]:
        return tuple(parts)

    def index(self, meta: Meta, parts: list[Any]) -> Node:
        return Index(parts[0], parts[1], span=self._span(meta))

    def name(self, meta: Meta, parts: list[Any]) -> Node:
        text = str(parts[0])
        if text in _CONSTANTS:
            return Literal(_CONSTANTS[text], span=self._span(meta))
        if text in _RESERVED:
            raise SyntaxProblem(f"`{text}` is a reserved word", self._span(meta))
        return Name(text, span=self._span(meta))

    def list_literal(self, meta: Meta, parts: list[Any]) -> Node:
        return ListLiteral(tuple(parts[0]) if parts else (), span=self._span(meta))

    def elements(self, meta: Meta, parts: list[Any]) -> list[Any]:
        return parts

    def int_literal(self, meta: Meta, parts: list[Any]) -> Node:
        span = self._token_span(parts[0])
        return Literal(int_value(str(parts[0]), span), span=span)

    def number_literal(self, meta: Meta, parts: list[Any]) -> Node:
        span = self._token_span(parts[0])
        value = number_value(str(parts[0]), span)
        doubles.check_literal(str(parts[0]), value, span)
        return Literal(value, span=span)

    def string_literal(self, meta: Meta, parts: list[Any]) -> Node:
        span = self._token_span(parts[0])
        return Literal(string_value(str(parts[0]), span), span=span)

    def uint_literal(self, meta: Meta, parts: list[Any]) -> Node:
        raise Unsupported(f"the unsigned literal `{parts[0]}`", self._token_span(parts[0]))

    def bytes_literal(self, meta: Meta, parts: list[Any]) -> Node:
        raise Unsupported("a bytes literal", self._token_span(parts[0]))

    def map_literal(self, meta: Meta, parts: list[Any]) -> Node:
        return MapLiteral(tuple(parts[0]) if parts else (), span=self._span(meta))

    def entries(self, meta: Meta, parts: list[Any]) -> list[Any]:
        return parts

    def entry(self, meta: Meta, parts: list[Any]) -> tuple[Node, Node]:
        key, value = parts
        return key, value

    def message(self, meta: Meta, parts: list[Any]) -> Node:
        raise Unsupported("message construction", self._span(meta))

    def rooted_name(self, meta: Meta, parts: list[Any]) -> Node:
        raise Unsupported("a name with a leading `.`", self._span(meta))

    rooted_call = rooted_name

    def optional_index(self, meta: Meta, parts: list[Any]) -> Node:
        raise Unsupported("optional indexing `[?...]`", self._span(meta))

    def optional_select(self, meta: Meta, parts: list[Any]) -> Node:
        raise Unsupported("optional selection `.?`", self._span(meta))

    def optional_entry(self, meta: Meta, parts: list[Any]) -> Node:
        raise Unsupported("an optional map entry", self._span(meta))

    def optional_element(self, meta: Meta, parts: list[Any]) -> Node:
        raise Unsupported("an optional list element", self._span(meta))
