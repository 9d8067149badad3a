"""Earlier calls as symbols: any that a session could have had."""

from __future__ import annotations

from ledger_verify.lang.typed import Variable
from ledger_verify.lang.types import BOOL, STRING, TIMESTAMP
from ledger_verify.solver.logic import Bool, Term, conjoin, disjoin, implies, same
from ledger_verify.solver.shapes import RecordShape, Sym, as_list
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
