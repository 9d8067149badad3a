"""Expressions in files: checked in their scope, with their errors placed in the file."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ledger_verify.lang.check import check_predicate, check_text
from ledger_verify.lang.environment import Environment
from ledger_verify.lang.errors import ExpressionError, InputError, Span, TextPlace
from ledger_verify.lang.typed import Expr
from ledger_verify.policy.interpolate import Hole, split
from ledger_verify.policy.yaml_file import DataPath, YamlFile


@dataclass(frozen=True)
class Place:
    """A place in a file, with the scope of the expressions there.

    With `is_key` the text stands there as a key. All methods raise `InputError` with file, line
    and column of what is wrong within the text.
    """

    file: YamlFile
    path: DataPath
    scope: Environment
    is_key: bool = False

    def below(self, key: str | int) -> Place:
        """The place of a part of what is here."""
        return replace(self, path=(*self.path, key), is_key=False)

    def within(self, scope: Environment) -> Place:
        """The same place with another scope."""
        return replace(self, scope=scope)

    def text_place(self, offset: int = 0) -> TextPlace:
        """The place for the spans of an expression that starts at `offset` of what is here."""
        return TextPlace(self.file.name, self.path, offset, self.is_key)

    def predicate(self, text: str) -> Expr:
        """An expression that is a bool."""
        try:
            return check_predicate(text, self.scope, self.text_place())
        except ExpressionError as problem:
            raise self._placed(problem, 0) from None

    def expression(self, text: str) -> Expr:
        """An expression of any type."""
        return self.hole(Hole(text, 0))

    def hole(self, hole: Hole) -> Expr:
        """The expression in one hole of the text that stands here."""
        try:
            return check_text(hole.text, self.scope, self.text_place(hole.offset))
        except ExpressionError as problem:
            raise self._placed(problem, hole.offset) from None

    def pieces(self, text: str) -> tuple[str | Hole, ...]:
        """Literal pieces and holes."""
        try:
            return split(text)
        except ExpressionError as problem:
            raise self._placed(problem, 0) from None

    def message(self, text: str) -> tuple[str | Expr, ...]:
        """Literal pieces and expressions, each of which spans its hole."""
        return tuple(
            piece if isinstance(piece, str) else self._whole(piece) for piece in self.pieces(text)
        )

    def _whole(self, hole: Hole) -> Expr:
        start = len(hole.text) - len(hole.text.lstrip())
        span = Span(start, len(hole.text.rstrip()), self.text_place(hole.offset))
        return replace(self.hole(hole), span=span)

    def error(self, message: str, *, hint: str | None = None) -> InputError:
        """An error about all that stands here."""
        locate = self.file.locate_key if self.is_key else self.file.locate
        return InputError(message, location=locate(self.path), hint=hint)

    def _placed(self, problem: ExpressionError, offset: int) -> InputError:
        return self.file.place(problem, self.path, offset, is_key=self.is_key)
