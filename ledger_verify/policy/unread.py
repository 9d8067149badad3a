"""Names that a rule or template gives to expressions and that nothing in it reads."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field

from ledger_verify.lang.errors import ExpressionError, InputError
from ledger_verify.lang.names_read import names_read
from ledger_verify.lang.parse import parse
from ledger_verify.policy.documents import RuleDocument
from ledger_verify.policy.interpolate import split
from ledger_verify.policy.templates import Template
from ledger_verify.policy.yaml_file import DataPath, YamlFile


def unread_in_rule(document: RuleDocument, file: YamlFile, path: DataPath) -> list[DataPath]:
    """The places of the `let`s of a rule at `path` that nothing reads; raises `InputError`."""
    if not document.let:
        return []
    reading = _Reading(file)
    reading.bind_lets(document.let, path)
    for name, text in document.with_.items():
        reading.read(text, (*path, "with", name))
    reading.read_rule(document.when, document.require, document.message, path)
    return list(reading.unread)


def unread_in_template(template: Template, uses: Iterable[RuleDocument]) -> list[DataPath]:
    """The places of the parameters and `let`s of a template that nothing reads.

    Messages of rules that use the template may read them, too. Raises `InputError`.
    """
    document = template.document
    reading = _Reading(template.file)
    for name, parameter in document.parameters.items():
        path: DataPath = ("parameters", name)
        if parameter.default is not None:
            reading.read(parameter.default, (*path, "default"))
        reading.bind(path)
    reading.bind_lets(document.let, ())
    reading.read_rule(document.when, document.require, document.message, ())
    for use in uses:
        if use.message is not None:
            reading.read_message(use.message, ("message",), hidden=use.let)
    return list(reading.unread)


@dataclass
class _Reading:
    """What the names stand for at the present place of a file, and which are not read so far."""

    file: YamlFile
    unread: dict[DataPath, None] = field(default_factory=dict)
    _places: dict[str, DataPath] = field(default_factory=dict)

    def bind(self, path: DataPath) -> None:
        """The name at the end of `path` stands for what is there from now on."""
        self._places[str(path[-1])] = path
        self.unread[path] = None

    def bind_lets(self, lets: Mapping[str, str], path: DataPath) -> None:
        """Bind `let`s, each of which may read those before it."""
        for name, text in lets.items():
            place = (*path, "let", name)
            self.read(text, place)
            self.bind(place)

    def read_rule(
        self, when: str | None, require: str | None, message: str | None, path: DataPath
    ) -> None:
        """Note what the parts of a rule read."""
        for key, text in (("when", when), ("require", require)):
            if text is not None:
                self.read(text, (*path, key))
        if message is not None:
            self.read_message(message, (*path, "message"))

    def read_message(self, text: str, path: DataPath, hidden: Container[str] = ()) -> None:
        """Note what the holes of a message at `path` read, other than the names `hidden`."""
        try:
            pieces = split(text)
        except ExpressionError as problem:
            raise self.file.place(problem, path) from None
        for piece in pieces:
            if not isinstance(piece, str):
                self.read(piece.text, path, piece.offset, hidden)

    def read(self, text: str, path: DataPath, offset: int = 0, hidden: Container[str] = ()) -> None:
        """Note what an expression reads that starts at `offset` of the text at `path`."""
        try:
            names = names_read(parse(text))
        except ExpressionError as problem:
            where = self.file.locate_within(path, offset + problem.span.start)
            raise InputError(problem.message, location=where, hint=problem.hint) from None
        for name in names:
            if name in self._places and name not in hidden:
                self.unread.pop(self._places[name], None)
