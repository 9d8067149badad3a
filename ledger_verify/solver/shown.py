"""The texts that the evidence shows where rules look: what a repaired text may be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from ledger_verify.lang.typed import Expr
from ledger_verify.policy.footprint import fields_read
from ledger_verify.solver.situation import Situation


def texts_read(situation: Situation, predicates: Sequence[Expr]) -> list[str]:
    """The texts in the fields of records that the predicates read, without stale ones, in order.

    What no rule reads cannot be what a rule demands.
    """
    read: dict[str, set[str]] = defaultdict(set)
    for predicate in predicates:
        for pattern, field in fields_read(predicate):
            read[pattern].add(field)
    deadline, found = situation.limits.deadline, dict[str, None]()
    for pattern, keys, _ in situation.ledger.records():
        if pattern in read:
            deadline.check()
            _note(_parts(situation.ledger.lookup(pattern, keys), read[pattern]), found)
    return list(found)


def _parts(record: Any, fields: set[str]) -> Any:
    """What is read of a record: all of it where that is not told by fields."""
    if "" in fields or not isinstance(record, dict):
        return record
    return tuple(value for name, value in record.items() if name in fields)


def _note(value: Any, found: dict[str, None]) -> None:
    pending = [value]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            found[value] = None
        elif isinstance(value, dict):
            pending += [*value.values(), *value][::-1]
        elif isinstance(value, tuple):
            pending += value[::-1]
