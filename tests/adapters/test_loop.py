"""The loop: one model call a turn, every call answered once, refusals that lead on or end."""

import json
from contextlib import suppress
from typing import Any

import pytest

from ledger_verify.adapters.chat import ChatGuard
from ledger_verify.adapters.loop import GatedLoop, Turn
from tests.adapters.chats import OPEN, SMALL, Model, Tools, call, calling, saying
from tests.gate.shop import ORDER, see_order, session

O1 = {"order_id": "o1"}
CHOOSE = {"order_id": "o1", "size": "L", "count": 1, "on": "2024-05-20"}


def run(
    *replies: Any, tools: Tools | None = None, patience: int = 3, max_turns: int = 50
) -> tuple[list[Turn], Model, Tools, list[dict[str, Any]]]:
    model, executed = Model(replies), tools or Tools()
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You sell tea."},
        {"role": "user", "content": "Cancel o1."},
    ]
    loop = GatedLoop(session(OPEN, SMALL), model, executed, patience=patience)
    turns = loop.run(messages, max_turns=max_turns)
    return turns, model, executed, messages


def answers(turn: Turn) -> list[tuple[str, str]]:
    return [(m["tool_call_id"], m["content"]) for m in turn.messages if m["role"] == "tool"]


def test_one_model_call_a_turn() -> None:
    turns, model, _, _ = run(
        calling(call("get_order", O1)), calling(call("cancel", O1)), saying("Cancelled.")
    )
    assert len(turns) == len(model.prompts) == 3
    assert [turn.finished for turn in turns] == [False, False, True]
    blocked, model, _, _ = run(
        calling(call("get_order", O1)), calling(call("cancel", O1)),
        tools=Tools({"o1": {**ORDER, "state": "shipped"}}),
    )  # fmt: skip
    assert len(blocked) == len(model.prompts) == 2


def test_an_allowed_call_runs_and_its_result_is_evidence() -> None:
    turns, _, tools, messages = run(
        calling(call("get_order", O1)), calling(call("cancel", O1)), saying("Cancelled.")
    )
    assert tools.ran == [("get_order", O1), ("cancel", O1)]
    assert json.loads(answers(turns[0])[0][1]) == ORDER
    assert messages[-1] == saying("Cancelled.")


def test_every_call_id_is_answered_exactly_once_and_in_order() -> None:
    calls = [
        call("get_order", O1, "a"), call("cancel", O1, "b"), call("nothing", {}, "c"),
        call("cancel", "{", "d"), call("choose", CHOOSE, "e"), call("ship", O1, "f"),
    ]  # fmt: skip
    turns, _, tools, _ = run(calling(*calls), max_turns=1)
    assert [id_ for id_, _ in answers(turns[0])] == ["a", "b", "c", "d", "e", "f"]
    assert [v.decision.value for v in turns[0].verdicts] == [
        "ALLOW", "ALLOW", "BLOCK", "REVISE", "REVISE", "REVISE",
    ]  # fmt: skip
    assert [name for name, _ in tools.ran] == ["get_order", "cancel"]


def test_calls_with_the_same_id_are_each_answered() -> None:
    turns, _, tools, messages = run(
        calling(call("get_order", O1, "x"), call("ship", O1, "x")), saying("Shipped.")
    )
    assert [id_ for id_, _ in answers(turns[0])] == ["x", "x"]
    assert [name for name, _ in tools.ran] == ["get_order", "ship"]
    assert len(messages) == 6


def test_malformed_arguments_go_back_to_the_model() -> None:
    twice = '{"order_id": "o2", "order_id": "o1"}'
    for text in ("{", "", "[]", "null", '"o1"', twice, "NaN", "[" * 100_000):
        turns, _, tools, _ = run(calling(call("cancel", text)), saying("Sorry."))
        (verdict,) = turns[0].verdicts
        assert (verdict.decision.value, verdict.decided_by) == ("REVISE", "schema"), text
        assert tools.ran == []


def test_a_tool_that_raises_is_answered_and_no_evidence() -> None:
    missing = {"order_id": "o9"}
    turns, _, tools, _ = run(
        calling(call("get_order", missing)), calling(call("cancel", missing)), saying("Sorry."),
    )  # fmt: skip
    assert answers(turns[0]) == [("c1", "Error, outcome unknown: 'o9'")]
    assert turns[1].verdicts[0].decision.value == "REVISE"
    assert "tried once without an answer" in turns[1].verdicts[0].message
    assert [name for name, _ in tools.ran] == ["get_order"]


def test_a_result_that_tells_an_error_is_no_evidence() -> None:
    turns, _, _, _ = run(
        calling(call("get_order", O1)), calling(call("cancel", O1)), saying("Sorry."),
        tools=Tools({"o1": "Error: no such order"}),
    )  # fmt: skip
    assert turns[1].verdicts[0].decision.value == "BLOCK"


def test_revise_goes_back_with_reads_and_the_next_turns_succeed() -> None:
    def read_what_is_missing(messages: list[dict[str, Any]]) -> dict[str, Any]:
        told = json.loads(messages[-1]["content"])
        assert told["verdict"] == "REVISE"
        return calling(*(call(m["read"]["name"], m["read"]["arguments"]) for m in told["missing"]))

    turns, _, tools, _ = run(
        calling(call("cancel", O1)), read_what_is_missing, calling(call("cancel", O1)), saying("Ok")
    )
    assert [name for name, _ in tools.ran] == ["get_order", "cancel"]
    assert [v.decision.value for turn in turns for v in turn.verdicts] == [
        "REVISE", "ALLOW", "ALLOW",
    ]  # fmt: skip


def test_revise_goes_back_with_a_repair_and_the_next_turn_succeeds() -> None:
    def repaired(messages: list[dict[str, Any]]) -> dict[str, Any]:
        told = json.loads(messages[-1]["content"])
        return calling(call("choose", {**CHOOSE, **told["repair"]["arguments"]}))

    _, _, tools, _ = run(calling(call("choose", CHOOSE)), repaired, saying("Ok"))
    assert tools.ran == [("choose", {**CHOOSE, "size": "S"})]


def test_block_ends_in_a_refusal_that_speaks_to_the_person() -> None:
    turns, _, tools, messages = run(
        calling(call("get_order", O1)), calling(call("cancel", O1)),
        tools=Tools({"o1": {**ORDER, "state": "shipped"}}),
    )  # fmt: skip
    assert turns[-1].finished
    assert [name for name, _ in tools.ran] == ["get_order"]
    said = messages[-1]
    assert said["role"] == "assistant"
    assert "Order o1 is shipped, not open." in said["content"]
    for for_the_model in ("Do not repeat", "`cancel`", "rule:", "person"):
        assert for_the_model not in said["content"]
    assert "Do not repeat this call" in answers(turns[-1])[0][1]


def test_the_refusal_of_an_unknown_tool_speaks_to_the_person() -> None:
    _, _, _, messages = run(calling(call("refund_everything", {})))
    assert "refund_everything" not in messages[-1]["content"]
    assert "able to do" in messages[-1]["content"]


def test_the_same_refusal_again_and_again_ends_after_patience() -> None:
    again = calling(call("choose", CHOOSE))
    turns, model, tools, messages = run(*[again] * 10, patience=3)
    assert len(turns) == len(model.prompts) == 4
    assert [turn.finished for turn in turns] == [False, False, False, True]
    assert tools.ran == []
    assert "Only size S is left." in messages[-1]["content"]


def test_other_refusals_in_between_are_not_the_same() -> None:
    sizes = [calling(call("choose", {**CHOOSE, "size": size})) for size in "LMLMLM"]
    turns, _, _, _ = run(*sizes, saying("Well."), patience=3)
    assert [turn.finished for turn in turns] == [False] * 6 + [True]


def test_the_ledger_is_in_the_prompt_but_not_in_the_conversation() -> None:
    _, model, _, messages = run(calling(call("get_order", O1)), saying("It is open."))
    assert len(model.prompts[0]) == 2
    assert [m["role"] for m in model.prompts[1]] == [
        "system",
        "system",
        "user",
        "assistant",
        "tool",
    ]
    assert "orders.o1 = " in model.prompts[1][1]["content"]
    assert not any("orders.o1 = " in str(m["content"]) for m in messages)
    assert [m["role"] for m in messages] == ["system", "user", "assistant", "tool", "assistant"]


def test_a_turn_leaves_the_conversation_to_its_caller() -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Ship o1, then cancel it."}]
    replies = [
        calling(call("get_order", O1)), calling(call("ship", O1)), calling(call("cancel", O1)),
        calling(call("get_order", O1)), calling(call("cancel", O1)), saying("Done."),
    ]  # fmt: skip
    loop = GatedLoop(session(OPEN), Model(replies), Tools())
    decisions = []
    for _ in replies:
        turn = loop.turn(messages)
        messages += json.loads(json.dumps(turn.messages))  # stored and loaded again
        decisions += [v.decision.value for v in turn.verdicts]
    assert decisions == ["ALLOW", "ALLOW", "REVISE", "ALLOW", "ALLOW"]


def test_a_refused_write_is_no_write_when_its_turn_is_absorbed() -> None:
    s = session(
        OPEN, {**OPEN, "id": "more", "tools": "restock", "require": "false", "message": "no"}
    )
    see_order(s)
    loop = GatedLoop(s, Model([calling(call("ship", O1)), calling(call("cancel", O1))]), Tools())
    messages: list[dict[str, Any]] = []
    messages += loop.turn(messages).messages
    before = s.render()
    loop.guard.absorb(messages)
    assert s.render() == before
    assert loop.turn(messages).verdicts[0].decision.value == "REVISE"


def test_max_turns_is_kept() -> None:
    turns, model, _, _ = run(*[calling(call("get_order", O1))] * 9, max_turns=5)
    assert len(turns) == len(model.prompts) == 5


@pytest.mark.parametrize("problem", [KeyboardInterrupt, SystemExit, RuntimeError])
def test_after_whatever_a_tool_raises_nobody_knows_also_in_another_process(
    problem: type[BaseException],
) -> None:
    def execute(name: str, arguments: Any) -> Any:
        raise problem

    s = session(OPEN)
    s.observe("get_order", {"order_id": "o1"}, ORDER)
    model = Model([calling(call("ship", {"order_id": "o1"})), saying("?")])
    messages: list[dict[str, Any]] = [{"role": "user", "content": "ship it"}]
    with suppress(problem):
        GatedLoop(s, model, execute).run(messages)
    assert s._pending._calls == []
    assert s.dry_run("cancel", {"order_id": "o1"}).decision.value == "REVISE"
    if len(messages) > 1:
        again = session(OPEN)
        again.observe("get_order", {"order_id": "o1"}, ORDER)
        ChatGuard(again).absorb(messages)
        assert again.dry_run("cancel", {"order_id": "o1"}).decision.value == "REVISE"
