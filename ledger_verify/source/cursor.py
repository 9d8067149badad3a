"""A part of a JSON file together with its place, for readers that must say what is wrong where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ledger_verify.lang.errors import InputError
from ledger_verify.source.json_file import DataPath


class PlacedFile(Protocol):
    """A parsed file that knows where its parts stand: of JSON or of YAML."""

    @property
    def name(self) -> str:
        """How the file is called in errors."""

    @property
    def data(self) -> Any:
        """All that is in the file."""

    def error(self, message: str, path: DataPath, *, hint: str | None = None) -> InputError:
        """An error about the part at `path`."""


@dataclass(frozen=True)
class Cursor:
    """The part of `file` at `path`; `context` names it in errors."""

    file: PlacedFile
    path: DataPath
    value: Any
    context: str = ""

    @classmethod
    def root(cls, file: PlacedFile) -> Cursor:
        """All of the file."""
        return cls(file, (), file.data)

    def named(self, context: str) -> Cursor:
        """The same part under another name."""
        return replace(self, context=context)

    def has(self, name: str) -> bool:
        """Whether this is an object with a value other than null for `name`."""
        return isinstance(self.value, dict) and self.value.get(name) is not None

    def get(self, name: str) -> Cursor:
        """The value of `name` in an object; null if it has none."""
        return Cursor(self.file, (*self.path, name), self.value.get(name), self.context)

    def items(self) -> Iterator[Cursor]:
        """The parts of a list."""
        for index, item in enumerate(self.value):
            yield Cursor(self.file, (*self.path, index), item, self.context)

    def error(self, message: str, *, hint: str | None = None) -> InputError:
        """An error about this part."""
        context = f"{self.context}: " if self.context else ""
        return self.file.error(f"{context}{message}", self.path, hint=hint)

    def as_object(self, what: str) -> Cursor:
        """This part, which must be an object."""
        return self._must_be(dict, what, "an object")

    def as_list(self, what: str) -> Cursor:
        """This part, which must be a list."""
        return self._must_be(list, what, "a list")

    def text(self, what: str) -> str:
        """The text that this part must be."""
        return str(self._must_be(str, what, "text").value)

    def _must_be(self, kind: type, what: str, shown: str) -> Cursor:
        if not isinstance(self.value, kind):
            raise self.error(f"{what} must be {shown}, found {described(self.value)}")
        return self


def described(value: Any) -> str:
    """What kind of JSON value this is, with the names of an object's parts."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case str():
            return f"the text `{shortened(value)}`"
        case list():
            return "a list" if value else "an empty list"
        case dict():
            return f"an object with {listed(list(value))}" if value else "an empty object"
        case int() if value.bit_length() > 1_000:
            return "a number of very many digits"
        case _:
            return f"the number {shortened(str(value))}"


def listed(words: Sequence[str]) -> str:
    """Words in backticks, the first few of many."""
    shown = ", ".join(f"`{shortened(word)}`" for word in words[:6])
    return f"{shown} and {len(words) - 6} more" if len(words) > 6 else shown


def shortened(text: str, limit: int = 40) -> str:
    """At most `limit` characters of a text."""
    return text if len(text) <= limit else f"{text[: limit - 3]}..."
