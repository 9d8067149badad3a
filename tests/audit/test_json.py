"""JSON text: numbers stay exact, and every part of a file can be located."""

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_verify.lang.errors import InputError
from ledger_verify.source.json_file import parse_json, parse_value
from ledger_verify.source.json_place import offset_of
from ledger_verify.source.json_text import json_text

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(_VALUES, st.sampled_from([None, 2]), st.booleans())
def test_written_and_read_again(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json_text(value, indent=indent, ascii_only=ascii_only)
    assert parse_value(text) == value
    assert text == json.dumps(value, indent=indent, ensure_ascii=ascii_only)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Decimal("989.70"), "989.70"),
        (Decimal("1E+5"), "1E+5"),
        (Fraction(1, 4), "0.25"),
        (Fraction(1, 3), '"1/3"'),
        (0.1, "0.1"),
        ((1, 2), "[1, 2]"),
    ],
)
def test_numbers(value: Any, text: str) -> None:
    assert json_text(value, indent=None) == text


@pytest.mark.parametrize("value", [float("nan"), Decimal("Infinity"), {1: 2}, {1, 2}, b"x"])
def test_what_json_lacks(value: Any) -> None:
    with pytest.raises(TypeError):
        json_text(value)


def test_a_value_nested_too_deeply() -> None:
    value: Any = []
    for _ in range(5000):
        value = [value]
    with pytest.raises(InputError, match="too deeply"):
        json_text(value)


def _paths(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Any]]:
    out = [(path, value)]
    if isinstance(value, dict):
        for key, element in value.items():
            out += _paths(element, (*path, key))
    if isinstance(value, list):
        for index, element in enumerate(value):
            out += _paths(element, (*path, index))
    return out


@given(_VALUES, st.sampled_from([None, 1]))
def test_every_part_is_found(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    for path, part in _paths(value):
        found, _ = json.JSONDecoder().raw_decode(text, offset_of(text, 0, path))
        assert found == part


def test_a_part_that_is_not_there_is_placed_at_what_holds_it() -> None:
    file = parse_json('{\n  "a": {"b": 1}}', "f.json")
    assert str(file.locate(("a", "c", "d"))) == "f.json:2:8"
