"""Canonical paths as text: `reservations.UX789`, `flights.HAT001.2024-05-20`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ledger_verify.lang.environment import KEY, LedgerPattern
from ledger_verify.lang.errors import InputError, nearest
from ledger_verify.lang.types import (
    BoolType,
    IntType,
    MapType,
    NumberType,
    RecordType,
    Type,
    strip_null,
)
from ledger_verify.policy.domain import Domain
from ledger_verify.schema.coerce import Misfit, coercer
from ledger_verify.schema.render import to_json
from ledger_verify.source.json_file import parse_value


def path_text(
    domain: Domain, pattern: str, keys: tuple[Any, ...], within: tuple[str, ...] = ()
) -> str:
    """The canonical path of a record; unknown keys show as `*`.

    A key that holds a dot, a quote or nothing is written as a JSON string.
    """
    spec = domain.ledger[pattern]
    shown = [_key_text(key, type_, domain) for key, type_ in zip(keys, spec.keys, strict=True)]
    segments = iter(shown)
    parts = [next(segments) if segment == KEY else segment for segment in spec.segments]
    return ".".join([*parts, *map(segment_text, within)])


def _key_text(key: Any, type_: Type, domain: Domain) -> str:
    if key is None:
        return KEY
    plain = to_json(key, type_, domain.zone)
    return segment_text(plain if isinstance(plain, str) else str(plain).lower())


def segment_text(text: str) -> str:
    """A segment of a path, as a JSON string where it would be misread otherwise."""
    plain = text and text != KEY and not any(c in '."' or not c.isprintable() for c in text)
    return text if plain else json.dumps(text, ensure_ascii=not text.isprintable())


def split_path(path: str) -> list[str]:
    """The segments of a canonical path; raises `InputError` for an open quote."""
    segments, position = [], 0
    decoder = json.JSONDecoder()
    while position <= len(path):
        if path[position : position + 1] == '"':
            try:
                text, end = decoder.raw_decode(path, position)
            except ValueError:
                raise InputError(f"`{path}`: a quoted key is not closed") from None
        else:
            end = path.find(".", position)
            end = len(path) if end < 0 else end
            text = path[position:end]
        segments.append(text)
        if end < len(path) and path[end] != ".":
            raise InputError(f"`{path}`: expected `.` at character {end + 1}")
        position = end + 1
    return segments


def parse_path(path: str, domain: Domain) -> tuple[str, tuple[Any, ...]]:
    """The pattern and keys of a record's path; raises `InputError` with a near match."""
    segments = split_path(path)
    for spec in domain.ledger.values():
        if len(spec.segments) == len(segments) and all(
            want in (KEY, have) for have, want in zip(segments, spec.segments, strict=True)
        ):
            texts = [h for h, want in zip(segments, spec.segments, strict=True) if want == KEY]
            return spec.text, typed_keys(path, texts, spec, domain)
    raise InputError(f"`{path}` is not a path of the ledger", hint=_path_hint(segments, domain))


def parse_place(path: str, domain: Domain) -> tuple[str, tuple[Any, ...], tuple[str, ...]]:
    """The pattern and keys of a record's path and the steps to a part of it, as it may be touched.

    The steps lead through fields of objects and entries of maps. Raises `InputError`.
    """
    segments = split_path(path)
    for spec in sorted(domain.ledger.values(), key=lambda spec: -len(spec.segments)):
        size = len(spec.segments)
        begun = size <= len(segments) and all(
            want in (KEY, have) for have, want in zip(segments, spec.segments, strict=False)
        )
        if begun and _leads_inside(spec.record, segments[size:]):
            texts = [h for h, w in zip(segments, spec.segments, strict=False) if w == KEY]
            return spec.text, typed_keys(path, texts, spec, domain), tuple(segments[size:])
    raise InputError(
        f"`{path}` is neither a path of the ledger nor of a part of a record",
        hint=_path_hint(segments, domain),
    )


def _leads_inside(type_: Type, steps: Sequence[str]) -> bool:
    """Whether the steps lead to a part of a record of the type."""
    for step in steps:
        match strip_null(type_):
            case RecordType(by_name=fields) if step in fields:
                type_ = fields[step].type
            case MapType(value=value):
                type_ = value
            case _:
                return False
    return True


def _path_hint(segments: Sequence[str], domain: Domain) -> str:
    """What to write instead of a path that is none."""
    specs = domain.ledger.values()
    begun = [spec.text for spec in specs if spec.segments[0] == segments[0]]
    if begun:
        return "write " + " or ".join(f"`{text.replace(KEY, 'KEY')}`" for text in begun)
    close = nearest(segments[0], [spec.segments[0] for spec in specs])
    shape = ", ".join(f"`{text}`" for text in domain.ledger)
    return f"did you mean `{close}`?" if close else f"paths of this domain: {shape}"


def leads_on(path: str, domain: Domain) -> bool:
    """Whether longer paths of the ledger begin so, and none ends there."""
    try:
        have = split_path(path)
    except InputError:
        return False
    lengths = {
        len(spec.segments)
        for spec in domain.ledger.values()
        if all(w in (KEY, h) for h, w in zip(have, spec.segments, strict=False))
    }
    return len(have) not in lengths and max(lengths, default=0) > len(have)


def typed_keys(
    path: str, texts: Sequence[str], spec: LedgerPattern, domain: Domain
) -> tuple[Any, ...]:
    """The keys of a record's path from their texts; raises `InputError`."""
    keys = []
    for text, type_ in zip(texts, spec.keys, strict=True):
        raw: Any = text
        if isinstance(type_, IntType | NumberType | BoolType):
            try:
                raw = parse_value(text)
            except ValueError:
                raw = text
        try:
            keys.append(coercer(type_, domain.zone)(raw))
        except Misfit as misfit:
            raise InputError(f"`{path}`: {misfit.message}") from None
    return tuple(keys)
