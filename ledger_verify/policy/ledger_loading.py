"""The `ledger` of a domain: the kinds of paths, their records, and the types of their keys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ledger_verify.lang.environment import KEY, LedgerPattern
from ledger_verify.lang.errors import InputError, near_match
from ledger_verify.lang.types import (
    STRING,
    BoolType,
    IntType,
    NumberType,
    StringType,
    TimestampType,
    Type,
    join,
    strip_null,
)
from ledger_verify.policy.tools import Observation
from ledger_verify.policy.type_notation import TypeReader
from ledger_verify.policy.yaml_file import DataPath, YamlFile

_KEY_TYPES = StringType | IntType | NumberType | BoolType | TimestampType
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
        keys: tuple[Type, ...] = tuple(STRING for segment in segments if segment == KEY)
        identity = None
        if isinstance(notation, Mapping) and "record" in notation:
            unknown = [key for key in notation if key not in ("record", "key")]
            if unknown:
                hint = near_match(unknown[0], ("record", "key"))
                where = file.locate_key((*path, unknown[0]))
                raise InputError(f"unknown key `{unknown[0]}`", location=where, hint=hint)
            record = types.read(notation["record"], text, (*path, "record"))
            identity = notation.get("key")
        else:
            record = types.read(notation, text, path)
        patterns[text] = LedgerPattern(text, keys, record, identity)
    return patterns


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
    return typed
