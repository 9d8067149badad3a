"""Rules under what can have happened before: `history` cut down to calls that are possible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from ledger_verify.evaluate.kleene import Scope, evaluate
from ledger_verify.lang.environment import VERDICTS
from ledger_verify.lang.rewrite import conjuncts, rewritten, with_own_variables, with_variables
from ledger_verify.lang.typed import (
    And,
    Apply,
    Constant,
    Expr,
    FieldOf,
    Fold,
    FoldKind,
    ListOf,
    Observed,
    Or,
    Read,
    Records,
    Variable,
    distinct,
)
from ledger_verify.lang.types import BOOL, STRING, ListType, RecordType, Type
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.evidence import NoEvidence, Unknown
from ledger_verify.policy.rules import Rule

REFUSED = ("REVISE", "BLOCK")
_UNKNOWN = Unknown(frozenset())


@dataclass(frozen=True)
class Possible:
    """What earlier calls of a tool can be like: their verdicts, and the rules of allowed ones."""

    verdicts: tuple[str, ...]
    rules: tuple[Rule, ...] = ()


class Past:
    """Earlier calls of a domain's tools, those in `possible` cut down to what is possible."""

    def __init__(self, domain: Domain, possible: Mapping[str, Possible]) -> None:
        self._domain = domain
        self._possible = possible

    def cut(self, expr: Expr) -> Expr:
        """The expression with only possible calls in `history`.

        It is TRUE wherever the expression is so on possible calls. Conditions on earlier calls that
        none can meet are gone.
        """
        return rewritten(expr, self._change)

    def _change(self, part: Expr) -> Expr:
        match part:
            case Variable() if part.is_history:
                return self._kept(part)
            case Fold():
                return self._without_impossible(_fused(part))
            case Apply():
                return _as_exists(part)
        return part

    def _kept(self, calls: Variable) -> Expr:
        """The possible ones of the calls."""
        item = _item(calls, "call#past")
        tool = calls.name.partition(".")[2]
        conditions = [
            self._condition(item, name, possible)
            for name, possible in self._possible.items()
            if not tool or name == tool
        ]
        if not conditions:
            return calls
        body = And(tuple(conditions))
        return Fold(FoldKind.FILTER, item, calls, body, None, calls.type, calls.span)

    def _condition(self, item: Variable, tool: str, possible: Possible) -> Expr:
        verdict = _field(item, "verdict")
        options: list[Expr] = [_is_one_of(verdict, possible.verdicts)]
        if "tool" in _record(item.type).by_name:
            other = Apply("ne", (_field(item, "tool"), Constant(tool, STRING)), BOOL)
            return Or((other, *options))
        facts = [fact for rule in possible.rules for fact in _facts(rule, item)]
        if facts:
            unasked = tuple(v for v in possible.verdicts if v != "ALLOW")
            options.append(Or((_is_one_of(verdict, unasked), And(tuple(facts)))))
        return And(tuple(options))

    def _without_impossible(self, fold: Fold) -> Expr:
        """What a macro over earlier calls is if none can meet its condition."""
        if not (isinstance(fold.range, Variable) and fold.range.is_history):
            return fold
        condition = fold.condition if fold.kind is FoldKind.MAP else fold.body
        if condition is None:
            return fold
        met = fold.kind is not FoldKind.ALL
        tool = fold.range.name.partition(".")[2]
        for call in self._calls(tool):
            if truth_of_call(condition, fold.variable.name, call) is not (not met):
                return fold
        if fold.kind in (FoldKind.FILTER, FoldKind.MAP):
            assert isinstance(fold.type, ListType)
            return ListOf((), fold.type, fold.span)
        return Constant(not met, BOOL, fold.span)

    def _calls(self, tool: str) -> Iterator[dict[str, Any]]:
        """All that is known of the possible calls: tool, verdict, and whether they ran."""
        for name in [tool] if tool else self._domain.tools:
            possible = self._possible.get(name)
            yield from calls_with(name, VERDICTS if possible is None else possible.verdicts)


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
                item = _item(part, "call#past")
                body = _is_one_of(_field(item, "verdict"), verdicts)
                if part.name == "history":
                    other = Apply("ne", (_field(item, "tool"), Constant(tool, STRING)), BOOL)
                    body = Or((other, body))
                return Fold(FoldKind.FILTER, item, part, body, None, part.type, part.span)
            case Fold():
                return _fused(part)
        return part

    return rewritten(expr, change)


def _fused(fold: Fold) -> Fold:
    """A macro over a filter as one over what is filtered."""
    inner = fold.range
    if not (isinstance(inner, Fold) and inner.kind is FoldKind.FILTER):
        return fold
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


def _as_exists(part: Apply) -> Expr:
    """`size(filter) > 0` and `x in map` as `exists`, which can be proved for any length."""
    match part:
        case Apply(operation="in_list", operands=(value, Fold(kind=FoldKind.MAP) as made)):
            same = Apply("eq", (value, made.body), BOOL)
            body: Expr = same if made.condition is None else And((made.condition, same))
            return Fold(FoldKind.EXISTS, made.variable, made.range, body, None, BOOL, part.span)
        case Apply(operation=operation, operands=(Constant() as left, right)) if (
            operation in _TURNED
        ):
            turned = _as_exists(Apply(_TURNED[operation], (right, left), BOOL, part.span))
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


def _facts(rule: Rule, item: Variable) -> Iterator[Expr]:
    """What a rule says of the arguments and the time of a call that it allowed."""
    for required in conjuncts(rule.require):
        whole = replace(rule, require=required).holds
        if any(isinstance(p, Read | Observed | Records) for p in distinct(whole)) or histories(
            whole
        ):
            continue
        own = with_own_variables(whole, "past")
        yield rewritten(own, lambda part: _of_call(part, item, rule.tool))


def _of_call(part: Expr, item: Variable, tool: str) -> Expr:
    match part:
        case Variable(name="args"):
            return _field(item, "args")
        case Variable(name="now"):
            return _field(item, "time")
        case FieldOf(of=Variable(name="call"), field_name="tool"):
            return Constant(tool, STRING)
    return part


def _scope_of(condition: Expr, name: str, call: Mapping[str, Any]) -> Scope:
    names = {
        part.name: _UNKNOWN
        for part in distinct(condition)
        if isinstance(part, Variable) and not part.is_history
    }
    return Scope(_Nothing(), {**names, name: call})


class _Nothing(NoEvidence):
    """Of the ledger and of other earlier calls, nothing is known."""

    def observed_records(self, pattern: str) -> Any:
        """Unknown ones."""
        return _UNKNOWN

    def observed(self, pattern: str, keys: tuple[Any, ...], field: str | None) -> Any:
        """Perhaps."""
        return _UNKNOWN

    def earlier_calls(self, name: str) -> Any:
        """Unknown ones."""
        return _UNKNOWN


def _item(calls: Variable, name: str) -> Variable:
    assert isinstance(calls.type, ListType)
    return Variable(name, calls.type.item)


def _record(type_: Type) -> RecordType:
    assert isinstance(type_, RecordType)
    return type_


def _field(item: Variable, name: str) -> FieldOf:
    return FieldOf(item, name, _record(item.type).by_name[name].type)


def _is_one_of(value: Expr, texts: tuple[str, ...]) -> Expr:
    listed = ListOf(tuple(Constant(text, STRING) for text in texts), ListType(STRING))
    return Apply("in_list", (value, listed), BOOL)


def is_surely_true(predicate: Expr) -> bool:
    """Whether a predicate is true whatever the ledger, the call and its variables are."""
    return evaluate(predicate, _scope_of(predicate, "", {})) is True
