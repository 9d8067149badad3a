"""Symbolic values of predicates: a condition, and one under which there is no value."""

from __future__ import annotations

from ledger_verify.solver.logic import Bool, conjoin, disjoin, negate
from ledger_verify.solver.shapes import Known, Scalar, Sym


def hopeless(sym: Sym) -> bool:
    """Whether nothing strict can be made of the value."""
    return sym.gap is True or sym.null is True


def truth_of(sym: Sym) -> tuple[Bool, Bool]:
    """A Boolean symbolic value as (value, gap); null where a bool is needed is a gap."""
    gap = disjoin((sym.gap, sym.null))
    if gap is True:
        return False, True
    match sym.shape:
        case Known(value=value):
            return bool(value), gap
        case Scalar(term=term):
            return term, gap
    raise AssertionError(sym)


def bool_sym(value: Bool, gap: Bool = False) -> Sym:
    """A condition as a symbolic value."""
    return Sym(Known(value) if isinstance(value, bool) else Scalar(value), gap=gap)


def junction(parts: list[tuple[Bool, Bool]], absorbing: bool) -> Sym:
    """Conjunction (absorbing False) or disjunction (absorbing True)."""
    absorbed = disjoin(
        conjoin((negate(gap), value if absorbing else negate(value))) for value, gap in parts
    )
    gap = conjoin((negate(absorbed), disjoin(gap for _, gap in parts)))
    return bool_sym(absorbed if absorbing else negate(absorbed), gap)
