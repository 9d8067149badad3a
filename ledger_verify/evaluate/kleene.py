"""The reference interpreter: the meaning of the language over a ledger with gaps.

An expression has a value, is UNKNOWN because evidence is missing, or is an ERROR because it has
no value. `&&`, `||`, `all` and `exists` absorb both; all else is strict, with ERROR before
UNKNOWN, since an operand without a value stays so whatever the missing evidence says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from ledger_verify.lang.deadline import NO_DEADLINE, Deadline
from ledger_verify.lang.environment import SESSION
from ledger_verify.lang.errors import Span
from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.operations import apply
from ledger_verify.lang.typed import (
    And,
    Apply,
    Choose,
    Constant,
    Expr,
    FieldOf,
    Fold,
    FoldKind,
    HasField,
    ListOf,
    MapOf,
    Observed,
    Or,
    Read,
    Records,
    Variable,
)
from ledger_verify.policy.evidence import (
    Evidence,
    MissingPath,
    NoEvidence,
    Statement,
    Unknown,
    Unlisted,
)

NO_RECORD = "no such record"
"""Why a record has no value that is known not to exist."""


class Truth(Enum):
    """The four truth values of a predicate."""

    TRUE = "TRUE"
    FALSE = "FALSE"
    UNKNOWN = "UNKNOWN"
    ERROR = "ERROR"


@dataclass(frozen=True)
class Failure:
    """The expression has no value: `reason`, at `span` of its text."""

    reason: str
    span: Span


@dataclass(frozen=True)
class Scope:
    """What an expression is evaluated in: an evidence source and the values of its names.

    `observed(...)` of a record whose keys are not known is false; it is as unknown as they are in a
    `hopeful` scope, whose records may be read before the question is asked again. Past the
    `deadline` the evaluation ends with `Expired`.
    """

    evidence: Evidence = field(default_factory=NoEvidence)
    names: Mapping[str, Any] = field(default_factory=dict)
    hopeful: bool = False
    deadline: Deadline = NO_DEADLINE

    def bind(self, name: str, value: Any) -> Scope:
        """The scope with one more name."""
        return Scope(self.evidence, {**self.names, name: value}, self.hopeful, self.deadline)


def truth(expr: Expr, scope: Scope) -> Truth:
    """The truth value of a predicate."""
    return truth_of(evaluate(expr, scope))


def truth_of(result: Any) -> Truth:
    """The truth value that the result of `evaluate` stands for."""
    if result is True:
        return Truth.TRUE
    if result is False:
        return Truth.FALSE
    return Truth.UNKNOWN if isinstance(result, Unknown) else Truth.ERROR


def evaluate(expr: Expr, scope: Scope) -> Any:
    """The value of an expression, or `Unknown`, or `Failure`."""
    match expr:
        case Constant(value=value):
            return value
        case Variable(name=name):
            if expr.is_history:
                return scope.evidence.earlier_calls(name)
            if expr.is_heard:
                return scope.evidence.messages()
            return scope.evidence.facts if name == SESSION else scope.names[name]
        case Records(pattern=pattern):
            return scope.evidence.observed_records(pattern)
        case Read():
            return _read(expr, scope)
        case Observed(read=read, field_name=field_name):
            keys = [evaluate(key, scope) for key in read.keys]
            if any(isinstance(key, Failure) or key is None for key in keys):
                return False
            unknown = [key for key in keys if isinstance(key, Unknown)]
            if unknown:
                return _first_gap(unknown) if scope.hopeful else False
            return scope.evidence.observed(read.pattern, tuple(keys), field_name)
        case FieldOf(of=of, field_name=name):
            return _field(evaluate(of, scope), name, expr)
        case HasField(of=of, field_name=name):
            return _has_field(evaluate(of, scope), name, expr)
        case Apply(operation=operation, operands=operands):
            return _strict(operation, [evaluate(o, scope) for o in operands], expr.span)
        case And(operands=operands):
            return _absorb((evaluate(o, scope) for o in operands), False, expr.span)
        case Or(operands=operands):
            return _absorb((evaluate(o, scope) for o in operands), True, expr.span)
        case Choose():
            return _choose(expr, scope)
        case ListOf(items=items):
            values = [evaluate(item, scope) for item in items]
            return _first_gap(values) or tuple(values)
        case MapOf(keys=keys, values=parts):
            values = [evaluate(part, scope) for part in parts]
            return _first_gap(values) or dict(zip(keys, values, strict=True))
        case Fold():
            return _fold(expr, scope)


def _read(expr: Read, scope: Scope) -> Any:
    scope.deadline.check()
    keys = [evaluate(key, scope) for key in expr.keys]
    gap = _first_gap(keys)
    if isinstance(gap, Unknown):
        known = tuple(None if isinstance(key, Unknown) else key for key in keys)
        return Unknown(gap.missing | {MissingPath(expr.pattern, known)})
    if gap is not None:
        return gap
    if None in keys:
        return Failure("null as a key of the ledger", expr.span)
    found = scope.evidence.lookup(expr.pattern, tuple(keys))
    if not isinstance(found, Unlisted):
        return found
    applying = listed_without(found, scope.evidence)
    return applying if isinstance(applying, Unknown) else Failure(NO_RECORD, expr.span)


def listed_without(record: Unlisted, evidence: Evidence) -> Statement | Unknown:
    """The statement by which a record does not exist; `Unknown` where none is known to apply."""
    missing = frozenset({record.path})
    for statement in record.statements:
        applies = evaluate(statement.scope, Scope(evidence, statement.names))
        if applies is True:
            return statement
        if isinstance(applies, Unknown):
            missing |= applies.missing
    return Unknown(missing)


def _field(record: Any, name: str, expr: FieldOf) -> Any:
    if isinstance(record, Unknown | Failure):
        return record
    if record is None:
        return Failure(f"null has no field `{name}`", expr.span)
    if name not in record:
        return Failure(f"no such field: `{name}`", expr.span)
    return record[name]


def _has_field(record: Any, name: str, expr: HasField) -> Any:
    if isinstance(record, Unknown | Failure):
        return record
    if record is None:
        return Failure(f"null has no field `{name}`", expr.span)
    value = record.get(name)
    return value if isinstance(value, Unknown) else name in record


def _first_gap(values: Iterable[Any]) -> Unknown | Failure | None:
    """The failure among the values, or all their missing evidence, or None if all are there."""
    missing: set[MissingPath] = set()
    unknown = False
    for value in values:
        if isinstance(value, Failure):
            return value
        if isinstance(value, Unknown):
            missing.update(value.missing)
            unknown = True
        elif isinstance(value, dict | tuple):  # a stale part may hide inside
            inner = _first_gap(value.values() if isinstance(value, dict) else value)
            if isinstance(inner, Unknown):
                missing.update(inner.missing)
                unknown = True
    return Unknown(frozenset(missing)) if unknown else None


def _strict(operation: str, values: list[Any], span: Span) -> Any:
    gap = _first_gap(_read_parts(operation, values))
    if gap is not None:
        return gap
    try:
        return apply(operation, tuple(values))
    except NoValue as problem:
        return Failure(problem.reason, span)


def _read_parts(operation: str, values: list[Any]) -> list[Any]:
    """What of the operands an operation looks at; stale parts elsewhere do not matter to it.

    A stale entry of a map may be gone by now, so it matters to whatever asks for the keys.
    """
    match operation, values:
        case "in_map", [str() as key, dict() as container]:
            return [container.get(key)] if isinstance(container.get(key), Unknown) else []
        case "value_at", [dict(), str()]:
            return []
        case (("item_at" | "size"), [tuple(), *rest]):
            return rest
        case (("keys" | "size"), [dict() as container]):
            return [value for value in container.values() if isinstance(value, Unknown)]
    return values


def _absorb(values: Iterable[Any], absorbing: bool, span: Span) -> Any:
    """Conjunction (absorbing False) or disjunction (absorbing True)."""
    failure: Failure | None = None
    missing: set[MissingPath] = set()
    unknown = False
    for value in values:
        if value is absorbing:
            return absorbing
        if isinstance(value, Unknown):
            unknown = True
            missing.update(value.missing)
        elif value is None:
            failure = failure or Failure("null where a bool is needed", span)
        elif isinstance(value, Failure):
            failure = failure or value
    if unknown:
        return Unknown(frozenset(missing))
    return failure or (not absorbing)


def _choose(expr: Choose, scope: Scope) -> Any:
    condition = evaluate(expr.condition, scope)
    if condition is None:
        return Failure("null where a bool is needed", expr.span)
    if isinstance(condition, Unknown):
        branches = [evaluate(expr.then, scope), evaluate(expr.otherwise, scope)]
        rest = [b.missing for b in branches if isinstance(b, Unknown)]
        return Unknown(condition.missing.union(*rest))
    if isinstance(condition, Failure):
        return condition
    return evaluate(expr.then if condition else expr.otherwise, scope)


def _fold(expr: Fold, scope: Scope) -> Any:
    range_ = evaluate(expr.range, scope)
    if range_ is None:
        return Failure("null where a list is needed", expr.span)
    if isinstance(range_, Failure):
        return range_
    if isinstance(range_, Unknown):
        # what the body would read for an unknown item is missing, too
        inside = scope
        for variable in expr.variables:
            inside = inside.bind(variable.name, Unknown(frozenset()))
        bodies = [expr.body] if expr.condition is None else [expr.condition, expr.body]
        found = [evaluate(body, inside) for body in bodies]
        return Unknown(range_.missing.union(*(f.missing for f in found if isinstance(f, Unknown))))
    items = (_inside(expr, scope, place, item) for place, item in enumerate(range_))
    match expr.kind:
        case FoldKind.ALL:
            return _absorb((evaluate(expr.body, inner) for inner in items), False, expr.span)
        case FoldKind.EXISTS:
            return _absorb((evaluate(expr.body, inner) for inner in items), True, expr.span)
        case FoldKind.EXISTS_ONE:
            flags = [_as_bool(evaluate(expr.body, inner), expr.span) for inner in items]
            gap = _first_gap(flags)
            return gap if gap is not None else flags.count(True) == 1
        case FoldKind.FILTER:
            flags = [_as_bool(evaluate(expr.body, inner), expr.span) for inner in items]
            gap = _first_gap(flags)
            if gap is not None:
                return gap
            return tuple(item for item, keep in zip(range_, flags, strict=True) if keep)
        case FoldKind.MAP:
            return _map(expr, items)


def _inside(expr: Fold, scope: Scope, place: int, item: Any) -> Scope:
    scope.deadline.check()
    inner = scope.bind(expr.variable.name, item)
    return inner if expr.index is None else inner.bind(expr.index.name, place)


def _map(expr: Fold, items: Iterable[Scope]) -> Any:
    if expr.condition is not None:
        items = list(items)
        flags = [_as_bool(evaluate(expr.condition, inner), expr.span) for inner in items]
        gap = _first_gap(flags)
        if gap is not None:
            return gap
        items = [inner for inner, keep in zip(items, flags, strict=True) if keep]
    values = [evaluate(expr.body, inner) for inner in items]
    gap = _first_gap(values)
    return gap if gap is not None else tuple(values)


def _as_bool(value: Any, span: Span) -> Any:
    return Failure("null where a bool is needed", span) if value is None else value
