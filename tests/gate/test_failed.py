"""`failed` of a tool: what its results mean, by the domain's own words, live and replayed alike."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_verify import Decision, Domain, Gate, Session
from ledger_verify.adapters.chat import ChatGuard
from ledger_verify.audit.recordings import parse_recording
from ledger_verify.audit.replay import replay
from ledger_verify.lang.errors import InputError
from ledger_verify.ledger.outcomes import Outcome

ARGS = {"id": "7"}
GOOD, BAD, OPEN = Outcome.SUCCEEDED, Outcome.FAILED, Outcome.UNKNOWN
STATUS = 'result.status == "declined"'


def gate(failed: str, **more: Any) -> Gate:
    """Paying is allowed once `approve` ran without error, and `pay` touches the bill."""
    tool = {"kind": "write", "arguments": {"id": "string", "why?": "string"}, "failed": failed}
    return Gate(
        Domain.define(
            "bills",
            clock="2026-01-01T12:00:00",
            definitions={
                "Bill": {
                    "type": "object",
                    "properties": {"paid": {"type": "boolean"}, "state": {"enum": ["a", "b"]}},
                },
                "Approval": {
                    "type": "object",
                    "required": ["status"],
                    "properties": {
                        "status": {"enum": ["done", "declined"]},
                        "codes": {"type": "array", "items": {"type": "integer"}},
                    },
                },
            },
            ledger={"bills.*": "Bill"},
            tools={
                "get_bill": {
                    "kind": "read",
                    "arguments": {"id": "string"},
                    "observes": {"bills.{args.id}": "result"},
                    "failed": 'result.state == "b"',
                },
                "approve": {**tool, **more},
                "pay": {
                    "kind": "write",
                    "arguments": {"id": "string"},
                    "touches": ["bills.{args.id}"],
                    "failed": STATUS,
                },
            },
            rules=[
                {
                    "id": "approved",
                    "tools": ["pay"],
                    "require": "!ledger.bills[args.id].paid && "
                    "history.approve.exists(c, c.ok && c.args.id == args.id)",
                }
            ],
        )
    )


def opened(made: Session) -> bool:
    """Whether the approval counts: the bill is unpaid, so nothing else is missing."""
    made.observe("get_bill", ARGS, {"paid": False, "state": "a"})
    return made.dry_run("pay", ARGS).allowed


def outcomes(failed: str, raw: Any, **more: Any) -> Outcome:
    """What the session takes an answer of `approve` for; only a success opens `pay`."""
    made = gate(failed, **more).session()
    found = made.outcome_of("approve", ARGS, raw)
    made.observe("approve", ARGS, raw)
    assert opened(made) is (found is GOOD)
    return found


def _parts(text: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text}]


def _mcp(text: str, **more: Any) -> dict[str, Any]:
    return {"content": _parts(text), **more}


@pytest.mark.parametrize(
    ("raw", "outcome"),
    [
        ({"status": "declined"}, BAD),
        ('{"status": "declined"}', BAD),
        (' {"status": "declined", "more": [1]}', BAD),
        (_parts('{"status": "declined"}'), BAD),
        (_mcp('{"status": "declined"}', isError=False), BAD),
        (_mcp("?", isError=False, structuredContent={"status": "declined"}), BAD),
        ({"status": "done"}, GOOD),
        ({"status": "done", "note": float("nan")}, GOOD),
        (_mcp('{"status": "done"}', isError=False), GOOD),
        # no value: absent, null, another type, no object, no JSON
        ({}, OPEN),
        ({"state": "done"}, OPEN),
        ({"status": 5}, OPEN),
        ({"status": ["declined"]}, OPEN),
        ({"status": float("nan")}, OPEN),
        ("done", OPEN),
        ("", OPEN),
        (None, OPEN),
        ([{"status": "done"}], OPEN),
        ('{"status": "done", "status": "declined"}', OPEN),
        ('{"status": "done", "n": NaN}', OPEN),
        ("[" * 5_000, OPEN),
        ('{"status":' * 3_000, OPEN),
        ({"status": "\ud800"}, OPEN),
        # the usual signs count all the same, and a lost call stays one
        ("Error: declined", BAD),
        ({"status": "done", "error": "declined"}, BAD),
        (_mcp("no", isError=True), BAD),
        ("Error: timed out", OPEN),
        ({"status": "declined", "message": "upstream timed out"}, OPEN),
        ({**_mcp('{"status": "declined"}'), "resultType": "input_required"}, OPEN),
    ],
)
def test_what_a_field_says(raw: Any, outcome: Outcome) -> None:
    assert outcomes(STATUS, raw) is outcome


@pytest.mark.parametrize(
    ("raw", "outcome"),
    [
        ("Sorry, no.", BAD),
        (_parts("Sorry, no."), BAD),
        (_mcp("Sorry, no.", isError=False), BAD),
        ("sorry", GOOD),
        ("done", GOOD),
        ("", GOOD),
        ({"id": 1}, GOOD),
        ('{"id": 1}', GOOD),
        (None, GOOD),
        ("\ud800", OPEN),
        ({"when": object()}, OPEN),
        ({"n": float("inf")}, OPEN),
        ("Error: no", BAD),
        ("Timed out", OPEN),
    ],
)
def test_what_a_text_says(raw: Any, outcome: Outcome) -> None:
    assert outcomes('result.startsWith("Sorry")', raw) is outcome


@pytest.mark.parametrize("given_as_text", [False, True])
def test_json_reads_the_same_however_it_was_given(given_as_text: bool) -> None:
    value = {"a": [1, Decimal("1.50")], "b": "ü"}
    raw = '{"a":[1,1.50],\n "b":"ü"}' if given_as_text else value
    for text, outcome in (('"a": [1, 1.50]', BAD), ('"b": "ü"', BAD), ('"b":"ü"', GOOD)):
        assert outcomes(f"result.contains('{text}')", raw) is outcome


@pytest.mark.parametrize(
    ("failed", "bad", "good", "open_"),
    [
        ("!result.approved", {"approved": False}, {"approved": True}, {"approved": "no"}),
        ("result.code != 0", {"code": 3}, {"code": Decimal("0.0")}, {"code": float("nan")}),
        ("result.code % 2 == 1", {"code": 3}, {"code": 4}, {"code": 2.5}),
        ("result.a.b.c > 1.5", {"a": {"b": {"c": 2}}}, {"a": {"b": {"c": 1}}}, {"a": {"b": 2}}),
        ("has(result.problem)", {"problem": None}, {"id": 1}, "none"),
        ("result.problem != null", {"problem": [1]}, {"problem": None}, {}),
        (
            "has(result.problem) && result.problem.kind == 'x'",
            {"problem": {"kind": "x"}},
            {},
            {"problem": {"kind": None, "x": 1}, "kind": 1} | {"problem": 3},
        ),
        ("'x' in result.kinds", {"kinds": ["x"]}, {"kinds": []}, {"kinds": [1]}),
        ("5 in result.kinds", {"kinds": [5]}, {"kinds": [6]}, {"kinds": {"5": 1}}),
        ("result.id != args.id", {"id": "8"}, {"id": "7"}, {"id": 7}),
        ("result.status in ['declined', 'void']", {"status": "void"}, {"status": "x"}, {}),
        ("result == 'no'", "no", "yes", "\ud800"),
    ],
)
def test_the_expression_tells_the_type(failed: str, bad: Any, good: Any, open_: Any) -> None:
    assert [outcomes(failed, raw) for raw in (bad, good, open_)] == [BAD, GOOD, OPEN]


@pytest.mark.parametrize(
    ("returns", "failed", "bad", "good", "open_"),
    [
        ("Approval", STATUS, {"status": "declined"}, {"status": "done"}, {"status": "maybe"}),
        ("Approval", "result.codes.exists(c, c > 4)",
         {"status": "done", "codes": [1, 5]}, {"status": "done", "codes": []}, {"codes": [5]}),
        ("string", "size(result) == 0", "", "x", "\ud800"),
        ("string[]", "size(result) == 0", [], ["a"], {}),
        ("Approval?", "result == null", None, {"status": "done"}, "x"),
        ("integer", "result < 0", "-1", 3, "three"),
        ({"type": "object", "properties": {"on": {"type": "string", "format": "date"}}},
         "result.on < timestamp('2026-01-01T00:00:00Z')",
         {"on": "2025-01-01"}, '{"on": "2026-05-05"}', {"on": "soon"}),
    ],
)  # fmt: skip
def test_a_declared_type_counts(returns: Any, failed: str, bad: Any, good: Any, open_: Any) -> None:
    found = [outcomes(failed, raw, returns=returns) for raw in (bad, good, open_)]
    assert found == [BAD, GOOD, OPEN]


def test_the_groups_of_a_declared_form() -> None:
    form = {"whole": r"Ticket (?P<state>\w+)( by (?P<who>\w+))?", "nothing": "No ticket"}
    for raw, outcome in (
        ("Ticket refused", BAD), ("Ticket open", GOOD), ("Refused", OPEN),
    ):  # fmt: skip
        assert outcomes('result.state == "refused"', raw, result=form) is outcome
    made = gate('result.state == "refused"', result=form).session()
    made.observe("approve", ARGS, "No ticket")
    assert not opened(made)
    # a group that took no part
    assert outcomes('result.who == "x"', "Ticket open", result=form) is OPEN


def test_what_the_caller_says_outright_wins() -> None:
    for raw, error in (({"status": "declined"}, False), ({"status": "done"}, True)):
        made = gate(STATUS).session()
        made.observe("approve", ARGS, raw, error=error)
        assert opened(made) is not error


def test_a_flag_of_the_message_does_not() -> None:
    made = gate(STATUS).session()
    assert made.outcome_of("approve", ARGS, {"status": "declined"}, flagged=False) is BAD
    assert made.outcome_of("approve", ARGS, {"status": "done"}, flagged=True) is BAD
    assert made.outcome_of("approve", ARGS, {"status": "done"}, flagged=False) is GOOD


def test_a_read_that_failed_shows_nothing_and_a_payment_that_failed_leaves_all_fresh() -> None:
    made = gate(STATUS).session()
    made.observe("get_bill", ARGS, {"paid": False, "state": "b"})
    assert made.render() == ""
    made.observe("approve", ARGS, {"status": "done"})
    assert opened(made)
    assert made.check("pay", ARGS).allowed
    made.observe("pay", ARGS, {"status": "declined"})
    assert made.dry_run("pay", ARGS).allowed
    (drift,) = made.observe("pay", ARGS, {"stat": "done"})
    assert (drift.tool, drift.pattern) == ("pay", "result")
    assert "whether the call failed is not known" in drift.reason
    assert made.dry_run("pay", ARGS).decision is Decision.REVISE


def test_arguments_that_do_not_fit_leave_it_open() -> None:
    made = gate("result.id != args.id").session()
    assert made.outcome_of("approve", {"id": 7}, {"id": "7"}) is OPEN
    assert made.outcome_of("approve", ARGS, {"id": "7"}) is GOOD
    made = gate("result.why != args.why").session()
    assert made.outcome_of("approve", ARGS, {"why": "x"}) is OPEN  # `why` is absent


_ANSWERS = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["done", "declined", ""]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["status", "error", "content", "x"]), inner, max_size=3)
    ),
    max_leaves=5,
)
_GATE = gate(STATUS)


@given(_ANSWERS, st.booleans())
def test_live_and_replayed_agree(value: Any, flagged: bool) -> None:
    text = json.dumps(value)
    call = {"id": "c1", "type": "function"}
    calls = [{**call, "function": {"name": "approve", "arguments": json.dumps(ARGS)}}]
    more = [{**call, "id": "c2", "function": {"name": "pay", "arguments": json.dumps(ARGS)}}]
    read = [{**call, "id": "c0", "function": {"name": "get_bill", "arguments": json.dumps(ARGS)}}]
    messages: list[dict[str, Any]] = [
        {"role": "assistant", "content": None, "tool_calls": read},
        {"role": "tool", "tool_call_id": "c0", "content": '{"paid": false, "state": "a"}'},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": _parts(text) if flagged else text},
        {"role": "assistant", "content": None, "tool_calls": more},
    ]
    recording = parse_recording(json.dumps(messages), "log.json")
    (replayed,) = replay(_GATE, recording)
    verdicts = [one.verdict.decision for one in replayed.decisions]
    guard = ChatGuard(_GATE.session())
    guard.absorb(messages[:4])
    live = guard.session.dry_run("pay", ARGS).decision
    by_hand = _GATE.session()
    by_hand.observe("get_bill", ARGS, {"paid": False, "state": "a"})
    by_hand.observe("approve", ARGS, value if not isinstance(value, str) else text)
    assert verdicts[-1] is live is by_hand.dry_run("pay", ARGS).decision
    known = {GOOD: True, BAD: False, OPEN: None}
    assert replayed.decisions[0].executed_ok is known[by_hand.outcome_of("approve", ARGS, text)]


@pytest.mark.parametrize(
    ("failed", "message"),
    [
        ("true", "`failed` is always true, whatever the result"),
        ("1 > 2", "`failed` is never true, whatever the result"),
        ("args.id == 'x'", "`failed` does not read `result`"),
        ("result.code + 1", "must be a bool"),
        ("size(result) == 0", "`failed` does not tell whether `result` is a text, a list"),
        ("size(result.codes) > 0", "`failed` does not tell whether `result.codes`"),
        ("result.a == result.b", "`failed` does not tell whether `result.a`"),
        ("result.status.startWith('x')", "unknown method `startWith`"),
        ("result.status == args.idd", "`idd`"),
        ("rsult.status == 'x'", "unknown name `rsult`"),
        ("ledger.bills.a.paid", "unknown name `ledger`"),
        ("result.status == ", "ends too early"),
    ],
)
def test_an_expression_that_cannot_be_meant_is_refused(failed: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        gate(failed)
    assert message in caught.value.message


def test_a_declared_field_keeps_its_type() -> None:
    with pytest.raises(InputError) as caught:
        gate("result.codes == 'x'", returns="Approval")
    assert "list" in caught.value.message


@pytest.mark.parametrize("result", ["cancelled", "pending", "timeout", "error"])
def test_a_value_that_is_declared_is_no_sign(result: str) -> None:
    states = {"enum": ["cancelled", "pending", "timeout", "error", "other"]}
    domain = Domain.define(
        "states",
        clock="2026-01-01T12:00:00",
        definitions={"State": states},
        ledger={"states.*": "State"},
        tools={
            "get_state": {
                "kind": "read",
                "arguments": {"id": "string"},
                "observes": {"states.{args.id}": "result"},
            },
            "act": {"kind": "write", "arguments": {"id": "string"}},
        },
        rules=[
            {
                "id": "known",
                "tools": ["act"],
                "require": 'ledger.states[args.id] != "other"',
                "message": "No.",
            }
        ],
    )
    session = Gate(domain).session()
    assert session.observe("get_state", {"id": "a"}, result) == []
    assert session.dry_run("act", {"id": "a"}).allowed
    session.observe("get_state", {"id": "b"}, f"{result}: ")
    assert not session.dry_run("act", {"id": "b"}).allowed
