"""Results that are prose: declared patterns, and the records in the texts that match them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ledger_verify.lang import regex
from ledger_verify.lang.errors import InputError
from ledger_verify.lang.regex import Regex
from ledger_verify.policy.documents import TextDocument
from ledger_verify.policy.yaml_file import DataPath, YamlFile
from ledger_verify.schema.coerce import Misfit, unicode_text


@dataclass(frozen=True)
class TextShape:
    """What a text must look like to be read.

    `whole` matches all of the text. With `each`, every match of it in the text is a record, and
    the groups of `whole` belong to all of them; from the first match on there is nothing else.
    `nothing` are texts that say that there is none.
    """

    whole: Regex
    each: Regex | None = None
    nothing: tuple[Regex, ...] = ()

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups, which are the fields of the records."""
        return (*self.whole.names, *(self.each.names if self.each else ()))

    def read(self, text: Any) -> list[dict[str, str]]:
        """The records in the text, groups that took no part left out; none for `nothing`.

        Raises `Misfit` for any other text, so that prose is never half observed.
        """
        if not isinstance(text, str):
            raise Misfit("text of the declared form", text)
        text = unicode_text(text)
        if any(pattern.whole(text) for pattern in self.nothing):
            return []
        match = self.whole.whole(text)
        if match is None:
            raise Misfit("text of the declared form", text)
        if self.each is None:
            return [match.groups]
        matches = list(self.each.each(text))
        ends = [*(found.start for found in matches[1:]), len(text)]
        for found, end in zip(matches, ends, strict=True):
            if text[found.end : end].strip():
                raise Misfit("nothing but records of the declared form, one behind another", text)
        return [{**match.groups, **found.groups} for found in matches]


def load_text_shape(document: TextDocument, file: YamlFile, path: DataPath) -> TextShape:
    """The shape that a document describes; raises `InputError` with the place."""

    def compiled(pattern: str, *below: str | int) -> Regex:
        try:
            return regex.compiled(pattern)
        except ValueError as problem:
            raise file.error(str(problem), (*path, *below)) from None

    shape = TextShape(
        compiled(document.whole, "whole"),
        None if document.each is None else compiled(document.each, "each"),
        tuple(compiled(text, "nothing", i) for i, text in enumerate(document.nothing)),
    )
    twice = [name for name in shape.groups if shape.groups.count(name) > 1]
    if twice:
        raise InputError(
            f"group `{twice[0]}` is in `whole` and in `each`", location=file.locate(path)
        )
    return shape
