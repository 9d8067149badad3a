"""The regular expressions of `matches`: what RE2 and Python both know, made to mean what RE2 means.

A pattern is read once, left to right. What only one of the two engines knows is refused; what both
know but understand differently (`$`, `\\s`, `\\z`) is rewritten for Python.
"""

from __future__ import annotations

import functools
import re

from ledger_verify.lang.backtracking import may_explode

_GROUPS = re.compile(r"\(\?(?:i\)|s\)|is\)|si\)|:|P<[A-Za-z_]\w*>)", re.ASCII)
_REPEAT = re.compile(r"\{(\d+)(,(\d*))?\}", re.ASCII)
_ESCAPE = re.compile(
    r"\\(?:x[0-9A-Fa-f]{2}|0[0-7]{0,2}|[dDwWsSbBAz]|[afnrtv]|[^A-Za-z0-9\s])", re.ASCII
)
_MAX_REPEAT = 1000
_SPACES = r"\t\n\f\r "  # RE2's `\s` has no vertical tab


@functools.lru_cache(maxsize=512)
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern ready to search.

    Raises `ValueError` where RE2 and Python would differ in what matches, or vastly in time.
    """
    source = _Reader(pattern).read()
    try:
        if may_explode(source):
            raise ValueError(
                f"the regular expression `{pattern}` repeats what is repeated in it: "
                "it could take for ever"
            )
        return re.compile(source, re.ASCII)
    except (re.error, OverflowError, RecursionError) as problem:
        raise ValueError(f"bad regular expression `{pattern}`: {problem}") from None


def matches(text: str, pattern: str) -> bool:
    """Whether the pattern is found anywhere in the text."""
    return compiled(pattern).search(text) is not None


class _Reader:
    """Rewrites one pattern; `at` is the next character to read."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.out: list[str] = []
        self.repeatable = False

    def read(self) -> str:
        """The pattern for Python; raises `ValueError`."""
        while self.at < len(self.pattern):
            char = self.pattern[self.at]
            if char == "\\":
                self._escape()
            elif char == "[":
                self._character_class()
            elif char == "(":
                self._group()
            elif char in "*+?":
                self._repeat(char)
            elif char == "{":
                self._counted()
            else:
                self._emit(r"\Z" if char == "$" else char, char, repeatable=char not in "|^$")
        return "".join(self.out)

    def _emit(self, text: str, source: str, *, repeatable: bool) -> None:
        self.out.append(text)
        self.at += len(source)
        self.repeatable = repeatable

    def _refuse(self, what: str) -> ValueError:
        return ValueError(f"`{what}` in the regular expression `{self.pattern}`")

    def _escape(self) -> None:
        found = self._escaped()
        text = {r"\z": r"\Z", r"\s": f"[{_SPACES}]", r"\S": f"[^{_SPACES}]"}.get(found, found)
        self._emit(text, found, repeatable=found not in (r"\b", r"\B", r"\A", r"\z"))

    def _escaped(self) -> str:
        match = _ESCAPE.match(self.pattern, self.at)
        if match is None:
            raise self._refuse(self.pattern[self.at : self.at + 2])
        return match.group()

    def _group(self) -> None:
        match = _GROUPS.match(self.pattern, self.at)
        found = "(" if match is None else match.group()
        if match is None and self.pattern.startswith("(?", self.at):
            raise self._refuse(self.pattern[self.at : self.at + 3])
        if found.endswith(")"):
            if self.at:
                raise self._refuse(found)
            if "i" in found and not self.pattern.isascii():
                raise self._refuse(f"{found} with letters beyond ASCII")
        self._emit(found, found, repeatable=False)

    def _repeat(self, operator: str) -> None:
        if not self.repeatable:
            raise self._refuse(operator)
        lazy = "?" if self.pattern.startswith("?", self.at + len(operator)) else ""
        self._emit(operator + lazy, operator + lazy, repeatable=False)

    def _counted(self) -> None:
        match = _REPEAT.match(self.pattern, self.at)
        if match is None or not self.repeatable:
            raise self._refuse("{")
        low, high = int(match.group(1)[:9]), int((match.group(3) or "0")[:9])
        if max(low, high) > _MAX_REPEAT:
            raise self._refuse(match.group())
        self._repeat(match.group())

    def _character_class(self) -> None:
        start, self.at = self.at, self.at + 1
        out = ["["]
        if self.pattern.startswith("^", self.at):
            out.append("^")
            self.at += 1
        first = True
        while not self.pattern.startswith("]", self.at) or first:
            char = self.pattern[self.at : self.at + 1]
            if not char:
                raise ValueError(f"`[` is not closed in the regular expression `{self.pattern}`")
            if char == "[" or self.pattern[self.at : self.at + 2] in ("--", "&&", "||", "~~"):
                raise self._refuse(self.pattern[self.at : self.at + 2])
            found = self._escaped() if char == "\\" else char
            if found in (r"\S", r"\b", r"\B", r"\A", r"\z"):
                raise self._refuse(found)
            after = self.pattern[self.at + len(found) : self.at + len(found) + 2]
            if found[1:] in ("s", "d", "D", "w", "W") and after[:1] == "-" and after != "-]":
                raise self._refuse(f"{found}-")
            out.append(_SPACES if found == r"\s" else rf"\{found}" if found == "]" else found)
            self.at += len(found)
            first = False
        text = "".join(out) + "]"
        source = self.pattern[start : self.at + 1]
        self.at = start
        self._emit(text, source, repeatable=True)
