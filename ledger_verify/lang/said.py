"""Whether a value was said: the tests that `stated` and `asks` put to the messages of the user.

A value counts as said where it stands in one message as words of its own, not inside longer ones.
Nothing here guesses: a message that does not hold the value in one of the spellings of its test
does not say it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import accumulate
from typing import Any

from ledger_verify.lang import times

EXACT, IGNORING_CASE, LOOSE, DATE, DAY = "exact", "ignoring_case", "loose", "date", "day"
TEXT_TESTS = (EXACT, IGNORING_CASE, LOOSE, DATE, DAY)
"""`exact`: as it is written. `ignoring_case`: capitals do not matter. `loose`: neither do
punctuation and spaces. `date`: a date in any usual spelling. `day`: the same, and the year may be
left out."""
DAY_TESTS = (EXACT, DATE, DAY)
NUMBER_TESTS = (EXACT,)

_JOINERS = frozenset("-.@/+\\&~'%")
_JOINERS_AFTER = frozenset("#")
"""Signs after which the word before them goes on, while one may well begin: `A1#2`, `order#A1`."""
_JOINERS_OF_DIGITS = frozenset(",:")
_TYPOGRAPHY = str.maketrans(
    {"\u2019": "'", "\u066b": ".", "\u066c": ",", "\u2044": "/", "\u2215": "/"}
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d", "-")
)
"""Signs that are written for the plain ones, such as the hyphen that does not break a line."""
_SPACED = re.compile(r"(?<=\d)[\u00a0\u2007\u2009\u202f](?=\d{3}(?!\d))")
"""A space that keeps the digits of one number together."""
_ISO_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_NUMBER = re.compile(
    r"(?P<open>\d{1,3}(?: \d{3})+(?!\d))|\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
)
"""`12 500` may be one number or two, so it says none."""
_LONG, _MOST_PLACES = 1_000, 100
"""Characters of a long value, and at how many places of a message it is looked at."""
_LONGEST_NUMBER = 1_000
"""Characters; no value is that long."""
_MORE = re.compile(
    r" ?-?(?:(?:hundred|thousand|million|billion|trillion|dozen|lakh|crore)s?|grand|k|mio|mn|bn)\b"
    r"| ?(?:\d+/\d|[\u00bc-\u00be\u2150-\u215e])",
    re.IGNORECASE,
)
"""What makes another number of the one before it: `12 thousand`, `12 1/2`."""
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip


class Willing(tuple[str, ...]):
    """Messages of a user who says whatever is asked for.

    `asked` collects the values that were asked for, each with the test of real messages.
    """

    asked: list[tuple[Any, Callable[[tuple[str, ...]], bool]]]

    def __new__(cls) -> Willing:
        made = super().__new__(cls)
        made.asked = []
        return made


def spoken(value: Any) -> list[str]:
    """Messages that say a value as JSON has it, each item of a list by itself."""
    if isinstance(value, list):
        return [text for item in value for text in spoken(item)]
    if value is None or isinstance(value, bool | dict):
        return []
    return [value if isinstance(value, str) else str(value)]


def said_text(value: str, test: str, messages: tuple[str, ...]) -> bool:
    """Whether a text was said; a text without a letter or a digit never was."""
    if isinstance(messages, Willing):
        messages.asked.append((value, partial(said_text, value, test)))
        return True
    if not any(c.isalnum() for c in value):
        return False
    match test:
        case "ignoring_case":
            return any(_has_words(_plain(m).casefold(), _plain(value).casefold()) for m in messages)
        case "loose":
            return any(_has_loosely(message, value) for message in messages)
        case "date" | "day":
            found = _ISO_DATE.fullmatch(value)
            if found is not None:
                year, month, day = map(int, found.groups())
                spelled = _spellings(year, month, day, needs_year=test == DATE)
                return any(_has_date(message, spelled) for message in messages)
    return any(_has_words(_plain(message), _plain(value)) for message in messages)


def said_number(value: int | Fraction, test: str, messages: tuple[str, ...]) -> bool:
    """Whether a number was said in digits; what counts is its value, so 12.50 says 12.5."""
    if isinstance(messages, Willing):
        messages.asked.append((value, partial(said_number, value, test)))
        return True
    return any(value == said for said in numbers_in(messages))


def said_day(day_us: int, test: str, zone: str, messages: tuple[str, ...]) -> bool:
    """Whether the day that starts at `day_us` in the zone was said."""
    if isinstance(messages, Willing):
        messages.asked.append((day_us, partial(said_day, day_us, test, zone)))
        return True
    return said_text(day_text(day_us, zone), test, messages)


def day_text(day_us: int, zone: str) -> str:
    """The day that starts then in the zone, as JSON has it."""
    parts = (times.time_part(day_us, part, zone) for part in ("getFullYear", "getMonth", "getDate"))
    year, month, day = parts
    return f"{year:04}-{month + 1:02}-{day:02}"


def numbers_in(messages: tuple[str, ...]) -> Iterator[Fraction]:
    """The numbers that messages hold in digits, each as a word of its own."""
    for message in messages:
        text = _plain(message)
        for found in _NUMBER.finditer(text):
            start, end = found.span()
            sign = 1
            if text[start - 1 : start] == "-" and not _joined_before(text, start):
                sign = -1
            if found["open"] or end - start > _LONGEST_NUMBER or _MORE.match(text, end):
                continue
            if not _joined_before(text, start) and not _joined_after(text, end):
                yield sign * Fraction(found.group().replace(",", ""))


def _plain(text: str) -> str:
    """The text with one spelling for each character and one space between words."""
    text = unicodedata.normalize("NFC", text).translate(_TYPOGRAPHY)
    return " ".join(_SPACED.sub(",", text).split())


def _has_words(message: str, value: str) -> bool:
    """Whether the value stands somewhere in the message without being a part of a longer word."""
    return any(
        not _joined_before(message, start) and not _joined_after(message, start + len(value))
        for start in _places_of(value, message)
    )


def _places_of(value: str, text: str) -> Iterator[int]:
    """Where the value stands in the text; of a long one, which may overlap itself, the first."""
    start, left = -1, len(text) if len(value) <= _LONG else _MOST_PLACES
    while value and left and (start := text.find(value, start + 1)) >= 0:
        left -= 1
        yield start


def _joined_before(text: str, start: int) -> bool:
    """Whether the word that begins at `start` goes on to the left."""
    if start == 0:
        return False
    before, first = text[start - 1], text[start]
    if _in_words(before):
        return _in_words(first) and not _other_script(before, first)
    if before == "." and first.isdigit():
        return True  # a number without its zero, or the end of a longer text
    return _joins(before, text[start - 2 : start - 1] if start > 1 else "", first)


def _joined_after(text: str, end: int) -> bool:
    """Whether the word that ends before `end` goes on to the right."""
    if end >= len(text):
        return False
    last, after = text[end - 1], text[end]
    if _in_words(after):
        return _is_mark(after) or (_in_words(last) and not _other_script(last, after))
    further = text[end + 1 : end + 2]
    if after == "'" and further in ("s", "S") and not _in_words(text[end + 2 : end + 3] or " "):
        return False  # a genitive
    if after in _JOINERS_AFTER and further and _in_words(further):
        return True
    return _joins(after, last, further)


def _joins(between: str, left: str, right: str) -> bool:
    """Whether a character makes one word of what stands to its left and right."""
    if not left or not right:
        return False
    if between in _JOINERS_OF_DIGITS:
        return left.isdigit() and right.isdigit()
    return between in _JOINERS and _in_words(left) and _in_words(right)


def _in_words(char: str) -> bool:
    return char.isalnum() or char == "_" or _is_mark(char)


def _is_mark(char: str) -> bool:
    """Whether a character belongs to the one before it, or is not to be seen."""
    return unicodedata.category(char)[0] == "M" or unicodedata.category(char) == "Cf"


def _other_script(left: str, right: str) -> bool:
    """Whether a word ends between the two: scripts without spaces stand next to Latin ones."""
    return (unicodedata.category(left) == "Lo") != (unicodedata.category(right) == "Lo")


def _tokens(text: str) -> list[str]:
    """The runs of letters and digits of a text, capitals and accents' spelling levelled."""
    levelled = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text).casefold())
    return re.findall(r"[^\W_]+", levelled)


def _has_loosely(message: str, value: str) -> bool:
    """Whether some whole words of the message, written together, are those of the value."""
    wanted = "".join(_tokens(value))
    words = _tokens(message)
    ends = set(accumulate(map(len, words), initial=0))
    places = _places_of(wanted, "".join(words))
    return any(start in ends and start + len(wanted) in ends for start in places)


def _has_date(message: str, spellings: re.Pattern[str]) -> bool:
    text = _plain(message).casefold()
    return any(
        not _joined_before(text, found.start()) and not _joined_after(text, found.end())
        for found in spellings.finditer(text)
    )


def _spellings(year: int, month: int, day: int, *, needs_year: bool) -> re.Pattern[str]:
    """The usual spellings of a date: 1990-05-03, 5/3/1990, 3.5.90, May 3rd, 1990, 3 May 1990.

    Where day and month are numbers both orders are usual, so both count.
    """
    full, short = f"{year:04}", f"{year % 100:02}"
    numeric_month, numeric_day = _number(month), _number(day)
    name = _MONTHS[month - 1]
    named_month = rf"(?:{name}|{name[:3]}\.?" + (r"|sept\.?)" if month == 9 else ")")
    suffix = "st|nd|rd|th"
    named_day = rf"(?:the )?{numeric_day}(?: ?(?:{suffix}))?"
    either_year = rf"(?:{full}|'?{short})"
    in_figures = [
        rf"{full}(?P<a>[-/. ]){numeric_month}(?P=a){numeric_day}",
        rf"{numeric_month}(?P<b>[-/. ]){numeric_day}(?P=b){either_year}",
        rf"{numeric_day}(?P<c>[-/. ]){numeric_month}(?P=c){either_year}",
        rf"{full}{month:02}{day:02}",
    ]
    in_words = [
        rf"{named_month}[ -]{named_day}{{}}",
        rf"{named_day}[ -](?:of )?{named_month}{{}}",
    ]
    with_year = rf"(?:,? (?:of )?|-){either_year}"
    spelled = [*in_figures, *(form.format(with_year) for form in in_words)]
    spelled.append(rf"{full},? {named_month} {named_day}")
    if not needs_year:
        other_year = r"(?!,? ?(?:of )?'?\d)"
        spelled += [form.format(other_year) for form in in_words]
        spelled += [
            rf"{numeric_month}/{numeric_day}(?![-/.]\d)",
            rf"{numeric_day}/{numeric_month}(?![-/.]\d)",
        ]
    return re.compile("|".join(f"(?:{form})" for form in spelled))


def _number(value: int) -> str:
    return f"0?{value}" if value < 10 else str(value)
