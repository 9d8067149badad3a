"""What `inapplicable_rule` to `impossible_literal` say: which rules, where, and how it is told."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from ledger_verify.checks.base.finding import Finding
from ledger_verify.checks.base.job import Settings
from ledger_verify.checks.catalog import selected
from ledger_verify.checks.running.run import run_checks
from ledger_verify.policy.domain import Domain
from ledger_verify.solver.question import Question
from ledger_verify.solver.static import StaticSolver
from tests.checks.shop import DEFINITIONS, ORDER, TOOLS, shop


def found(domain: Domain, code: str) -> list[Finding]:
    """The findings of that code, by all checks."""
    return [f for f in run_checks([domain])[0].findings if f.code == code]


def underlined(domain: Domain, finding: Finding) -> str:
    """The text of the policy that the finding points at."""
    assert finding.end is not None
    lines = domain.sources["policy"].text.splitlines()
    assert finding.location.line == finding.end.line
    start, end = finding.location.column - 1, finding.end.column - 1
    return lines[finding.location.line - 1][start:end]


# --- redundant_rule ---


def test_the_core_is_one_rule_where_one_is_enough() -> None:
    domain = shop(
        "args.bags <= 9", "args.bags + size(args.short) <= 9", 'args.kind == "a"', "args.bags <= 7"
    )
    (finding,) = found(domain, "LV104")
    assert (finding.rules, finding.core) == (("r0",), ("r1",))
    assert finding.message == "`r0` is redundant: `r1` implies it"


def test_a_pair_is_found_among_many_rules() -> None:
    others = [f"args.text != {name!r}".replace("'", '"') for name in "abcdefgh"]
    domain = shop(
        *others, "args.bags <= size(args.short) + 2", "size(args.names) >= args.bags",
        "size(args.short) <= 1", "args.bags <= 3",
    )  # fmt: skip
    (finding,) = found(domain, "LV104")
    assert (finding.rules, finding.core) == (("r11",), ("r8", "r10"))
    assert finding.message == "`r11` is redundant: `r8`, `r10` imply it"


def test_a_larger_core_is_irreducible() -> None:
    domain = shop(
        "args.bags <= size(args.names)", "size(args.names) <= size(args.items)",
        "size(args.items) <= 5", 'args.kind != "a"', "args.bags <= 5",
    )  # fmt: skip
    (finding,) = found(domain, "LV104")
    assert (finding.rules, finding.core) == (("r4",), ("r0", "r1", "r2"))


def test_of_three_rules_that_imply_each_other_the_first_stays() -> None:
    domain = shop("args.bags < 4", "args.bags <= 3", "!(args.bags > 3)")
    assert [finding.rules for finding in found(domain, "LV104")] == [("r1",), ("r2",)]


def test_the_rule_for_more_tools_stays() -> None:
    domain = shop(
        "args.bags < 4",
        {"tools": ["change", "other"], "require": "args.bags <= 3"},
    )
    assert [finding.rules for finding in found(domain, "LV104")] == [("r0",)]


def test_the_same_condition_twice_is_no_matter_of_implication() -> None:
    assert found(shop("args.bags < 4", "args.bags < 4"), "LV104") == []


def test_nothing_is_implied_where_no_call_is_allowed() -> None:
    domain = shop("args.bags < 4", "args.bags > 7", "args.bags <= 5", 'args.kind == "a"')
    assert found(domain, "LV104") == []
    assert [finding.core for finding in found(domain, "LV101")] == [("r0", "r1")]


def test_what_a_conflict_implies_is_told_as_the_conflict() -> None:
    domain = shop(
        {"when": 'args.kind == "a"', "require": "args.bags < 4"},
        {"when": 'args.kind == "a"', "require": "args.bags > 7"},
        {"when": 'args.kind == "a" && size(args.names) > 2', "require": 'args.text == "x"'},
    )
    assert found(domain, "LV104") == []
    assert [finding.core for finding in found(domain, "LV105")] == [("r0", "r1")]


# --- conflicting_rules ---


def test_a_conflict_shows_a_call_that_one_rule_alone_forbids() -> None:
    domain = shop(
        {"when": 'args.kind == "a"', "require": "args.bags < 4"},
        {"when": f'{ORDER}.status == "open"', "require": "args.bags > 7"},
        'args.text != "x"',
    )
    (finding,) = found(domain, "LV105")
    assert finding.rules == finding.core == ("r0", "r1")
    assert finding.counterexample is not None
    call = finding.counterexample["call"]["arguments"]
    assert call["kind"] == "a"
    assert call["bags"] < 4
    (order,) = finding.counterexample["ledger"].values()
    assert order["status"] == "open"


def test_two_conflicts_of_one_tool_are_two_findings() -> None:
    domain = shop(
        {"when": 'args.kind == "a"', "require": "args.bags < 4"},
        {"when": 'args.kind == "a"', "require": "args.bags > 7"},
        {"when": f'{ORDER}.status == "open"', "require": 'args.text == "x"'},
        {"when": f'{ORDER}.status == "open"', "require": 'args.text == "y"'},
    )
    assert {f.core for f in found(domain, "LV105")} == {("r0", "r1"), ("r2", "r3")}


def test_a_core_of_a_conflict_is_irreducible() -> None:
    domain = shop(
        {"when": 'args.kind == "a"', "require": "args.bags > size(args.names)"},
        {"when": f'{ORDER}.status == "open"', "require": "size(args.names) > size(args.items)"},
        "size(args.items) >= 5", "args.bags <= 6", 'args.text != "x"',
    )  # fmt: skip
    (finding,) = found(domain, "LV105")
    assert finding.core == ("r0", "r1", "r2", "r3")
    core = [rule for rule in domain.rules if rule.id in finding.core]
    guards = tuple(rule.when for rule in core if rule.when is not None)
    solver, tool = StaticSolver(domain), domain.tools["change"]
    for left_out in core:
        rest = tuple(rule.holds for rule in core if rule is not left_out)
        assert solver.search(Question(tool, true=(*guards, *rest))).case is not None


# --- constant_condition ---

CONSTANT: Mapping[str, tuple[Any, str, str]] = {
    "the smallest part": (
        'args.kind == "a" || !(args.bags > 9 && args.bags < 5) && args.text == "x"',
        "args.bags > 9 && args.bags < 5", "false",
    ),
    "in a macro": (
        'args.items.exists(i, i.qty >= 0 && i.name == "x")', "i.qty >= 0", "true",
    ),
    "in a macro over a list that is computed": (
        'args.items.filter(i, i.name != "x").all(i, i.qty < 0 || i.name == "y")',
        "i.qty < 0", "false",
    ),
    "over items of what a filter keeps": (
        "args.items.filter(i, i.qty > 5).all(i, i.qty > 4 && i.name != args.text)",
        "i.qty > 4", "true",
    ),
    "over what is made of items": (
        "args.items.map(i, i.qty + 1).all(n, n >= 1 && n > args.bags)", "n >= 1", "true",
    ),
    "over what is made of items that are kept": (
        "args.items.map(i, i.qty > 5, i.qty).all(n, n > 5 && n > args.bags)", "n > 5", "true",
    ),
    "an earlier call is not in the future": (
        "size(history.change.filter(c, c.ok && c.time <= now)) < 3", "c.time <= now", "true",
    ),
    "the time since an earlier call the wrong way round": (
        'size(history.change.filter(c, c.ok && c.time - now < duration("1h"))) < 3',
        'c.time - now < duration("1h")', "true",
    ),
    "of earlier calls of any tool": (
        'size(history.filter(c, c.tool == "change" && c.ok && c.time > now)) < 3',
        "c.time > now", "false",
    ),
    "of earlier calls that are kept": (
        "history.change.filter(c, c.ok).all(c, c.time <= now && c.args.bags < args.bags)",
        "c.time <= now", "true",
    ),
    "of times of earlier calls": (
        "history.change.map(c, c.time).all(t, t <= now && args.bags < 5)", "t <= now", "true",
    ),
    "in a guard": (
        {"when": 'size(args.short) < 4 && args.kind == "a"', "require": "args.bags < 3"},
        "size(args.short) < 4", "true",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("rule", "text", "value"), CONSTANT.values(), ids=CONSTANT)
def test_the_smallest_constant_part_is_underlined(rule: Any, text: str, value: str) -> None:
    domain = shop(rule)
    (finding,) = found(domain, "LV106")
    assert finding.message == f"`{text}` is always {value}"
    assert underlined(domain, finding) == text


def test_a_part_that_stands_in_two_places_is_told_once() -> None:
    odd = {"odd": "args.bags > 9 && args.bags < 5"}
    rule = {"let": odd, "require": '!odd && args.kind == "a" || odd && args.text == "x"'}
    assert len(found(shop(rule), "LV106")) == 1


def test_a_long_condition_is_cut() -> None:
    names = " || ".join(f'args.text == "{letter * 9}"' for letter in "abcdef")
    domain = shop(f'!({names} || args.bags >= 0 || args.kind == "a") || args.bags == 7')
    (finding,) = found(domain, "LV106")
    assert finding.message == "`args.bags >= 0` is always true"


# --- impossible_literal ---

LITERALS: Mapping[str, tuple[str, str, str]] = {
    "near an enum's value": (
        f'{ORDER}.status != "payed"',
        '`"payed"` can never occur here: it is none of `open`, `paid`, `sent`',
        "did you mean `paid`?",
    ),
    "far from all of them": (
        f'{ORDER}.status != "lost in the mail"',
        '`"lost in the mail"` can never occur here: it is none of `open`, `paid`, `sent`',
        "write a value that can occur, or mend the schema",
    ),
    "below a minimum": (
        f"{ORDER}.total != -1.5",
        "`-1.5` can never occur here: the value is at least 0",
        "write a value that can occur, or mend the schema",
    ),
    "not whole": (
        "args.bags != 1.5",
        "`1.5` can never occur here: the value is an integer",
        "write a value that can occur, or mend the schema",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("require", "message", "fix"), LITERALS.values(), ids=LITERALS)
def test_a_literal_is_told_with_what_can_occur(require: str, message: str, fix: str) -> None:
    (finding,) = run_checks([shop(require)], None, selected(["LV1"]))[0].findings
    assert (finding.code, finding.message, finding.fix) == ("LV107", message, fix)


def test_many_values_are_cut() -> None:
    tools = {**TOOLS, "move": {"kind": "write", "arguments": {"to": {"enum": list("abcdefghij")}}}}
    domain = Domain.define(
        "shop", tools=tools, ledger={"orders.*": "Order"}, definitions=DEFINITIONS,
        rules=[{"id": "r", "tools": ["move"], "require": 'args.to != "zz"'}],
    )  # fmt: skip
    (finding,) = found(domain, "LV107")
    assert finding.message.endswith("none of `a`, `b`, `c`, `d`, `e`, `f` and 4 more")


def test_the_literal_is_underlined() -> None:
    domain = shop(f'args.bags > 2 && {ORDER}.status == "opne"')
    (finding,) = found(domain, "LV107")
    assert underlined(domain, finding) == '"opne"'


def test_a_failure_that_no_result_says_is_a_finding() -> None:
    for status, codes in (("payed", ["LV107"]), ("paid", [])):
        pay: dict[str, Any] = {
            "kind": "write",
            "returns": "Order",
            "failed": f'result.status == "{status}"',
        }
        domain = Domain.define(
            "shop", tools={**TOOLS, "pay": pay}, ledger={"orders.*": "Order"},
            definitions=DEFINITIONS, rules=[],
        )  # fmt: skip
        findings = run_checks([domain], None, selected(["LV107"]))[0].findings
        assert [f.code for f in findings] == codes
        if findings:
            assert findings[0].tools == ("pay",)
            assert findings[0].fix == "did you mean `paid`?"


def test_a_literal_that_is_accepted_hides_no_dead_action() -> None:
    require = f'{ORDER}.status == "gone"'
    assert found(shop(require), "LV101") == []
    accepted = shop({"require": require, "ignore": {"LV107": "the schema lags behind"}})
    assert [finding.core for finding in found(accepted, "LV101")] == [("r0",)]


# --- limits ---

HARD: Mapping[str, Sequence[Any]] = {
    "LV103": [{"when": "args.bags * args.bags * args.bags == 123457", "require": "args.bags < 3"}],
    "LV104": ["args.bags * args.bags * args.bags == 123457", "args.bags % 7 == 4"],
    "LV105": [
        {"when": 'args.kind == "a"', "require": "args.bags * args.bags * args.bags == 123457"},
        {"when": 'args.kind == "a"', "require": "args.bags % 7 == 4"},
    ],
    "LV106": ['args.bags * args.bags * args.bags == 123457 || args.kind == "a"'],
}


@pytest.mark.parametrize("code", HARD)
def test_what_cannot_be_told_in_time_is_undecided(code: str) -> None:
    settings = Settings(timeout_ms=1, resources=1)
    (report,) = run_checks([shop(*HARD[code])], settings, selected(["LV1"]))
    names = {
        "LV103": "inapplicable_rule", "LV104": "redundant_rule", "LV105": "conflicting_rules",
        "LV106": "constant_condition",
    }  # fmt: skip
    assert names[code] in {f.check for f in report.findings if f.severity == "undecided"}
    assert report.defects == ()
