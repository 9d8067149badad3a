"""Earlier calls in the expressions of rules: which are read, and what can be told of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from ledger_verify.evaluate.kleene import Scope, evaluate
from ledger_verify.lang.environment import VERDICTS
from ledger_verify.lang.rewrite import rewritten, with_variables
from ledger_verify.lang.typed import (
    And,
    Apply,
    Constant,
    Expr,
    FieldOf,
    Fold,
    FoldKind,
    ListOf,
    Or,
    Variable,
    distinct,
)
from ledger_verify.lang.types import BOOL, STRING, ListType, RecordType, Type
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.evidence import NoEvidence, Unknown

REFUSED = ("REVISE", "BLOCK")
_UNKNOWN = Unknown(frozenset())


def calls_with(tool: str, verdicts: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Earlier calls with these verdicts, of which nothing else is known; what was refused did not
    run.
    """
    for verdict, ok in product(verdicts, (False, True)):
        if not (ok and verdict in REFUSED):
            yield {"tool": tool, "args": _UNKNOWN, "ok": ok, "verdict": verdict, "time": _UNKNOWN}


def truth_of_call(condition: Expr, name: str, call: Mapping[str, Any]) -> Any:
    """What a condition is for a call under this name, all else being unknown: True, False, or
    something else where that depends.
    """
    return evaluate(condition, _scope_of(condition, name, call))


def histories(expr: Expr) -> tuple[Variable, ...]:
    """The parts `history` and `history.tool` of an expression."""
    found = (part for part in distinct(expr) if isinstance(part, Variable) and part.is_history)
    return tuple(dict.fromkeys(found))


def tools_of(calls: Variable, domain: Domain) -> tuple[str, ...]:
    """The tools that `history` or `history.tool` has calls of."""
    tool = calls.name.partition(".")[2]
    return (tool,) if tool else tuple(domain.tools)


def without_past(expr: Expr) -> Expr:
    """The expression before any call was made."""

    def change(part: Expr) -> Expr:
        if isinstance(part, Variable) and part.is_history:
            assert isinstance(part.type, ListType)
            return ListOf((), part.type, part.span)
        return part

    return rewritten(expr, change)


def without_refused(expr: Expr, tool: str) -> Expr:
    """The expression as if no call of the tool had been refused."""
    return _only(expr, tool, tuple(v for v in VERDICTS if v not in REFUSED))


def without_ran(expr: Expr, tool: str) -> Expr:
    """The expression as if all calls of the tool had been refused."""
    return _only(expr, tool, REFUSED)


def _only(expr: Expr, tool: str, verdicts: tuple[str, ...]) -> Expr:
    def change(part: Expr) -> Expr:
        match part:
            case Variable() if part.is_history and part.name in ("history", f"history.{tool}"):
                item = any_call(part, "call#past")
                body = is_one_of(part_of_call(item, "verdict"), verdicts)
                if names_its_tool(item):
                    other = Apply("ne", (part_of_call(item, "tool"), Constant(tool, STRING)), BOOL)
                    body = Or((other, body))
                return Fold(FoldKind.FILTER, item, part, body, None, part.type, part.span)
            case Fold():
                return fused(part)
        return part

    return rewritten(expr, change)


def fused(fold: Fold) -> Fold:
    """A macro over a filter as one over what is filtered."""
    inner = fold.range
    if not (isinstance(inner, Fold) and inner.kind is FoldKind.FILTER) or fold.index is not None:
        return fold  # with a position, which is that among what was kept
    kept = with_variables(inner.body, {inner.variable.name: fold.variable})
    match fold.kind:
        case FoldKind.ALL:
            body: Expr = Or((Apply("not", (kept,), BOOL), fold.body))
            return replace(fold, range=inner.range, body=body)
        case FoldKind.MAP:
            condition = kept if fold.condition is None else And((kept, fold.condition))
            return replace(fold, range=inner.range, condition=condition)
    return replace(fold, range=inner.range, body=And((kept, fold.body)))


_NONE = {("eq", 0), ("lt", 1), ("le", 0)}
_SOME = {("ne", 0), ("gt", 0), ("ge", 1)}
_TURNED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


def as_exists(part: Apply) -> Expr:
    """`size(filter) > 0` and `x in map` as `exists`, which can be proved for any length."""
    match part:
        case Apply(operation="in_list", operands=(value, Fold(kind=FoldKind.MAP) as made)):
            same = Apply("eq", (value, made.body), BOOL)
            body: Expr = same if made.condition is None else And((made.condition, same))
            return replace(
                made, kind=FoldKind.EXISTS, body=body, condition=None, type=BOOL, span=part.span
            )
        case Apply(operation=operation, operands=(Constant() as left, right)) if (
            operation in _TURNED
        ):
            turned = as_exists(Apply(_TURNED[operation], (right, left), BOOL, part.span))
            return part if isinstance(turned, Apply) and turned.operation != "not" else turned
        case Apply(
            operation=operation,
            operands=(
                Apply(operation="size", operands=(Fold(kind=FoldKind.FILTER) as kept,)),
                Constant(value=int() as count),
            ),
        ) if (operation, count) in _NONE | _SOME:
            exists = replace(kept, kind=FoldKind.EXISTS, type=BOOL)
            if (operation, count) in _SOME:
                return exists
            return Apply("not", (exists,), BOOL, part.span)
    return part


def _scope_of(condition: Expr, name: str, call: Mapping[str, Any]) -> Scope:
    names = {
        part.name: _UNKNOWN
        for part in distinct(condition)
        if isinstance(part, Variable) and not part.is_history
    }
    return Scope(_Nothing(), {**names, name: call})


class _Nothing(NoEvidence):
    """Of the ledger, the session and other earlier calls, nothing is known."""

    facts: Any = _UNKNOWN

    def observed_records(self, pattern: str) -> Any:
        """Unknown ones."""
        return _UNKNOWN

    def observed(self, pattern: str, keys: tuple[Any, ...], field: str | None) -> Any:
        """Perhaps."""
        return _UNKNOWN

    def earlier_calls(self, name: str) -> Any:
        """Unknown ones."""
        return _UNKNOWN

    def messages(self) -> Any:
        """Unknown ones."""
        return _UNKNOWN


def any_call(calls: Variable, name: str) -> Variable:
    """A variable for one of the calls of `history` or `history.tool`."""
    assert isinstance(calls.type, ListType)
    return Variable(name, calls.type.item)


def _record(type_: Type) -> RecordType:
    assert isinstance(type_, RecordType)
    return type_


def part_of_call(call: Variable, name: str) -> FieldOf:
    """The `verdict`, `ok`, `time`, `args` or `tool` of a call."""
    return FieldOf(call, name, _record(call.type).by_name[name].type)


def is_one_of(value: Expr, texts: tuple[str, ...]) -> Expr:
    """Whether a text is one of these, as an expression."""
    listed = ListOf(tuple(Constant(text, STRING) for text in texts), ListType(STRING))
    return Apply("in_list", (value, listed), BOOL)


def truth_alone(predicate: Expr) -> Any:
    """What a predicate is whatever the ledger, the history and the call are: True, False, or
    something else where that depends.
    """
    return evaluate(predicate, _scope_of(predicate, "", {}))


def names_its_tool(call: Variable) -> bool:
    """Whether the call is one of `history`, where each tells its tool, and not its arguments."""
    return "tool" in _record(call.type).by_name
