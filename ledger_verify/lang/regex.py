"""The regular expressions of `matches`: the common subset of RE2 and Python, checked at load."""

from __future__ import annotations

import functools
import re

_FORBIDDEN = re.compile(r"\\[1-9]|\(\?(?!:|i\)|s\)|P<)|[*+?}]\+")
_PYTHON_ONLY_ESCAPES = re.compile(r"(?<!\\)(?:\\\\)*\\([ZuUNgk])")


@functools.lru_cache(maxsize=512)
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern ready to search; raises `ValueError` where RE2 and Python would differ."""
    for finder in (_FORBIDDEN, _PYTHON_ONLY_ESCAPES):
        found = finder.search(pattern)
        if found:
            raise ValueError(f"`{found.group()}` is outside the supported regular expressions")
    try:
        return re.compile(_re2_end(pattern), re.ASCII)
    except (re.error, OverflowError, RecursionError) as problem:
        raise ValueError(f"bad regular expression: {problem}") from None


def _re2_end(pattern: str) -> str:
    """RE2's `$` is the very end of the text, Python's also the place before a last newline."""
    out, in_class, position = [], False, 0
    while position < len(pattern):
        char = pattern[position]
        if char == "\\":
            out.append(r"\Z" if pattern[position + 1 : position + 2] == "z" else pattern[position : position + 2])
            position += 2
            continue
        if char == "[":
            in_class = True
        elif char == "]":
            in_class = False
        out.append(r"\Z" if char == "$" and not in_class else char)
        position += 1
    return "".join(out)


def matches(text: str, pattern: str) -> bool:
    """Whether the pattern is found anywhere in the text."""
    return compiled(pattern).search(text) is not None
