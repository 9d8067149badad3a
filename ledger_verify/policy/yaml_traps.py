"""Values that YAML misreads because they stand without quotes, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

_ENTRY = re.compile(
    r"[ ]*(?:-[ ]+)*(?:(?P<key>\"[^\"]*\"|'[^']*'|[^\s\"'\[{#:?!-][^\s:(]*)[ ]*:[ ]+)?"
)
_KEY_IN_BRACES = re.compile(r"\s*(?P<key>\"[^\"]*\"|'[^']*'|[\w.?{}*]+)\s*:\s+")
_BLOCK_SCALAR = re.compile(r"[|>][-+0-9]*[ \t]*(#|\r?\n|$)")
_CLOSING = {"[": "]", "{": "}", "(": ")"}
_WORDS = re.compile(r"[^\W\d]\w*(?:[ -]+\w+)*[.!]?")
_OPERATORS = frozenset({"and", "false", "in", "nil", "none", "not", "null", "or", "true"})
_SHOWN = 100


def quoting_hint(text: str, at: int) -> str | None:
    """The remedy for malformed YAML with its error at an offset, where quotes would mend it.

    None unless the text with the quotes is read without an error up to their end.
    """
    entry = _entry_around(text, at)
    if entry is None:
        return None
    start, end = entry
    for first, last in _candidates(text, start, end):
        # a tag takes the comma or bracket behind it, so that the error is found later
        if first <= at <= last or (first < at and text[first] == "!"):
            quoted = in_quotes(text[first:last])
            problem = _next_problem(text[:first] + quoted + text[last:])
            if problem is None or problem > first + len(quoted):
                return _told(text[first:last], quoted)
    return None


def bare_text_hint(text: str) -> str | None:
    """The remedy for an expression that is only words, and not one of the language."""
    words = text.split()
    if not _WORDS.fullmatch(text.strip()) or _OPERATORS.intersection(map(str.lower, words)):
        return None
    written = in_quotes(f'"{" ".join(words)}"')
    return f"a text is written `{written}`: YAML takes the outer quotes"


def in_quotes(value: str) -> str:
    """The text as a quoted scalar of YAML."""
    if "'" in value and not any(char in value for char in '"\\\n'):
        return f'"{value}"'
    return "'" + value.replace("'", "''") + "'"


def _told(value: str, quoted: str) -> str:
    if re.fullmatch(r"\w+\?", value):
        return f'a name with `?` in `{{...}}` or `[...]` needs quotes: `"{value}"`'
    shown = f": `{quoted}`" if "\n" not in quoted and len(quoted) <= _SHOWN else ""
    return f"YAML needs this text in quotes{shown}"


def _entry_around(text: str, at: int) -> tuple[int, int] | None:
    """The range of the value, in block style, that the offset is in: its line and those that
    continue it.
    """
    line = text.rfind("\n", 0, at) + 1
    while True:
        match = _ENTRY.match(text, line)
        assert match is not None
        if match["key"] is not None or "-" in match[0]:
            break
        if line == 0:
            return None
        line = text.rfind("\n", 0, line - 1) + 1
    indent = (match.start("key") if match["key"] is not None else match.end()) - line
    if match["key"] is None:
        indent = match[0].rindex("-")
    end = _line_end(text, line)
    while end < len(text):
        following = text[end + 1 : _line_end(text, end + 1)]
        if following.strip() and len(following) - len(following.lstrip(" ")) <= indent:
            break
        end += 1 + len(following)
    return match.end(), match.end() + len(text[match.end() : end].rstrip())


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _candidates(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The ranges that may be meant as one text: the value, or what its brackets hold."""
    first = text[start : start + 1]
    if _BLOCK_SCALAR.match(text, start):
        return
    if first in ("'", '"'):
        closed = _after_string(text, start, end)
        if closed is not None and closed < end:
            yield start, end
    elif first in ("[", "{"):
        closed = _after_bracket(text, start, end)
        if closed == end:
            yield from _items(text, start + 1, end - 1, in_braces=first == "{")
        elif closed is not None:
            yield start, end
    elif first:
        if text[end - 1] == ",":  # an item of brackets that go over several lines
            yield start, end - 1
        yield start, end


def _items(text: str, start: int, end: int, *, in_braces: bool) -> Iterator[tuple[int, int]]:
    """What may be meant as one text among the items of a list or mapping in brackets."""
    at = start
    while at < end:
        stop = at
        while stop < end and text[stop] != ",":
            following = _past(text, stop, end)
            stop = end if following is None else following
        first = at
        key = _KEY_IN_BRACES.match(text, at, stop) if in_braces else None
        if key is not None:
            yield key.start("key"), key.end("key")
            first = key.end()
        first += len(text[first:stop]) - len(text[first:stop].lstrip())
        yield from _candidates(text, first, first + len(text[first:stop].rstrip()))
        at = stop + 1


def _past(text: str, at: int, end: int) -> int | None:
    """The offset behind the string, the brackets or the character that begin here."""
    if text[at] in "'\"":
        return _after_string(text, at, end)
    return _after_bracket(text, at, end) if text[at] in _CLOSING else at + 1


def _after_string(text: str, start: int, end: int) -> int | None:
    closing = text.find(text[start], start + 1, end)
    return None if closing < 0 else closing + 1


def _after_bracket(text: str, start: int, end: int) -> int | None:
    at: int | None = start + 1
    while at is not None and at < end:
        if text[at] == _CLOSING[text[start]]:
            return at + 1
        at = _past(text, at, end)
    return None


def _next_problem(text: str) -> int | None:
    """The offset of the first thing that is not YAML."""
    try:
        for _ in yaml.parse(text, Loader=yaml.SafeLoader):
            pass
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        return None if mark is None else mark.index
    return None
