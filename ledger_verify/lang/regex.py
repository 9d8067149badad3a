"""Regular expressions by RE2, the engine of CEL: the time for a text grows with its length alone.

The only module that knows the engine. What a pattern says is in `regex_tree`, for those who must
look inside.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import re2

_UNSAID_MINIMUM = re.compile(r"(?<!\\)(?:\\\\)*\{,\d+\}", re.ASCII)
_BYTE = re.compile(r"(?<!\\)(?:\\\\)*\\C", re.ASCII)
_NAMED = re.compile(r"(?<!\\)(?:\\\\)*\(\?P?<(\w+)>", re.ASCII)

_MEMORY = 1 << 20
_WORTH_KEEPING = 200


@dataclass(frozen=True)
class Found:
    """A match: its place in the text in characters, and the named groups that took part."""

    start: int
    end: int
    groups: dict[str, str]


class Regex:
    """A pattern ready to use; texts are Unicode, without lone surrogates.

    `finder` only tells whether the pattern is found, `engine` also where, and its groups.
    """

    def __init__(self, pattern: str, engine: Any, finder: Any) -> None:
        self.pattern = pattern
        self._engine = engine
        self._finder = finder
        self._last: tuple[str, bool] | None = None
        self.names: tuple[str, ...] = tuple(engine.groupindex)

    def is_in(self, text: str) -> bool:
        """Whether the pattern is found anywhere in the text."""
        last = self._last  # a refusal asks again, of the same object
        if last is not None and last[0] is text:
            return last[1]
        found = self._finder.search(text) is not None
        if len(text) > _WORTH_KEEPING:
            self._last = text, found
        return found

    def whole(self, text: str) -> Found | None:
        """The match of all of the text, if there is one."""
        match = self._engine.fullmatch(text)
        return None if match is None else _found(match)

    def each(self, text: str) -> Iterator[Found]:
        """All matches in the text, one behind the other."""
        return map(_found, self._engine.finditer(text))


def _found(match: Any) -> Found:
    groups = {name: text for name, text in match.groupdict().items() if text is not None}
    return Found(match.start(), match.end(), groups)


@functools.lru_cache(maxsize=512)
def compiled(pattern: str) -> Regex:
    """The pattern ready to use; raises `ValueError` for what RE2 refuses, and for traps in it."""
    _refuse_traps(pattern)
    options = re2.Options()
    options.log_errors = False
    try:
        engine = re2.compile(pattern, options)
        finder = _finder(pattern, engine)
    except re2.error as problem:
        told = problem.args[0] if problem.args else "it cannot be read"
        told = told.decode("utf-8", "replace") if isinstance(told, bytes) else str(told)
        raise ValueError(f"bad regular expression `{pattern}`: {told}") from None
    except UnicodeEncodeError:
        raise ValueError("a regular expression with half a Unicode character") from None
    return Regex(pattern, engine, finder)


def _finder(pattern: str, engine: Any) -> Any:
    """An engine for the mere question whether the pattern is found.

    With more memory RE2 spends most of its time on states that a hostile text brings up only once.
    A pattern that needs the memory itself keeps the engine that it has.
    """
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.max_mem = _MEMORY
    try:
        return re2.compile(pattern, options)
    except re2.error:
        return engine


def matches(text: str, pattern: str) -> bool:
    """Whether the pattern is found anywhere in the text."""
    return compiled(pattern).is_in(text)


def _refuse_traps(pattern: str) -> None:
    """What RE2 takes, and nobody means."""
    unsaid = _UNSAID_MINIMUM.search(pattern)
    if unsaid is not None:
        braces = unsaid.group().lstrip("\\")
        raise ValueError(
            f"bad regular expression `{pattern}`: `{braces}` would be these characters themselves, "
            f"write `{{0{braces[1:]}`"
        )
    if _BYTE.search(pattern) is not None:
        raise ValueError(
            f"bad regular expression `{pattern}`: `\\C` is half a character, write `(?s:.)`"
        )
    names = _NAMED.findall(pattern)
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"bad regular expression `{pattern}`: group `{twice[0]}` is there twice")
