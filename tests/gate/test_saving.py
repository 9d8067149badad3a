"""A session that is saved and resumed goes on exactly where it stopped."""

import json
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_verify import Domain, Gate
from ledger_verify.gate.session import Session
from ledger_verify.lang.errors import InputError
from ledger_verify.ledger.store import Ledger
from ledger_verify.source.json_text import json_text

NOW_US = 1_767_225_600_000_000
RULES = [
    {"id": "unpaid", "tools": ["pay"], "require": "!ledger.bills[args.id].paid"},
    {
        "id": "thrice",
        "tools": ["pay"],
        "require": "size(history.pay.filter(c, c.ok && now - c.time < duration('1h'))) < 3",
    },
    {"id": "all_small", "tools": ["close"], "require": "records(ledger.bills).all(b, b.sum < 5.5)"},
    {"id": "was_said", "tools": ["close"], "require": "stated(args.word)"},
]
TOOLS = {
    "get_bill": {
        "kind": "read", "arguments": {"id": "string"}, "observes": {"bills.{args.id}": "result"},
    },
    "pay": {
        "kind": "write", "arguments": {"id": "string"}, "touches": ["bills.{args.id}.paid"],
    },
    "close": {"kind": "write", "arguments": {"word": "string"}, "touches": ["bills.*"]},
}  # fmt: skip
BILL = {
    "type": "object",
    "required": ["paid", "sum"],
    "properties": {"paid": {"type": "boolean"}, "sum": {"type": "number"}},
}


def _gate(**more: Any) -> Gate:
    ledger = {"bills.*": "Bill"}
    definitions = {"Bill": BILL}
    return Gate(
        Domain.define(
            "bills", definitions=definitions, ledger=ledger, tools=TOOLS, rules=RULES, **more
        )
    )


GATE = _gate()
_IDS = st.sampled_from(["7", "8"])
_PAY = _IDS.map(lambda i: ("pay", {"id": i}))
_CLOSE = st.sampled_from(["now", "later"]).map(lambda word: ("close", {"word": word}))
_GET = _IDS.map(lambda i: ("get_bill", {"id": i}))
_RESULTS = st.sampled_from(
    [{"paid": False, "sum": 1.25}, {"paid": True, "sum": 7}, {"paid": "no"}, "Error: no", "timeout"]
)
_STEPS = st.one_of(
    st.tuples(st.just("check"), _PAY | _CLOSE),
    st.tuples(st.just("observe"), _PAY | _CLOSE | _GET, _RESULTS),
    st.tuples(st.just("interrupted"), _PAY | _GET),
    st.tuples(st.just("heard"), st.sampled_from(["now", "hello"])),
)


def _do(session: Session, step: tuple[Any, ...]) -> Any:
    match step:
        case "check", (tool, arguments):
            return session.check(tool, arguments).to_json()
        case "observe", (tool, arguments), result:
            return session.observe(tool, arguments, result)
        case "interrupted", (tool, arguments):
            return session.interrupted(tool, arguments)
        case "heard", text:
            return session.heard(text)
    raise AssertionError(step)


@given(st.lists(_STEPS, max_size=8), st.lists(_STEPS, min_size=1, max_size=4))
def test_what_follows_is_the_same(before: list[Any], after: list[Any]) -> None:
    session = GATE.session(clock_us=NOW_US)
    for step in before:
        _do(session, step)
    state = json.loads(json.dumps(session.save()))
    resumed = GATE.resume(state, clock_us=NOW_US)
    assert resumed.render() == session.render()
    assert resumed.save() == session.save()
    for step in after:
        assert _do(resumed, step) == _do(session, step)
    assert resumed.render() == session.render()


def test_settings_are_kept() -> None:
    session = GATE.session(tools=["get_bill", "pay"], asks="ignored")
    resumed = GATE.resume(session.save())
    assert resumed.settings == session.settings
    assert resumed.check("close", {"word": "x"}).decision.value == "BLOCK"


def test_facts_are_kept() -> None:
    gate = _gate(session={"user_id": "string", "limit?": "number"})
    session = gate.session(facts={"user_id": "ü1", "limit": 2.5})
    resumed = gate.resume(json.loads(json_text(session.save())))
    assert (resumed.facts, resumed.render()) == (session.facts, session.render())


def test_a_state_of_another_policy_is_refused() -> None:
    with pytest.raises(InputError, match="revision"):
        _gate(timezone="Europe/Berlin").resume(GATE.session().save())


@pytest.mark.parametrize(
    "spoil",
    [
        lambda state: None,
        lambda state: "state",
        lambda state: {},
        lambda state: {**state, "version": 0},
        lambda state: {**state, "known": {}},
        lambda state: {**state, "known": {"dict": [], "id": 0}},
        lambda state: {**state, "known": {"object": {}, "of": "os", "id": 0}},
        lambda state: {**state, "settings": {"clock": 1}},
    ],
)
def test_what_is_no_state_is_refused(spoil: Any) -> None:
    with pytest.raises(InputError):
        GATE.resume(spoil(GATE.session().save()))


def test_every_part_of_a_ledger_is_kept() -> None:
    state = GATE.session().save()
    (kept,) = (value for key, value in state["known"]["dict"] if key == "ledger")
    names = {key for key, _ in kept["dict"]}
    assert names == {field.name for field in fields(Ledger)} - {"patterns", "facts"}
