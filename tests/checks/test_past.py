"""What is told of earlier calls, against the interpreter and the gate on real ones."""

from itertools import product
from random import Random
from typing import Any

import pytest

from ledger_verify.checks.history.past_calls import without_past, without_ran, without_refused
from ledger_verify.checks.history.possible_past import Past, Possible
from ledger_verify.checks.idle_limit import idle_limits
from ledger_verify.evaluate.kleene import Truth
from ledger_verify.gate.cases import truths_in
from ledger_verify.gate.gate import Gate
from ledger_verify.lang.typed import Expr
from ledger_verify.policy.case import Case, EarlierCall
from ledger_verify.policy.domain import Domain

NOW_US = 1_767_268_800_000_000
MINUTE_US = 60_000_000
TOOLS = {
    "send": {"kind": "write", "arguments": {"to": "string", "size": "integer"}},
    "sign": {"kind": "write", "arguments": {"to": "string", "size": "integer"}},
    "think": {"kind": "neutral", "arguments": {}},
}
PREDICATES = (
    "history.sign.exists(c, c.ok && c.args.to == args.to)",
    "history.sign.exists(c, c.verdict == 'BLOCK') || history.send.size() > 1",
    "history.sign.filter(c, c.ok).size() >= 1",
    "1 > size(history.sign.filter(c, c.ok))",
    "size(history.sign) == 2 && args.size < 5",
    "history.sign.all(c, c.args.size < args.size)",
    "history.sign.all(c, !c.ok || c.args.to == args.to)",
    "args.to in history.sign.map(c, c.args.to)",
    "args.to in history.sign.map(c, c.ok, c.args.to)",
    "sum(history.sign.filter(c, c.args.size > 1).map(c, c.args.size)) + args.size <= 6",
    "history.sign.exists_one(c, c.args.size == args.size)",
    "history.filter(c, c.tool == 'sign').exists(c, c.ok)",
    "size(history) < 3",
    "history.exists(c, c.tool != 'send' && c.verdict != 'ALLOW')",
    "!history.sign.exists(c, history.send.exists(d, d.args.to == c.args.to))",
)


def _domain(*rules: dict[str, Any]) -> Domain:
    return Domain.define("post", tools=TOOLS, ledger={}, rules=rules, clock="2026-01-01T12:00:00")


DOMAIN = _domain(
    {"id": "small", "tools": ["sign"], "require": "args.size <= 3 && [1, 2].exists(c, c < 3)"},
    *(
        {"id": f"r{number}", "tools": ["send"], "require": text}
        for number, text in enumerate(PREDICATES)
    ),
)
GATE = Gate(DOMAIN)
READING = [rule for rule in DOMAIN.rules if rule.tool == "send"]
SMALL = DOMAIN.rules_by_tool["sign"]


def _histories() -> list[tuple[EarlierCall, ...]]:
    random = Random(7)
    return [tuple(_call(random) for _ in range(random.randint(0, 4))) for _ in range(120)]


def _call(random: Random) -> EarlierCall:
    tool = random.choice(["send", "sign", "sign", "think"])
    arguments = {"to": random.choice("ab"), "size": random.randint(0, 5)}
    verdict = random.choice(["ALLOW", "REVISE", "BLOCK", "UNCHECKED"])
    ok = verdict in ("ALLOW", "UNCHECKED") and random.random() < 0.7
    return EarlierCall(tool, {} if tool == "think" else arguments, ok, verdict, NOW_US)


def _truth(expr: Expr, history: tuple[EarlierCall, ...]) -> Truth:
    case = Case("send", {"to": "a", "size": 2}, {}, NOW_US, history=history)
    truths = truths_in(GATE, case, (expr,))
    assert truths is not None
    return truths[0]


@pytest.mark.parametrize("rule", READING, ids=PREDICATES)
def test_a_cut_past_is_the_past_without_what_is_impossible(rule: Any) -> None:
    refused_only = Past(DOMAIN, {"sign": Possible(("REVISE", "BLOCK"))}).cut(rule.holds)
    as_allowed = Past(DOMAIN, {"sign": Possible(("ALLOW", "REVISE", "BLOCK"), SMALL)}).cut(
        rule.holds
    )
    for history in _histories():
        refused = tuple(c for c in history if c.tool != "sign" or c.verdict in ("REVISE", "BLOCK"))
        assert _truth(refused_only, history) is _truth(rule.holds, refused)
        possible = tuple(c for c in history if c.tool != "sign" or _is_possible(c))
        if possible == history:
            assert _truth(as_allowed, history) is _truth(rule.holds, history)


def _is_possible(call: EarlierCall) -> bool:
    small = call.verdict != "ALLOW" or call.arguments["size"] <= 3
    return call.verdict != "UNCHECKED" and small


@pytest.mark.parametrize("rule", READING, ids=PREDICATES)
def test_a_past_without_calls_some_calls_or_refusals(rule: Any) -> None:
    none = without_past(rule.holds)
    kept, refused = without_refused(rule.holds, "sign"), without_ran(rule.holds, "sign")
    for history in _histories():
        ran = tuple(c for c in history if c.tool != "sign" or c.verdict in ("ALLOW", "UNCHECKED"))
        not_ran = tuple(c for c in history if c.tool != "sign" or c not in ran)
        assert _truth(none, history) is _truth(rule.holds, ())
        assert _truth(kept, history) is _truth(rule.holds, ran)
        assert _truth(refused, history) is _truth(rule.holds, not_ran)


def _is_ever_reached(domain: Domain) -> bool:
    """Whether the limit refuses a call that comes as soon as the spacing lets it."""
    now = NOW_US
    session = Gate(domain).session(clock_us=lambda: now)
    # with `<=` the next call may come a microsecond later
    moments = [minute * MINUTE_US + extra for minute in range(30) for extra in range(4)]
    arguments = {"to": "a", "size": 1}
    for moment in moments:
        now = NOW_US + moment
        verdict = session.dry_run("send", arguments)
        truths = {rule.id: rule.truth for rule in verdict.rules}
        if truths.get("limit") == "FALSE" and truths["spacing"] == "TRUE":
            return True
        if verdict.allowed:
            session.observe("send", arguments, {})
    return False


@pytest.mark.parametrize(
    ("least", "sooner", "window", "within", "limit"),
    list(product((4, 5), ("<", "<="), (9, 10, 11), ("<", "<="), (1, 2, 3))),
)
def test_a_limit_is_idle_iff_the_gate_never_reaches_it(
    least: int, sooner: str, window: int, within: str, limit: int
) -> None:
    soon = f'now - c.time {sooner} duration("{least}m")'
    recent = f'history.send.filter(c, c.ok && now - c.time {within} duration("{window}m"))'
    domain = _domain(
        {
            "id": "spacing",
            "tools": ["send"],
            "require": f"!history.send.exists(c, c.ok && {soon})",
        },
        {"id": "limit", "tools": ["send"], "require": f"size({recent}) < {limit}"},
    )
    found = {window.rule.id: spacing for window, spacing in idle_limits(domain)}
    assert (found["limit"] is not None) is not _is_ever_reached(domain)
