"""Earlier calls as symbols: any that a session could have had, and those that it had."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ledger_verify.lang.typed import Variable
from ledger_verify.lang.types import BOOL, STRING, TIMESTAMP, RecordType, Type, strip_null
from ledger_verify.policy.evidence import Reach, Unknown
from ledger_verify.solver.logic import Bool, Term, conjoin, disjoin, implies, same
from ledger_verify.solver.merging import has_stale_part
from ledger_verify.solver.names import step
from ledger_verify.solver.shapes import (
    NOTHING,
    ListShape,
    RecordShape,
    Slot,
    Sym,
    as_list,
    item_type,
    known,
)
from ledger_verify.solver.symbols import Symbols


def any_earlier_calls(symbols: Symbols, expr: Variable, now: Sym) -> Sym:
    """The list `history` or `history.tool`: calls up to now; what was refused did not run."""
    calls = symbols.make(expr.type, expr.name)
    present = symbols.term(now, TIMESTAMP)
    shape = as_list(calls.shape)
    for slot in shape.slots:
        symbols.facts.append(implies(slot.active, _is_earlier_call(symbols, slot.value, present)))
    if shape.source is not None:
        draw = shape.source.draw

        def draw_call() -> Sym:
            call = draw()
            symbols.facts.append(_is_earlier_call(symbols, call, present))
            return call

        shape.source.draw = draw_call
    return calls


def _is_earlier_call(symbols: Symbols, call: Sym, present: Term) -> Bool:
    shape = call.shape
    assert isinstance(shape, RecordShape)
    time, ok, verdict = (
        symbols.term(shape.get(name)[1], type_)
        for name, type_ in (("time", TIMESTAMP), ("ok", BOOL), ("verdict", STRING))
    )
    ran = disjoin(same(verdict, symbols.literal(v, STRING)) for v in ("ALLOW", "UNCHECKED"))
    return conjoin((time <= present, implies(ok, ran)))


def earlier_calls(
    symbols: Symbols, calls: Any, type_: Type, reach: Reach | None, numbers: dict[int, int]
) -> Sym:
    """Earlier calls as they were; what is not known of one is a symbol of its own.

    What nobody will tell has no value where only what is in `reach` may become known. `numbers`
    tells calls apart by their identity, for `history` and `history.tool` hold the same ones.
    """
    if isinstance(calls, Unknown):
        return NOTHING
    if not any(map(has_stale_part, calls)):
        return known(calls)
    of_one = strip_null(item_type(type_))
    assert isinstance(of_one, RecordType)
    slots = [
        Slot(True, _earlier_call(symbols, call, of_one, reach, numbers))
        if has_stale_part(call)
        else Slot(True, known(call))
        for call in calls
    ]
    return Sym(ListShape(tuple(slots), 0, len(slots)))


def _earlier_call(
    symbols: Symbols,
    call: Mapping[str, Any],
    type_: RecordType,
    reach: Reach | None,
    numbers: dict[int, int],
) -> Sym:
    number = numbers.setdefault(id(call), len(numbers))

    def make(name: str) -> tuple[Bool, Sym]:
        value = call[name]
        if not isinstance(value, Unknown):
            return True, known(value)
        # arguments that nobody could read need not fit the schema: they may have no value
        if name == "args" or not (reach is None or reach.all_of(value.missing)):
            return True, NOTHING
        return True, symbols.make(type_.by_name[name].type, f"earlier call {number}{step(name)}")

    return Sym(RecordShape(type_, make))
