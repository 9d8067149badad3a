"""A saved guard that goes on with a conversation that was trimmed, or stored in other words."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger_verify import Gate
from ledger_verify.adapters.chat import ChatGuard, calls_of
from ledger_verify.lang.errors import InputError
from tests.adapters.chats import OPEN, answer, call, calling
from tests.gate.shop import ORDER, cancel, session

O1 = {"order_id": "o1"}
Write = Callable[[str, Any], list[dict[str, Any]]]


def _gemini(name: str, result: Any) -> list[dict[str, Any]]:
    made = {"functionCall": {"name": name, "args": O1}}
    came = {"functionResponse": {"name": name, "response": {"output": result}}}
    return [{"role": "model", "parts": [made]}, {"role": "user", "parts": [came]}]


def _function_call(name: str, result: Any) -> list[dict[str, Any]]:
    made = {"name": name, "arguments": json.dumps(O1)}
    return [
        {"role": "assistant", "content": None, "function_call": made},
        {"role": "function", "name": name, "content": json.dumps(result)},
    ]


def _same_id(name: str, result: Any) -> list[dict[str, Any]]:
    return [calling(call(name, O1, "call_0")), answer("call_0", json.dumps(result))]


SUMMARY = {"role": "user", "content": "So far: order o1 was looked up."}
WITHOUT_IDS = pytest.mark.parametrize("write", [_gemini, _function_call, _same_id])


def _guard(seen: list[dict[str, Any]]) -> ChatGuard:
    guard = ChatGuard(session(OPEN))
    guard.absorb([{"role": "user", "content": "hi"}])
    for end in range(1, len(seen) + 1):
        guard.absorb([{"role": "user", "content": "hi"}, *seen[:end]])
    return guard


def _resumed(guard: ChatGuard) -> ChatGuard:
    return ChatGuard.resume(Gate(guard.session.domain), json.loads(json.dumps(guard.save())))


def _history(write: Write) -> list[dict[str, Any]]:
    return [*write("ship", "done"), *write("get_order", ORDER)]


@WITHOUT_IDS
def test_an_unchanged_conversation_goes_on_as_it_was(write: Write) -> None:
    seen = _history(write)
    guard = _guard(seen)
    assert cancel(guard.session) == "ALLOW"
    resumed = _resumed(guard)
    whole = [{"role": "user", "content": "hi"}, *seen]
    resumed.absorb(whole)
    assert cancel(resumed.session) == "ALLOW"
    for end in (1, 2):
        resumed.absorb([*whole, *write("ship", "done")[:end]])
    assert cancel(resumed.session) == "REVISE"


@WITHOUT_IDS
def test_a_call_like_an_old_one_may_be_new_in_a_changed_conversation(write: Write) -> None:
    resumed = _resumed(_guard(_history(write)))
    resumed.absorb([SUMMARY, *write("ship", "done")])
    assert cancel(resumed.session) == "REVISE"


@WITHOUT_IDS
def test_what_follows_a_changed_conversation_is_new(write: Write) -> None:
    resumed = _resumed(_guard(_history(write)))
    resumed.absorb([SUMMARY])
    assert cancel(resumed.session) == "ALLOW"
    resumed = _resumed(resumed)
    shown = [SUMMARY]
    resumed.absorb(shown)
    for message in write("ship", "done"):
        shown.append(message)
        resumed.absorb(shown)
    assert cancel(resumed.session) == "REVISE"
    for message in write("get_order", ORDER):
        shown.append(message)
        resumed.absorb(shown)
    assert cancel(resumed.session) == "ALLOW"


def test_with_ids_a_trimmed_conversation_is_no_new_one() -> None:
    seen = [
        *(calling(call("ship", O1, "a")), answer("a", '"done"')),
        *(calling(call("get_order", O1, "b")), answer("b", json.dumps(ORDER))),
    ]
    resumed = _resumed(_guard(seen))
    resumed.absorb([SUMMARY, *seen])
    assert cancel(resumed.session) == "ALLOW"
    again = _resumed(resumed)
    again.absorb([SUMMARY, *seen[2:], calling(call("ship", O1, "c")), answer("c", "done")])
    assert cancel(again.session) == "REVISE"


def _reordered(value: Any) -> Any:
    match value:
        case dict():
            return {name: _reordered(value[name]) for name in reversed(value)}
        case list():
            return [_reordered(inner) for inner in value]
        case float() if value == int(value):
            return int(value)
    return value


def test_storage_may_order_names_and_spell_numbers_differently() -> None:
    messages = [
        calling(call("get_order", {"order_id": "o1", "page": 2.0, "a": {"y": 1, "x": 1.5}}, "a")),
        answer("a", json.dumps(ORDER)),
    ]
    guard = ChatGuard(session(OPEN))
    guard.absorb(messages)
    guard.absorb(_reordered(messages))
    state = _reordered(json.loads(json.dumps(guard.save())))
    ChatGuard.resume(Gate(guard.session.domain), state).absorb(_reordered(messages))


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, True), (0, False), ("1", 1), (10**40, 10**40 + 1), (1, None), ([], {}), ([1], 1)],
)
def test_another_value_is_another_message(one: Any, other: Any) -> None:
    def messages(value: Any) -> list[dict[str, Any]]:
        return [calling(call("get_order", {"order_id": "o1", "page": value}, "a"))]

    guard = ChatGuard(session(OPEN))
    guard.absorb(messages(one))
    with pytest.raises(ValueError, match="not what stood there"):
        guard.absorb(messages(other))


def test_numbers_of_many_digits_are_told_apart() -> None:
    def messages(digits: str) -> list[dict[str, Any]]:
        return [calling(call("get_order", '{"order_id": "o1", "page": 0.' + digits + "}", "a"))]

    guard = ChatGuard(session(OPEN))
    guard.absorb(messages("1" * 40))
    guard.absorb(messages("1" * 40 + "00"))
    with pytest.raises(ValueError, match="not what stood there"):
        guard.absorb(messages("1" * 41))


@pytest.mark.parametrize("depth", [100, 300, 600, 5000])
def test_a_call_whose_arguments_are_nested_deeply_is_refused(depth: int) -> None:
    deep = '{"order_id": "o1", "note": ' + "[" * depth + "]" * depth + "}"
    message = calling(call("ship", deep, "a"))
    guard = ChatGuard(session(OPEN))
    (made,) = calls_of(message)
    assert not guard.verdict(made).allowed
    guard.absorb([message])
    guard.absorb([message])


STATE = _guard([*_history(_same_id), calling(call("ship", O1, "z"))])
TEXT = json.dumps(STATE.save())


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if not isinstance(value, dict | list):
        return [path]
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    return [path] * bool(path) + [p for key, part in inner for p in _places(part, (*path, key))]


PLACES = _places(json.loads(TEXT))


@given(
    place=st.sampled_from(PLACES),
    value=st.sampled_from([None, True, 0, 1, -1, "", "x", [], {}, [None], {"same": 0}, 2.5]),
    drop=st.booleans(),
)
@settings(max_examples=60)
def test_a_damaged_state_is_refused(place: tuple[Any, ...], value: Any, drop: bool) -> None:
    state = json.loads(TEXT)
    holder = state
    for step in place[:-1]:
        holder = holder[step]
    if not drop and json.dumps(holder[place[-1]]) == json.dumps(value):
        return
    if drop:
        del holder[place[-1]]
    else:
        holder[place[-1]] = value
    gate = Gate(STATE.session.domain)
    with pytest.raises(InputError):
        ChatGuard.resume(gate, state)
    if place[0] == "session":
        with pytest.raises(InputError):
            gate.resume(state.get("session"))
