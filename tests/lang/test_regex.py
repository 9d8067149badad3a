"""Regular expressions mean what RE2 means by them, or are refused."""

import pytest

from ledger_verify.lang.regex import compiled, matches


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
        ("[$]", "$", True),
        ("[]a]+", "]", True),
        ("[^]]", "]", False),
        (r"\x41\.", "A.", True),
        ("(?P<year>a)(?:b)", "ab", True),
        ("a{2,3}?", "aa", True),
        (r"[\w-]+", "-", True),
    ],
)
def test_matching(pattern: str, text: str, found: bool) -> None:
    assert matches(text, pattern) is found


@pytest.mark.parametrize(
    "pattern",
    [
        "(?=a)", "(?<!a)", r"(a)\1", "a++", "a*+", "a**", "{", "a{,3}", "a{1001}", "x(?i)", "(?m)a",
        "(?i)é", "[[:alpha:]]", "[a&&b]", "[a--b]", r"[\s-a]", r"\pL", r"\Z", r"\Q", r"\u0041",
        r"[\b]", "(", ")", "[a", "*", "a|*", "(?#c)", "(?x)a", "\\",
    ],
)  # fmt: skip
def test_what_the_engines_read_differently_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="regular expression"):
        compiled(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a+)+$",
        r"(a*)*",
        r"(?:a+|b)+",
        r"(\w+\s*)+$",
        r"(x[0-9]+)?([a-z0-9]+[._-]?)+@",
        r"(?:[^,]*\d*)*;",
    ],
)
def test_a_repeat_that_shares_characters_with_one_inside_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="for ever"):
        compiled(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?:\n- [^\n]*)+",
        r"^[A-Z]+(?:-[A-Z]+)*$",
        r"(?:[a-z]+\.)+com",
        r"(?:, \w+)*",
        r"(ab+)+",
        r"(?:\d\d:\d\d(?:, )?)+",
    ],
)
def test_repeats_that_are_told_apart_by_a_character_are_taken(pattern: str) -> None:
    assert compiled(pattern)
