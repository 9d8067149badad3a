"""Where an expression stands in the files of a domain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ledger_verify.lang.errors import Location, Span
from ledger_verify.policy.yaml_file import YamlFile


@dataclass(frozen=True)
class Region:
    """A stretch of a file, from `start` up to but not including `end`."""

    start: Location
    end: Location


def region(span: Span, files: Iterable[YamlFile]) -> Region | None:
    """The region of an expression's span; None where its text is in none of the files."""
    place = span.place
    if place is None:
        return None
    for file in files:
        if file.name == place.file:
            start = file.locate_within(place.path, place.offset + span.start, is_key=place.is_key)
            last = file.locate_within(
                place.path, place.offset + max(span.start, span.end - 1), is_key=place.is_key
            )
            return Region(start, Location(last.file, last.line, last.column + 1))
    return None


def stands_in(span: Span, files: Iterable[YamlFile]) -> bool:
    """Whether an expression's text is in one of the files."""
    place = span.place
    return place is not None and any(file.name == place.file for file in files)


def written(span: Span, files: Iterable[YamlFile]) -> str:
    """The text of an expression as it is written; empty where it is in none of the files."""
    place = span.place
    for file in files:
        if place is not None and file.name == place.file:
            value = file.data
            for step in place.path[:-1] if place.is_key else place.path:
                value = value[step]
            text = str(place.path[-1]) if place.is_key else str(value)
            return text[place.offset + span.start : place.offset + span.end]
    return ""
