"""A saved state with a right digest and a part of another type is an error that names the part.

`LEDGER_VERIFY_CASES=100000 pytest tests/adapters/test_forged_state.py` tries every place.
"""

import json
import os
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from ledger_verify import Domain, Gate, Session
from ledger_verify.adapters.chat import ChatGuard
from ledger_verify.gate.state import sealed
from ledger_verify.lang.errors import InputError
from ledger_verify.source.json_text import json_text
from tests.conversation.talks import GATE, NOW_US, talk_of
from tests.conversation.written import chat

CASES = int(os.environ.get("LEDGER_VERIFY_CASES", "120"))
ITEM = {
    "type": "object",
    "required": ["id"],
    "properties": {"id": {"type": "string"}, "open": {"type": "boolean"}},
}
OWNER = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}
DESK = Gate(
    Domain.define(
        "desk",
        session={"team": "string", "limit?": "number"},
        definitions={"Item": ITEM, "Owner": OWNER},
        ledger={"items.*.*": "Item", "owner": {"record": "Owner", "key": "id"}},
        tools={
            "list": {
                "kind": "read",
                "arguments": {"page": "integer"},
                "observes": {
                    "items.{args.page}.{item.id}": {
                        "from": "result.items[*]",
                        "more": {"when": "result.more", "next": {"page": "args.page + 1"},
                                 "first": {"page": "1"}},
                    }
                },
            },
            "who": {"kind": "read", "arguments": {"id": "string"}, "identifies": "owner",
                    "observes": {"owner": "result"}},
            "add": {"kind": "write", "arguments": {"page": "integer"},
                    "touches": ["items.{args.page}.*"]},
        },
        rules=[
            {"id": "few", "tools": ["add"], "require": "size(history.add) < 3"},
            {"id": "all_open", "tools": ["add"], "require": "records(ledger.items).all(i, i.open)"},
        ],
    )
)  # fmt: skip


def _desk() -> dict[str, Any]:
    session = DESK.session(facts={"team": "a", "limit": 1.5})
    session.heard("o1")
    session.observe("who", {"id": "o1"}, {"id": "o1"})
    session.observe("list", {"page": 1}, {"items": [{"id": "a", "open": True}], "more": True})
    session.observe("list", {"page": 2}, {"items": [{"id": "b", "open": 7}], "more": False})
    session.expect("list", {"page": 3})
    session.check("add", {"page": 1})
    session.interrupted("add", {"page": 2})
    session.observe("list", {"page": 4}, "Error: no")
    return json.loads(json_text(session.save()))  # type: ignore[no-any-return]


def _bills(seed: int) -> dict[str, Any]:
    guard = ChatGuard(GATE.session(clock_us=NOW_US))
    messages = chat(talk_of(seed))
    for end in range(1, len(messages) + 1):
        guard.absorb(messages[:end])
    return json.loads(json_text(guard.save()))  # type: ignore[no-any-return]


def _resumed_guard(state: Any) -> Any:
    guard = ChatGuard.resume(GATE, state, clock_us=NOW_US)
    return _used(guard.session, guard.save())


def _resumed_session(state: Any) -> Any:
    session = DESK.resume(state)
    return _used(session, session.save())


def _used(session: Session, state: Any) -> Any:
    """What a resumed state is saved as; nothing of it may fail later."""
    session.render()
    for tool in session.domain.tools:
        verdict = session.dry_run(tool, {"id": "7", "amount": 1, "page": 1, "text": "x"})
        assert verdict.decided_by != "error", verdict.message
    return json.loads(json_text(state))


STATES: dict[str, tuple[Callable[[Any], Any], dict[str, Any]]] = {
    "desk": (_resumed_session, _desk()),
    "bills": (_resumed_guard, _bills(1)),
    "more bills": (_resumed_guard, _bills(7)),
}
OTHERS: tuple[Any, ...] = (None, True, 7, "x", [], {}, {"list": [], "id": 10**6})


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _places(part, (*path, key))


def _fits(state: Any, place: tuple[Any, ...], value: Any) -> bool:
    """Whether the value is of the type that stands there, or of another that is declared."""
    old, holder = _at(state, place), _at(state, place[:-1])
    name = holder[0] if isinstance(holder, list) and place[-1] == 1 else place[-1]
    return (
        type(value) is type(old)
        or (value == 7 and (name in ("limit", "time") or (type(old) is dict and "number" in old)))
        or (value is None and (name in MAY_BE_NULL or _is_key(state, place)))
        or (old is None and value == "x" and _is_key(state, place))
        or (name, value) in (("ok", True), ("tools", []))
    )


def _is_key(state: Any, place: tuple[Any, ...]) -> bool:
    """Whether it is the key of a record, which may be any."""
    above = [_at(state, place[:length]) for length in range(len(place))]
    names = [pair[0] for pair in above if isinstance(pair, list) and pair]
    inside = "rejected" in names or "underway" in names
    return "keys" in place[-3:] or (inside and place[-2] == "tuple")


MAY_BE_NULL = ("source", "line", "call", "page", "observation", "id", "at_us")


def _at(value: Any, place: tuple[Any, ...]) -> Any:
    for step in place:
        value = value[step]
    return value


def _resealed(state: dict[str, Any]) -> dict[str, Any]:
    if isinstance(state.get("session"), dict):
        state["session"] = sealed(state["session"])
    return sealed({name: part for name, part in state.items() if name != "digest"})


def _forged(state: dict[str, Any], place: tuple[Any, ...], value: Any) -> dict[str, Any]:
    copied = json.loads(json.dumps(state))
    _at(copied, place[:-1])[place[-1]] = value
    for part in (copied, copied.get("session")):
        if isinstance(part, dict):
            part.pop("digest", None)
    return _resealed(copied)


@pytest.mark.parametrize("name", STATES)
def test_a_part_of_another_type_is_an_error_that_names_it(name: str) -> None:
    resume, state = STATES[name]
    assert resume(state) == state
    rng = Random(0)
    cases = [
        (place, value)
        for place in _places(state)
        for value in OTHERS
        if not _fits(state, place, value)
    ]
    wrong = []
    for place, value in rng.sample(cases, min(CASES, len(cases))):
        forged = _forged(state, place, value)
        try:
            found = resume(forged)
        except InputError as problem:
            if not any(word in problem.message for word in ("`", "version", "no saved state")):
                wrong.append((place, value, problem.message))
        except Exception as problem:
            wrong.append((place, value, repr(problem)))
        else:
            if found != state:  # the numbers of objects may be others
                wrong.append((place, value, "taken silently"))
    assert not wrong
