"""Arguments that JSON cannot hold, or nobody can read again, are refused, live as in a replay."""

import json
import uuid
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from ledger_verify import Domain, Gate
from ledger_verify.adapters.chat import ChatGuard, calls_of
from ledger_verify.audit.recordings import parse_recording
from ledger_verify.audit.replay import replay
from ledger_verify.lang.errors import InputError
from ledger_verify.source.json_text import json_text
from tests.conversation.test_formats import events_of

GATE = Gate(
    Domain.define(
        "notes",
        ledger={},
        tools={
            "store": {
                "kind": "write",
                "arguments": {"note": {"type": "object", "additionalProperties": True}},
                "touches": [],
            }
        },
        rules=[{"id": "any", "tools": ["store"], "require": "true"}],
    )
)
HELLO = {"role": "user", "content": "hi"}
SHAPES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "chat": lambda a: {
        "role": "assistant",
        "tool_calls": [{"id": "c", "function": {"name": "store", "arguments": a}}],
    },
    "function_call": lambda a: {
        "role": "assistant",
        "function_call": {"name": "store", "arguments": a},
    },
    "tau2": lambda a: {
        "role": "assistant",
        "tool_calls": [{"id": "c", "name": "store", "arguments": a}],
    },
    "responses": lambda a: {
        "type": "function_call",
        "call_id": "c",
        "name": "store",
        "arguments": a,
    },
    "anthropic": lambda a: {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "c", "name": "store", "input": a}],
    },
    "langchain": lambda a: {
        "type": "ai",
        "data": {"content": "", "tool_calls": [{"id": "c", "name": "store", "args": a}]},
    },
    "gemini": lambda a: {
        "role": "model",
        "parts": [{"functionCall": {"name": "store", "args": a}}],
    },
}


def _nested(levels: int, step: Callable[[Any], Any]) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = step(value)
    return value


def _note(value: Any) -> dict[str, Any]:
    return {"note": {"x": value}}


LOOP: list[Any] = []
LOOP.append(LOOP)
REFUSED: dict[str, Any] = {
    **{f"{n} lists": _note(_nested(n, lambda v: [v])) for n in (101, 127, 128, 150, 500, 3000)},
    **{f"{n} objects": _note(_nested(n, lambda v: {"a": v})) for n in (101, 500, 3000)},
    "a list in itself": _note(LOOP),
    "a long number": _note(10**5000),
    "a long negative number": _note(-(10**5000)),
    "a long fraction": _note(Decimal("0." + "1" * 5000)),
    "not a number": _note(float("nan")),
    "infinite": _note(float("-inf")),
    "not a number, decimal": _note(Decimal("NaN")),
    "a signalling one": _note(Decimal("sNaN")),
    "bytes": _note(b"7"),
    "bytes alone": b"{}",
    "a list": [{"note": {}}],
    "a number": 7,
    "true": True,
    "no JSON": "{",
    "JSON in JSON": json.dumps(json.dumps(_note(1))),
    "nothing": None,
    "an empty text": "",
    "null as text": "null",
    "another field": {"note": {}, "\ud800": 1},
    "a long other field": {"note": {}, "k" * 100_000: 1},
    "lists in text": json.dumps(_note(_nested(150, lambda v: [v]))),
    "very many lists in text": '{"note": {"x": ' + "[" * 100_000 + "]" * 100_000 + "}}",
    "not closed": "[" * 100_000,
    "a long number in text": '{"note": {"x": ' + "1" * 5000 + "}}",
    "a long fraction in text": '{"note": {"x": 0.' + "1" * 5000 + "}}",
    "an exponent beyond all": '{"note": {"x": 1e99999999999999999999}}',
    "keys twice": '{"note": {}, "note": {}}',
    "keys twice, inside": '{"note": {"x": 1, "x": 2}}',
    "not a number in text": '{"note": {"x": NaN}}',
    "infinite in text": '{"note": {"x": -Infinity}}',
    "something behind": '{"note": {}}{}',
}
NO_FILE = {
    *("3000 lists", "3000 objects", "a list in itself", "a long number", "a long negative number"),
    *("not a number", "infinite", "not a number, decimal", "a signalling one", "a long fraction"),
}
"""What no file can hold that anyone can read."""
ERRORS: dict[str, Any] = {
    "a set": _note({"7"}),
    "an id": _note(uuid.UUID(int=7)),
    "a class": _note(int),
    "an object": _note(object()),
    "a key that is no JSON": {"note": {(1, 2): 1}},
    "keys that are one as text": {"note": {1: "a", "1": "b"}},
}
ALLOWED: dict[str, Any] = {
    "deep": _note(_nested(90, lambda v: [v])),
    "deep in text": json.dumps(_note(_nested(90, lambda v: [v]))),
    "long": _note("7" * 100_000),
    "a number": _note(10**3000),
    "a day": _note(date(2026, 1, 1)),
    "a tuple": _note((1, 2)),
    "keys that are numbers": {"note": {2: "a", None: "b", True: "c"}},
    "half a character": _note("\ud800"),
    "a large exponent": '{"note": {"x": 1e999999}}',
}


def _live(message: dict[str, Any]) -> str:
    """The verdict on the call, by a guard that also sees the message, is saved and goes on."""
    guard = ChatGuard(GATE.session())
    guard.absorb([HELLO])
    (call,) = calls_of(message)
    verdict = guard.verdict(call)
    for _ in range(2):
        guard.absorb([HELLO, message])
    resumed = ChatGuard.resume(GATE, json.loads(json.dumps(guard.save())))
    resumed.absorb([HELLO, message, {"role": "user", "content": "and now?"}])
    return json_text(verdict.to_json(), ascii_only=True)


def _replayed(message: dict[str, Any]) -> str | None:
    """The same of a recording; None where no file can hold the message, or it cannot be read."""
    for write in (json_text, json.dumps):
        try:
            text = write([HELLO, message])
            break
        except (TypeError, ValueError, RecursionError, InputError):
            continue
    else:
        return None
    try:
        (run,) = replay(GATE, parse_recording(text, "log"))
    except InputError:
        return None
    return json_text(run.decisions[0].verdict.to_json(), ascii_only=True)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_call_is_refused_and_the_conversation_goes_on(shape: str) -> None:
    for name, arguments in REFUSED.items():
        message = SHAPES[shape](arguments)
        verdict = _live(message)
        assert json.loads(verdict)["verdict"] == "REVISE", name
        if not name.startswith("bytes"):
            replayed = _replayed(message)
            assert replayed == (None if name in NO_FILE else verdict), name


@pytest.mark.parametrize("shape", SHAPES)
def test_what_can_be_read_is_judged(shape: str) -> None:
    for name, arguments in ALLOWED.items():
        message = SHAPES[shape](arguments)
        verdict = _live(message)
        assert json.loads(verdict)["verdict"] == "ALLOW", name
        replayed = _replayed(message)
        assert replayed is None or json.loads(replayed)["verdict"] == "ALLOW", name


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_no_message_is_an_error_that_names_it(shape: str) -> None:
    for arguments in ERRORS.values():
        guard = ChatGuard(GATE.session())
        guard.absorb([HELLO])
        with pytest.raises(ValueError, match="message 2: a message h"):
            guard.absorb([HELLO, SHAPES[shape](arguments)])
        guard.absorb([HELLO, SHAPES[shape](_note(1))])


def test_each_refusal_says_what_is_wrong() -> None:
    told = {
        "150 lists": "nested more than 100 levels deep",
        "a long number": "a number of more than 4000 digits",
        "not a number": "`nan` is no number of JSON",
        "bytes": "<1 bytes> where JSON should be",
    }
    for name, reason in told.items():
        assert reason in _live(SHAPES["chat"](REFUSED[name]))


def test_an_answer_that_is_nested_too_deeply_says_nothing() -> None:
    answer = {"name": "store", "response": {"x": _nested(150, lambda v: [v])}}
    messages = [
        HELLO,
        SHAPES["gemini"]({"note": {}}),
        {"role": "user", "parts": [{"functionResponse": answer}]},
    ]
    kinds = [type(event).__name__ for event in events_of(messages)]
    assert kinds == ["Said", "Proposed", "Unanswered"]


def test_an_item_with_an_input_of_its_own_is_no_request() -> None:
    item = {"type": "custom_tool_call", "call_id": "c", "name": "store", "input": [HELLO]}
    (conversation,) = parse_recording(json.dumps([item]), "log")
    (call,) = conversation.calls()
    assert call.arguments == {"input": [HELLO]}
