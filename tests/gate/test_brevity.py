"""However much is proposed, a refusal can be read; nothing is lost in the fields of the verdict."""

from __future__ import annotations

from typing import Any

import pytest

from ledger_verify import Domain, Gate
from ledger_verify.gate.brevity import MOST_LISTED, brief
from ledger_verify.gate.verdict import Verdict

HUGE = "xy" * 100_000
READABLE = 8_000
"""Characters: twenty lines and more, and one of them cut."""

Call = tuple[str, dict[str, Any]]


def judged(*rules: str, call: Call, message: str = "", free: tuple[str, ...] = ()) -> Verdict:
    """The verdict on a call of `send`, for rules that all have the message."""
    domain = Domain.define(
        "notes",
        definitions={"Note": {"type": "object", "required": ["owner"],
                              "properties": {"owner": {"type": "string"}}}},
        ledger={"notes.*": "Note"},
        tools={
            "get_note": {"kind": "read", "arguments": {"id": "string"},
                         "observes": {"notes.{args.id}": "result"}},
            "send": {"kind": "write", "free": list(free),
                     "arguments": {"id?": "string", "mode?": {"enum": ["a", "b"]},
                                   "ids?": {"type": "array", "items": {"type": "string"}}}},
        },
        rules=[{"id": f"r{n}", "tools": ["send"], "require": r, "message": message or "no"}
               for n, r in enumerate(rules)],
        clock="2026-01-01T00:00:00",
    )  # fmt: skip
    return Gate(domain, explain_ms=None).session().check(*call)


@pytest.mark.parametrize(
    ("rules", "call", "message"),
    [
        (["false"], (HUGE, {}), ""),
        (["false"], ("send", {HUGE: 1}), ""),
        (["false"], ("send", {"id": [HUGE]}), ""),
        (["false"], ("send", {"mode": HUGE}), ""),
        (["false"], ("send", {"ids": {HUGE: HUGE}}), ""),
        (["false"], ("send", {"id": HUGE}), "not {args.id}"),
        (['ledger.notes[args.id].owner == "me"'], ("send", {"id": HUGE}), ""),
        (["false"] * 500, ("send", {"id": "n1"}), "a message of some length"),
        ([f'ledger.notes["n{n}"].owner == "me"' for n in range(500)], ("send", {}), ""),
        (["args.ids.all(i, ledger.notes[i].owner == 'me')"],
         ("send", {"ids": [f"n{n}" for n in range(100)]}), ""),
    ],
)  # fmt: skip
def test_what_is_said_of_it_can_be_read(rules: list[str], call: Call, message: str) -> None:
    verdict = judged(*rules, call=call, message=message)
    assert not verdict.allowed
    assert 0 < len(verdict.message) < READABLE
    assert all(len(report.message) < READABLE for report in verdict.rules)


def test_what_is_not_said_is_in_the_fields() -> None:
    ids = [f"n{n}" for n in range(100)]
    rule = "args.ids.all(i, ledger.notes[i].owner == 'me')"
    verdict = judged(rule, call=("send", {"ids": ids}))
    assert {m.path for m in verdict.missing} == {f"notes.{key}" for key in ids}
    assert f"; and {100 - MOST_LISTED} more reads." in verdict.message
    long = judged('ledger.notes[args.id].owner == "me"', call=("send", {"id": HUGE}))
    assert long.missing[0].read is not None
    assert long.missing[0].read.arguments == {"id": HUGE}


def test_the_middle_of_a_long_line_is_left_out() -> None:
    text = "begin " + "x" * 2_000 + " end\nshort"
    said, short = brief(text).split("\n")
    assert (said[:6], said[-4:], short) == ("begin ", " end", "short")
    assert f"({len(text) - 6 - 1_000:,} characters left out)" in said


@pytest.mark.parametrize("length", [999, 1_000, 1_001, 1_010])
def test_no_more_is_left_out_than_is_too_long(length: int) -> None:
    said = brief("x" * length)
    assert said.count("x") == min(length, 1_000)
