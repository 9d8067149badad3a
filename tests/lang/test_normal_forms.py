"""Normal forms are those of Unicode, in time that grows with the length of the text alone."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_verify.lang.normal_forms import FORMS, Form, lower_ascii, normalized, upper_ascii

_MARKS = st.characters(categories=["Mn", "Mc", "Me"])
_LETTERS = st.sampled_from("aeoé\u1e69\u0f73\u0344\u1100\u1161\u11a8\uac00\ufb01\u212b\uff21")


@given(st.text(st.one_of(_MARKS, _LETTERS, st.characters(codec="utf-8")), max_size=60))
def test_it_is_the_form_that_unicode_has(text: str) -> None:
    for form in FORMS:
        assert normalized(text, form) == unicodedata.normalize(form, text)


@pytest.mark.parametrize("form", FORMS)
def test_a_long_run_of_marks_is_sorted_as_unicode_has_it(form: Form) -> None:
    text = "a" + "\u0301\u0323\u0f73\u0344" * 40 + "b"
    assert normalized(text, form) == unicodedata.normalize(form, text)


@pytest.mark.parametrize("part", ["\u0301\u0323", "\u0f73", "e\u0301", "\u1e69"])
def test_a_hostile_text_takes_no_longer_than_others(part: str) -> None:
    before = time.process_time()
    normalized("a" + part * 30_000, "NFC")
    assert time.process_time() - before < 2


@given(st.text())
def test_only_letters_of_ascii_change_their_case(text: str) -> None:
    assert lower_ascii(text) == "".join(c.lower() if c.isascii() else c for c in text)
    assert upper_ascii(text) == "".join(c.upper() if c.isascii() else c for c in text)
