"""Text to syntax tree."""

from __future__ import annotations

import functools
from importlib import resources
from typing import Any

from lark import Lark, UnexpectedCharacters, UnexpectedInput
from lark.exceptions import LarkError, UnexpectedEOF, UnexpectedToken, VisitError

from ledger_verify.lang.errors import InputError, Span, SyntaxProblem, TextPlace, near_match
from ledger_verify.lang.foreign import syntax_hint
from ledger_verify.lang.literals import INT_MAX
from ledger_verify.lang.syntax import Binary, Literal, Node, children
from ledger_verify.lang.to_syntax import MAX_NESTING, ToSyntax

_DESCRIPTIONS = {
    "IDENT": "a name", "STRING": "a string", "INT": "a number", "RPAR": "`)`", "RSQB": "`]`",
    "COLON": "`:`", "COMMA": "`,`", "RELATION": "a comparison", "OR": "`||`", "AND": "`&&`",
    "QMARK": "`?`", "DOT": "`.`", "LPAR": "`(`", "LSQB": "`[`", "$END": "the end",
}  # fmt: skip
_MAX_LENGTH = 20_000
_MAX_CHAIN = 400


def parse(text: str, place: TextPlace | None = None) -> Node:
    """Parse one CEL expression, which stands at `place`.

    Raises `SyntaxProblem` where the text is not CEL, and `Unsupported` where it is CEL that this
    language leaves out. Both carry the span.
    """
    if len(text) > _MAX_LENGTH:
        whole = Span(0, _MAX_LENGTH)
        raise SyntaxProblem(f"expression is longer than {_MAX_LENGTH} characters", whole)
    try:
        tree = _parser().parse(text)
        node: Node = ToSyntax(place).transform(tree)
    except VisitError as problem:
        if isinstance(problem.orig_exc, InputError):
            raise problem.orig_exc from None
        if isinstance(problem.orig_exc, RecursionError):
            raise too_deep(Span(0, len(text))) from None
        raise
    except RecursionError:
        raise too_deep(Span(0, len(text))) from None
    except UnexpectedInput as problem:
        raise _syntax_problem(text, problem) from None
    except LarkError as problem:
        raise SyntaxProblem(str(problem), Span(0, len(text))) from None
    _check_limits(node, text)
    return node


@functools.cache
def _parser() -> Lark:
    grammar = resources.files("ledger_verify.lang").joinpath("grammar.lark").read_text("utf-8")
    return Lark(
        grammar,
        parser="lalr",
        propagate_positions=True,
        maybe_placeholders=False,
    )


def too_deep(span: Span) -> SyntaxProblem:
    """The error for an expression that nests too much."""
    return SyntaxProblem(f"expression is nested more than {MAX_NESTING} levels deep", span)


def _syntax_problem(text: str, problem: UnexpectedInput) -> SyntaxProblem:
    if isinstance(problem, UnexpectedCharacters):
        at = problem.pos_in_stream or 0
        found = text[at]
        if found in "'\"":
            return SyntaxProblem("string is not closed", Span(at, len(text)))
        hint = syntax_hint(text, at)
        return SyntaxProblem(f"unexpected character `{found}`", Span(at, at + 1), hint=hint)
    if isinstance(problem, UnexpectedToken) and problem.token.type != "$END":
        token = problem.token
        start = token.start_pos or 0
        hint = syntax_hint(text, start)
        if hint is None and str(token).isalpha():
            hint = near_match(str(token), ["&&", "||", "in", "!"])
        expected = _expected(problem.accepts or problem.expected)
        return SyntaxProblem(
            f"unexpected `{token}`{expected}", Span(start, start + len(token)), hint=hint
        )
    accepts: Any = getattr(problem, "accepts", None) or getattr(problem, "expected", ())
    assert isinstance(problem, UnexpectedToken | UnexpectedEOF)
    end = len(text.rstrip())
    hint = syntax_hint(text, end)
    what = "expression is empty" if not end else f"expression ends too early{_expected(accepts)}"
    return SyntaxProblem(what, Span(max(0, end - 1), end), hint=hint)


def _expected(terminals: Any) -> str:
    known = sorted({_DESCRIPTIONS[name] for name in terminals if name in _DESCRIPTIONS})
    return f", expected {' or '.join(known)}" if 0 < len(known) <= 4 else ""


def _check_limits(node: Node, text: str) -> None:
    pending = [(node, 1, 1)]
    while pending:
        current, depth, links = pending.pop()
        if depth > MAX_NESTING or links > _MAX_CHAIN:
            raise too_deep(Span(0, len(text)))
        if isinstance(current, Literal) and type(current.value) is int and current.value > INT_MAX:
            # 2**63 is read without complaint because only its negation is an integer of 64 bits
            raise SyntaxProblem(f"integer `{current.value}` does not fit 64 bits", current.span)
        for child in children(current):
            if _chained(current, child):
                pending.append((child, depth, links + 1))
            else:
                pending.append((child, depth + 1, 1))


def _chained(parent: Node, child: Node) -> bool:
    """Whether both are of one chain of `&&` or `||`, which the type checker makes flat."""
    return (
        isinstance(parent, Binary)
        and isinstance(child, Binary)
        and parent.operator == child.operator
        and parent.operator in ("&&", "||")
    )
