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
            where = place.offset + span.start, place.offset + span.end
            start = file.locate_within(place.path, where[0], is_key=place.is_key)
            end = file.locate_after(place.path, where[1], is_key=place.is_key)
            return Region(start, end)
    return None
