"""Paths of the ledger as they are written: from `ledger` down to a record."""

from __future__ import annotations

from dataclasses import dataclass

from ledger_verify.lang.environment import KEY, Environment, LedgerPattern
from ledger_verify.lang.errors import Span, TypeProblem, near_match
from ledger_verify.lang.syntax import Name, Node, Select
from ledger_verify.lang.typed import Constant, Expr, Read
from ledger_verify.lang.types import STRING, join, strip_null


@dataclass(frozen=True)
class LedgerPath:
    """A path that is written out in part: its segments so far, keys as expressions."""

    segments: tuple[str, ...]
    keys: tuple[Expr, ...]
    span: Span


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


def pattern_hint(path: LedgerPath, environment: Environment) -> str:
    """Where the records are below a path that leads to none."""
    below = [
        pattern.text
        for pattern in environment.ledger.values()
        if pattern.segments[: len(path.segments)] == path.segments
    ]
    return f"records are at {', '.join(f'`ledger.{text}`' for text in sorted(below))}"
