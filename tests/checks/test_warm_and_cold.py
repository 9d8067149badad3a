"""Edited policies checked with kept answers say what they say without.

`LEDGER_VERIFY_CASES=20000 pytest tests/checks/test_warm_and_cold.py` edits ten times as many.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ledger_verify.checks.base.job import Settings
from ledger_verify.checks.running.report import Report
from ledger_verify.checks.running.run import run_checks
from ledger_verify.policy.domain import Domain

POLICIES = int(os.environ.get("LEDGER_VERIFY_CASES", "2000")) // 500
EDITS = 5
SETTINGS = Settings(timeout_ms=60_000, resources=20_000_000)
ACCOUNT = "ledger.accounts[args.id]"
TOOLS = ("pay", "approve", "close")
_CONDITIONS = (
    "args.amount <= 5",
    "args.amount <= 5",
    "args.amount > 3",
    "args.amount > 7 || args.amount < 8",
    f"{ACCOUNT}.open",
    f"{ACCOUNT}.balance >= args.amount",
    f"!{ACCOUNT}.open || {ACCOUNT}.balance > 0",
    f"{ACCOUNT}.owner == {ACCOUNT}.owner",
    "history.approve.exists(c, c.ok)",
    "history.pay.exists(c, c.ok && c.args.amount > 2)",
    "size(history.pay) < 2",
    "size(history.close) < 0",
    'now.getHours("Europe/Berlin") < 24',
)
_ASSUMPTIONS = (
    "ledger.accounts.all(a, a.balance >= 0)",
    "ledger.accounts.all(a, a.open)",
    "ledger.accounts.all(a, a.balance < 0)",
)

Document = dict[str, Any]


def document(random: Random) -> Document:
    """A policy of a few rules, as `Domain.define` takes it."""
    rules = [_rule(random, number) for number in range(random.randint(2, 5))]
    assumed = random.sample(_ASSUMPTIONS, random.choice((0, 0, 1)))
    tools: Document = {
        name: {"kind": "write", "arguments": {"id": "string", "amount": "integer"}}
        for name in TOOLS
    }
    tools["read"] = {
        "kind": "read", "arguments": {"id": "string"}, "observes": {"accounts.{args.id}": "result"}
    }  # fmt: skip
    account = {
        "type": "object",
        "required": ["open", "balance", "owner"],
        "properties": {
            "open": {"type": "boolean"}, "balance": {"type": "integer"},
            "owner": {"type": "string"},
        },
    }  # fmt: skip
    return {
        "tools": tools, "ledger": {"accounts.*": "Account"}, "definitions": {"Account": account},
        "rules": rules, "assumptions": assumed, "clock": "2024-05-15T15:00:00",
    }  # fmt: skip


def _rule(random: Random, number: int) -> Document:
    rule: Document = {
        "id": f"r{number}",
        "tools": random.sample(TOOLS, random.choice((1, 1, 2))),
        "require": random.choice(_CONDITIONS),
        "clause": "c",
    }
    if random.random() < 0.3:
        rule["when"] = random.choice(_CONDITIONS)
    if random.random() < 0.2:
        rule["otherwise"] = random.choice(("revise", "block"))
    return rule


def _move(random: Random, made: Document) -> None:
    random.choice(made["rules"])["tools"] = random.sample(TOOLS, random.choice((1, 2)))


def _say_otherwise(random: Random, made: Document) -> None:
    random.choice(made["rules"])["require"] = random.choice(_CONDITIONS)


def _guard(random: Random, made: Document) -> None:
    rule = random.choice(made["rules"])
    if rule.pop("when", None) is None:
        rule["when"] = random.choice(_CONDITIONS)


def _accept(random: Random, made: Document) -> None:
    rule = random.choice(made["rules"])
    if rule.pop("ignore", None) is None:
        rule["ignore"] = {random.choice(("LV102", "LV104", "LV106", "LV501")): "it is so"}


def _order(random: Random, made: Document) -> None:
    random.shuffle(made["rules"])


def _rename(random: Random, made: Document) -> None:
    ids = [rule["id"] for rule in made["rules"]]
    random.shuffle(ids)
    for rule, id_ in zip(made["rules"], ids, strict=True):
        rule["id"] = id_


def _lead_to(random: Random, made: Document) -> None:
    rule = random.choice(made["rules"])
    if rule.pop("otherwise", None) is None:
        rule["otherwise"] = random.choice(("revise", "block"))


def _assume(random: Random, made: Document) -> None:
    made["assumptions"] = random.sample(_ASSUMPTIONS, random.choice((0, 1, 2)))


def _kind(random: Random, made: Document) -> None:
    tool = made["tools"][random.choice(TOOLS)]
    tool["kind"] = "neutral" if tool["kind"] == "write" else "write"


def _touch(random: Random, made: Document) -> None:
    tool = made["tools"][random.choice(TOOLS)]
    if tool["kind"] == "write" and tool.pop("touches", None) is None:
        tool["touches"] = ["accounts.{args.id}.open"]
    elif tool["kind"] != "write":
        tool.pop("touches", None)


def _default(random: Random, made: Document) -> None:
    made["default"] = random.choice(("revise", "block"))


def _schema(random: Random, made: Document) -> None:
    part = made["definitions"]["Account"]["properties"]["balance"]
    part["minimum"] = random.choice((0, -3, 9))


EDITORS: tuple[Callable[[Random, Document], None], ...] = (
    _move, _move, _say_otherwise, _guard, _accept, _order, _rename, _lead_to, _assume, _kind,
    _touch, _default, _schema,
)  # fmt: skip


def _said(report: Report) -> Any:
    return (
        report.findings,
        report.ignored,
        [(one.check, one.proved, one.refuted, one.undecided) for one in report.checked],
    )


def _domain(made: Document) -> Domain:
    tools = copy.deepcopy(made["tools"])
    for tool in tools.values():
        if tool["kind"] != "write":
            tool.pop("touches", None)
    return Domain.define("edited", **{**made, "tools": tools})


@pytest.mark.parametrize("seed", range(POLICIES))
def test_warm_and_cold_say_the_same(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    made = document(random)
    for number in range(EDITS):
        domain = _domain(made)
        (cold,) = run_checks([domain], SETTINGS)
        for _ in range(2):
            (warm,) = run_checks([domain], SETTINGS, cache=tmp_path)
            assert _said(warm) == _said(cold), (seed, number, made)
        if not any(one.undecided for one in warm.checked):  # what was asked is known now
            assert all(o.cached == o.proved + o.refuted for o in warm.checked if o.cached), made
        random.choice(EDITORS)(random, made)
        if made["tools"]["pay"]["kind"] != "write":
            made["tools"]["pay"].pop("touches", None)


def test_of_two_rules_alike_the_acceptance_of_one_is_no_acceptance_of_the_other(
    tmp_path: Path,
) -> None:
    made = document(Random(0))
    always = "args.amount > 7 || args.amount < 8"
    made["rules"] = [
        {"id": "a", "tools": ["pay"], "require": always, "ignore": {"LV102": "it is so"}},
        {"id": "b", "tools": ["pay"], "require": always},
    ]
    for _ in range(2):
        (report,) = run_checks([_domain(made)], SETTINGS, cache=tmp_path)
        assert [f.rules for f in report.findings if f.code == "LV102"] == [("b",)]
        assert [f.rules for f, _ in report.ignored if f.code == "LV102"] == [("a",)]
