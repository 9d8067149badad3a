"""The choice among the repairs that would do: named texts, and as little change as possible.

Left to itself z3 takes any, and not always the same one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import z3

from ledger_verify.lang.types import (
    BoolType,
    ListType,
    NumberType,
    RecordType,
    StringType,
    Type,
    strip_null,
)
from ledger_verify.solver.logic import (
    Bool,
    Term,
    as_term,
    conjoin,
    disjoin,
    implies,
    is_number,
    negate,
    same,
)
from ledger_verify.solver.outcome import Undecided
from ledger_verify.solver.query import Answer, Query
from ledger_verify.solver.shapes import ListShape, RecordShape, Scalar, Sym
from ledger_verify.solver.symbols import Symbols

_FARTHEST = 2**62


@dataclass
class Choice:
    """Makes demands of a query, one after the other, as long as they can be met.

    `model` meets all that was demanded so far.
    """

    query: Query
    model: z3.ModelRef
    symbols: Symbols
    arguments: RecordType

    def make(self, changed: Mapping[str, tuple[Bool, Sym]], proposed: Mapping[str, Any]) -> None:
        """Choose values for the arguments; `proposed` are those of the call."""
        types = {name: self.arguments.by_name[name].type for name in changed}
        values = {name: value for name, (_, value) in changed.items()}
        self._prefer(conjoin(self._is_named(v, types[name]) for name, v in values.items()))
        self._prefer(conjoin(wish for value in values.values() for wish in _amounts(value)))
        wishes: list[Bool] = []
        for name, value in values.items():
            wishes += self._unchanged(value, types[name], proposed.get(name))
        self.model = self.query.improve(wishes, self.model)
        for name, (present, value) in changed.items():
            if self._first([present, negate(present)]) == 0:
                self._settle(value, self.arguments.by_name[name].type, proposed.get(name))

    def _prefer(self, condition: Bool) -> bool:
        return self._first([condition]) == 0

    def _first(self, options: list[Bool]) -> int | None:
        """The first of the options that is possible, which is demanded from now on."""
        begin, end = 0, 1
        if options[0] is True:
            return 0
        if not self._can(options[0]):
            begin, end = 1, len(options)
            if not self._can(disjoin(options[1:])):
                return None
        while end - begin > 1:
            middle = (begin + end) // 2
            if self._can(disjoin(options[begin:middle])):
                end = middle
            else:
                begin = middle
        self._can(options[begin])
        self.query.add(options[begin])
        return begin

    def _can(self, condition: Bool) -> bool:
        """Whether the condition can be met; if so, the model meets it."""
        if z3.is_true(self.model.eval(as_term(condition), True)):
            return True
        answer, model = self.query.ask([condition])
        if answer is Answer.UNDECIDED:
            raise Undecided
        self.model = self.model if model is None else model
        return model is not None

    def _unchanged(self, value: Sym, type_: Type, proposed: Any) -> list[Bool]:
        """Wishes that the parts of a value are what was proposed at their places."""
        bare, shape = strip_null(type_), value.shape
        if proposed is None:
            return []
        match shape:
            case Scalar(term=term):
                return [same(term, self.symbols.literal(proposed, bare))]
            case ListShape(slots=slots) if isinstance(bare, ListType):
                size: Bool = shape.length == len(proposed)
                pairs = zip(slots, proposed, strict=False)
                parts = [self._unchanged(slot.value, bare.item, was) for slot, was in pairs]
                return [size, *(wish for part in parts for wish in part)]
            case RecordShape(type=record, fields=fields):
                parts = [
                    self._unchanged(inner, record.by_name[name].type, proposed.get(name))
                    for name, (_, inner) in fields.items()
                ]
                return [wish for part in parts for wish in part]
        return []

    def _settle(self, value: Sym, type_: Type, proposed: Any) -> None:
        bare = strip_null(type_)
        nulls = [value.null, negate(value.null)]
        if self._first(nulls if proposed is None else nulls[::-1]) == (proposed is not None):
            return
        match value.shape:
            case Scalar(term=term):
                self._settle_scalar(term, bare, proposed)
            case ListShape() as shape if isinstance(bare, ListType):
                self._settle_list(shape, bare.item, proposed or ())
            case RecordShape(type=record, fields=fields):
                was = proposed or {}
                for name, (present, inner) in list(fields.items()):
                    there = [present, negate(present)]
                    options = there if name in was or not was else there[::-1]
                    chosen = self._first(options)
                    if chosen is not None and options[chosen] is present:
                        self._settle(inner, record.by_name[name].type, was.get(name))

    def _settle_list(self, shape: ListShape, item: Type, proposed: tuple[Any, ...]) -> None:
        most = len(shape.slots)
        sizes = sorted(range(most + 1), key=lambda size: abs(size - len(proposed)))
        chosen = self._first([shape.length == size for size in sizes])
        if chosen is None:
            return
        for i, slot in enumerate(shape.slots[: sizes[chosen]]):
            self._settle(slot.value, item, proposed[i] if i < len(proposed) else None)

    def _settle_scalar(self, term: Term, type_: Type, proposed: Any) -> None:
        if isinstance(type_, BoolType):
            self._first([term, negate(term)] if proposed else [negate(term), term])
        elif isinstance(type_, StringType):
            texts = self.symbols.texts
            named = texts.literals
            order = [proposed, *named] if proposed in named else named
            self._first([same(term, texts.literal(text)) for text in order])
        else:
            self._settle_number(term, type_, proposed or 0)

    def _settle_number(self, term: Term, type_: Type, proposed: Any) -> None:
        """As near to what was proposed as can be, in whole numbers."""
        here = self.symbols.literal(proposed, type_)
        if self._prefer(as_term(term == here)) or self._is_determined(term):
            return
        low, high = -1, _FARTHEST
        while high - low > 1:
            middle = (low + high) // 2 if high < _FARTHEST else max(1, 4 * low)
            if middle >= _FARTHEST:
                return
            if self._can(conjoin((term >= here - middle, term <= here + middle))):
                high = middle
            else:
                low = middle
        exact = [as_term(term == here - high), as_term(term == here + high)]
        if self._first(exact) is None and isinstance(type_, NumberType):
            self._prefer(conjoin((term >= here - high, term <= here + high)))

    def _is_determined(self, term: Term) -> bool:
        """Whether only one value is possible any more."""
        return not self.query.possible([term != self.model.eval(term, True)])

    def _is_named(self, value: Sym, type_: Type) -> Bool:
        """Every text in the value is one that the evidence, the call or the policy names."""
        bare = strip_null(type_)
        match bare, value.shape:
            case StringType(enum=None), _:
                texts, term = self.symbols.texts, self.symbols.term(value, bare)
                named = [same(term, texts.literal(text)) for text in texts.literals]
                return disjoin([value.null, *named])
            case ListType(item=item), ListShape(slots=slots):
                return conjoin(implies(s.active, self._is_named(s.value, item)) for s in slots)
            case _, RecordShape(type=record, fields=fields):
                return conjoin(
                    implies(present, self._is_named(inner, record.by_name[name].type))
                    for name, (present, inner) in fields.items()
                )
        return True


def _amounts(value: Sym) -> list[Bool]:
    """That the numbers in the items of a list are more than nothing."""
    if not isinstance(value.shape, ListShape):
        return []
    return [
        implies(slot.active, inner.shape.term > 0)
        for slot in value.shape.slots
        if isinstance(slot.value.shape, RecordShape)
        for _, inner in slot.value.shape.fields.values()
        if isinstance(inner.shape, Scalar) and is_number(inner.shape.term)
    ]
