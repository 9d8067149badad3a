"""Fields of records that repeat their keys: in every world they are the keys themselves."""

from __future__ import annotations

from ledger_verify.lang.environment import LedgerPattern
from ledger_verify.lang.types import IntType, NumberType, StringType, Type, strip_null
from ledger_verify.solver.bounds import scalar_bounds, text_bounds
from ledger_verify.solver.equality import equal
from ledger_verify.solver.logic import Bool, Term, conjoin, implies, same
from ledger_verify.solver.merging import as_real
from ledger_verify.solver.shapes import Known, RecordShape, Scalar, Sym
from ledger_verify.solver.symbols import Symbols


def with_own_keys(
    spec: LedgerPattern, record: Sym, keys: tuple[Sym, ...], terms: tuple[Term, ...]
) -> Sym:
    """The record with the fields that `key` declares replaced by its keys."""
    shape = record.shape
    if not isinstance(shape, RecordShape) or not any(spec.key_fields):
        return record
    named = {name: index for index, name in enumerate(spec.key_fields) if name is not None}

    def make(field: str) -> tuple[Bool, Sym]:
        if field not in named:
            return shape.get(field)
        declared, index = shape.type.by_name[field], named[field]
        present = shape.get(field)[0] if declared.optional else True
        return present, _as_field(keys[index], terms[index], strip_null(declared.type))

    return Sym(RecordShape(shape.type, make), record.null, record.gap)


def _as_field(key: Sym, term: Term, type_: Type) -> Sym:
    if isinstance(key.shape, Known) and key.shape.value is not None:
        return Sym(key.shape)
    if isinstance(type_, NumberType):
        term = as_real(term)
    return Sym(Scalar(term))


def keys_fit(symbols: Symbols, spec: LedgerPattern, terms: tuple[Term, ...]) -> Bool:
    """Whether the keys lie in the bounds of the fields that repeat them, as far as terms say so.

    Of other keys there is no record.
    """
    return conjoin(
        _in_bounds(symbols, type_, term)
        for name, type_, term in zip(spec.key_fields, spec.keys, terms, strict=False)
        if name is not None
    )


def _in_bounds(symbols: Symbols, type_: Type, term: Term) -> Bool:
    match type_:
        case IntType(minimum=None, maximum=None):
            return True
        case IntType() | NumberType():
            return scalar_bounds(type_, term)
        case StringType(enum=enum) if enum is not None or symbols.texts.structured:
            return text_bounds(type_, term, symbols.texts)
    return True


def keys_formed(symbols: Symbols, spec: LedgerPattern, record: Sym, keys: tuple[Sym, ...]) -> Bool:
    """Whether texts without structure are such as the fields of `record`, as it was made, may be.

    The form of a text is a property of the symbol that was made for the field.
    """
    shape = record.shape
    if symbols.texts.structured or not isinstance(shape, RecordShape):
        return True
    formed = [
        (name, key, type_)
        for name, key, type_ in zip(spec.key_fields, keys, spec.keys, strict=False)
        if name is not None and isinstance(type_, StringType) and type_.enum is None
        if (type_.pattern, type_.min_length, type_.max_length) != (None, None, None)
    ]
    return conjoin(
        same(symbols.term(shape.get(name)[1], type_), symbols.term(key, type_))
        for name, key, type_ in formed
    )


def stands_under_its_keys(
    symbols: Symbols, spec: LedgerPattern, record: Sym, keys: tuple[Sym, ...]
) -> Bool:
    """Whether the fields that `key` declares, where they are there, equal the keys."""
    shape = record.shape
    if isinstance(shape, Known) and isinstance(shape.value, dict):
        return conjoin(
            equal(symbols, Sym(Known(shape.value[name])), key, type_, type_)
            for name, key, type_ in zip(spec.key_fields, keys, spec.keys, strict=False)
            if name is not None and name in shape.value
        )
    if not isinstance(shape, RecordShape):
        return True
    return conjoin(
        implies(present, equal(symbols, value, key, shape.type.by_name[name].type, type_))
        for name, key, type_ in zip(spec.key_fields, keys, spec.keys, strict=False)
        if name is not None and name in shape.type.by_name
        for present, value in (shape.get(name),)
    )
