"""Where things stand in JSON text: a slow walk, made only to say where an error is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ledger_verify.source.json_number import MOST_CHARACTERS, decimal_of

_TOKEN = re.compile(r'[ \t\r\n]*(?:([\[\]{},:])|("(?:[^"\\]|\\.)*")|([^\s\[\]{},:"]+))', re.DOTALL)
_NUMBER = re.compile(r"-?\d[\d.]*([eE][-+]?\d+)?")
_REPEATED = "repeated name"

Steps = tuple[str | int, ...]


@dataclass(frozen=True)
class Culprit:
    """What makes grammatical JSON unacceptable, and the offset where it stands."""

    offset: int
    reason: str


@dataclass
class _Frame:
    """An object or list being walked: the step to the part that comes next, and names so far."""

    is_object: bool
    step: str | int
    names: set[str] = field(default_factory=set)


def offset_of(text: str, start: int, path: Steps) -> int:
    """The offset of the part at `path` of the valid JSON value at `start`, or of what holds it."""
    found, reached = start, 0
    for offset, steps, _ in _walk(text, start):
        if len(steps) == reached + 1 and steps == path[: reached + 1]:
            found, reached = offset, reached + 1
        if reached == len(path):
            break
    return found


def first_culprit(text: str, start: int) -> Culprit | None:
    """The first name given twice, `NaN`, or number out of bounds in the JSON at `start`."""
    for offset, steps, token in _walk(text, start):
        if token == _REPEATED:
            return Culprit(offset, f"`{steps[-1]}` is given twice in one object")
        if token.lstrip("-") in ("NaN", "Infinity"):
            return Culprit(offset, f"`{token}` is not a JSON number")
        number = _NUMBER.fullmatch(token)
        if number and len(token.lstrip("-")) > MOST_CHARACTERS:
            return Culprit(offset, f"a number of {len(token)} characters is too long")
        if number and number[1] and not _is_in_range(token):
            return Culprit(offset, f"the exponent of `{token[:40]}` is out of range")
    return None


def _is_in_range(number: str) -> bool:
    try:
        decimal_of(number)
    except ValueError:
        return False
    return True


def _walk(text: str, start: int) -> Iterator[tuple[int, Steps, str]]:
    """Offset, path and token of every value, in the order of the text.

    The token of an object, list or string is its first character, and that of a name that its
    object has already is `_REPEATED`. The walk ends with the value, or where the text is not JSON.
    """
    stack: list[_Frame] = []
    position, name_is_next = start, False
    while match := _TOKEN.match(text, position):
        sign, quoted, word = match.groups()
        offset, position = match.start(match.lastindex or 0), match.end()
        if quoted and name_is_next:
            top, name_is_next = stack[-1], False
            top.step = str(json.loads(quoted, strict=False))
            if top.step in top.names:
                yield offset, _path(stack), _REPEATED
            top.names.add(top.step)
        elif sign == ",":
            top = stack[-1]
            name_is_next = top.is_object
            if isinstance(top.step, int):
                top.step += 1
        elif sign in ("]", "}"):
            name_is_next = False
            stack.pop()
        elif sign != ":":
            yield offset, _path(stack), quoted[:1] if quoted else sign or word
            if sign:
                name_is_next = sign == "{"
                stack.append(_Frame(name_is_next, "" if name_is_next else 0))
        if not stack:
            return


def _path(stack: list[_Frame]) -> Steps:
    return tuple(frame.step for frame in stack)
