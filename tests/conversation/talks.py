"""Random conversations about bills, and what each format can carry of one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from ledger_verify import Domain, Gate
from ledger_verify.conversation.formats.registry import parts_of
from ledger_verify.conversation.parts import AnswerPart, CallPart
from ledger_verify.conversation.reader import live_message
from ledger_verify.ledger.outcomes import Outcome, answer_of
from tests.conversation.written import (
    BY_HAND,
    BY_PACKAGES,
    Step,
    Talk,
    anthropic,
    anthropic_models,
    chat,
    function_calls,
    gemini,
    gemini_models,
    gemini_without_ids,
    langchain_dicts,
    langchain_models,
    langchain_serialised,
    mcp_results,
    responses,
    responses_models,
    tau2,
)

_ID = {"id": "string"}
DOMAIN = Domain.define(
    "bills",
    definitions={
        "Bill": {
            "type": "object",
            "required": ["paid", "sum"],
            "properties": {"paid": {"type": "boolean"}, "sum": {"type": "number"}},
        }
    },
    ledger={"bills.*": "Bill"},
    tools={
        "get_bill": {
            "kind": "read", "arguments": _ID, "observes": {"bills.{args.id}": "result"},
        },
        "approve": {"kind": "write", "arguments": _ID},
        "pay": {
            "kind": "write",
            "arguments": {**_ID, "amount": "number"},
            "touches": ["bills.{args.id}.paid"],
            "free": ["amount"],
            "asks": ["id"],
        },
        "note": {"kind": "write", "arguments": {"text": "string"}, "touches": []},
    },
    rules=[
        {"id": "unpaid", "tools": ["pay", "approve"], "require": "!ledger.bills[args.id].paid"},
        {"id": "no_more", "tools": ["pay"], "require": "args.amount <= ledger.bills[args.id].sum"},
        {
            "id": "approved",
            "tools": ["pay"],
            "require": "history.approve.exists(c, c.ok && c.args.id == args.id)",
        },
        {
            "id": "not_so_often",
            "tools": ["pay", "approve"],
            "require": "size(history.pay.filter(c, c.ok && now - c.time < duration('1h'))) < 2",
        },
        {
            "id": "nothing_blocked",
            "tools": ["note"],
            "require": "!history.exists(c, c.verdict == 'BLOCK' && c.tool == 'approve')",
        },
        {"id": "was_said", "tools": ["note"], "require": "stated(args.text)"},
    ],
)  # fmt: skip
GATE = Gate(DOMAIN)
NOW_US = 1_767_225_600_000_000

Write = Callable[[Talk], list[Any]]


@dataclass(frozen=True)
class Carries:
    """What a format carries of a conversation; by default all of it but the times."""

    ids: bool = True
    """Without ids, answers belong to calls in the order in which they were made."""
    several: bool = True
    """Whether one message may make several calls."""
    text_arguments: bool = True
    """Whether arguments that are no JSON can stand there."""
    turns: bool = True
    """Without, all that the agent does until somebody answers is one turn."""
    flags: bool = False
    """With flags, what reads like a failure is a contradiction unless the flag says so, too."""


_FLAGS = Carries(flags=True)
_OBJECTS = Carries(text_arguments=False)
_BOTH = Carries(text_arguments=False, flags=True)
CARRIES: dict[Write, Carries] = {
    **{write: Carries() for write in (*BY_HAND, *BY_PACKAGES)},
    function_calls: Carries(ids=False, several=False),
    gemini_without_ids: Carries(ids=False),
    responses: Carries(turns=False),
    responses_models: Carries(turns=False),
    **dict.fromkeys((tau2, mcp_results, anthropic), _FLAGS),
    **dict.fromkeys(
        (anthropic_models, langchain_models, langchain_dicts, langchain_serialised), _BOTH
    ),
    gemini_models: _OBJECTS,
}
MIXABLE = (chat, tau2, anthropic, gemini, langchain_dicts, mcp_results, responses)


def carried(talk: Talk, by: Carries) -> Talk:
    """What a format can say of the conversation."""
    turns = list(talk)
    if not by.text_arguments:
        turns = [tuple(map(_with_object, turn)) for turn in turns]
    if by.flags:
        turns = [tuple(map(_flagged, turn)) for turn in turns]
    if not by.ids:
        turns = [tuple(map(_in_order, sorted(turn, key=_is_open))) for turn in turns]
    if not by.several:
        turns = [(step,) for turn in turns for step in turn]
    if not by.turns:
        turns = [part for turn in turns for part in ((Step(role="user", text="."),), turn)]
    return tuple(turns)


def _flagged(step: Step) -> Step:
    reads_badly = answer_of(step.answer).outcome is Outcome.FAILED
    return replace(step, failed=step.failed or reads_badly)


def _in_order(step: Step) -> Step:
    return replace(step, late=0)


def _is_open(step: Step) -> bool:
    return step.answer is None and not step.refused


def _with_object(step: Step) -> Step:
    is_text = isinstance(step.arguments, str)
    return replace(step, arguments={"text": step.arguments}) if is_text else step


def talk_of(seed: int, *, turns: int = 7) -> Talk:
    """A conversation with something of everything; the user opens it."""
    rng = Random(seed)
    opening = Step(role="user", text=rng.choice(["pay 7 and 8", "pay 7", "hello"]))
    reads = tuple(
        Step(tool="get_bill", arguments={"id": id_}, answer=_bill(paid=False)) for id_ in "78"
    )
    return ((opening,), reads, *(_turn(rng) for _ in range(turns)))


def _turn(rng: Random) -> tuple[Step, ...]:
    if rng.random() < 0.2:
        text = rng.choice(["pay 8", "a word", "Error: no", "{}"])
        return (Step(role=rng.choice(["user", "user", "assistant"]), text=text),)
    return tuple(_call(rng) for _ in range(rng.choice([1, 1, 2, 3])))


def _call(rng: Random) -> Step:
    tool = rng.choice(["get_bill", "get_bill", "approve", "approve", "pay", "pay", "note", "what"])
    arguments: Any = {"id": rng.choice("778")}
    if tool == "pay":
        arguments["amount"] = rng.choice([5, 989.7, 2000.01])
    if tool == "note":
        arguments = {"text": rng.choice(["a word", "another", "ü\n😀"])}
    if rng.random() < 0.1:
        arguments = rng.choice(['{"id": "7", "id": "8"}', "{", {}, {"id": 7}, {"id": "7", "x": 1}])
    answer = rng.choice(
        ["Timed out", "Error: timed out", "Error: no such bill", '{"error": "declined"}', None, ""]
        if rng.random() < 0.4
        else [_bill(paid=rng.random() < 0.3)] * 4 + ['{"paid": "?"}']
        if tool == "get_bill"
        else ["done"]
    )
    failed = answer is not None and answer.startswith("Error") and rng.random() < 0.5
    refused = rng.random() < 0.15
    late = rng.choice([0, 0, 0, 1, 2])
    return Step(tool, arguments, answer, failed=failed, refused=refused, late=late)


def _bill(*, paid: bool) -> str:
    return json.dumps({"paid": paid, "sum": 989.7})


def mixed(talk: Talk, rng: Random) -> list[Any]:
    """The conversation with each message in another format, as frameworks may translate them."""
    written = [_turns_of(write(talk)) for write in MIXABLE]
    return [
        message
        for turn in zip(*written, strict=True)
        for part in zip(*turn, strict=True)
        for message in rng.choice(part)
    ]


def _turns_of(messages: list[Any]) -> list[tuple[list[Any], list[Any]]]:
    """For each turn the messages that say or call something, and those that answer after it."""
    turns: list[tuple[list[Any], list[Any]]] = []
    before = None
    for message in messages:
        _, parts = parts_of(live_message(message, 0))
        ids = [part.id for part in parts if isinstance(part, CallPart)]
        if any(isinstance(part, AnswerPart) for part in parts):
            turns[-1][1].append(message)
            continue
        turn = str(ids[0]).split("_")[0] if ids else None
        if turn is None or turn != before:
            turns.append(([], []))
        turns[-1][0].append(message)
        before = turn
    return turns
