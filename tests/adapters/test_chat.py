"""The seam, used by a host that runs the conversation itself."""

import json
from typing import Any

import pytest

from ledger_verify import Gate
from ledger_verify.adapters.chat import ChatGuard, calls_of, spoken_refusal
from tests.adapters.chats import OPEN, SMALL, answer, call, calling
from tests.gate.shop import ORDER, cancel, session

O1, O2 = {"order_id": "o1"}, {"order_id": "o2"}


def guard() -> ChatGuard:
    return ChatGuard(session(OPEN, SMALL))


def test_results_that_the_environment_appended_are_absorbed() -> None:
    g = guard()
    messages: list[dict[str, Any]] = [{"role": "user", "content": "hi"}]
    assert g.absorb(messages) == []
    messages += [calling(call("get_order", O1, "a")), answer("a", json.dumps(ORDER))]
    assert g.absorb(messages) == []
    assert cancel(g.session) == "ALLOW"
    messages += [calling(call("ship", O1, "b")), answer("b", "done")]
    g.absorb(messages)
    assert cancel(g.session) == "REVISE"


def test_each_message_is_absorbed_once() -> None:
    g = guard()
    messages = [calling(call("get_order", O1, "a")), answer("a", json.dumps(ORDER))]
    g.absorb(messages)
    g.session.observe("ship", O1)
    g.absorb(messages)
    g.absorb([*messages, {"role": "user", "content": "?"}])
    assert cancel(g.session) == "REVISE"


def test_results_are_paired_with_their_calls() -> None:
    g = guard()
    other = {**ORDER, "state": "shipped"}
    g.absorb(
        [
            calling(call("get_order", O1, "a"), call("get_order", O2, "b")),
            answer("b", json.dumps(other)),
            answer("a", json.dumps(ORDER)),
        ]
    )  # fmt: skip
    assert (cancel(g.session, "o1"), cancel(g.session, "o2")) == ("ALLOW", "BLOCK")


def test_calls_of_one_id_are_answered_in_order() -> None:
    g = guard()
    g.absorb(
        [
            calling(call("get_order", O1, "a"), call("get_order", O2, "a")),
            answer("a", json.dumps(ORDER)),
            answer("a", json.dumps({**ORDER, "state": "shipped"})),
        ]
    )  # fmt: skip
    assert (cancel(g.session, "o1"), cancel(g.session, "o2")) == ("ALLOW", "BLOCK")


@pytest.mark.parametrize(
    "failed",
    [
        answer("a", "Error: no such order"), answer("a", json.dumps(ORDER), error=True),
        answer("a", "Error"),
    ],
)  # fmt: skip
def test_error_results_are_no_evidence(failed: dict[str, Any]) -> None:
    g = guard()
    g.absorb([calling(call("get_order", O1, "a")), failed])
    assert g.session.render() == ""


def test_a_host_can_say_what_an_error_is() -> None:
    bad = '{"status": "bad"}'
    g = ChatGuard(session(OPEN), is_error=lambda message: message["content"] == bad)
    g.session.observe("get_order", O1, ORDER)
    g.absorb([calling(call("ship", O1, "a")), answer("a", bad)])
    assert cancel(g.session) == "ALLOW"


def test_a_refusal_that_the_host_appended_is_no_result() -> None:
    for name in ("ship", "get_order", "no_such_tool"):
        g = guard()
        seen = [calling(call("get_order", O1, "a")), answer("a", json.dumps(ORDER))]
        g.absorb(seen)
        before = g.session.render()
        message = calling(call(name, O1, "b"))
        (proposed,) = calls_of(message)
        refusal = g.refuse(proposed, g.verdict(proposed))
        assert g.absorb([*seen, message, json.loads(json.dumps(refusal))]) == []
        assert g.session.render() == before


def test_the_verdicts_of_a_message_know_of_the_writes_before() -> None:
    g = guard()
    g.absorb([calling(call("get_order", O1, "a")), answer("a", json.dumps(ORDER))])
    calls = calls_of(calling(call("ship", O1, "b"), call("cancel", O1, "c")))
    assert [v.decision.value for v in g.verdicts(calls)] == ["ALLOW", "REVISE"]


def test_what_does_not_fit_is_reported() -> None:
    (drift,) = guard().absorb([calling(call("get_order", O1, "a")), answer("a", "{}")])
    assert drift.tool == "get_order"


def test_a_conversation_that_has_become_shorter_is_refused() -> None:
    g = guard()
    messages = [calling(call("get_order", O1, "a")), answer("a", json.dumps(ORDER))]
    g.absorb(messages)
    with pytest.raises(ValueError, match="shorter"):
        g.absorb(messages[:1])


@pytest.mark.parametrize(
    "calls",
    [[{}], [{"function": {}}], [{"function": {"name": 5}}], [None], ["x"], [{"function": "x"}]],
)
def test_a_message_that_is_not_in_chat_format_is_refused(calls: Any) -> None:
    with pytest.raises(ValueError, match="message 1: "):
        calls_of({"role": "assistant", "tool_calls": calls})


def test_arguments_may_be_given_as_objects_or_be_left_out() -> None:
    objects = [{"id": 1, "function": {"name": "x", "arguments": a}} for a in (O1, None, "", "{")]
    assert [c.arguments for c in calls_of({"role": "assistant", "tool_calls": objects})] == [
        O1,
        {},
        {},
        "{",
    ]
    assert calls_of({"role": "assistant", "content": "hi", "tool_calls": None}) == []


def test_a_refusal_says_each_reason_once() -> None:
    s = session(SMALL)
    wrong = {"order_id": "o1", "size": "L", "count": 1, "on": "2024-05-20"}
    verdict = s.check("choose", wrong)
    unknown = s.check("nothing", {})
    assert spoken_refusal([verdict, verdict, unknown]) == (
        "I cannot do that.\n\nOnly size S is left.\n\n"
        "It is not among the things that I am able to do here."
    )


def test_the_ledger_message() -> None:
    g = guard()
    assert g.ledger_message() is None
    g.session.observe("get_order", O1, ORDER)
    message = g.ledger_message()
    assert message is not None
    assert message["role"] == "system"
    assert message["content"].endswith(g.session.render())


def test_a_message_that_cannot_be_read_is_refused_again_and_again() -> None:
    g = guard()
    first = [calling(call("get_order", O1, "a")), answer("a", json.dumps(ORDER))]
    g.absorb(first)
    wrong = [*first, calling(call("ship", O1, "b")), answer("zz", "done")]
    for _ in range(3):
        with pytest.raises(ValueError, match="an answer to no call"):
            g.absorb(wrong)
    g.absorb([*wrong[:-1], answer("b", "done")])
    assert cancel(g.session) == "REVISE"


def test_what_the_guard_saw_before_it_was_saved_counts_once() -> None:
    g = guard()
    before = [calling(call("get_order", O1, "a")), answer("a", json.dumps(ORDER))]
    g.absorb(before)
    message = calling(call("ship", O1, "b"))
    (proposed,) = calls_of(message)
    assert g.verdict(proposed).allowed
    g.observe(proposed, answer("b", "done"))
    gate = Gate(g.session.domain)
    resumed = ChatGuard.resume(gate, json.loads(json.dumps(g.save())))
    for one in (g, resumed):
        one.absorb([*before, message, answer("b", "done")])
    assert resumed.session.save()["known"] == g.session.save()["known"]


def test_a_verdict_belongs_to_a_call_however_its_arguments_are_spelled() -> None:
    g = guard()
    spelled = '{"order_id": "o1", "note": 1.50, "more": 10000}'
    (proposed,) = calls_of(calling(call("ship", spelled, "b")))
    g.verdict(proposed)
    g.absorb([calling(call("ship", {"more": 1e4, "note": 1.5, "order_id": "o1"}, "b"))])
    assert g._judged == {key: [] for key in g._judged}
