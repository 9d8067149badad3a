"""Where an expression stands in the files of a domain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ledger_verify.lang.errors import Location, Span, TextPlace
from ledger_verify.policy.yaml_file import DataPath, YamlFile


@dataclass(frozen=True)
class Region:
    """A stretch of a file, from `start` up to but not including `end`."""

    start: Location
    end: Location


def region(span: Span, files: Iterable[YamlFile]) -> Region | None:
    """The region of an expression's span; None where its text is in none of the files."""
    found = _found(span, files)
    if found is None:
        return None
    file, place = found
    first, end = place.offset + span.start, place.offset + span.end
    return _stretch(file, place.path, first, end, is_key=place.is_key)


def source_text(span: Span, files: Iterable[YamlFile]) -> str | None:
    """The text of an expression's span as its author wrote it, white space made one; None where it
    is in none of the files.
    """
    found = _found(span, files)
    if found is None:
        return None
    file, place = found
    text = str(place.path[-1]) if place.is_key else str(file.at(place.path))
    return " ".join(text[place.offset + span.start : place.offset + span.end].split())


def key_region(file: YamlFile, path: DataPath) -> Region:
    """The region of the key at the end of `path`."""
    return _stretch(file, path, 0, len(str(path[-1])), is_key=True)


def value_region(file: YamlFile, path: DataPath) -> Region:
    """The region of the string at `path`."""
    return _stretch(file, path, 0, len(str(file.at(path))), is_key=False)


def use_region(file: YamlFile, rule: Location) -> Region | None:
    """The region of the template's name in the rule that stands at a place of the policy; None
    where no rule that uses a template stands there.
    """
    for index, entry in enumerate(file.data.get("rules") or ()):
        path = ("rules", index)
        if "use" in entry and file.locate(path) == rule:
            return value_region(file, (*path, "use"))
    return None


def assumption_region(file: YamlFile, assumption: Location) -> Region:
    """The region of the assumption that stands at a place of the policy."""
    for index in range(len(file.data.get("assumptions") or ())):
        path = ("assumptions", index)
        if file.locate(path) == assumption:
            return value_region(file, path)
    return Region(assumption, assumption)


def _found(span: Span, files: Iterable[YamlFile]) -> tuple[YamlFile, TextPlace] | None:
    place = span.place
    if place is None:
        return None
    return next(((file, place) for file in files if file.name == place.file), None)


def _stretch(file: YamlFile, path: DataPath, first: int, end: int, *, is_key: bool) -> Region:
    """From the character at `first` of a string, or of a key, to that before `end`."""
    start = file.locate_within(path, first, is_key=is_key)
    return Region(start, file.locate_after(path, end, is_key=is_key))


def stands_in(span: Span, files: Iterable[YamlFile]) -> bool:
    """Whether an expression's text is in one of the files."""
    place = span.place
    return place is not None and any(file.name == place.file for file in files)
