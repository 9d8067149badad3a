"""`diff` where rules read facts of the session, or what a session needs has changed."""

from __future__ import annotations

from typing import Any

import pytest

from ledger_verify.comparison.compare import diff
from ledger_verify.comparison.report import Change
from ledger_verify.comparison.sides import Side
from ledger_verify.policy.domain import Domain

NONE, FOUND = Change.NONE, Change.FOUND
OWN = "ledger.orders[args.id].owner == session.user"
BASE: dict[str, Any] = {"user": "string"}
CHANNEL = {**BASE, "channel": "string"}
MORE = "args.n > session.k"
ANY = "args.n > 0"


def shop(require: str, session: dict[str, Any] | None = None) -> Domain:
    return Domain.define(
        "shop",
        session=BASE if session is None else session,
        definitions={
            "Order": {
                "type": "object",
                "required": ["owner"],
                "properties": {"owner": {"type": "string"}},
            }
        },
        ledger={"orders.*": "Order"},
        tools={
            "read": {
                "kind": "read",
                "arguments": {"id": "string"},
                "observes": {"orders.{args.id}": "result"},
            },
            "pay": {
                "kind": "write",
                "arguments": {"id": "string", "n": "integer"},
                "touches": ["orders.{args.id}"],
            },
        },
        rules=[{"id": "r", "tools": ["pay"], "require": require}],
    )


@pytest.mark.parametrize(
    ("old", "new", "allowed", "refused"),
    [
        (shop(OWN), shop(OWN), NONE, NONE),
        (shop(OWN), shop(f"!({OWN}) ? false : true"), NONE, NONE),
        (shop(OWN), shop(f'{OWN} || session.user == "root"'), FOUND, NONE),
        (shop(OWN), shop(f'{OWN} && session.user != ""'), NONE, FOUND),
        # a fact that only one side declares is what that side says, and the other is not told
        (shop(OWN), shop(OWN, CHANNEL), NONE, NONE),
        (shop(OWN), shop(OWN, {**BASE, "channel?": "string"}), NONE, NONE),
        (shop(OWN), shop(f'{OWN} && session.channel == "web"', CHANNEL), NONE, FOUND),
        (shop(OWN), shop(f'{OWN} && session.user == session.user', BASE), NONE, NONE),
        (shop(ANY, {}), shop(ANY), NONE, NONE),
        (shop(ANY, {}), shop('args.n > 0 && session.user != "x"'), NONE, FOUND),
        # a session that one side would not open has no allowed call there
        (shop(OWN), shop(OWN, {"user": {"enum": ["a", "b"]}}), NONE, FOUND),
        (shop(OWN), shop(OWN, {"user": {"type": "string", "minLength": 3}}), NONE, FOUND),
        (shop(ANY, {"user?": "string"}), shop(ANY, BASE), NONE, FOUND),
        (shop(ANY, {"user?": "string"}), shop(ANY, {"user?": "integer"}), FOUND, FOUND),
        (shop(ANY, {"user": "string?"}), shop(ANY, BASE), NONE, FOUND),
        (shop(MORE, {"k": "integer"}), shop(MORE, {"k": "number"}), FOUND, NONE),
    ],
)  # fmt: skip
def test_what_a_change_allows_and_refuses(
    old: Domain, new: Domain, allowed: Change, refused: Change
) -> None:
    report = diff(old, new)
    (tool,) = report.tools
    assert (tool.allowed.change, tool.refused.change) == (allowed, refused)
    sides = {"OLD": Side.of("OLD", old), "NEW": Side.of("NEW", new)}
    for direction, allowing, refusing in (
        (tool.allowed, "NEW", "OLD"),
        (tool.refused, "OLD", "NEW"),
    ):
        assert not direction.open
        if direction.counterexample is not None:
            case = direction.counterexample.case
            assert sides[allowing].verdict(case).allowed
            assert not sides[refusing].verdict(case).allowed
            data = direction.to_json(old, new)["counterexample"]
            assert data.get("session", {}) == case.facts


def test_changed_facts_are_noted() -> None:
    old = shop(OWN, {**BASE, "gone": "string", "was?": "string"})
    new = shop(OWN, {**BASE, "new": "string", "was": "string"})
    assert list(diff(old, new).notes) == [
        "session fact `new` was added",
        "session fact `gone` was removed",
        "session fact `was` was changed",
    ]
