"""Words of their own: what counts as said."""

from datetime import date
from fractions import Fraction
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_verify.lang.said import said_number, said_text

WORD = st.text("abcXYZ0189_", min_size=1, max_size=6).filter(lambda t: any(c.isalnum() for c in t))
APART = st.sampled_from([" ", ". ", ", ", ' "', "\n", " (", "! ", ": ", ";", " - "])


@given(WORD, st.lists(WORD, max_size=4), st.data())
def test_a_word_between_others_is_said(value: str, others: list[str], data: st.DataObject) -> None:
    words = [*others]
    words.insert(data.draw(st.integers(0, len(words))), value)
    message = "".join(word + data.draw(APART) for word in words)
    assert said_text(value, "exact", (message,))
    assert said_text(value, "ignoring_case", (message.swapcase(),))


@given(WORD, st.lists(WORD, max_size=4), APART)
def test_only_its_own_words_say_a_value(value: str, others: list[str], apart: str) -> None:
    message = apart.join(others)
    assert said_text(value, "exact", (message,)) == (value in others)
    assert not said_text(value, "exact", ())


@given(WORD, WORD, st.sampled_from(["", *"-.@+/'\u2010\u2011\u2013\u2212\uff0d\u2215"]))
def test_no_part_of_a_longer_word_is_said(value: str, more: str, joint: str) -> None:
    for whole in (f"{more}{joint}{value}", f"{value}{joint}{more}"):
        said = said_text(value, "exact", (f"x {whole} y",))
        assert not said or joint == "'"  # a genitive
        assert said_text(whole, "exact", (f"x {whole} y",))


@given(st.text(max_size=8), st.lists(st.text(max_size=12), max_size=3))
def test_what_is_said_is_there(value: str, messages: list[str]) -> None:
    """No test finds a value whose letters and digits no message has."""
    level = [normalize("NFKC", m).casefold() for m in messages]
    wanted = {c for c in normalize("NFKC", value).casefold() if c.isalnum()}
    for test in ("exact", "ignoring_case", "loose"):
        if said_text(value, test, tuple(messages)):
            assert wanted
            assert any(wanted <= set(normalize("NFC", m)) | set(m) for m in level)


@pytest.mark.parametrize(
    ("value", "message", "said"),
    [
        ("mia@example.com", "it is mia@example.com.", True),
        ("mia@example.com", "<mia@example.com>", True),
        ("mia@example.com", "jo+mia@example.com", False),
        ("mia@example.com", "mia@example.com.au", False),
        ("12345", "zip 12345-6789", False),
        ("12345", "(12345)", True),
        ("Mia Garcia", "I'm Mia\n  Garcia!", True),
        ("Mia Garcia", "Mia B. Garcia", False),
        ("Brien", "O'Brien", False),
        ("A1-2", "A1\u20112", True),
        ("A1", "my A1#2", False),
        ("A1", "order#A1", True),
        ("#A1", "order #A1, please", True),
        ("A1", "A1# is it", True),
        ("12", "costs .12", False),
        ("12", "it ends in ...12", False),
        ("12", "12\u00a0000", False),
        ("12", "it is ... 12", True),
        ("mia_1", "mia_1's order", True),
        ("mia_1", "`mia_1`", True),
        ("mia_1", "mia_1\u200b2", False),
        ("José", normalize("NFD", "Ich bin José."), True),
        ("Jose", "José", False),
        ("Jose", normalize("NFD", "José"), False),
        ("mia@example.com", "我的邮箱是mia@example.com。", True),
        ("", "", False),
        ("", "anything", False),
        ("-", "a - b", False),
        ("2024-05-03", "May 3rd, 2024", False),
    ],
)
def test_texts(value: str, message: str, said: bool) -> None:
    assert said_text(value, "exact", (message,)) is said


@pytest.mark.parametrize(
    ("value", "message", "said"),
    [
        ("555-123-2002", "(555) 123 2002", True),
        ("555-123-2002", "5551232002", True),
        ("555-123-2002", "1 555 123 20021", False),
        ("W-12", "w12", True),
        ("W12", "w1 2nd", False),
        ("Van Dyke", "vandyke", True),
        ("Ivan", "ivan_hernandez_6923", True),
        ("Ivan", "ivanhoe", False),
    ],
)
def test_loose_texts(value: str, message: str, said: bool) -> None:
    assert said_text(value, "loose", (message,)) is said


@pytest.mark.parametrize(
    "spelled",
    [
        "1990-05-03", "5/3/1990", "05/03/1990", "3.5.1990", "03-05-90", "19900503", "1990/5/3",
        "May 3, 1990", "may 3rd 1990", "May the 3rd, 1990", "3 May 1990", "the 3rd of May 1990",
        "3-May-1990", "May 3 '90", "May 3rd of 1990",
    ],
)  # fmt: skip
def test_usual_dates(spelled: str) -> None:
    for test in ("date", "day"):
        assert said_text("1990-05-03", test, (f"born on {spelled}.",))
        assert not said_text("1990-05-04", test, (f"born on {spelled}.",))
        assert not said_text("1991-05-03", test, (f"born on {spelled}.",))


@pytest.mark.parametrize("spelled", ["May 3rd", "3 May", "5/3", "the 3rd of May"])
def test_days_without_their_year(spelled: str) -> None:
    assert said_text("1990-05-03", "day", (f"on {spelled}.",))
    assert not said_text("1990-05-03", "date", (f"on {spelled}.",))
    assert not said_text("1990-05-13", "day", (f"on {spelled}.",))


@given(st.dates(min_value=date(1000, 1, 1)), st.dates(min_value=date(1000, 1, 1)))
def test_one_date_never_says_another(day: date, other: date) -> None:
    for message in (f"{day}", f"{day:%B %d, %Y}", f"{day:%d %b %Y}"):
        assert said_text(str(day), "date", (message,))
        assert said_text(str(other), "date", (message,)) == (day == other)


@pytest.mark.parametrize(
    ("value", "message", "said"),
    [
        (Fraction(25, 2), "12.50", True),
        (Fraction(25, 2), "$12.5!", True),
        (12, "12.5", False),
        (12, "12.", True),
        (1250, "1,250 dollars", True),
        (250, "1,250 dollars", False),
        (5, "-5", False),
        (-5, "it is -5", True),
        (5, "10-5", False),
        (2024, "2024-05-20", False),
        (5, "W5", False),
        (5, "five", False),
        (1, "1, 2 and 3", True),
        (12, "12\u202f500", False),
        (12500, "12\u202f500", True),
        (12500, "12\u00a0500.00", True),
        (12, "12 500", False),
        (500, "12 500", False),
        (2012, "2012 500", True),
        (12, "12 5000", True),
        (12, "12\u066b5", False),
        (12, "12\u20445", False),
        (12, "12 thousand", False),
        (2, "2 million", False),
        (3, "3 dozens", False),
        (5, "5 k", False),
        (5, "5 kids", True),
        (12, "12 1/2", False),
        (12, "12 \u00bd", False),
        (12, "12 half", True),
    ],
)
def test_numbers(value: int | Fraction, message: str, said: bool) -> None:
    assert said_number(value, "exact", (message,)) is said
