"""Examples of texts for patterns that a schema may have."""

import re

import pytest

from ledger_verify.lang.types import StringType
from ledger_verify.schema.sample import text_sample, text_samples

PATTERNS = {
    "digits, five at least": StringType(pattern="^[0-9]+$", min_length=5),
    "the second of two branches": StringType(pattern="^(?:[A-Z]{2}|[0-9]{5})$", min_length=5),
    "a negated range": StringType(pattern="^[^a-zA-Z]+$"),
    "a boundary": StringType(pattern=r"foo\b."),
    "a negated class": StringType(pattern=r"^[^\w\s]{3}$"),
    "long": StringType(pattern="^(ab)+$", min_length=40),
    "short": StringType(pattern="^a*b$", max_length=1),
    "a part": StringType(pattern="[0-9]", min_length=8),
    "letters and digits": StringType(pattern=r"^[A-Z]{3}-\d{2,4}$"),
    "no pattern": StringType(min_length=3, max_length=4),
}


@pytest.mark.parametrize("type_", PATTERNS.values(), ids=PATTERNS)
def test_an_example_fits(type_: StringType) -> None:
    text = text_sample(type_, "x")
    assert (type_.min_length or 0) <= len(text) <= (type_.max_length or len(text))
    assert type_.pattern is None or re.search(type_.pattern, text)
    assert text == text_sample(type_, "x")


def test_there_is_more_than_one() -> None:
    texts = set(text_samples(StringType(pattern="^[0-9]+$", min_length=5), ["x"]))
    assert len(texts) > 3


def test_what_nothing_matches() -> None:
    with pytest.raises(ValueError, match="no example"):
        text_sample(StringType(pattern="^a$", min_length=2), "x")
