"""What a tool asks the user for is compared like a rule."""

from typing import Any

import pytest

from ledger_verify import Domain, Gate
from ledger_verify.comparison.compare import diff
from ledger_verify.comparison.report import Change
from ledger_verify.gate.cases import replay_case

OWN = {"note": "messages.exists(m, m == value)"}
COUNTED = {"to": "size(messages) > 1 && messages.filter(m, m.contains(value)).size() == 1"}


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
        ([], OWN, Change.NONE, Change.FOUND),
        (OWN, [], Change.FOUND, Change.NONE),
        (OWN, OWN, Change.NONE, Change.NONE),
        (OWN, {**OWN, "amount": "exact"}, Change.NONE, Change.FOUND),
        (COUNTED, {"to": COUNTED["to"], **OWN}, Change.NONE, Change.UNDECIDED),
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


# --- what needs no word of the user


def till(asks: Any, require: str = "true", **more: Any) -> Domain:
    """Whom it is for, the host knows in some domains; in others a read identifies them."""
    identifies = {"identifies": "user"} if more.pop("identifies", False) else {}
    return Domain.define(
        "till",
        clock="2024-05-15",
        definitions={
            "User": {
                "type": "object", "required": ["id"],
                "properties": {"id": {"type": "string"}, "score": {"type": "integer"}},
            }
        },
        ledger={"user": {"record": "User", "key": "id"}},
        tools={
            "look": {
                "kind": "read",
                "arguments": {"id": "string"},
                "observes": {"user": "result"},
                "asks": asks,
                **identifies,
            }
        },
        rules=[{"id": "own", "tools": ["look"], "require": require}],
        **more,
    )  # fmt: skip


KNOWN: Any = [
    {"session": {"id": "string"}},
    {"session": {"id?": "string"}},
    {"session": {"id": "string?"}},
    {"identifies": True},
]


@pytest.mark.parametrize("known", KNOWN)
def test_what_is_known_need_not_be_said(known: Any) -> None:
    """What the user never said passes on one side, and not where a rule wants it to be said."""
    asked, stated = till(["id"], **known), till(["id"], "stated(args.id)", **known)
    (tool,) = diff(asked, stated).tools
    assert (tool.allowed.change, tool.refused.change) == (Change.NONE, Change.FOUND)
    assert tool.refused.counterexample is not None
    case = tool.refused.counterexample.case
    assert replay_case(Gate(asked), case).allowed
    assert not case.heard


@pytest.mark.parametrize("session", [{}, {"other": "string"}, {"id": "integer"}])
def test_what_is_known_of_something_else_must_be_said(session: Any) -> None:
    asked = till(["id"], session=session)
    stated = till(["id"], "stated(args.id)", session=session)
    (tool,) = diff(asked, stated).tools
    assert (tool.allowed.change, tool.refused.change) == (Change.NONE, Change.NONE)
