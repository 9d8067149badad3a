"""What a tool asks the user for is compared like a rule."""

from typing import Any

import pytest

from ledger_verify import Domain, Gate
from ledger_verify.comparison.compare import diff
from ledger_verify.comparison.report import Change
from ledger_verify.gate.cases import replay_case


def desk(asks: Any, require: str = "args.amount > 0") -> Domain:
    return Domain.define(
        "desk",
        clock="2024-05-15",
        ledger={"users.*": {"type": "object"}},
        tools={
            "pay": {
                "kind": "write",
                "arguments": {"to": "string", "amount": "number", "note?": "string?"},
                "asks": asks,
            }
        },
        rules=[{"id": "positive", "tools": ["pay"], "require": require}],
    )


@pytest.mark.parametrize(
    ("old", "new", "newly_allowed", "newly_refused"),
    [
        ([], ["to"], Change.NONE, Change.FOUND),
        (["to"], [], Change.FOUND, Change.NONE),
        (["to"], ["to"], Change.NONE, Change.NONE),
        (["to"], {"to": "exact"}, Change.NONE, Change.NONE),
        (["note"], ["note", "amount"], Change.NONE, Change.FOUND),
        (["to"], ["amount"], Change.FOUND, Change.FOUND),
    ],
)
def test_asks_are_compared(
    old: Any, new: Any, newly_allowed: Change, newly_refused: Change
) -> None:
    report = diff(desk(old), desk(new))
    (tool,) = report.tools
    assert (tool.allowed.change, tool.refused.change) == (newly_allowed, newly_refused)
    for direction, (allowing, refusing) in (
        (tool.allowed, (new, old)),
        (tool.refused, (old, new)),
    ):
        if direction.counterexample is not None:
            case = direction.counterexample.case
            assert replay_case(Gate(desk(allowing)), case).allowed
            verdict = replay_case(Gate(desk(refusing)), case)
            assert verdict.ask


def test_a_rule_may_say_what_asks_says() -> None:
    asked, stated = desk(["to"]), desk([], "args.amount > 0 && stated(args.to)")
    (tool,) = diff(asked, stated).tools
    assert (tool.allowed.change, tool.refused.change) == (Change.NONE, Change.NONE)
