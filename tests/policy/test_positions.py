"""Where an error in an expression is, in every way that YAML can write the expression."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_verify.lang.errors import InputError
from ledger_verify.policy.yaml_file import parse_yaml, yaml_text


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("a: one two BAD three\n", "BAD"),
        ("a: 'it''s ''so'' BAD'\n", "BAD"),
        ('a: "say \\"no\\" \\\\ BAD"\n', "BAD"),
        ('a: "x\\u0041\\n\\tBAD"\n', "BAD"),
        ('a: "x\\\n   y BAD"\n', "BAD"),
        ("a: >\n  one\n  two BAD three\n", "BAD"),
        ("a: >-\n  one\n\n  two\n    BAD three\n", "BAD"),
        ("a: |\n  one\n  two BAD three\n", "BAD"),
        ("a: |2-\n    one\n  two BAD three\n", "BAD"),
        ("a: > # note BAD\n  one BAD\n", "BAD"),
        ("a: one\n  two\n  BAD\n", "BAD"),
        ("a: 'one\n  two\n\n  BAD'\n", "BAD"),
        ("\ufeffa: x BAD\n", "BAD"),
        ("a: x\u00e9\U0001f600 BAD\n", "BAD"),
        ("a: one BAD\r\n", "BAD"),
        ("# note\n\na:   BAD\n", "BAD"),
        ("a: '\\d \\n BAD'\n", "BAD"),
        ("a: |\n  \\n BAD\n", "BAD"),
    ],
)
def test_a_character_is_found_in_any_scalar(text: str, word: str) -> None:
    file = parse_yaml(text.removeprefix("\ufeff"), "f")
    where = file.locate_within(("a",), file.data["a"].rindex(word))
    line = text.removeprefix("\ufeff").split("\n")[where.line - 1]
    assert line[where.column - 1 :].startswith(word), where


def test_a_character_is_found_in_a_key() -> None:
    file = parse_yaml('"a.{BAD}": 1\n', "f")
    assert str(file.locate_within(("a.{BAD}",), 3, is_key=True)) == "f:1:5"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"), ("no", "no"), ("on", "on"), ("2024-05-15", "2024-05-15"), ("=", "="),
        ("1_000", "1_000"), ("12:30:45", "12:30:45"), ("010", 10), ("08", 8), ("0x1F", "0x1F"),
        ("+5", 5), ("1e3", 1000.0), (".5", 0.5), ("5.", 5.0), ("true", True), ("~", None),
        ("", None), (".inf", ".inf"), (".", "."), ("<<", "<<"),
    ],
)  # fmt: skip
def test_scalars_are_those_of_yaml_1_2(text: str, value: object) -> None:
    found = parse_yaml(f"a: {text}\n", "f").data["a"]
    assert (found, type(found)) == (value, type(value))


def test_numbers_are_exact() -> None:
    data = parse_yaml("a: 0.1\nb: 12345678901234567.10\n", "f").data
    assert (str(data["a"]), str(data["b"])) == ("0.1", "12345678901234567.10")


ODD = st.sampled_from(["1e5", "010", "y", "=", "~"])
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs", "Cc"))) | ODD,
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(st.characters(exclude_categories=("Cs", "Cc"))), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@given(PLAIN)
def test_written_yaml_is_read_back_unchanged(data: object) -> None:
    assert parse_yaml(yaml_text({"a": data}), "f").data == {"a": data}


def test_what_is_not_plain_data_cannot_be_written() -> None:
    with pytest.raises(InputError, match="only plain data"):
        yaml_text({"a": object()})
