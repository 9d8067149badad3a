"""A pattern means the same to the solver as to the engine, or nothing at all."""

import pytest
import z3

from ledger_verify.lang.operations import apply
from ledger_verify.lang.regex import matches
from ledger_verify.lang.regex_parse import parse
from ledger_verify.lang.times import zone_named
from ledger_verify.solver.casing import cased, found_in
from ledger_verify.solver.query import EXCLUSIVE
from ledger_verify.solver.regexes import to_z3_regex
from ledger_verify.solver.symbols import Symbols
from ledger_verify.solver.texts import Texts, string_value

PATTERNS = [
    "", "a", "^a", "a$", "^a$", "^(a|b)$", "^a|b$", "^[^a]$", "^.$", "(?s)^.$", r"^\d\D$",
    r"^\w\W$",
    r"^\s\S$", "(?i)^k$", "(?i)^[k-s]$", r"(?i)^\W$", "(?i)^[^s]$", "^a{2,3}$", "^a{0}$", "^(ab)*$",
    "^a+b?$", "^[[:alpha:]]$", "^[^[:^digit:]]$", r"^\Qa.b\E$", r"^[\x{17f}]$", r"^[^\s\S]$", "^é$",
    r"^[\x{100}-\x{10ffff}]$", "a{", "(?i:a)B", "(?U)^a+$",
]  # fmt: skip
TEXTS = [
    "", "a", "b", "A", "k", "K", "\u212a", "s", "\u017f", "aa", "aaa", "ab", "abab", "a.b", "1a",
    "a ", " a", "_-", "\n", "\v", "é", "É", "0", "a{", "aB", "AB", "\u0100", "aaab", "a\nb",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_text_is_in_it_iff_the_engine_finds_it(pattern: str) -> None:
    with EXCLUSIVE:
        regex = to_z3_regex(pattern)
        assert regex is not None
        for text in TEXTS:
            found = z3.simplify(z3.InRe(string_value(text), regex))
            assert z3.is_true(found) or z3.is_false(found)
            assert z3.is_true(found) is matches(text, pattern), (pattern, text)


@pytest.mark.parametrize("pattern", [r"a\b", "a^b", r"(?m)^a", r"\pL", r"^[\x{f0000}-\x{10ffff}]$"])
def test_of_what_has_no_counterpart_nothing_is_known(pattern: str) -> None:
    assert to_z3_regex(pattern) is None


@pytest.mark.parametrize("operation", ["lower_ascii", "upper_ascii"])
def test_what_is_asked_of_a_text_in_one_case_is_asked_of_the_text(operation: str) -> None:
    with EXCLUSIVE:
        symbols = Symbols(Texts(structured=True), zone_named("UTC"))
        terms = [string_value(text) for text in TEXTS]
        for pattern in PATTERNS:
            tree = parse(pattern)
            assert tree is not None
            for text, term in zip(TEXTS, terms, strict=True):
                made = found_in(symbols, cased(symbols, operation, term), tree)
                found = z3.simplify(made)
                expected = matches(apply(operation, (text,)), pattern)
                assert z3.is_true(found) is expected, (pattern, text)
                assert z3.is_false(found) is not expected
