"""Strict JSON from files, with the place of everything in it.

Numbers with a fraction or exponent become `Decimal`. A name given twice in an object, `NaN`,
`Infinity` and numbers beyond the bounds of `json_number` are errors. JSON Lines is read as a list
of its values.
"""

from __future__ import annotations

import json
import re
import sys
from codecs import BOM_UTF8
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from ledger_verify.lang.errors import InputError, Location
from ledger_verify.source.json_number import decimal_of, python_is_as_strict, whole_of
from ledger_verify.source.json_place import Culprit, first_culprit, offset_of

DataPath = tuple[str | int, ...]
STDIN = "-"
_SPACE = re.compile(r"[ \t\r\n]*")
_CUT_WORDS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
_CUT_NUMBER = re.compile(r"-|\.|(\.\d+)?[eE][-+]?")


class _Unacceptable(ValueError):
    """What the decoder must refuse, but cannot say where it is."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise _Unacceptable
    return out


def _no_constant(_: str) -> NoReturn:
    raise _Unacceptable


_DECODER, _BOUNDED_DECODER = (
    json.JSONDecoder(
        object_pairs_hook=_object,
        parse_float=decimal_of,
        parse_int=whole,
        parse_constant=_no_constant,
    )
    for whole in (int, whole_of)
)


def _decoder() -> json.JSONDecoder:
    return _DECODER if python_is_as_strict() else _BOUNDED_DECODER


@dataclass(frozen=True)
class JsonFile:
    """A parsed file: its values (one, or several in JSON Lines), and where they begin."""

    name: str
    text: str
    values: tuple[Any, ...]
    offsets: tuple[int, ...]

    @property
    def lines(self) -> bool:
        """Whether the file holds several values."""
        return len(self.values) > 1

    @property
    def data(self) -> Any:
        """The value of the file; a list of them if there are several."""
        return list(self.values) if self.lines else self.values[0]

    def locate(self, path: DataPath) -> Location:
        """The place in the file of the part of `data` at `path`, or of what holds it."""
        index, rest = 0, path
        if self.lines and path and isinstance(path[0], int):
            index, rest = path[0], path[1:]
        return place(self.name, self.text, offset_of(self.text, self.offsets[index], rest))

    def error(self, message: str, path: DataPath, *, hint: str | None = None) -> InputError:
        """An error about the part of `data` at `path`."""
        return InputError(message, location=self.locate(path), hint=hint)


def place(name: str, text: str, offset: int) -> Location:
    """Line and column of a character of a file's text."""
    return Location(name, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def shown_name(path: str) -> str:
    """The name of a file in messages; `-` is standard input."""
    return "<stdin>" if path == STDIN else path


def read_text(path: str) -> str:
    """The text of a UTF-8 file, or of standard input for `-`; raises `InputError`."""
    name = shown_name(path)
    try:
        if path != STDIN:
            raw = Path(path).read_bytes()
        elif sys.stdin is None:
            raise InputError("there is no standard input to read")
        else:
            raw = sys.stdin.buffer.read()
    except (OSError, ValueError) as problem:  # ValueError: a null character in the path
        reason = getattr(problem, "strerror", None) or problem
        raise InputError(f"cannot read `{name}`: {reason}") from None
    try:
        return raw.decode("utf-8-sig").lstrip("\ufeff")  # tools that join files leave several
    except UnicodeDecodeError as problem:
        at = problem.start + (len(BOM_UTF8) if raw.startswith(BOM_UTF8) else 0)
        good = raw[:at].decode("utf-8-sig", errors="replace")
        raise InputError(
            f"not UTF-8: {problem.reason} at byte {at}",
            location=place(name, good, len(good)),
            hint="JSON files are UTF-8; convert it, or unpack it if it is compressed",
        ) from None


def read_json(path: str, *, lines: bool = False) -> JsonFile:
    """Read a file of one JSON value, or with `lines` of several; raises `InputError`."""
    return parse_json(read_text(path), shown_name(path), lines=lines)


def parse_json(text: str, name: str, *, lines: bool = False) -> JsonFile:
    """Parse JSON text, or with `lines` also JSON Lines; `name` stands for the file in errors."""
    values: list[Any] = []
    offsets: list[int] = []
    position = _skip(text, 0)
    if position == len(text):
        raise InputError("the file is empty; expected JSON", location=Location(name, 1, 1))
    while position < len(text):
        if values and not (lines and "\n" in text[offsets[-1] : position]):
            raise InputError(
                f"expected the end after the first value, found {_found(text, position)}",
                location=place(name, text, position),
            )
        offsets.append(position)
        value, position = _decode(text, position, name)
        values.append(value)
        position = _skip(text, position)
    return JsonFile(name, text, tuple(values), tuple(offsets))


def parse_value(text: str) -> Any:
    """One JSON value from text that stands within other JSON; raises `ValueError`."""
    try:
        return _decoder().decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    assert match is not None
    return match.end()


def _decode(text: str, position: int, name: str) -> tuple[Any, int]:
    try:
        return _decoder().raw_decode(text, position)
    except json.JSONDecodeError as problem:
        raise _malformed(text, problem, name) from None
    except RecursionError:
        where = place(name, text, position)
        raise InputError("JSON is nested too deeply", location=where) from None
    except ValueError:
        # a name given twice, a constant, or a number beyond all bounds
        culprit = first_culprit(text, position) or Culprit(position, "cannot be read")
        raise InputError(culprit.reason, location=place(name, text, culprit.offset)) from None


def _malformed(text: str, problem: json.JSONDecodeError, name: str) -> InputError:
    if _cut_off(text, problem):
        end = len(text.rstrip())
        return InputError(
            f"the JSON is cut off: the file ends after byte {len(text.encode('utf-8', 'replace'))} "
            f"in the middle of a value ({_expected(problem)})",
            location=place(name, text, end),
            hint="the file is incomplete; write or download it again",
        )
    return InputError(
        f"malformed JSON: {_expected(problem)}, found {_found(text, problem.pos)}",
        location=place(name, text, problem.pos),
    )


def _cut_off(text: str, problem: json.JSONDecodeError) -> bool:
    if problem.msg.startswith("Unterminated string"):
        return True
    rest = text[problem.pos :].strip()
    if "escape" in problem.msg:
        return len(rest) <= 6 and '"' not in rest
    if not rest or _CUT_NUMBER.fullmatch(rest):
        return True
    return any(word.startswith(rest) for word in _CUT_WORDS)


def _expected(problem: json.JSONDecodeError) -> str:
    words = problem.msg
    if words.startswith("Expecting "):
        return "expected " + words.removeprefix("Expecting ").replace("'", "`")
    words = words.removesuffix(" starting at").removesuffix(" at")
    return words[:1].lower() + words[1:]


def _found(text: str, position: int) -> str:
    rest = text[position : position + 20].split("\n")[0].strip()
    return f"`{rest}`" if rest else "the end of the line" if position < len(text) else "the end"
