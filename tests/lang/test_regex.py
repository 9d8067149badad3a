"""Regular expressions are RE2's, and their trees say what the engine does."""

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_verify.lang.regex import compiled, matches
from ledger_verify.lang.regex_parse import parse
from ledger_verify.lang.regex_tree import (
    LAST,
    Begin,
    Boundary,
    Characters,
    End,
    InOrder,
    Node,
    OneOf,
    Repeat,
    complement,
)


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("b", "abc", True),
        ("^b", "abc", False),
        ("c$", "abc", True),
        ("c$", "abc\n", False),
        (r"c\z", "abc", True),
        ("", "", True),
        (r"^\d{3}$", "١٢٣", False),
        (r"^\w+$", "é", False),
        (r"^\s$", "\v", False),
        (r"^[\s\d]+$", " 1\n", True),
        (r"^\S$", "\v", True),
        ("a.c", "a\nc", False),
        ("(?s)a.c", "a\nc", True),
        ("(?i)ABC", "abc", True),
        ("(?i)k", "\u212a", True),
        ("(?i)^S$", "\u017f", True),
        ("(?i)straße", "STRASSE", False),
        ("(?i)é", "É", True),
        ("x(?i)y", "xY", True),
        ("(?m)^b", "a\nb", True),
        ("[$]", "$", True),
        ("[]a]+", "]", True),
        ("[^]]", "]", False),
        ("[[:alpha:]]", "a", True),
        (r"\pL", "é", True),
        (r"\Q.\E", "a", False),
        ("{", "{", True),
        (r"\x41\.", "A.", True),
        ("(?P<year>a)(?:b)", "ab", True),
        ("a{2,3}?", "aa", True),
        (r"[\w-]+", "-", True),
        (".", "\U0010ffff", True),
    ],
)
def test_matching(pattern: str, text: str, found: bool) -> None:
    assert matches(text, pattern) is found


@pytest.mark.parametrize(
    "pattern",
    [
        "(?=a)", "(?<!a)", r"(a)\1", "a++", "a*+", "a**", "a{1001}", r"\Z", r"\u0041", "[b-a]",
        r"[\b]", "(", ")", "[a", "*", "a|*", "(?#c)", "(?x)a", "\\", "\ud800", "a{3,2}",
    ],
)  # fmt: skip
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="regular expression"):
        compiled(pattern)


@pytest.mark.parametrize(
    ("pattern", "hint"),
    [
        ("a{,3}", r"write `\{0,3\}`"),
        (r"^\C$", "half a character"),
        ("(?P<a>x)(?P<a>y)", "`a` is there twice"),
        ("(?<a>x)|(?P<a>y)", "`a` is there twice"),
    ],
)
def test_traps_are_refused_with_the_remedy(pattern: str, hint: str) -> None:
    with pytest.raises(ValueError, match=hint):
        compiled(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a+)+$", r"(a*)*b$", r"(?:a+|b)+$", r"(\w+\s*)+$", r"^(a|a)*$", r"^(([a-z])+.)+[A-Z]$",
        r"(x[0-9]+)?([a-z0-9]+[._-]?)+@", r"(?:[^,]*\d*)*;", r"(.*)*=.*", r"^(a|aa)+$",
    ],
)  # fmt: skip
def test_a_repeat_in_a_repeat_comes_to_an_end(pattern: str) -> None:
    assert not matches("a" * 10_000 + "!", pattern)


# --- the tree ---

_ALPHABET = "aAbkKsSz19_ -\n\t\v.[]{}\u017f\u212aéÉ\x7f\x80\U0001f600"


def _literals() -> st.SearchStrategy[str]:
    escaped = st.sampled_from([r"\.", r"\n", r"\x41", r"\x{212a}", r"\-", r"\\", r"\_", r"\t"])
    return st.sampled_from("abkKsS1_ é-]") | escaped


def _sets() -> st.SearchStrategy[str]:
    part = st.sampled_from(
        ["a", "k-s", r"\d", r"\W", r"\S", "[:upper:]", "[:^space:]", "_", r"\x{80}-\x{10ffff}",
         "!-Z", "é", r"\]"]
    )  # fmt: skip
    parts = st.lists(part, min_size=1, max_size=3).map("".join)
    return st.tuples(st.sampled_from(["[", "[^"]), parts).map(lambda t: f"{t[0]}{t[1]}]")


def _patterns() -> st.SearchStrategy[str]:
    plain = st.sampled_from(
        [".", r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", "^", "$", r"\b", r"\B", ""]
    )
    marks = st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{0,}", "*?", "{0}"])
    heads = st.sampled_from(["(", "(?:", "(?i:", "(?s:", "(?i-s:", "(?P<n>"])

    def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        group = st.tuples(heads, inner).map(lambda t: f"{t[0]}{t[1]})")
        repeat = st.tuples(inner, marks).map(lambda t: f"(?:{t[0]}){t[1]}")
        chain = st.lists(inner, min_size=2, max_size=3).map("".join)
        options = st.tuples(inner, inner).map("|".join)
        return group | repeat | chain | options

    body = st.recursive(_literals() | _sets() | plain, grow, max_leaves=8)
    return st.tuples(st.sampled_from(["", "(?i)", "^", "(?s)"]), body).map("".join)


def _ends(node: Node, text: str, at: int) -> Iterator[int]:
    """Where matches of the node that begin at a place can end."""
    match node:
        case Characters(ranges=ranges):
            if at < len(text) and any(low <= ord(text[at]) <= high for low, high in ranges):
                yield at + 1
        case InOrder(items=()):
            yield at
        case InOrder(items=items):
            for end in set(_ends(items[0], text, at)):
                yield from _ends(InOrder(items[1:]), text, end)
        case OneOf(options=options):
            for option in options:
                yield from _ends(option, text, at)
        case Repeat(body=body, low=low, high=high):
            reached, seen, count = {at}, set[int](), 0
            while reached and (high is None or count <= high):
                if count >= low:
                    yield from reached - seen
                    if reached <= seen:
                        return
                    seen |= reached
                reached = {end for start in reached for end in _ends(body, text, start)}
                count += 1
        case Begin():
            yield from [at] if at == 0 else []
        case End():
            yield from [at] if at == len(text) else []
        case Boundary(negated=negated):
            edge = re.compile(r"\b", re.ASCII).match(text, at) is not None
            yield from [at] if edge is not negated else []


@given(_patterns(), st.text(_ALPHABET, max_size=6))
def test_the_tree_says_what_the_engine_does(pattern: str, text: str) -> None:
    try:
        engine = compiled(pattern)
    except ValueError:
        return
    tree = parse(pattern)
    if tree is not None:
        found = any(True for at in range(len(text) + 1) for _ in _ends(tree, text, at))
        assert found is engine.is_in(text)


@pytest.mark.parametrize(
    "pattern",
    ["(?m)^a", "(?i)é", r"\pL", r"\p{Greek}", r"(?i)[a-é]", r"\123", r"\Qab\E*"],
)
def test_what_the_tree_cannot_hold_has_none(pattern: str) -> None:
    assert parse(pattern) is None


@pytest.mark.parametrize("char", "\\^$.|?*+()[]{}-/:&~#'\"<>")
def test_every_mark_can_be_escaped(char: str) -> None:
    assert parse("\\" + char) == Characters(((ord(char), ord(char)),))


def test_a_complement_has_all_other_characters() -> None:
    assert complement(((97, 122),)) == ((0, 96), (123, LAST))
    assert complement(((0, LAST),)) == ()
    assert complement(()) == ((0, LAST),)
