"""The `ledger` of a domain: the kinds of paths, their records, and the types of their keys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ledger_verify.lang.environment import KEY, LedgerPattern
from ledger_verify.lang.errors import InputError, near_match
from ledger_verify.lang.types import (
    STRING,
    BoolType,
    IntType,
    NumberType,
    RecordType,
    StringType,
    TimestampType,
    Type,
    join,
    strip_null,
)
from ledger_verify.policy.documents import PathDocument
from ledger_verify.policy.tools import Observation
from ledger_verify.policy.type_notation import TypeReader
from ledger_verify.policy.yaml_file import DataPath, YamlFile

_KEY_TYPES = StringType | IntType | NumberType | BoolType | TimestampType
_PATH_KEYS = frozenset(PathDocument.model_fields)
_SEGMENT = re.compile(r"\*|[A-Za-z_][A-Za-z0-9_]*")


def read_patterns(
    ledger: Mapping[str, Any], types: TypeReader, file: YamlFile
) -> dict[str, LedgerPattern]:
    """The patterns with their records, keys typed as strings for now; raises `InputError`."""
    patterns: dict[str, LedgerPattern] = {}
    for text, notation in ledger.items():
        path: DataPath = ("ledger", text)
        segments = text.split(".")
        if not all(map(_SEGMENT.fullmatch, segments)) or segments[0] == KEY:
            problem = f"`{text}` is not a path such as `user` or `reservations.*`"
            raise InputError(problem, location=file.locate_key(path))
        for other in patterns.values():
            if _overlap(segments, list(other.segments)):
                problem = f"`{text}` and `{other.text}` can name the same place"
                raise InputError(problem, location=file.locate_key(path))
        patterns[text] = _pattern(text, segments, notation, types, file)
    return patterns


def _pattern(
    text: str, segments: list[str], notation: Any, types: TypeReader, file: YamlFile
) -> LedgerPattern:
    path: DataPath = ("ledger", text)
    count = segments.count(KEY)
    plain = LedgerPattern(text, (STRING,) * count, STRING, (None,) * count)
    if not is_path_document(notation):
        return replace(plain, record=types.read(notation, text, path))
    for name in notation:
        if name not in _PATH_KEYS:
            hint = near_match(str(name), _PATH_KEYS)
            where = file.locate_key((*path, name))
            raise InputError(f"unknown key `{name}`", location=where, hint=hint)
    if "record" not in notation:
        raise InputError("missing key `record`", location=file.locate_key(path))
    record = types.read(notation["record"], text, (*path, "record"))
    keyed = replace(plain, record=record)
    given = notation.get("key")
    if given is None:
        return keyed
    fields = _KeyFields(keyed, file, (*path, "key"))
    if count == 0:
        return replace(keyed, identity=fields.identity(given))
    named = fields.of_keys(given)
    keys = tuple(STRING if name is None else fields.type_of(name) for name in named)
    return replace(keyed, keys=keys, key_fields=named)


def is_path_document(notation: Any) -> bool:
    """Whether the entry of a path says more than the type of its records."""
    return isinstance(notation, Mapping) and bool(_PATH_KEYS & set(notation))


@dataclass(frozen=True)
class _KeyFields:
    """The fields that the `key` of a pattern names, which stands at `path` of the file."""

    pattern: LedgerPattern
    file: YamlFile
    path: DataPath

    def identity(self, given: Any) -> str:
        if not isinstance(given, str):
            problem = f"`{self.pattern.text}` has no `*`, so its `key` is the name of one field"
            raise self.file.error(problem, self.path)
        self.type_of(given, self.path)
        return given

    def of_keys(self, given: Any) -> tuple[str | None, ...]:
        count = len(self.pattern.keys)
        named = given if isinstance(given, list) else [given]
        if not all(name is None or isinstance(name, str) for name in named):
            raise self.file.error("`key` names fields, or null for a key that none repeats",
                                  self.path)  # fmt: skip
        if len(named) != count:
            keys = "1 key" if count == 1 else f"{count} keys"
            problem = f"`{self.pattern.text}` has {keys}, and `key` is about {len(named)}"
            hint = "give a list with a field, or null, for each `*`"
            raise self.file.error(problem, self.path, hint=hint)
        for index, name in enumerate(named):
            place = (*self.path, index) if isinstance(given, list) else self.path
            if name is not None and name in named[:index]:
                raise self.file.error(f"`{name}` is named twice", place)
            if name is not None:
                self.type_of(name, place)
        return tuple(named)

    def type_of(self, name: str, place: DataPath | None = None) -> Type:
        """The type of a field that may be a key; raises `InputError`."""
        record = strip_null(self.pattern.record)
        where = self.path if place is None else place
        if not isinstance(record, RecordType):
            raise self.file.error(f"{record} has no fields, so none can be the key", where)
        if name not in record.by_name:
            hint = near_match(name, record.by_name)
            raise self.file.error(f"`{record}` has no field `{name}`", where, hint=hint)
        type_ = strip_null(record.by_name[name].type)
        if not isinstance(type_, _KEY_TYPES):
            raise self.file.error(f"`{name}` is {type_}, which cannot be a key", where)
        return type_


def _overlap(left: list[str], right: list[str]) -> bool:
    """Whether some path fits both, or a path of one lies inside a record of the other."""
    return all(a == b or KEY in (a, b) for a, b in zip(left, right, strict=False))


def with_key_types(
    patterns: Mapping[str, LedgerPattern],
    observed: Mapping[str, tuple[Observation, ...]],
    file: YamlFile,
) -> dict[str, LedgerPattern]:
    """The patterns with the key types that the tools give them, which must agree."""
    typed = dict(patterns)
    first: dict[str, str] = {}
    for tool, observations in observed.items():
        for observation in observations:
            pattern = typed[observation.pattern]
            found = tuple(strip_null(key.type) for key in observation.keys)
            path = ("tools", tool, "observes")
            for type_ in found:
                if not isinstance(type_, _KEY_TYPES):
                    raise file.error(f"`{pattern.text}` cannot be keyed by {type_}", path)
            for type_, name in zip(found, pattern.key_fields, strict=True):
                if name is not None:
                    _check_key(pattern, name, type_, tool, file)
            if pattern.text not in first:
                typed[pattern.text] = replace(pattern, keys=found)
                first[pattern.text] = tool
                continue
            joined = [join(a, b) for a, b in zip(found, pattern.keys, strict=True)]
            if None in joined:
                raise file.error(
                    f"`{tool}` keys `{pattern.text}` by ({', '.join(map(str, found))}), "
                    f"`{first[pattern.text]}` by ({', '.join(map(str, pattern.keys))})",
                    path,
                )
            typed[pattern.text] = replace(pattern, keys=tuple(t for t in joined if t is not None))
    return {text: _with_bounds(pattern) for text, pattern in typed.items()}


def _check_key(pattern: LedgerPattern, name: str, found: Type, tool: str, file: YamlFile) -> None:
    """A field repeats a key only if every key can be a value of it."""
    record = strip_null(pattern.record)
    assert isinstance(record, RecordType)
    own = strip_null(record.by_name[name].type)
    widened = isinstance(found, IntType) and isinstance(own, NumberType)
    if type(found) is not type(own) and not widened:
        raise file.error(
            f"`{tool}` keys `{pattern.text}` by {found}, and its key `{name}` is {own}",
            ("ledger", pattern.text, "key"),
        )


def _with_bounds(pattern: LedgerPattern) -> LedgerPattern:
    """The pattern with keys bounded like the fields that repeat them."""
    record = strip_null(pattern.record)
    keys = list(pattern.keys)
    for index, name in enumerate(pattern.key_fields):
        if name is not None and isinstance(record, RecordType):
            own = strip_null(record.by_name[name].type)
            same_kind = type(own) is type(keys[index]) and not isinstance(own, TimestampType)
            keys[index] = own if same_kind else keys[index]
    return replace(pattern, keys=tuple(keys))
