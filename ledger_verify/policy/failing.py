"""`failed` of a tool: the expression over its `result` that says that a call failed.

What the result is comes from what the tool declares: the groups of its `result` form, its
`returns`, and the records that it observes. Of anything else the expression itself tells:
`result` alone is text, `result.a.b` a field of an open object, of the only type that fits all
that is done with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ledger_verify.lang.check import check_text
from ledger_verify.lang.environment import Environment
from ledger_verify.lang.errors import ExpressionError, InputError
from ledger_verify.lang.overloads import fits
from ledger_verify.lang.parse import parse
from ledger_verify.lang.syntax import Binary, Call, Literal, Name, Node, Select, children
from ledger_verify.lang.typed import Constant, Expr, Variable, walk
from ledger_verify.lang.types import (
    BOOL,
    INT,
    NUMBER,
    STRING,
    UNSETTLED,
    FieldType,
    ListType,
    NullableType,
    RecordType,
    Type,
    join,
    strip_null,
)
from ledger_verify.policy.expressions import Place
from ledger_verify.policy.tools import Failing

RESULT = "result"
Steps = tuple[str, ...]
_TEXT: tuple[Type, ...] = (STRING,)
_KINDS: tuple[tuple[Type, ...], ...] = (
    _TEXT, (NUMBER, INT), (BOOL,), (ListType(STRING),), (ListType(NUMBER),),
)  # fmt: skip
"""What a field can be that nothing declares; of each kind the first that fits."""


def load_failing(text: str, place: Place, returns: Type | None, observed: Type | None) -> Failing:
    """The `failed` of a tool at `place`, whose scope has its `args`.

    `returns` is the type that the tool declares for its result, `observed` that of the record
    that it shows as a whole, of which only the fields count that the expression reads. Raises
    `InputError` with the place for what has no type, reads no result, or is a constant.
    """
    reading = load_reading(text, place, "failed", returns, observed)
    expr = reading.when
    if isinstance(expr, Constant):
        always = "always" if expr.value is True else "never"
        raise place.error(
            f"`failed` is {always} true, whatever the result", hint="compare something in `result`"
        )
    if not any(isinstance(part, Variable) and part.name == RESULT for part in walk(expr)):
        raise place.error("`failed` does not read `result`", hint="say it of the result")
    return reading


def load_reading(
    text: str, place: Place, key: str, returns: Type | None, observed: Type | None,
    wanted: Type = BOOL,
) -> Failing:  # fmt: skip
    """What stands below `key` at `place`: an expression over `result` of the type `wanted`.

    For the other parameters and errors see `load_failing`; it may be a constant.
    """
    loader = _Loader(text, place, observed, key, wanted)
    type_, shown = loader.told() if returns is None else (returns, frozenset[Steps]())
    expr = loader.checked(type_)
    if not loader.is_wanted(expr.type):
        raise place.error(f"`{key}` must be {'a ' if wanted == BOOL else ''}{wanted}, "
                          f"not {expr.type}")  # fmt: skip
    return Failing(expr, type_, shown)


@dataclass(frozen=True)
class _Loader:
    """Finds out what one expression takes the result for."""

    text: str
    place: Place
    observed: Type | None
    key: str
    wanted: Type

    def is_wanted(self, type_: Type) -> bool:
        """Whether an expression of the type may stand there."""
        if self.wanted == BOOL:
            return fits(strip_null(type_), "bool")
        return join(strip_null(self.wanted), strip_null(type_)) is not None

    def checked(self, type_: Type) -> Expr:
        """The expression over a result of that type; raises `InputError`."""
        return self.place.within(self._scope(type_)).expression(self.text)

    def told(self) -> tuple[Type, frozenset[Steps]]:
        """The type of a result that is not declared, and the fields that need only be there.

        Raises `InputError` where several types would do.
        """
        try:
            uses = list(_uses(parse(self.text)))
        except ExpressionError:
            return STRING, frozenset()  # what is wrong is told when it is checked
        read = {steps for steps, _ in uses}
        if () in read or not read:
            if read and len(self._possible(lambda type_: type_)) > 1:
                raise self._open(RESULT)
            return STRING, frozenset()
        leaves = {steps for steps in read if not any(_is_below(other, steps) for other in read)}
        shown = leaves - {steps for steps, as_value in uses if as_value}
        known: dict[Steps, Type] = dict.fromkeys(shown, STRING)
        for steps in sorted(leaves - shown):
            declared = _type_at(self.observed, steps)
            found = [declared] if declared is not None else self._leaf(steps, leaves)
            if len(found) > 1:
                raise self._open(".".join((RESULT, *steps)))
            known[steps] = found[0] if found else STRING
        return _object(known), frozenset(shown)

    def _leaf(self, steps: Steps, leaves: set[Steps]) -> list[Type]:
        others = dict.fromkeys(leaves, UNSETTLED)
        return self._possible(lambda type_: _object({**others, steps: type_}))

    def _possible(self, result: Callable[[Type], Type]) -> list[Type]:
        """The types, one of a kind, with which it is what is wanted, or else has a type."""
        for as_predicate in (True, False):
            found = [
                next((t for t in kind if self._checks(result(t), as_predicate)), None)
                for kind in _KINDS
            ]
            if any(found):
                return [type_ for type_ in found if type_ is not None]
        return []

    def _checks(self, type_: Type, as_predicate: bool) -> bool:
        try:
            found = check_text(self.text, self._scope(type_)).type
        except ExpressionError:
            return False
        return not as_predicate or self.is_wanted(found)

    def _scope(self, type_: Type) -> Environment:
        scope = self.place.scope
        return Environment({**scope.names, RESULT: type_}, timezone=scope.timezone)

    def _open(self, what: str) -> InputError:
        return self.place.error(
            f"`{self.key}` does not tell whether `{what}` is a text, a list or something else",
            hint="declare what the tool `returns`, as a type of `schema.yaml` or a JSON Schema",
        )


def _uses(node: Node) -> Iterator[tuple[Steps, bool]]:
    """The fields of `result` that are read, `()` for the result as such.

    With each goes whether its value is read; `has` and a comparison with null only see to it that
    there is one.
    """
    match node:
        case Call(function="has", target=None, arguments=(Select() as select,)):
            yield from ((steps, False) for steps, _ in _uses(select))
            return
        case Binary(operator="==" | "!=", left=left, right=right) if _is_null(left) or _is_null(
            right
        ):
            for side in (left, right):
                yield from ((steps, not isinstance(side, Select)) for steps, _ in _uses(side))
            return
    steps: Steps = ()
    inner = node
    while isinstance(inner, Select):
        steps, inner = (inner.field_name, *steps), inner.of
    if isinstance(inner, Name):
        if inner.name == RESULT:
            yield steps, True
        return
    for child in children(node):
        yield from _uses(child)


def _is_null(node: Node) -> bool:
    return isinstance(node, Literal) and node.value is None


def _is_below(other: Steps, steps: Steps) -> bool:
    return len(other) > len(steps) and other[: len(steps)] == steps


def _type_at(record: Type | None, steps: Steps) -> Type | None:
    """The type that a record declares for a field, or a field of it."""
    for step in steps:
        bare = None if record is None else strip_null(record)
        if not isinstance(bare, RecordType) or step not in bare.by_name:
            return None
        record = bare.by_name[step].type
    return record


def _object(fields: Mapping[Steps, Type], name: str = RESULT) -> RecordType:
    """The open object with these fields, each of which may be absent, or null."""
    found = {}
    for first in dict.fromkeys(steps[0] for steps in fields):
        inside = {steps[1:]: type_ for steps, type_ in fields.items() if steps[0] == first}
        type_ = inside[()] if () in inside else _object(inside, f"{name}.{first}")
        bare = strip_null(type_)
        found[first] = FieldType(bare if bare == UNSETTLED else NullableType(bare), optional=True)
    return RecordType(name, tuple(found.items()))
