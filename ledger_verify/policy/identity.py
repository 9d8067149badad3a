"""With whom a conversation is: reads that `identifies` the user, and whose record one is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ledger_verify.lang.environment import LedgerPattern
from ledger_verify.lang.errors import near_match
from ledger_verify.lang.typed import FieldOf, Variable
from ledger_verify.lang.types import IntType, RecordType, StringType, Type, strip_null
from ledger_verify.policy.tools import Observation, Tool
from ledger_verify.policy.yaml_file import YamlFile


def identified_by(
    tool: str,
    path: str | None,
    observes: Sequence[Observation],
    patterns: Mapping[str, LedgerPattern],
    file: YamlFile,
) -> str | None:
    """The pattern that a read identifies the user by; raises `InputError` with the place."""
    if path is None:
        return None
    place = ("tools", tool, "identifies")
    observed = [observation.pattern for observation in observes]
    if path not in observed:
        hint = near_match(path, observed) or (
            f"it observes {_listed(observed)}" if observed else None
        )
        raise file.error(f"`{tool}` does not observe `{path}`", place, hint=hint)
    pattern = patterns[path]
    if pattern.keys:
        problem = f"`{path}` can hold many records: only a path without keys says with whom it is"
        raise file.error(problem, place)
    record = strip_null(pattern.record)
    if isinstance(record, StringType | IntType):
        return path
    if not isinstance(record, RecordType) or pattern.identity is None:
        raise file.error(
            f"nothing says which field of `{path}` tells whose record it is",
            place,
            hint=f"write `{path}: {{record: {record}, key: FIELD}}` in `ledger`",
        )
    return path


def identity_of(pattern: LedgerPattern, value: Any) -> Any:
    """Whose record the value is, or None where it does not say."""
    return value.get(pattern.identity) if isinstance(value, dict) else value


def _listed(paths: Sequence[str]) -> str:
    return ", ".join(f"`{path}`" for path in paths)


def identity_type(pattern: LedgerPattern) -> Type:
    """The type of what tells whose record the one at the path is."""
    record = strip_null(pattern.record)
    if isinstance(record, RecordType) and pattern.identity is not None:
        return record.by_name[pattern.identity].type
    return record


def key_argument(tool: Tool, pattern: LedgerPattern) -> str | None:
    """The argument of an identifying read that says whose record to show, if one does."""
    if pattern.identity is None:
        return None
    for observation in tool.observes:
        for name, value in observation.additions:
            match value:
                case FieldOf(of=Variable(name="args"), field_name=argument):
                    if observation.pattern == pattern.text and name == pattern.identity:
                        return argument
    return pattern.identity if pattern.identity in tool.arguments.by_name else None
