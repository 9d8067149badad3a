"""`stated` in the solver: what was heard is known at the gate, and anything before deployment.

At the gate a value that is not known was said only if it is one of the numbers, or a text, that
the messages hold; for literals of the query the answer is exact. In a world without messages it is
a free predicate of the value and of what was heard, so that equal values agree; and so is any other
condition on the messages themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import z3

from ledger_verify.lang.form import form
from ledger_verify.lang.said import Willing, numbers_in, said_text
from ledger_verify.lang.typed import (
    And,
    Apply,
    Choose,
    Expr,
    FieldOf,
    Or,
    Variable,
    distinct,
    parts,
)
from ledger_verify.lang.types import (
    BoolType,
    IntType,
    ListType,
    MapType,
    RecordType,
    Type,
    strip_null,
)
from ledger_verify.solver.logic import Bool, Term, disjoin, same
from ledger_verify.solver.shapes import Known, Scalar, Sym
from ledger_verify.solver.truths import bool_sym

if TYPE_CHECKING:
    from ledger_verify.solver.symbols import Symbols

_WHOLE = ListType | MapType | RecordType
OPERATIONS = frozenset({"stated_text", "stated_number", "stated_day"})


@dataclass(frozen=True)
class Statement:
    """That a value was said, as the query has it; `said` is the condition."""

    value: Sym
    type: Type
    said: Bool


def any_messages(symbols: Symbols, label: str) -> Sym:
    """What a user may have said, of which nothing is known."""
    name = f"{label}?messages"
    if name not in symbols.constants:
        symbols.constants[name] = z3.Const(name, z3.DeclareSort("Heard"))
    return Sym(Scalar(symbols.constants[name]))


def stated(symbols: Symbols, operation: str, operands: list[Sym], type_: Type) -> Sym:
    """Whether the value, of the type, was said."""
    value, test, _, heard = operands
    assert isinstance(test.shape, Known)
    term = symbols.term(value, type_)
    name = f"{operation}:{test.shape.value}"
    if isinstance(heard.shape, Scalar):
        said = symbols.flag(name, (term, heard.shape.term))
        symbols.statements.append(Statement(value, type_, said))
        return bool_sym(said)
    assert isinstance(heard.shape, Known)
    messages = heard.shape.value
    if isinstance(messages, Willing):
        return bool_sym(symbols.flag(f"{name}?willing", (term,)))
    if not messages:
        return bool_sym(False)
    if operation == "stated_number":
        return bool_sym(_is_one_of(symbols, term, type_, messages))
    if operation == "stated_text":
        symbols.heard[name] = str(test.shape.value), messages
    return bool_sym(symbols.flag(name, (term,)))


def reads_messages(expr: Expr) -> bool:
    """Whether a condition on what was heard is more than `stated`, and not made up of others."""
    if isinstance(expr, And | Or | Choose) or not isinstance(strip_null(expr.type), BoolType):
        return False
    pending: list[Expr] = [expr]
    while pending:
        match pending.pop():
            case Apply(operation=operation, operands=operands) if operation in OPERATIONS:
                pending.extend(operands[:-1])
            case Variable() as name if name.is_heard:
                return True
            case other:
                pending.extend(parts(other))
    return False


def free_condition(symbols: Symbols, expr: Expr, heard: Sym, encode: Callable[[Expr], Sym]) -> Sym:
    """Any answer to a condition on messages of which nothing is known.

    It is a function of the arguments that the condition reads, the same for equal conditions.
    """
    assert isinstance(heard.shape, Scalar)
    read = {p.field_name: p for p in distinct(expr) if isinstance(p, FieldOf) and _is_argument(p)}
    values = [(encode(read[name]), read[name].type) for name in sorted(read)]
    gap = disjoin(value.gap for value, _ in values)
    if any(isinstance(strip_null(type_), _WHOLE) for _, type_ in values):
        return bool_sym(symbols.unconstrained(z3.BoolSort(), "messages"), gap)
    terms = (symbols.term(value, type_) for value, type_ in values)
    return bool_sym(symbols.flag(f"messages{form(expr)!r}", (heard.shape.term, *terms)), gap)


def _is_argument(part: FieldOf) -> bool:
    return isinstance(part.of, Variable) and part.of.name == "args"


def _is_one_of(symbols: Symbols, term: Term, type_: Type, messages: tuple[str, ...]) -> Bool:
    numbers = dict.fromkeys(numbers_in(messages))
    if isinstance(type_, IntType):
        return disjoin(
            same(term, symbols.literal(n.numerator, type_)) for n in numbers if n.denominator == 1
        )
    return disjoin(same(term, symbols.literal(n, type_)) for n in numbers)


def of_literals(symbols: Symbols, texts: list[str]) -> list[Any]:
    """For these literals, whether each was said."""
    facts = []
    for name, (test, messages) in symbols.heard.items():
        for text in texts:
            said = symbols.flag(name, (symbols.texts.literal(text),))
            facts.append(said == said_text(text, test, messages))
    return facts
