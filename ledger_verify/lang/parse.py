"""Text to syntax tree."""

from __future__ import annotations

import functools
from fractions import Fraction
from importlib import resources
from typing import Any, TypeGuard

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedInput, v_args
from lark.exceptions import LarkError, UnexpectedEOF, UnexpectedToken, VisitError
from lark.tree import Meta

from ledger_verify.lang.errors import InputError, Span, SyntaxProblem, Unsupported, near_match
from ledger_verify.lang.literals import INT_MAX, int_value, number_value, string_value
from ledger_verify.lang.syntax import (
    Binary,
    Call,
    Conditional,
    Index,
    ListLiteral,
    Literal,
    Name,
    Node,
    Select,
    Unary,
)

_RESERVED = frozenset(
    "as break const continue else for function if import let loop package namespace return var "
    "void while".split()
)
_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_DESCRIPTIONS = {
    "IDENT": "a name", "STRING": "a string", "INT": "a number", "RPAR": "`)`", "RSQB": "`]`",
    "COLON": "`:`", "COMMA": "`,`", "RELATION": "a comparison", "OR": "`||`", "AND": "`&&`",
    "QMARK": "`?`", "DOT": "`.`", "LPAR": "`(`", "LSQB": "`[`", "$END": "the end",
}  # fmt: skip
_MAX_LENGTH = 20_000
_MAX_NESTING = 120


def parse(text: str) -> Node:
    """Parse one CEL expression.

    Raises `SyntaxProblem` where the text is not CEL, and `Unsupported` where it is CEL that this
    language leaves out. Both carry the span.
    """
    if len(text) > _MAX_LENGTH:
        whole = Span(0, _MAX_LENGTH)
        raise SyntaxProblem(f"expression is longer than {_MAX_LENGTH} characters", whole)
    try:
        tree = _parser().parse(text)
        node: Node = _ToSyntax().transform(tree)
    except VisitError as problem:
        if isinstance(problem.orig_exc, InputError):
            raise problem.orig_exc from None
        if isinstance(problem.orig_exc, RecursionError):
            raise _too_deep(text) from None
        raise
    except RecursionError:
        raise _too_deep(text) from None
    except UnexpectedInput as problem:
        raise _syntax_problem(text, problem) from None
    except LarkError as problem:
        raise SyntaxProblem(str(problem), Span(0, len(text))) from None
    _check_limits(node, text)
    return node


@functools.cache
def _parser() -> Lark:
    grammar = resources.files("ledger_verify.lang").joinpath("grammar.lark").read_text("utf-8")
    return Lark(grammar, parser="lalr", propagate_positions=True, maybe_placeholders=False)


def _too_deep(text: str) -> SyntaxProblem:
    return SyntaxProblem(
        f"expression is nested more than {_MAX_NESTING} levels deep", Span(0, len(text))
    )


def _syntax_problem(text: str, problem: UnexpectedInput) -> SyntaxProblem:
    if isinstance(problem, UnexpectedCharacters):
        at = problem.pos_in_stream
        found = text[at]
        if found in "'\"":
            return SyntaxProblem("string is not closed", Span(at, len(text)))
        hint = {"=": "compare with `==`", "&": "write `&&`", "|": "write `||`"}.get(found)
        return SyntaxProblem(f"unexpected character `{found}`", Span(at, at + 1), hint=hint)
    if isinstance(problem, UnexpectedToken) and problem.token.type != "$END":
        token = problem.token
        start = token.start_pos or 0
        hint = near_match(str(token), ["&&", "||", "in", "!"]) if str(token).isalpha() else None
        expected = _expected(problem.accepts or problem.expected)
        return SyntaxProblem(
            f"unexpected `{token}`{expected}", Span(start, start + len(token)), hint=hint
        )
    accepts: Any = getattr(problem, "accepts", None) or getattr(problem, "expected", ())
    assert isinstance(problem, UnexpectedToken | UnexpectedEOF)
    end = len(text.rstrip())
    what = "expression is empty" if not end else f"expression ends too early{_expected(accepts)}"
    return SyntaxProblem(what, Span(max(0, end - 1), end))


def _expected(terminals: Any) -> str:
    known = sorted({_DESCRIPTIONS[name] for name in terminals if name in _DESCRIPTIONS})
    return f", expected {' or '.join(known)}" if 0 < len(known) <= 4 else ""


def _check_limits(node: Node, text: str) -> None:
    pending = [(node, 1)]
    while pending:
        current, depth = pending.pop()
        if depth > _MAX_NESTING:
            raise _too_deep(text)
        if isinstance(current, Literal) and type(current.value) is int and current.value > INT_MAX:
            # 2**63 is read without complaint because only its negation is an integer of 64 bits
            raise SyntaxProblem(f"integer `{current.value}` does not fit 64 bits", current.span)
        pending += [(child, depth + 1) for child in children(current)]


def _is_numeric(value: object) -> TypeGuard[int | Fraction]:
    return isinstance(value, int | Fraction) and not isinstance(value, bool)


def children(node: Node) -> tuple[Node, ...]:
    """The direct sub-expressions of a node, in the order in which they are written."""
    match node:
        case Select(of=of):
            return (of,)
        case Index(of=of, key=key):
            return (of, key)
        case Call(target=target, arguments=arguments):
            return arguments if target is None else (target, *arguments)
        case Unary(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return (left, right)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return (condition, then, otherwise)
        case ListLiteral(items=items):
            return items
        case _:
            return ()


def _span(meta: Meta) -> Span:
    if meta.empty:
        return Span(0, 0)
    return Span(meta.start_pos, meta.end_pos)


def _token_span(token: Token) -> Span:
    return Span(token.start_pos or 0, token.end_pos or 0)


@v_args(meta=True)
class _ToSyntax(Transformer[Token, Any]):
    """One method a grammar rule; called bottom-up by lark."""

    def start(self, meta: Meta, parts: list[Any]) -> Node:
        return parts[0]  # type: ignore[no-any-return]

    group = start

    def fold_left(self, meta: Meta, parts: list[Any]) -> Node:
        node: Node = parts[0]
        for operator, right in zip(parts[1::2], parts[2::2], strict=True):
            span = Span(node.span.start, right.span.end)
            node = Binary(str(operator), node, right, span=span)
        return node

    def conditional(self, meta: Meta, parts: list[Any]) -> Node:
        return Conditional(*parts, span=_span(meta))

    def unary(self, meta: Meta, parts: list[Any]) -> Node:
        *operators, operand = parts
        if len(operators) > _MAX_NESTING:
            raise SyntaxProblem("too many unary operators", _span(meta))
        node: Node = operand
        for operator in reversed(operators):
            span = Span(operator.start_pos, operand.span.end)
            if operator == "-" and isinstance(node, Literal) and _is_numeric(node.value):
                node = Literal(-node.value, span=span)
            else:
                node = Unary(str(operator), node, span=span)
        return node

    def select(self, meta: Meta, parts: list[Any]) -> Node:
        return Select(parts[0], parts[1], span=_span(meta))

    def selector(self, meta: Meta, parts: list[Any]) -> str:
        return str(parts[0]).strip("`")

    def method(self, meta: Meta, parts: list[Any]) -> Node:
        target, function, arguments = parts
        return Call(str(function), arguments, target, span=_span(meta))

    def call(self, meta: Meta, parts: list[Any]) -> Node:
        return Call(str(parts[0]), parts[1], span=_span(meta))

    def arguments(self, meta: Meta, parts: list[Any]) -> tuple[Node, ...]:
        return tuple(parts)

    def index(self, meta: Meta, parts: list[Any]) -> Node:
        return Index(parts[0], parts[1], span=_span(meta))

    def name(self, meta: Meta, parts: list[Any]) -> Node:
        text = str(parts[0])
        if text in _CONSTANTS:
            return Literal(_CONSTANTS[text], span=_span(meta))
        if text in _RESERVED:
            raise SyntaxProblem(f"`{text}` is a reserved word", _span(meta))
        return Name(text, span=_span(meta))

    def list(self, meta: Meta, parts: list[Any]) -> Node:
        return ListLiteral(tuple(parts[0]) if parts else (), span=_span(meta))

    def elements(self, meta: Meta, parts: list[Any]) -> list[Any]:
        return parts

    def int(self, meta: Meta, parts: list[Any]) -> Node:
        span = _token_span(parts[0])
        return Literal(int_value(str(parts[0]), span), span=span)

    def number(self, meta: Meta, parts: list[Any]) -> Node:
        span = _token_span(parts[0])
        return Literal(number_value(str(parts[0]), span), span=span)

    def string(self, meta: Meta, parts: list[Any]) -> Node:
        span = _token_span(parts[0])
        return Literal(string_value(str(parts[0]), span), span=span)

    def uint(self, meta: Meta, parts: list[Any]) -> Node:
        raise Unsupported(f"the unsigned literal `{parts[0]}`", _token_span(parts[0]))

    def bytes(self, meta: Meta, parts: list[Any]) -> Node:
        raise Unsupported("a bytes literal", _token_span(parts[0]))

    def map(self, meta: Meta, parts: list[Any]) -> Node:
        raise Unsupported("a map literal", _span(meta))

    def message(self, meta: Meta, parts: list[Any]) -> Node:
        raise Unsupported("message construction", _span(meta))

    def rooted_name(self, meta: Meta, parts: list[Any]) -> Node:
        raise Unsupported("a name with a leading `.`", _span(meta))

    rooted_call = rooted_name

    def optional_index(self, meta: Meta, parts: list[Any]) -> Node:
        raise Unsupported("optional indexing `[?...]`", _span(meta))

    def optional_select(self, meta: Meta, parts: list[Any]) -> Node:
        raise Unsupported("optional selection `.?`", _span(meta))

    def optional_element(self, meta: Meta, parts: list[Any]) -> Node:
        raise Unsupported("an optional list element", _span(meta))
