"""Whether a value that a call assigns is one that the schema allows."""

from __future__ import annotations

from collections.abc import Sequence

import z3

from ledger_verify.lang.types import (
    BoolType,
    IntType,
    ListType,
    MapType,
    NullableType,
    NumberType,
    RecordType,
    StringType,
    TimestampType,
    Type,
    strip_null,
)
from ledger_verify.schema.relations import within
from ledger_verify.solver.bounds import scalar_bounds, text_bounds
from ledger_verify.solver.logic import Bool, Term, conjoin, disjoin, implies, negate, same
from ledger_verify.solver.merging import as_map
from ledger_verify.solver.shapes import Sym, as_list, as_record, known
from ledger_verify.solver.symbols import Symbols
from ledger_verify.solver.tails import decide_tail
from ledger_verify.solver.zones import DAY_US, zone_offsets


def fits(symbols: Symbols, value: Sym, own: Type, wanted: Type) -> Bool:
    """Whether a value of the type `own` has what the type `wanted` demands.

    Where that has no exact condition it is left open, which can make a proof undecided only.
    """
    bare = strip_null(wanted)
    if within(own, wanted):
        return True
    if isinstance(wanted, NullableType):
        return disjoin((value.null, _value_fits(symbols, value, strip_null(own), bare)))
    return conjoin((negate(value.null), _value_fits(symbols, value, strip_null(own), bare)))


def _value_fits(symbols: Symbols, value: Sym, own: Type, wanted: Type) -> Bool:
    if within(own, wanted) or value.null is True:
        return True
    match wanted:
        case BoolType() | TimestampType(date=False):
            return True
        case TimestampType():
            return _starts_a_day(symbols, symbols.term(value, own))
        case IntType() | NumberType():
            return scalar_bounds(wanted, symbols.term(value, own))
        case StringType(enum=None, pattern=None, min_length=None, max_length=None):
            return True
        case StringType(enum=tuple(options)):
            term = symbols.term(value, own)
            return disjoin(same(term, symbols.texts.literal(option)) for option in options)
        case StringType() if symbols.texts.structured:
            return text_bounds(wanted, symbols.term(value, own), symbols.texts)
        case ListType(item=item, min_items=low, max_items=high):
            assert isinstance(own, ListType)
            items = as_list(value.shape)
            checks: list[Bool] = [items.length >= low]
            if high is not None:
                checks.append(items.length <= high)
            checks += [
                implies(slot.active, fits(symbols, slot.value, own.item, item))
                for slot in items.slots
                if slot.active is not False
            ]
            if items.has_tail and not within(own.item, item):

                def misfits(beyond: Sym) -> tuple[Bool, Bool]:
                    return negate(fits(symbols, beyond, own.item, item)), False

                checks.append(negate(decide_tail(symbols, items, "misfit", misfits)[0]))
            return conjoin(checks)
    return _open(symbols)


def _starts_a_day(symbols: Symbols, moment: Term) -> Bool:
    """A moment at which no offset of the zone lets a day start is surely no date."""
    ever, _ = zone_offsets(symbols.zone)
    may = disjoin((moment + offset) % DAY_US == 0 for offset in ever)
    return may if len(ever) == 1 else conjoin((may, _open(symbols)))


def has_room(symbols: Symbols, record: Sym, type_: Type, steps: Sequence[str | Sym]) -> Bool:
    """Whether the map at the steps into a record, if it is there, has no more entries than the
    schema allows.
    """
    there: list[Bool] = []
    here = record
    for step in steps:
        there += [negate(here.null), negate(here.gap)]
        match strip_null(type_):
            case RecordType() as fields:
                assert isinstance(step, str)
                present, here = as_record(here.shape, fields).get(step)
                type_ = fields.by_name[step].type
            case MapType(value=type_) as entries:
                key = known(step) if isinstance(step, str) else Sym(step.shape)
                present, here = as_map(symbols, here.shape, entries).get(key)
        there.append(present)
    wanted = strip_null(type_)
    assert isinstance(wanted, MapType)
    if wanted.max_size is None or here.null is True or here.gap is True:
        return True
    size = as_map(symbols, here.shape, wanted).keys().length
    return implies(conjoin([*there, negate(here.null), negate(here.gap)]), size <= wanted.max_size)


def _open(symbols: Symbols) -> Bool:
    symbols.left_open.append(symbols.unconstrained(z3.BoolSort(), "fits"))
    return symbols.left_open[-1]
