"""Rules under what can have happened before: `history` cut down to calls that are possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ledger_verify.checks.history.past_calls import (
    any_call,
    as_exists,
    calls_with,
    fused,
    histories,
    is_one_of,
    names_its_tool,
    part_of_call,
    truth_of_call,
)
from ledger_verify.lang.environment import VERDICTS
from ledger_verify.lang.rewrite import conjuncts, rewritten, with_own_variables
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
from ledger_verify.lang.types import BOOL, STRING, ListType
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Rule
from ledger_verify.policy.tools import Tool


@dataclass(frozen=True)
class Possible:
    """What earlier calls of a tool can be like: their verdicts, and the rules of allowed ones."""

    verdicts: tuple[str, ...]
    rules: tuple[Rule, ...] = ()


Allows = Callable[[str, tuple[Expr, ...]], bool]
"""Whether a call of the tool that meets predicates over its arguments and `now` can be allowed."""


class Past:
    """Earlier calls of a domain's tools, those in `possible` cut down to what is possible.

    With `allows`, conditions that no allowed call of a tool can meet count as impossible.
    """

    def __init__(
        self, domain: Domain, possible: Mapping[str, Possible], allows: Allows | None = None
    ) -> None:
        self._domain = domain
        self._possible = possible
        self._allows = allows

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
                return self._without_impossible(fused(part))
            case Apply():
                return as_exists(part)
        return part

    def _kept(self, calls: Variable) -> Expr:
        """The possible ones of the calls."""
        item = any_call(calls, "call#past")
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
        verdict = part_of_call(item, "verdict")
        options: list[Expr] = [is_one_of(verdict, possible.verdicts)]
        if names_its_tool(item):
            other = Apply("ne", (part_of_call(item, "tool"), Constant(tool, STRING)), BOOL)
            return Or((other, *options))
        facts = [fact for rule in possible.rules for fact in _facts(rule, item)]
        if facts:
            unasked = tuple(v for v in possible.verdicts if v != "ALLOW")
            options.append(Or((is_one_of(verdict, unasked), And(tuple(facts)))))
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
            truth = truth_of_call(condition, fold.variable.name, call)
            if truth is not (not met) and self._can_be(fold, condition, call):
                return fold
        if fold.kind in (FoldKind.FILTER, FoldKind.MAP):
            assert isinstance(fold.type, ListType)
            return ListOf((), fold.type, fold.span)
        return Constant(not met, BOOL, fold.span)

    def _can_be(self, fold: Fold, condition: Expr, call: Mapping[str, Any]) -> bool:
        """Whether such a call, if it was allowed, can be one that the macro is about."""
        possible = self._possible.get(call["tool"])
        if self._allows is None or call["verdict"] != "ALLOW" or not (possible and possible.rules):
            return True
        wanted = _failing(condition) if fold.kind is FoldKind.ALL else conjuncts(condition)
        tool = self._domain.tools[call["tool"]]
        predicates = tuple(
            rewritten(part, lambda p: _of_this_call(p, fold.variable.name, call, tool))
            for part in wanted
            if _is_closed(part, fold.variable.name)
        )
        return self._allows(tool.name, predicates)

    def _calls(self, tool: str) -> Iterator[dict[str, Any]]:
        """All that is known of the possible calls: tool, verdict, and whether they ran."""
        for name in [tool] if tool else self._domain.tools:
            possible = self._possible.get(name)
            yield from calls_with(name, VERDICTS if possible is None else possible.verdicts)


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
            return part_of_call(item, "args")
        case Variable(name="now"):
            return part_of_call(item, "time")
        case FieldOf(of=Variable(name="call"), field_name="tool"):
            return Constant(tool, STRING)
    return part


def _failing(condition: Expr) -> tuple[Expr, ...]:
    """What must hold for the condition not to."""
    operands = condition.operands if isinstance(condition, Or) else (condition,)
    return tuple(Apply("not", (operand,), BOOL) for operand in operands)


def _is_closed(predicate: Expr, name: str) -> bool:
    """Whether a predicate speaks of nothing but the variable of this name."""
    parts = tuple(distinct(predicate))
    bound = {part.variable.name for part in parts if isinstance(part, Fold)}
    names = {part.name for part in parts if isinstance(part, Variable)}
    return names - bound <= {name} and not any(
        isinstance(part, Read | Observed | Records) for part in parts
    )


def _of_this_call(part: Expr, name: str, call: Mapping[str, Any], tool: Tool) -> Expr:
    """What is said of an earlier call, said of the call itself."""
    match part:
        case FieldOf(of=Variable(name=own), field_name=field) if own == name:
            match field:
                case "args":
                    return Variable("args", tool.arguments)
                case "time":
                    return Variable("now", part.type)
            return Constant(call[field], part.type)
    return part
