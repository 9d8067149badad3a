"""Lists that come in pages: which of them are open, and when all of a list was shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from ledger_verify.lang.errors import InputError
from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.typed import Expr
from ledger_verify.ledger.absence import Chain, Mask
from ledger_verify.ledger.attempts import Frozen, frozen
from ledger_verify.ledger.doubts import Doubt, Page
from ledger_verify.ledger.failing import typed_result
from ledger_verify.ledger.found import Found
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.tools import Failing, More, Tool
from ledger_verify.schema.coerce import Misfit, coercer
from ledger_verify.schema.render import to_json

Values = Callable[[Expr, Mapping[str, Any]], Any]
"""`values(expr, names)` gives the value of an expression or raises `NoValue`."""


@dataclass(frozen=True)
class Turned:
    """What one page says of its list: all that was `shown` if it was the last one, else None."""

    shown: set[tuple[Any, ...]] | None = None
    problem: str | None = None


@dataclass(frozen=True)
class Turn:
    """The result of one read, which may be a page of a list."""

    ledger: Ledger
    tool: Tool
    arguments: Mapping[str, Any]
    result: Any
    values: Values
    zone: tzinfo

    @property
    def source(self) -> Frozen:
        """The read as a key."""
        return frozen(self.tool.name, self.arguments)

    def turn(self, found: Found, part: Mask | None, *, fits: bool) -> Turned:
        """Take note of the pages that are open after this one.

        `found` is what the result shows of the list, `part` the keys that the arguments fix, None
        if they cannot be told; `fits` tells whether all that it shows could be taken as evidence.
        """
        observation, pattern = found.observation, found.observation.pattern
        more, doubtful = observation.more, self.ledger.doubtful
        assert more is not None
        varying = {name for name, _ in more.next} or set(self.arguments) - _of_keys(found)
        known = {name: value for name, value in self.arguments.items() if name not in varying}
        series = frozen(f"{self.tool.name}#{self.tool.observes.index(observation)}", known)
        keys = (None,) * len(observation.keys) if part is None else part
        is_first = self._is_first(more)

        def is_of(doubt: Doubt) -> bool:
            page = doubt.page
            return (
                page is not None
                and page.series == series
                and (is_first or page.producer == self.source)
            )

        doubtful.answer(pattern, is_of)
        chain = self._chain(series, Chain(pattern, keys, frozenset(), self.source), is_first)
        chain = chain if fits and part is not None else None
        problem = None
        try:
            is_open = self._value(more.open) is True
        except _NotTold as untold:
            is_open, problem = True, f"whether there are further pages is not known: {untold}"
        if not is_open:
            doubtful.answer(
                pattern,
                lambda d: (
                    d.page is not None and d.page.series == series and d.page.arguments is None
                ),
            )
            return Turned(None if chain is None else {*chain.shown, *found.records})
        following = None if problem else self._next(more, known)
        call = (series[0], series) if following is None else frozen(self.tool.name, following)
        tried = self.ledger.tried.get(call)
        if chain is not None and following is not None:
            shown = chain.shown | set(found.records)
            chain = Chain(pattern, keys, shown, call, observation.reads)
            self.ledger.absences.begun[series] = chain
        if tried is None or tried.failed:
            page = Page(self.tool.name, series, self.source, following, known)
            doubtful.add(Doubt(pattern, keys, call, page))
        return Turned(problem=problem)

    def _chain(self, series: Frozen, new: Chain, is_first: bool) -> Chain | None:
        """The pages before this one, from the first on; None where some were not read."""
        begun = self.ledger.absences.begun
        if is_first or (series in begun and begun[series].awaits == self.source):
            known = begun.pop(series, new)
            return new if is_first else known
        return None

    def _is_first(self, more: More) -> bool:
        first = dict(more.first)
        for name, _ in more.next:
            given = self.arguments.get(name)
            if given is None and name not in self.arguments:
                continue
            if name not in first:
                return False
            try:
                if self.values(first[name], {"args": self.arguments}) != given:
                    return False
            except (NoValue, KeyError):
                return False
        return bool(more.next)

    def _next(self, more: More, known: Mapping[str, Any]) -> dict[str, Any] | None:
        """The arguments of the read of the next page, typed; None where nobody can say them."""
        if not more.next:
            return None
        found = dict(known)
        for name, reading in more.next:
            declared = self.tool.arguments.by_name[name].type
            try:
                value = self._value(reading)
                if value is None:
                    return None
                plain = to_json(value, reading.when.type, self.zone)
                found[name] = coercer(declared, self.zone)(plain)
            except (_NotTold, Misfit):
                return None
        call = frozen(self.tool.name, found)
        return None if call == self.source else found

    def _value(self, reading: Failing) -> Any:
        """The value of an expression over the result; raises `_NotTold`."""
        try:
            result = typed_result(reading, self.result, self.zone)
            return self.values(reading.when, {"args": self.arguments, "result": result})
        except Misfit as misfit:
            raise _NotTold(misfit.message) from None
        except NoValue as problem:
            raise _NotTold(problem.reason) from None
        except (KeyError, RecursionError, InputError, TypeError):
            raise _NotTold("the result is no JSON that `more` can be told of") from None


class _NotTold(Exception):
    """Something about the pages cannot be told; the text says why."""


def _of_keys(found: Found) -> set[str]:
    """The arguments that are keys of the records."""
    names = range(len(found.observation.keys))
    return {name for i in names if (name := found.observation.argument_of_key(i)) is not None}


def turn_pages(
    turn: Turn, seen: Sequence[Found], parts: Callable[[Found], Mask | None], *, fits: bool
) -> dict[int, Turned]:
    """What the result says of each of its lists that come in pages, by their place in `seen`."""
    return {
        place: turn.turn(found, parts(found), fits=fits and not found.misfits)
        for place, found in enumerate(seen)
        if found.observation.more is not None
    }
