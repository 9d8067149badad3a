"""Paths of the ledger as they are written: from `ledger` down to a record."""

from __future__ import annotations

import json
from dataclasses import dataclass

from ledger_verify.lang.environment import KEY, Environment, LedgerPattern
from ledger_verify.lang.errors import Span, TypeProblem, near_match
from ledger_verify.lang.syntax import Name, Node, Select
from ledger_verify.lang.typed import Constant, Expr, Read
from ledger_verify.lang.types import STRING, RecordType, join, strip_null


@dataclass(frozen=True)
class LedgerPath:
    """A path that is written out in part: its segments so far, keys as expressions."""

    segments: tuple[str, ...]
    keys: tuple[Expr, ...]
    span: Span

    def __str__(self) -> str:
        keys = iter(self.keys)
        text = "ledger"
        for segment in self.segments:
            text += f"[{_key(next(keys))}]" if segment == KEY else f".{segment}"
        return text


def descend(
    path: LedgerPath, name: str | None, key: Expr | None, span: Span, environment: Environment
) -> Expr | LedgerPath:
    """One step down the ledger: by a name, or by a key in brackets; raises `TypeProblem`."""
    depth = len(path.segments)
    nexts = {
        pattern.segments[depth]
        for pattern in environment.ledger.values()
        if pattern.segments[:depth] == path.segments and len(pattern.segments) > depth
    }
    if name is None and isinstance(key, Constant) and key.value in nexts:
        name = key.value
    if name is not None and name in nexts:
        extended = LedgerPath((*path.segments, name), path.keys, span)
    elif KEY in nexts:
        if key is None and name is not None:
            _refuse_field(path, name, span, environment)
        key = Constant(name, STRING, span) if key is None else key
        extended = LedgerPath((*path.segments, KEY), (*path.keys, key), span)
    elif name is not None:
        shown = ".".join(("ledger", *path.segments))
        raise TypeProblem(
            f"`{shown}` has nothing named `{name}`", span, hint=near_match(name, nexts)
        )
    else:
        hint = near_match("", nexts)
        raise TypeProblem("the ledger has no keys at this place", span, hint=hint)
    pattern = environment.ledger.get(".".join(extended.segments))
    return extended if pattern is None else _read(pattern, extended)


def _read(pattern: LedgerPattern, path: LedgerPath) -> Read:
    for key, wanted in zip(path.keys, pattern.keys, strict=True):
        if join(strip_null(key.type), wanted) is None:
            raise TypeProblem(
                f"`{pattern.text}` is keyed by {wanted} here, not by {key.type}", key.span
            )
    return Read(pattern.text, path.keys, pattern.record, path.span)


def collection(node: Node | None, environment: Environment) -> LedgerPattern | None:
    """The pattern that is written out up to its keys, as in `ledger.reservations`; else None."""
    names: list[str] = []
    while isinstance(node, Select):
        names.append(node.field_name)
        node = node.of
    if not isinstance(node, Name) or node.name != "ledger" or "ledger" in environment.lets:
        return None
    prefix = tuple(reversed(names))
    for pattern in environment.ledger.values():
        if pattern.keys and pattern.segments == (*prefix, *(KEY,) * len(pattern.keys)):
            return pattern
    return None


def _refuse_field(path: LedgerPath, name: str, span: Span, environment: Environment) -> None:
    """Raise `TypeProblem` where a field's name stands in the place of a record's key."""
    for pattern in environment.ledger.values():
        if not _has_keys_only(pattern, path) or not isinstance(pattern.record, RecordType):
            continue
        if name in pattern.record.by_name:
            text = str(path)
            raise TypeProblem(
                f"`{text}.{name}` would be the record with the key `{name}`, not the field of "
                f"each `{pattern.record.name}`",
                span,
                hint=f'{_all_hint(path, name, environment)}; the key is `{text}["{name}"]`',
            )


def pattern_hint(path: LedgerPath, environment: Environment) -> str:
    """What to write for the records below a path that leads to none."""
    if any(_has_keys_only(p, path) for p in environment.ledger.values()):
        return _all_hint(path, None, environment)
    below = [
        pattern.text
        for pattern in environment.ledger.values()
        if pattern.segments[: len(path.segments)] == path.segments
    ]
    return f"records are at {', '.join(f'`ledger.{text}`' for text in sorted(below))}"


def _all_hint(path: LedgerPath, field: str | None, environment: Environment) -> str:
    """How one says something of all records with the path, or of one of them."""
    text = str(path)
    part = f".{field}" if field else ""
    if "args" not in environment.names and not path.keys:  # a statement about the world
        item = path.segments[-1][0].lower()
        return f"a statement about all of them is `{text}.all({item}, ...)` as a whole"
    keys = next(len(p.keys) for p in environment.ledger.values() if _has_keys_only(p, path))
    one = f"{text}{'[KEY]' * (keys - len(path.keys))}{part}"
    observed = "" if path.keys else f", all that were observed are `records({text})`"
    return f"one of them is `{one}`{observed}"


def _has_keys_only(pattern: LedgerPattern, path: LedgerPath) -> bool:
    """Whether nothing but keys lies between the path and records of the pattern."""
    depth, segments = len(path.segments), pattern.segments
    return segments[:depth] == path.segments and segments[depth:] == (KEY,) * (
        len(segments) - depth
    )


def _key(key: Expr) -> str:
    return json.dumps(key.value) if isinstance(key, Constant) else "KEY"
