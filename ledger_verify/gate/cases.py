"""Replaying a case - a ledger and a call - through the gate."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from ledger_verify.evaluate.kleene import Failure, Scope, Truth, evaluate, truth
from ledger_verify.gate.gate import Gate
from ledger_verify.gate.session import Session
from ledger_verify.gate.verdict import Verdict
from ledger_verify.lang.errors import InputError
from ledger_verify.lang.typed import Expr
from ledger_verify.lang.types import BoolType, strip_null
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Assumption
from ledger_verify.policy.tools import Tool
from ledger_verify.schema.coerce import coercer
from ledger_verify.schema.render import time_text
from ledger_verify.solver.question import Question

log = logging.getLogger("ledger_verify.gate")


def replay_case(gate: Gate, case: Case) -> Verdict:
    """The gate's verdict on the case; raises `InputError` where the ledger does not fit."""
    session = gate.session(clock_us=case.now_us, tools=case.tools, facts=case.facts)
    fill_session(session, case)
    return session.dry_run(case.tool, case.arguments)


def fill_session(session: Session, case: Case) -> None:
    """Observe the records of the case, let go stale what is, recall calls and messages.

    What is absent is known to be so.
    """
    for path, record in case.ledger.items():
        session.record(path, record)
    for path in case.stale:
        session.mark_stale(path)
    for path in case.absent:
        session.record_absent(path)
    for call in case.history:
        session.recall(call)
    for text in case.heard:
        session.heard(text)


def replay_found(gate: Gate, case: Case) -> Verdict | None:
    """The same for a case that a solver found; None where it fits no schema, and so is no case."""
    try:
        return replay_case(gate, case)
    except InputError:
        log.warning("a case that was found for `%s` does not fit the schema", case.tool)
        return None


def same_answer(verdict: Verdict, other: Verdict) -> bool:
    """Whether two verdicts agree on the decision and on every rule."""
    return verdict.decision is other.decision and [(r.id, r.truth) for r in verdict.rules] == [
        (r.id, r.truth) for r in other.rules
    ]


def prune(gate: Gate, case: Case, verdict: Verdict, keeping: Sequence[Expr] = ()) -> Case:
    """The case without the parts that its verdict does not depend on.

    What is stale, records, optional fields and items are dropped one at a time, as long as the
    decision, the truth of every rule and of the predicates `keeping` stay the same, and no
    assumption of the domain is broken.
    """
    # the rules alone are judged much faster than the call; the verdict on what is left tells
    # whether that was enough
    rules = [rule.holds for rule in gate.domain.rules_by_tool[case.tool]]
    everything = (*rules, *keeping)
    truths = truths_in(gate, case, everything)
    if truths is not None and Truth.UNKNOWN not in truths:
        smaller = smallest(case, lambda c: truths_in(gate, c, everything) == truths)
        if _agrees(gate, smaller, verdict):
            return smaller
    kept = truths_in(gate, case, keeping)
    return smallest(
        case,
        lambda c: truths_in(gate, c, keeping) == kept and _agrees(gate, c, verdict),
    )


def smallest(case: Case, agrees: Callable[[Case], bool]) -> Case:
    """The case after all parts were tried without which it still agrees."""
    for call in case.history:
        smaller = replace(case, history=tuple(c for c in case.history if c is not call))
        if agrees(smaller):
            case = smaller
    for number in reversed(range(len(case.heard))):
        smaller = replace(case, heard=(*case.heard[:number], *case.heard[number + 1 :]))
        if agrees(smaller):
            case = smaller
    for path in case.stale:
        smaller = replace(case, stale=tuple(other for other in case.stale if other != path))
        if agrees(smaller):
            case = smaller
    for path in case.absent:
        smaller = replace(case, absent=tuple(other for other in case.absent if other != path))
        if agrees(smaller):
            case = smaller
    for path in list(case.ledger):
        smaller = case.without_record(path)
        if agrees(smaller):
            case = smaller
    for path in case.ledger:
        for part in list(parts_of(case.ledger[path])):
            smaller = replace(case, ledger={**case.ledger, path: without(case.ledger[path], part)})
            if agrees(smaller):
                case = smaller
    for name in list(case.arguments):
        smaller = replace(case, arguments={k: v for k, v in case.arguments.items() if k != name})
        if agrees(smaller):
            case = smaller
    for part in list(parts_of(dict(case.facts))):
        smaller = replace(case, facts=without(dict(case.facts), part))
        if agrees(smaller):
            case = smaller
    return case


def confirms(gate: Gate, question: Question, case: Case) -> bool:
    """Whether the interpreter says of the case that it is one of those that the question asks for.

    It fits the schema, keeps the assumptions, and each predicate is what the question wants.
    """
    scope = _scope(gate, case, question.tool)
    return scope is not None and (
        all(truth(predicate, scope) is Truth.TRUE for predicate in question.true)
        and all(truth(predicate, scope) is Truth.FALSE for predicate in question.false)
        and all(truth(p, scope) in (Truth.FALSE, Truth.ERROR) for p in question.untrue)
        and all(_lacks(expr, scope) for expr in question.valueless)
    )


def _lacks(expr: Expr, scope: Scope) -> bool:
    """Whether the expression has no value; null is none where a truth is needed."""
    value = evaluate(expr, scope)
    is_bool = isinstance(strip_null(expr.type), BoolType)
    return isinstance(value, Failure) or (is_bool and value is None)


def truths_in(gate: Gate, case: Case, predicates: Sequence[Expr]) -> tuple[Truth, ...] | None:
    """The truth of predicates as the interpreter sees it; None if the case cannot be."""
    scope = _scope(gate, case)
    if scope is None:
        return None
    return tuple(truth(predicate, scope) for predicate in predicates)


def value_in(gate: Gate, case: Case, expr: Expr) -> Any:
    """The value of an expression, `Unknown` or `Failure`; None if the case cannot be."""
    scope = _scope(gate, case)
    return None if scope is None else evaluate(expr, scope)


def _scope(gate: Gate, case: Case, tool: Tool | None = None) -> Scope | None:
    """What the interpreter evaluates expressions in; None if the case cannot be."""
    domain = gate.domain
    tool = tool or domain.tools[case.tool]
    try:
        session = gate.session(clock_us=case.now_us, facts=case.facts)
        fill_session(session, case)
        arguments = coercer(tool.arguments, domain.zone)(case.arguments)
    except InputError:
        return None
    if not keeps_assumptions(domain, session.ledger):
        return None
    names = {"args": arguments, "now": case.now_us, "call": {"tool": tool.name}}
    return Scope(session.ledger, names)


def keeps_assumptions(domain: Domain, ledger: Ledger) -> bool:
    """Whether no assumption is false of the observed records."""
    return not any(broken_at(assumption, ledger) for assumption in domain.assumptions)


def broken_at(statement: Assumption, ledger: Ledger) -> list[tuple[str, tuple[Any, ...]]]:
    """The records of which a statement is false or has no value; of one about no pattern, ''."""
    scope = Scope(ledger)
    broken: list[tuple[str, tuple[Any, ...]]] = []
    if statement.variable is None:
        if truth(statement.body, scope) in (Truth.FALSE, Truth.ERROR):
            broken.append(("", ()))
        return broken
    for pattern, keys, _ in ledger.records():
        if pattern == statement.pattern:
            bound = scope.bind(statement.variable.name, ledger.lookup(pattern, keys))
            if truth(statement.body, bound) in (Truth.FALSE, Truth.ERROR):
                broken.append((pattern, keys))
    return broken


def _agrees(gate: Gate, case: Case, verdict: Verdict) -> bool:
    if truths_in(gate, case, ()) is None:
        return False
    found = replay_case(gate, case)
    return found.decided_by != "schema" and same_answer(found, verdict)


def parts_of(value: Any, path: tuple[Any, ...] = ()) -> Iterable[tuple[Any, ...]]:
    """Places of fields and items that could go, deepest last, later items first."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key)
            yield from parts_of(inner, (*path, key))
    elif isinstance(value, list):
        for index in range(len(value) - 1, -1, -1):
            yield (*path, index)


def without(value: Any, path: tuple[Any, ...]) -> Any:
    """A copy without the part at the path; unchanged where it is gone already."""
    step, rest = path[0], path[1:]
    if isinstance(value, dict) and step in value:
        if rest:
            return {**value, step: without(value[step], rest)}
        return {key: inner for key, inner in value.items() if key != step}
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        if rest:
            return [*value[:step], without(value[step], rest), *value[step + 1 :]]
        return [*value[:step], *value[step + 1 :]]
    return value


def case_data(case: Case, domain: Domain) -> dict[str, Any]:
    """A case as plain data, in the form of scenario files."""
    data: dict[str, Any] = {}
    if case.now_us != domain.clock_us:
        data["clock"] = time_text(case.now_us, False, domain.zone)
    if case.tools is not None:
        data["tools"] = list(case.tools)
    if case.facts:
        data["session"] = dict(case.facts)
    data["ledger"] = dict(case.ledger)
    if case.stale:
        data["stale"] = list(case.stale)
    if case.absent:
        data["absent"] = list(case.absent)
    if case.history:
        data["history"] = [
            {
                "tool": call.tool,
                "arguments": dict(call.arguments),
                "ok": call.ok,
                "verdict": call.verdict,
                "time": time_text(call.time_us, False, domain.zone),
            }
            for call in case.history
        ]
    if case.heard:
        data["heard"] = list(case.heard)
    data["call"] = {"tool": case.tool, "arguments": dict(case.arguments)}
    return data
