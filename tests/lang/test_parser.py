"""The parser, printer and type checker on anything at all."""

from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ledger_verify.lang.check import check_text
from ledger_verify.lang.environment import Environment
from ledger_verify.lang.errors import ExpressionError, SyntaxProblem
from ledger_verify.lang.literals import INT_MAX
from ledger_verify.lang.parse import parse
from ledger_verify.lang.printer import print_expression
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
from ledger_verify.lang.types import NUMBER, TIMESTAMP
from tests.lang.cases import ENVIRONMENT, ROWS

TEXTS = [row.text for row in ROWS]
PIECES = st.sampled_from(
    [*"()[]{}<>?:.,+-*/%!&|='\"`\\ \n\0é🐱_", "in", "true", "args", "ledger", "0x", "1e9", "9" * 25,
     "&&", "||", "==", "'''", ".map(x, ", "has(", "r'", "b'", "//", "\ud800", "\u2028"]
)  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A valid or refused expression with a few pieces cut out, doubled or put in."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 4)))
        middle = draw(st.sampled_from([text[start:end] * 2, ""]) | PIECES)
        text = text[:start] + middle + text[end:]
    return text


@settings(max_examples=400)
@given(st.text() | st.lists(PIECES, max_size=30).map("".join) | mutated())
@example("\0")
@example("'" * 7)
@example("1e" + "9" * 30)
@example("0." + "1" * 5000)
@example("9" * 5000)
@example("0x" + "f" * 5000)
@example("'\\U00110000'")
@example("\ud800")
@example("'\ud800'")
def test_text_loads_or_is_refused(text: str) -> None:
    try:
        assert check_text(text, ENVIRONMENT).type
    except ExpressionError as refusal:
        span = refusal.span
    else:
        return
    assert 0 <= span.start <= span.end <= max(len(text), 1)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "1" + ")" * 5000,
        "[" * 3000 + "]" * 3000,
        "-" * 500 + "1",
        "!" * 500 + "true",
        "1" + " + args.i" * 2000,
        "args.i" + "[0]" * 3000,
        "args" + ".a" * 5000,
        "true ? " * 2000 + "1" + " : 2" * 2000,
        "size(" * 1000 + "''" + ")" * 1000,
        "[1].map(x, " * 200 + "x" + ")" * 200,
        "x" * 50_000,
    ],
    ids=range(11),
)
def test_what_is_too_deep_or_long_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        check_text(text, ENVIRONMENT)


def test_long_chains_are_not_deep() -> None:
    text = " && ".join(["(args.i > 0 || args.flag)"] * 390)
    assert check_text(text, ENVIRONMENT).type == check_text("true", ENVIRONMENT).type
    assert print_expression(parse(text)) == text
    with pytest.raises(SyntaxProblem, match="nested more than"):
        parse(" || ".join(["a"] * 500))


def test_lets_do_not_get_around_the_limit() -> None:
    environment = ENVIRONMENT.with_lets({"a": check_text("args.i", ENVIRONMENT)})
    for _ in range(72):
        environment = environment.with_lets({"a": check_text("a + 1 - 1", environment)})
    with pytest.raises(SyntaxProblem, match="nested more than"):
        check_text("((a + 1 - 1) + 1 - 1) + 1", environment)
    environment = ENVIRONMENT.with_lets({"a": check_text("args.i", ENVIRONMENT)})
    for _ in range(14):
        environment = environment.with_lets({"a": check_text("a + a", environment)})
    with pytest.raises(SyntaxProblem, match="parts with its `let`s written out"):
        check_text("a + a", environment)


names = st.sampled_from(["a", "b_1", "inn", "_x", "trueish"])
fields = st.sampled_from(["a", "in", "if", "with space", "b-c", "d.e", "x_1"])
numbers = st.fractions(min_value=0, max_value=10**6, max_denominator=1000).filter(
    lambda f: f.denominator in (1, 2, 4, 5, 8, 10, 100, 1000)
)
literals = st.one_of(
    st.none(), st.booleans(), st.integers(-INT_MAX - 1, INT_MAX), numbers.map(Fraction),
    numbers.map(lambda f: Fraction(-f)), st.text(st.characters(exclude_categories=["Cs"])),
).map(Literal)  # fmt: skip


def _is_number(node: Node) -> bool:
    return (
        isinstance(node, Literal)
        and isinstance(node.value, int | Fraction)
        and (not isinstance(node.value, bool))
    )


def _compound(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    operators = st.sampled_from(["+", "-", "*", "/", "%", "<", ">=", "==", "!=", "in", "&&", "||"])
    some = st.lists(inner, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Select, inner, fields),
        st.builds(Index, inner, inner),
        st.builds(Call, names, some),
        st.builds(Call, names, some, inner),
        st.builds(Unary, st.just("!"), inner),
        # the parser makes a negative literal of a minus before a number
        st.builds(Unary, st.just("-"), inner.filter(lambda node: not _is_number(node))),
        st.builds(Binary, operators, inner, inner),
        st.builds(Conditional, inner, inner, inner),
        st.builds(ListLiteral, some),
    )


trees = st.recursive(literals | st.builds(Name, names), _compound, max_leaves=25)


@settings(max_examples=300)
@given(trees)
def test_printing_and_parsing_keep_any_tree(tree: Node) -> None:
    printed = print_expression(tree)
    assert parse(printed) == tree


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("(1+2)*3", "(1 + 2) * 3"),
        ("1 - (2 - 3)", "1 - (2 - 3)"),
        ("(a&&b)||c", "a && b || c"),
        ("a&&(b||c)", "a && (b || c)"),
        ("a ? b : c ? d : e", "a ? b : c ? d : e"),
        ("(a ? b : c) ? d : e", "(a ? b : c) ? d : e"),
        ("!(a == b)", "!(a == b)"),
        ("-(-a)", "-(-a)"),
        ("1e3", "1000.0"),
        ("0.10", "0.1"),
        ("'it\\'s'", '"it\'s"'),
        ("'\\u0007'", '"\\U00000007"'),
        ("a.`in`", "a.`in`"),
        ("a . b [ 0 ]", "a.b[0]"),
    ],
)
def test_printing_uses_the_fewest_parentheses(text: str, printed: str) -> None:
    assert print_expression(parse(text)) == printed


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("args.statsu", "`args` has no field `statsu`", "known here"),
        ("args.wrods", "`args` has no field `wrods`", "did you mean `words`?"),
        ("arg.i", "unknown name `arg`", "did you mean `args`?"),
        ("ledger.user.u1", "`ledger` has nothing named `user`", "did you mean `users`?"),
        ("args.s.startWith('a')", "unknown method `startWith`", "did you mean `startsWith`?"),
        ("startsWith(args.s, 'a')", "unknown function `startsWith`", "write `x.startsWith(...)`"),
        ("args.ints.sum()", "unknown method `sum`", "write `sum(...)`"),
        ("args.i = 7", "unexpected character `=`", "write `x == y`"),
        ("args.i & 7", "unexpected character `&`", "write `a && b`"),
        ("args.flag and true", "unexpected `and`", None),
        ("args.i ==", "expression ends too early", None),
        ("1.5 + 1", "`+` that mixes int and number literals is not supported", "write `1.0`"),
        ("args.i / 0.0", "division by the constant zero is not supported", "no infinity"),
        ("{'a': 1, 2: 3}", "a map key of type int is not supported", "keys are texts"),
        ("{args.s: 1}", "a map key that is not a literal is not supported", None),
        ("{'a': 1, 'a': 2}", 'the key `"a"` is there twice', None),
        ("args.ints.all(i, i, true)", "both variables are called `i`", None),
        ("args.ints.transformList(x, x)", "`transformList` takes two variables", None),
        (
            "args.s.matches('a++')",
            "bad regular expression `a++`: bad repetition operator: ++",
            None,
        ),
    ],
)
def test_errors_say_what_is_wrong_and_what_to_do(text: str, message: str, hint: str | None) -> None:
    with pytest.raises(ExpressionError) as caught:
        check_text(text, ENVIRONMENT)
    assert caught.value.message.startswith(message)
    assert (hint or "") in (caught.value.hint or "")


def test_a_span_is_the_part_to_blame() -> None:
    text = "args.i > 1 && args.wrods.size() > 0"
    with pytest.raises(ExpressionError) as caught:
        check_text(text, ENVIRONMENT)
    span = caught.value.span
    assert text[span.start : span.end] == "args.wrods"


def test_a_let_hides_names_and_a_macro_hides_lets() -> None:
    environment = Environment(names={"a": NUMBER}).with_lets(
        {"b": check_text("a", Environment(names={"a": TIMESTAMP}))}
    )
    assert check_text("b", environment).type == TIMESTAMP
    assert str(check_text("[1].map(b, b)", environment).type) == "list(int)"
    assert check_text("a", environment).type == NUMBER
