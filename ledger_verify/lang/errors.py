"""Errors about what a person wrote: what is wrong, where, and what to do about it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class TextPlace:
    """Where the text of an expression stands: a file, the steps to a value (or key) in it, and the
    offset of the expression within that value's text.
    """

    file: str
    path: tuple[str | int, ...]
    offset: int = 0
    is_key: bool = False


@dataclass(frozen=True)
class Span:
    """Half-open range of character offsets in an expression's text.

    `place` says where that text stands, if it came from a file.
    """

    start: int
    end: int
    place: TextPlace | None = field(default=None, compare=False)


NOWHERE = Span(0, 0)


@dataclass(frozen=True)
class Location:
    """A place in a file; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class InputError(Exception):
    """Something given by the user is not acceptable.

    `message` says what and what was expected, `location` where (if it came from a file), `hint`
    the remedy. Commands print it and end with exit status 2.
    """

    def __init__(
        self, message: str, *, location: Location | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self._message = message
        self.location = location
        self.hint = hint

    @property
    def message(self) -> str:
        """What is wrong, and what was expected."""
        return self._message

    def __str__(self) -> str:
        place = f"{self.location}: " if self.location else ""
        help_line = f"\n  help: {self.hint}" if self.hint else ""
        return f"{place}{self.message}{help_line}"


class ExpressionError(InputError):
    """A predicate cannot be loaded; `span` is the part of its text that is to blame."""

    def __init__(self, message: str, span: Span, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.span = span


class SyntaxProblem(ExpressionError):
    """The text is not an expression of the language."""


class TypeProblem(ExpressionError):
    """The expression is ill-typed: unknown name or field, or operands that do not fit."""


_CONSTANTS = {
    "none": "null",
    "nil": "null",
    "null": "null",
    "undefined": "null",
    "true": "true",
    "false": "false",
}


class UnknownName(TypeProblem):
    """A name that the scope does not have; `perhaps_text` unless it is like one that is meant."""

    def __init__(
        self, name: str, span: Span, known: Iterable[str], *, hint: str | None = None
    ) -> None:
        self.name = name
        names = list(known)
        hint = hint or near_match(name, names)
        constant = _CONSTANTS.get(name.lower())
        self.perhaps_text = constant is None and nearest(name, names) is None
        if constant is not None:
            hint = f"write `{constant}`"
        elif self.perhaps_text:
            text = f'a text is written `"{name}"`'
            hint = f"{text}; {hint}" if hint else text
        super().__init__(f"unknown name `{name}`", span, hint=hint)


class BadConstant(TypeProblem):
    """An operation on constants that has no value: a malformed time, or one out of range."""


class Unsupported(ExpressionError):
    """Valid CEL that this language leaves out on purpose; `construct` names it."""

    def __init__(self, construct: str, span: Span, *, hint: str | None = None) -> None:
        super().__init__(f"{construct} is not supported", span, hint=hint)
        self.construct = construct


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` is probably meant to be."""
    return next(iter(difflib.get_close_matches(word, sorted(set(known)), n=1, cutoff=0.6)), None)


def near_match(word: str, known: Iterable[str]) -> str | None:
    """A hint that names the known word closest to `word`, or lists the few known ones."""
    options = sorted(set(known))
    close = nearest(word, options)
    if close:
        return f"did you mean `{close}`?"
    if not options:
        return None
    listed = ", ".join(f"`{option}`" for option in options[:12])
    more = f" and {len(options) - 12} more" if len(options) > 12 else ""
    return f"known here: {listed}{more}"
