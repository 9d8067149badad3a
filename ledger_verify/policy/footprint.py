"""Which fields of records expressions read and tools change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ledger_verify.lang.errors import TypeProblem
from ledger_verify.lang.typed import (
    Expr,
    FieldOf,
    HasField,
    Observed,
    Read,
    Records,
    Variable,
    distinct,
    parts,
)
from ledger_verify.policy.rules import Assumption
from ledger_verify.policy.tools import Effect, Touch

Field = tuple[str, str]
"""A pattern and a field of its records; the empty field stands for all of the record."""


def fields_read(expr: Expr, bound: Mapping[str, str] | None = None) -> frozenset[Field]:
    """The fields that the expression reads; `bound` has the patterns of variables."""
    patterns = bound or {}
    found: set[Field] = set()

    def note(part: Expr, field: str) -> None:
        match part:
            case Read(pattern=pattern) | Records(pattern=pattern):
                found.add((pattern, field))
            case Variable(name=name) if name in patterns:
                found.add((patterns[name], field))

    note(expr, "")
    for node in distinct(expr):
        field = node.field_name if isinstance(node, FieldOf | HasField) else ""
        for part in parts(node):
            note(part, field)
    return frozenset(found)


def fields_of(statement: Assumption) -> frozenset[Field]:
    """The fields that a statement about records reads."""
    variable, pattern = statement.variable, statement.pattern
    if variable is None or pattern is None:
        return fields_read(statement.body)
    return fields_read(statement.body, {variable.name: pattern})


def histories_read(expr: Expr) -> frozenset[str]:
    """The tools whose earlier calls the expression reads; an empty name for a bare `history`."""
    return frozenset(
        part.name.partition(".")[2]
        for part in distinct(expr)
        if isinstance(part, Variable) and part.is_history
    )


def about_observation(expr: Expr) -> TypeProblem | None:
    """The error for an expression that depends on what the agent has observed, if it does."""
    for part in distinct(expr):
        if isinstance(part, Observed | Records):
            told = "`observed(...)`" if isinstance(part, Observed) else "a list of observed records"
            return TypeProblem(
                f"{told} tells what the agent has read; this is about the records as they are",
                part.span,
            )
    return None


def field_changed(change: Effect | Touch) -> Field:
    """The field that an effect or a touch changes."""
    first = change.within[0] if change.within else ""
    return change.pattern, first if isinstance(first, str) else ""


def overlap(left: Iterable[Field], right: Iterable[Field]) -> bool:
    """Whether some field is, or lies in, one of both."""
    others = set(right)
    return any(
        pattern == other and (field in ("", name) or name == "")
        for pattern, field in left
        for other, name in others
    )


def within(fields: Iterable[Field], known: frozenset[Field]) -> bool:
    """Whether all fields are among the known ones."""
    return all(field in known or (field[0], "") in known for field in fields)
