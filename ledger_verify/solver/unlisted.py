"""Records that do not exist, since a read that shows all did not show them, in completions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ledger_verify.lang.types import FieldType, RecordType
from ledger_verify.policy.evidence import Statement
from ledger_verify.policy.tools import Observation
from ledger_verify.solver.logic import Bool, conjoin, disjoin, negate, same
from ledger_verify.solver.merging import merge
from ledger_verify.solver.shapes import NOTHING, Known, RecordShape, Sym, known

if TYPE_CHECKING:
    from ledger_verify.solver.worlds import LedgerWorld, ObservedLedger


def gone(world: LedgerWorld, statements: Iterable[Statement]) -> Bool:
    """Whether a record does not exist by what is stated of it."""
    return disjoin(
        world.encoder.holds(s.scope, {name: known(value) for name, value in s.names.items()})
        for s in statements
    )


def unlisted(
    world: LedgerWorld,
    evidence: ObservedLedger,
    pattern: str,
    keys: tuple[Sym, ...],
    missing: Sym,
) -> Sym:
    """The record at keys that are symbols, if none was observed there: `missing`, or nothing."""
    type_ = world.domain.ledger[pattern].record
    for listing in evidence.listings(pattern):
        bound = {
            "args": known(listing.arguments),
            "item": _item(world, pattern, listing.observation, keys),
        }
        parts = [
            within(world, pattern, keys, listing.keys),
            *(negate(within(world, pattern, keys, mask)) for mask in listing.since),
            world.encoder.holds(listing.scope, bound),
        ]
        missing = merge(world.symbols, conjoin(parts), NOTHING, missing, type_)
    return missing


def _item(
    world: LedgerWorld, pattern: str, observation: Observation | None, keys: tuple[Sym, ...]
) -> Sym:
    """What is known of the record: those of its fields that are keys."""
    named: dict[str, Sym] = {}
    fields: list[tuple[str, FieldType]] = []
    if observation is not None:
        for index, type_ in enumerate(world.domain.ledger[pattern].keys):
            name = observation.field_of_key(index)
            if name is not None:
                named[name] = keys[index]
                fields.append((name, FieldType(type_)))
    shape = RecordType("keys of a record", tuple(fields))
    return Sym(RecordShape(shape, lambda name: (True, named[name])))


def within(
    world: LedgerWorld, pattern: str, keys: tuple[Sym, ...], mask: tuple[Any | None, ...]
) -> Bool:
    """Whether the record is the one at the plain keys, or one of those, where some are None."""
    types = world.domain.ledger[pattern].keys
    return conjoin(
        key.shape.value == value
        if isinstance(key.shape, Known)
        else same(world.symbols.term(key, type_), world.symbols.literal(value, type_))
        for key, value, type_ in zip(keys, mask, types, strict=True)
        if value is not None
    )
