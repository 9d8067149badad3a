"""What a touch makes stale, and which observations can no longer be made because of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ledger_verify.checks.evidence.uses import Fields
from ledger_verify.lang.typed import (
    And,
    Apply,
    Choose,
    Constant,
    Expr,
    FieldOf,
    HasField,
    Observed,
    Or,
    Read,
    parts,
)
from ledger_verify.lang.types import RecordType, strip_null
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Observation, Touch

_EITHER = frozenset({True, False})
_NEITHER: frozenset[bool] = frozenset()


def touched_part(domain: Domain, touch: Touch) -> Fields:
    """The field of the record that a touch makes stale, in whole or in part; None for all of it."""
    record = strip_null(domain.ledger[touch.pattern].record)
    if not touch.within or not isinstance(record, RecordType):
        return None
    assert isinstance(touch.within[0], str)
    return frozenset({touch.within[0]})


@dataclass(frozen=True)
class Aftermath:
    """A ledger in which every record that `touches` may name was read, and is stale since.

    It tells which truth a condition of an observation can still have there.
    """

    domain: Domain
    touches: tuple[Touch, ...]

    def stale(self) -> Mapping[str, Fields]:
        """By path the fields that are stale, None for all."""
        found: dict[str, Fields] = {}
        for touch in self.touches:
            part, known = touched_part(self.domain, touch), found.get(touch.pattern, frozenset())
            found[touch.pattern] = None if part is None or known is None else part | known
        return found

    def bars(self, observation: Observation) -> bool:
        """Whether the observation's `when` is never true of a record that is stale now."""
        return observation.when is not None and True not in self._truths(
            observation.when, observation
        )

    def _truths(self, expr: Expr, observation: Observation) -> frozenset[bool]:
        """TRUE, FALSE, both or (while it depends on what is stale) neither."""
        match expr:
            case Constant(value=bool() as value):
                return frozenset({value})
            case And(operands=operands):
                return _all(self._truths(operand, observation) for operand in operands)
            case Or(operands=operands):
                return _negated(
                    _all(_negated(self._truths(part, observation)) for part in operands)
                )
            case Apply(operation="not", operands=(operand,)):
                return _negated(self._truths(operand, observation))
            case Observed(read=read, field_name=name):
                return self._observed(read, name, observation)
            case Choose():
                return _EITHER
        return _NEITHER if self._depends_on_stale(expr, observation) else _EITHER

    def _observed(self, read: Read, name: str | None, observation: Observation) -> frozenset[bool]:
        """Whether the record, or its field, still counts as observed."""
        if not self._is_it(read, observation):
            return _EITHER
        part = self.stale()[read.pattern]
        if part is None or name in part:
            return frozenset({False})
        return frozenset({True})

    def _depends_on_stale(self, expr: Expr, observation: Observation) -> bool:
        """Whether a strict operation takes a value that is surely stale."""
        match expr:
            case (
                FieldOf(of=Read() as read, field_name=name)
                | HasField(of=Read() as read, field_name=name)
            ):
                return self._is_it(read, observation) and self._is_lost(read.pattern, name)
            case Read():
                return self._is_it(expr, observation) and self._is_lost(expr.pattern, None)
            case Apply() | FieldOf() | HasField():
                return any(self._depends_on_stale(part, observation) for part in parts(expr))
        return False

    def _is_it(self, read: Read, observation: Observation) -> bool:
        """Whether the read is surely of a touched record: of the one that is to be observed again,
        or of the only one that its path has.
        """
        touched = any(touch.pattern == read.pattern for touch in self.touches)
        again = read.pattern == observation.pattern and read.keys == observation.keys
        return touched and (again or not read.keys)

    def _is_lost(self, pattern: str, name: str | None) -> bool:
        """Whether all of the record, or of its field, is stale."""
        return any(
            touch.pattern == pattern and (not touch.within or touch.within == (name,))
            for touch in self.touches
        )


def _all(operands: Iterator[frozenset[bool]]) -> frozenset[bool]:
    """The truths of a conjunction: one operand can make it FALSE, all must make it TRUE."""
    found = list(operands)
    truths = {False} if any(False in truths for truths in found) else set()
    if all(True in truths for truths in found):
        truths.add(True)
    return frozenset(truths)


def _negated(truths: frozenset[bool]) -> frozenset[bool]:
    return frozenset(not truth for truth in truths)
